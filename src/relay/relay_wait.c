/* SPDX-License-Identifier: ISC */
/* Aegsh's side of an answer. */
#include "relay/relay_int.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "aegsh/base/pack.h"

#define TICK_MS 1000		/* between looks whether it was stopped */

static void
take(struct relay_said *s, size_t len)
{
	struct pack_reader in = { s->packet, s->packet + len };
	const char *trouble = pack_get_text(&in);

	s->trouble[0] = '\0';
	if (trouble != NULL)
		strncat(s->trouble, trouble, sizeof s->trouble - 1);
	cast_line_unpack(&in, &s->line);
	if (in.p == NULL)
		s->line = (struct cast_line){ .offset = 0 };
}

const char *
relay_said_killed(const struct relay_said *s)
{
	return s->over && s->kills ? s->limit : NULL;
}

const char *
relay_said_limited(struct relay_said *s)
{
	if (!s->over || s->told)
		return NULL;
	s->told = true;
	return s->limit + strlen(RELAY_MET);
}

void
relay_take_over(int control, struct relay_said *s)
{
	char word;

	if (recv(control, &word, 1, MSG_DONTWAIT | MSG_PEEK) != 1 ||
	    word != RELAY_OVER)
		return;
	(void)recv(control, &word, 1, MSG_DONTWAIT);
	s->over = true;
}

/* The answer comes when whoever reads has read enough: as long as it takes.
 * Who interrupts us then ends us, as in a write(2) of the line itself. */
int
relay_await(int control, pid_t pid, struct relay_said *s)
{
	struct pollfd p = { .fd = control, .events = POLLIN };
	siginfo_t info;
	ssize_t n;

	if (s->packet == NULL)
		s->packet = xmalloc(RELAY_PACKET_MAX);
	for (;;) {
		n = recv(control, s->packet, RELAY_PACKET_MAX, MSG_DONTWAIT);
		if (n == 1 && s->packet[0] == RELAY_HUNG_UP)
			return 0;
		if (n == 1 && s->packet[0] == RELAY_OVER) {
			s->over = true;
			continue;
		}
		if (n > 0)
			break;
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return -EPIPE;
		poll(&p, 1, TICK_MS);
		info.si_pid = 0;
		if (pid > 0 && waitid(P_PID, (id_t)pid, &info, WSTOPPED |
		    WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
			return -EPIPE;
	}
	take(s, (size_t)n);
	return 1;
}

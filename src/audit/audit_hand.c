/* SPDX-License-Identifier: ISC */
/*
 * Heads on their way to somebody else: the system's log, where the store's
 * user can add lines and take none away.
 *
 * A head goes out once its links are on the disk, since a power failure
 * would otherwise look like a tail that somebody cut off.
 */
#include "audit_chain_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

/* While rows come, a head goes out at least as often. */
#define HAND_EVERY_NS (INT64_C(5) * 60 * 1000 * 1000 * 1000)

static int
send_to(const char *name, const struct buf *message, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s%s", sysdirs()->system, name);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	AEG_AUTOFD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0)
		return err_sys(err, errno, "socket");
	if (strlen(path) >= sizeof to.sun_path)
		return err_sys(err, ENAMETOOLONG, "%s", path);
	memcpy(to.sun_path, path, strlen(path) + 1);
	do
		n = sendto(fd, message->data, message->len, MSG_DONTWAIT |
		    MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to);
	while (n < 0 && errno == EINTR);
	return n < 0 ? err_sys(err, errno, "%s", path) : 0;
}

int
audit_witness_send(enum audit_witness to, const char *line, struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;

	switch (to) {
	case AUDIT_WITNESS_NONE:
		return 0;
	case AUDIT_WITNESS_SYSLOG:
		/* authpriv.notice, as syslog(3) sends it */
		buf_putf(&b, "<85>aegsh[%ld]: %s", (long)getpid(), line);
		return send_to("/dev/log", &b, err);
	case AUDIT_WITNESS_JOURNAL:
		/* systemd.journal-fields(7): a field a line */
		buf_putf(&b, "MESSAGE=%s\nPRIORITY=5\nSYSLOG_FACILITY=10\n"
		    "SYSLOG_IDENTIFIER=aegsh\n", line);
		return send_to("/run/systemd/journal/socket", &b, err);
	}
	return 0;
}

int
audit_witness_parse(const char *word, enum audit_witness *ret)
{
	static const char *const words[] = { [AUDIT_WITNESS_NONE] = "none",
		[AUDIT_WITNESS_SYSLOG] = "syslog",
		[AUDIT_WITNESS_JOURNAL] = "journal" };
	size_t i;

	for (i = 0; i < AEG_NELEM(words); i++) {
		if (strcmp(word, words[i]) == 0) {
			*ret = (enum audit_witness)i;
			return 0;
		}
	}
	return -EINVAL;
}

void
audit_witness_to(struct audit *a, enum audit_witness to)
{
	a->hand.to = to;
	a->hand.since_ns = clock_mono_ns();
}

const char *
audit_unheard(const struct audit *a)
{
	return a->hand.failed ? a->hand.err.text : NULL;
}

bool
audit_hand_due(const struct audit *a)
{
	return a->hand.to != AUDIT_WITNESS_NONE &&
	    clock_mono_ns() - a->hand.since_ns > HAND_EVERY_NS;
}

static int
hand(struct audit *a, struct err *err)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	struct audit_origin origin;
	int rc = audit_chain_origin(&a->db, &origin, err);

	if (rc < 0)
		return rc;
	audit_head_text(&line, origin.store, a->db.head.seq,
	    a->db.head.link);
	return audit_witness_send(a->hand.to, line.data, err);
}

void
audit_hand_out(struct audit *a)
{
	int rc;

	if (!a->db.head.known || a->hand.to == AUDIT_WITNESS_NONE)
		return;
	rc = hand(a, &a->hand.err);
	a->db.head.known = false;
	a->hand.since_ns = clock_mono_ns();
	/* Each silence is one event. */
	if (rc < 0 && !a->hand.failed)
		audit_note(a, "witness-unheard", a->hand.err.text);
	a->hand.failed = rc < 0;
}

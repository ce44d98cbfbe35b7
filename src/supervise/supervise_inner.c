/* SPDX-License-Identifier: ISC */
/*
 * Aegsh inside of a line, a guest: the kernel lets a process have one
 * listener, Landlock sixteen layers, and the store is out of a line's reach,
 * so the inner aegsh has none of these.  It stands in the line's domain, as
 * all that the line starts, and asks the aegsh around it.
 *
 * It knocks by a system call that nobody else makes (supervise_knock.c).  The
 * supervisor, which the kernel asks about that call, answers with a socket,
 * and no environment and no inherited descriptor is believed; so a terminal
 * multiplexer that closes what it was given still finds the door.  Any command
 * of the line may knock.  It gains nothing: what is said there is judged as a
 * line is, and whoever does not ask runs with what the line around him may do.
 *
 * The other end of the socket goes to a process that the supervisor starts
 * for it, the host, out of aegsh's memory: it judges and records, and waits
 * for disks and models where the supervisor must not.  It stands outside of
 * every domain.  When it ends, the line is killed.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/rights.h"

#define HOST_DATA ((rlim_t)2 << 30)	/* bytes */
#define END_NS ((int64_t)2 * 1000000000)	/* for being killed */

/* ---- a guest that has lost its host ------------------------------------- */

bool
sup_has_hung_up(int sock)
{
	struct pollfd p = { .fd = sock };

	return sock >= 0 && poll(&p, 1, 0) > 0 && (p.revents & POLLHUP) != 0;
}

void
sup_await_end(void)
{
	int64_t until = clock_mono_ns() + END_NS;

	while (clock_mono_ns() < until)
		poll(NULL, 0, 100);
}

void
supervise_await_end(int sock)
{
	if (sup_has_hung_up(sock))
		sup_await_end();
}

/* ---- the host's start --------------------------------------------------- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_SHADOW 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define OWN_SHADOW 1
#endif

/*
 * No limit of the line counts the host, yet what the line says to it takes
 * memory.  Each thing that is said has a cap; this one is for all of them
 * together.  Beyond it the host ends, and with it the line.
 */
static void
limit_host(void)
{
#ifndef OWN_SHADOW	/* a sanitizer's marks are terabytes of data */
	struct rlimit data;

	if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur > HOST_DATA) {
		data.rlim_cur = HOST_DATA;
		setrlimit(RLIMIT_DATA, &data);
	}
#endif
}

static void __attribute__((noreturn))
become_host(const struct sup *s, int guests, int holds)
{
	const struct supervise_host host = { guests, holds };
	int low = guests < holds ? guests : holds;
	int high = guests < holds ? holds : guests, sig;
	sigset_t none;

	setsid();
	prctl(PR_SET_NAME, "aegsh-host", 0, 0, 0);
	for (sig = 1; sig < SIGRTMIN; sig++)
		signal(sig, sig == SIGPIPE || sig == SIGHUP ||
		    sig == SIGXFSZ ? SIG_IGN : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (low > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1U,
		    (unsigned)low - 1, 0);
	if (high > low + 1)
		syscall(SYS_close_range, (unsigned)low + 1,
		    (unsigned)high - 1, 0);
	syscall(SYS_close_range, (unsigned)high + 1, ~0U, 0);
	limit_host();
	s->serve(s->ctx, &host);
	_exit(0);
}

static int
start_host(struct sup *s)
{
	const int type = SOCK_SEQPACKET | SOCK_CLOEXEC;
	int guests[2] = { -1, -1 }, holds[2] = { -1, -1 };
	pid_t pid = -1;

	if (s->guests >= 0)
		return 0;
	if (s->serve != NULL &&
	    socketpair(AF_UNIX, type, 0, guests) == 0 &&
	    socketpair(AF_UNIX, type, 0, holds) == 0)
		pid = sup_pace_fork(s);
	if (pid == 0)
		become_host(s, guests[1], holds[1]);
	io_close(&guests[1]);
	io_close(&holds[1]);
	if (pid < 0) {
		io_close(&guests[0]);
		io_close(&holds[0]);
		return -EAGAIN;
	}
	s->guests = guests[0];
	s->holds = holds[0];
	return 0;
}

/* ---- who knocks --------------------------------------------------------- */

static int
announce(struct sup *s, int sock)
{
	struct sup_guest guest = { .number = ++s->n_guests,
		.pid = (int32_t)s->ask->pid };
	const struct iovec iov = { &guest, sizeof guest };
	ssize_t n;

	memcpy(guest.label, s->label, sizeof guest.label);
	n = rights_send(s->guests, &iov, 1, MSG_DONTWAIT, &sock, 1);
	return n < 0 ? (int)n : 0;
}

enum sup_answer
sup_guest(struct sup *s)
{
	int ends[2] = { -1, -1 };
	bool given;

	s->answer->error = start_host(s);
	if (s->answer->error < 0)
		return SUP_REFUSE;
	s->answer->error = -EMFILE;
	if (sup_pair(ends) < 0)
		return SUP_REFUSE;
	given = announce(s, ends[0]) == 0 &&
	    sup_give(s, ends[1], O_CLOEXEC) == 0;
	io_close(&ends[0]);
	io_close(&ends[1]);
	return given ? SUP_ANSWERED : SUP_REFUSE;
}

/* ---- what is held for them ---------------------------------------------- */

static void
release(struct sup *s, uint32_t guest)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		if (s->script[i].guest == guest)
			sup_script_done(&s->script[i]);
		else
			s->script[n++] = s->script[i];
	s->n = n;
}

/* What the line itself was judged with holds for all that it starts. */
static int
hold(struct sup *s, const struct sup_hold *h, const char *path, int *copy)
{
	const struct supervise_script wish = { .path = path, .copy = *copy,
		.hidden = h->hidden != 0 };
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->script[i].guest == 0 &&
		    !sup_unit_is_old(s, &s->script[i]) &&
		    sup_script_find(&s->script[i], 1, path) != NULL)
			return sup_script_same(&s->script[i], *copy) ? 0 :
			    -EBADMSG;
	if (s->n == SUP_SCRIPTS_MAX)
		return -ENOSPC;
	sup_script_set(&s->script[s->n], &wish);
	s->script[s->n++].guest = h->guest;
	*copy = -1;
	return 0;
}

static int
take_hold(struct sup *s, const char *bytes, size_t len, int *copy)
{
	AEG_AUTOFREE char *path = NULL;
	struct sup_hold h;

	if (len < sizeof h)
		return -EPROTO;
	memcpy(&h, bytes, sizeof h);
	if (len != sizeof h + h.path_len)
		return -EPROTO;
	if (h.guest == 0) {
		sup_break(s, "%.*s", (int)h.path_len, bytes + sizeof h);
		return 0;
	}
	if (h.path_len == 0) {
		release(s, h.guest);
		return 0;
	}
	if (!s->reads)
		return SUPERVISE_NOT_HELD;
	path = xmemdup0(bytes + sizeof h, h.path_len);
	return *copy < 0 ? -EPROTO : hold(s, &h, path, copy);
}

void
sup_holds_hear(struct sup *s)
{
	char bytes[sizeof(struct sup_hold) + SUP_PATH_MAX];
	int copy;
	int32_t answer;
	ssize_t n = sup_receive(s->holds, bytes, sizeof bytes, &copy, 1);

	if (n == -EAGAIN)
		return;
	if (n > 0) {
		answer = take_hold(s, bytes, (size_t)n, &copy);
		(void)send(s->holds, &answer, sizeof answer, MSG_NOSIGNAL);
	}
	io_close(&copy);
	if (n > 0)
		return;
	/* It never ends before we do. */
	io_close(&s->holds);
	io_close(&s->guests);
	sup_break(s, "the process that judges and records what an aegsh "
	    "inside of it runs has ended");
}

/* ---- the host's side ---------------------------------------------------- */

int
supervise_guest(const struct supervise_host *h, struct supervise_guest *ret)
{
	struct sup_guest guest;
	int sock;
	ssize_t n = sup_receive(h->guests, &guest, sizeof guest, &sock, 1);

	if (n == -EAGAIN)
		return 0;
	if (n != (ssize_t)sizeof guest || sock < 0) {
		io_close(&sock);
		return -ENODATA;
	}
	*ret = (struct supervise_guest){ .sock = sock,
		.number = guest.number, .pid = guest.pid };
	memcpy(ret->label, guest.label, sizeof ret->label);
	return 1;
}

static int
tell_holds(const struct supervise_host *h, const struct sup_hold *head,
    const char *path, int copy)
{
	const struct iovec iov[2] = { { (void *)(uintptr_t)head, sizeof *head },
		{ (void *)(uintptr_t)path, head->path_len } };
	ssize_t n = rights_send(h->holds, iov, 2, 0, &copy, copy >= 0);
	int32_t answer;

	if (n < 0)
		return (int)n;
	return recv(h->holds, &answer, sizeof answer, 0) ==
	    (ssize_t)sizeof answer ? answer : -EPIPE;
}

int
supervise_hold(const struct supervise_host *h, unsigned guest,
    const struct supervise_script *s)
{
	const struct sup_hold head = { guest, s->hidden,
		(uint32_t)strlen(s->path) };

	return tell_holds(h, &head, s->path, s->copy);
}

void
supervise_release(const struct supervise_host *h, unsigned guest)
{
	const struct sup_hold head = { guest, 0, 0 };

	(void)tell_holds(h, &head, "", -1);
}

void
supervise_give_up(const struct supervise_host *h, const char *why)
{
	const struct sup_hold head = { 0, 0, (uint32_t)strlen(why) };

	(void)tell_holds(h, &head, why, -1);
}

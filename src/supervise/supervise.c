/* SPDX-License-Identifier: ISC */
/* Aegsh's side: starting the supervisor, hearing it, and losing it. */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define PATIENCE_NS ((int64_t)10 * 1000000000)	/* for its last words */

struct supervisor {
	pid_t pid;
	int control;		/* or -1: nothing more comes */
	int door;		/* for the child, or -1 */
	bool done;		/* it said that nobody is left */
	bool ended;		/* it answered to SUP_END */
	char *broken, *limited;
	struct supervise_image *image;
	size_t n, lost;
	struct sup_members known;	/* more than of images are kept */
};

/* ---- starting ----------------------------------------------------------- */

static int
smallest_from(const struct sup *s, int low)
{
	int least = -1;
	size_t i;

	for (i = 0; i < s->n + 2; i++) {
		int fd = i < s->n ? s->script[i].copy : i == s->n ?
		    s->control : s->door;

		if (fd >= low && (least < 0 || fd < least))
			least = fd;
	}
	return least;
}

/* Nothing of aegsh's stays open here but what is meant. */
static void
close_others(const struct sup *s)
{
	int low = STDERR_FILENO + 1, fd;

	while ((fd = smallest_from(s, low)) >= 0) {
		if (fd > low)
			syscall(SYS_close_range, (unsigned)low,
			    (unsigned)fd - 1, 0);
		low = fd + 1;
	}
	syscall(SYS_close_range, (unsigned)low, ~0U, 0);
}

static void __attribute__((noreturn))
become_supervisor(struct sup *s, const struct supervise_opts *o)
{
	sigset_t all;
	int fd, null;

	/* Of the terminal and of everybody: only SIGKILL and SIGSTOP. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setpgid(0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NAME, "aegsh-watch", 0, 0, 0);
	for (s->n = 0; s->n < o->n && s->n < SUPERVISE_SCRIPTS_MAX; s->n++)
		sup_script_set(&s->script[s->n], &o->script[s->n]);
	s->n_judged = s->n;
	for (fd = 0; fd < SUP_INNER_MAX; fd++)
		s->inner[fd] = -1;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_others(s);
	if (chdir("/") < 0)
		_exit(1);
	sup_main(s);
}

int
supervise_start(const struct supervise_opts *o, struct supervisor **ret,
    struct err *err)
{
	int control[2] = { -1, -1 }, door[2] = { -1, -1 }, rc = 0;
	const int type = SOCK_SEQPACKET | SOCK_CLOEXEC;
	const struct sup_asks asks = {
		.calls = (o->images ? SUP_ASKS_READS | SUP_ASKS_STARTS : 0U) |
		    (o->limits.children > 0 ? SUP_ASKS_SPAWNS : 0U) |
		    (supervise_has_limits(&o->limits) ? SUP_ASKS_ENDS : 0U),
	};
	struct supervisor *s;
	pid_t pid = -1;

	rc = sup_ask_outer(o, err);
	if (rc < 0)
		return rc;
	if (rc > 0) {
		/* It watches us too: what it does is told outside. */
		s = xcalloc(1, sizeof *s);
		s->control = s->door = -1;
		s->done = true;
		*ret = s;
		return 0;
	}
	if (socketpair(AF_UNIX, type, 0, control) < 0 ||
	    socketpair(AF_UNIX, type, 0, door) < 0)
		rc = err_sys(err, errno, "supervisor: socketpair");
	else if (send(door[0], &asks, sizeof asks, MSG_NOSIGNAL) < 0)
		rc = err_sys(err, errno, "supervisor: its first word");
	if (rc == 0)
		pid = fork();
	if (pid == 0) {
		struct sup sup = { .control = control[1], .door = door[0],
			.listener = -1, .own_group = o->own_group,
			.images = o->images, .may_start = o->may_start,
			.ctx = o->ctx, .meter = { .most = o->limits } };

		become_supervisor(&sup, o);
	}
	if (rc == 0 && pid < 0)
		rc = err_sys(err, errno, "supervisor: fork");
	io_close(&control[1]);
	io_close(&door[0]);
	if (rc < 0) {
		io_close(&control[0]);
		io_close(&door[1]);
		return rc;
	}
	s = xcalloc(1, sizeof *s);
	s->pid = pid;
	s->control = control[0];
	s->door = door[1];
	*ret = s;
	return 0;
}

int
supervise_child_fd(const struct supervisor *s)
{
	return s->door;
}

void
supervise_handed_over(struct supervisor *s)
{
	io_close(&s->door);
}

pid_t
supervise_pid(const struct supervisor *s)
{
	return s->pid;
}

/* ---- hearing ------------------------------------------------------------ */

static void
take_image(struct supervisor *s, const struct sup_report *r,
    const char *bytes)
{
	struct supervise_image *m;

	sup_members_add(&s->known, (struct sup_known){ r->pid, r->start });
	if (s->n == SUPERVISE_IMAGES_MAX) {
		s->lost++;
		return;
	}
	if ((s->n & (s->n - 1)) == 0)
		s->image = xreallocarray(s->image, s->n > 0 ? 2 * s->n : 1,
		    sizeof *s->image);
	m = &s->image[s->n++];
	*m = (struct supervise_image){
		.pid = r->pid, .ppid = r->ppid,
		.wall_ns = r->wall_ns, .mono_ns = r->mono_ns,
		.start = r->start,
		.path = xmemdup0(bytes, r->path_len),
		.argv = xmemdup0(bytes + r->path_len, r->argv_len),
		.argv_len = r->argv_len,
		.said = xmemdup0(bytes + r->path_len + r->argv_len,
		    r->said_len),
		.refused = r->kind == SUP_REFUSED,
	};
}

static void
take_one(struct supervisor *s, const struct sup_report *r, const char *bytes)
{
	switch ((enum sup_kind)r->kind) {
	case SUP_IMAGE:
	case SUP_REFUSED:
		take_image(s, r, bytes);
		break;
	case SUP_BROKEN:
		if (s->broken == NULL)
			s->broken = xmemdup0(bytes, r->path_len);
		break;
	case SUP_LIMITED:
		if (s->limited == NULL)
			s->limited = xmemdup0(bytes, r->path_len);
		break;
	case SUP_LOST:
		s->lost += (size_t)r->pid;
		break;
	case SUP_ENDED:
		s->ended = true;
		break;
	case SUP_DONE:
		s->done = true;
		break;
	case SUP_NOTHING:
	case SUP_END:
		break;
	}
}

int
supervise_poll_fd(const struct supervisor *s)
{
	return s->control;
}

int
supervise_take(struct supervisor *s)
{
	char packet[SUP_PACKET_MAX];
	struct sup_report r;
	ssize_t n;

	while (s->control >= 0) {
		n = recv(s->control, packet, sizeof packet, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		/* It has ended with something of ours unread; what it said
		 * before is still to be had. */
		if (n < 0 && errno == ECONNRESET)
			continue;
		if (n < (ssize_t)sizeof r) {
			io_close(&s->control);
			break;
		}
		memcpy(&r, packet, sizeof r);
		if ((size_t)n == sizeof r + r.path_len + r.argv_len +
		    r.said_len)
			take_one(s, &r, packet + sizeof r);
	}
	if (s->done || s->ended)
		return 0;
	if (s->broken == NULL)
		s->broken = xstrdup("its supervisor was killed");
	return -ESRCH;
}

void
supervise_end(struct supervisor *s)
{
	const struct sup_report end = { .kind = SUP_END };
	int64_t until = clock_mono_ns() + PATIENCE_NS;

	supervise_handed_over(s);
	if (s->control >= 0)
		(void)send(s->control, &end, sizeof end, MSG_NOSIGNAL);
	while (supervise_take(s) == 0 && s->control >= 0 && !s->ended &&
	    clock_mono_ns() < until) {
		struct pollfd p = { .fd = s->control, .events = POLLIN };

		poll(&p, 1, 100);
	}
}

const char *
supervise_broken(const struct supervisor *s)
{
	return s->broken;
}

const char *
supervise_limited(const struct supervisor *s)
{
	return s->limited;
}

const struct supervise_image *
supervise_images(const struct supervisor *s, size_t *ret_n,
    size_t *ret_lost)
{
	*ret_n = s->n;
	*ret_lost = s->lost;
	return s->image;
}

void
supervise_kill_images(const struct supervisor *s)
{
	sup_members_kill(&s->known);
}

void
supervise_free(struct supervisor *s)
{
	const struct sup_report end = { .kind = SUP_END };
	size_t i;

	if (s == NULL)
		return;
	io_close(&s->door);
	/* Those left are kept: it is told before we are silent. */
	if (s->control >= 0 && !s->ended)
		(void)send(s->control, &end, sizeof end, MSG_NOSIGNAL);
	io_close(&s->control);
	for (i = 0; i < s->n; i++) {
		free((char *)(uintptr_t)s->image[i].path);
		free((char *)(uintptr_t)s->image[i].argv);
		free((char *)(uintptr_t)s->image[i].said);
	}
	free(s->image);
	free(s->known.v);
	free(s->broken);
	free(s->limited);
	free(s);
}

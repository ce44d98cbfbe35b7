/* SPDX-License-Identifier: ISC */
/*
 * The supervisor's life: a child says hello with the listener, programs ask,
 * aegsh is told.  It ends when nobody is left who could ask.
 *
 * Aegsh that ends without a word about the line takes the line with it.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS	/* since Linux 6.6 */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

#define FLUSH_LEN ((size_t)16 * 1024)
#define FLUSH_NS ((int64_t)5 * 1000000)
#define SWEEP_NS ((int64_t)20 * 1000000)	/* of a line's end */

/* ---- telling aegsh ------------------------------------------------------ */

/* Whole ones. */
static size_t
next_chunk(const struct sup *s)
{
	size_t end = s->taken;
	uint32_t len;

	while (end < s->queue.len) {
		memcpy(&len, s->queue.data + end, sizeof len);
		if (end + sizeof len + len - s->taken > SUP_CHUNK_MAX)
			break;
		end += sizeof len + len;
	}
	return end - s->taken;
}

static void
drain_queue(struct sup *s)
{
	while (s->control >= 0 && s->taken < s->queue.len) {
		size_t len = next_chunk(s);
		ssize_t n = send(s->control, s->queue.data + s->taken, len,
		    MSG_NOSIGNAL | MSG_DONTWAIT);

		s->clogged = n < 0 && (errno == EAGAIN || errno == EINTR);
		if (s->clogged)
			return;
		/* Gone: what that means for the line hear() finds out. */
		if (n < 0)
			len = s->queue.len - s->taken;
		s->taken += len;
	}
	buf_done(&s->queue);
	s->queue = (struct buf)BUF_INIT;
	s->taken = 0;
	s->flush_ns = 0;
}

static void
queue(struct sup *s, const struct sup_report *head, const char *path,
    const char *argv, const char *said)
{
	uint32_t len = (uint32_t)sizeof *head + head->path_len +
	    head->argv_len + head->said_len;

	buf_put(&s->queue, &len, sizeof len);
	buf_put(&s->queue, head, sizeof *head);
	if (head->path_len > 0)
		buf_put(&s->queue, path, head->path_len);
	if (head->argv_len > 0)
		buf_put(&s->queue, argv, head->argv_len);
	if (head->said_len > 0)
		buf_put(&s->queue, said, head->said_len);
}

void
sup_report(struct sup *s, const struct sup_report *head, const char *path,
    const char *argv, const char *said)
{
	if (s->control < 0)
		return;
	if ((head->kind == SUP_IMAGE && s->queue.len > SUP_QUEUE_MAX) ||
	    (head->kind == SUP_REFUSED && s->queue.len > 2 * SUP_QUEUE_MAX))
		s->lost++;
	else
		queue(s, head, path, argv, said);
	/* Whoever asks waits, so aegsh hears of many at once; should we end
	 * before that, the line does. */
	if (head->kind != SUP_IMAGE || s->queue.len - s->taken > FLUSH_LEN)
		drain_queue(s);
	else if (s->flush_ns == 0)
		s->flush_ns = head->mono_ns + FLUSH_NS;
}

static void
report_lost(struct sup *s)
{
	struct sup_report head = { .kind = SUP_LOST, .pid = (int)s->lost };

	if (s->lost > 0)
		sup_report(s, &head, NULL, NULL, NULL);
	s->lost = 0;
}

static void
say(struct sup *s, enum sup_kind kind)
{
	struct sup_report head = { .kind = kind };

	report_lost(s);
	sup_report(s, &head, NULL, NULL, NULL);
}

/* ---- killing ------------------------------------------------------------ */

bool
sup_is_valid(const struct sup *s)
{
	if (s->ask->pid == 0)
		return false;
	if (s->looked_at >= 0)
		return syscall(SYS_pidfd_send_signal, s->looked_at, 0, NULL,
		    0) == 0;
	return ioctl(s->listener, SECCOMP_IOCTL_NOTIF_ID_VALID,
	    &s->ask->id) == 0;
}

/* Who asks; the number is its own only while it asks. */
void
sup_kill_asker(struct sup *s)
{
	AEG_AUTOFD int fd = (int)syscall(SYS_pidfd_open, s->ask->pid, 0);

	/* A thread that leads no process has no such descriptor. */
	if (!sup_is_valid(s))
		return;
	if (fd >= 0)
		syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
	else
		kill((pid_t)s->ask->pid, SIGKILL);
}

const struct sup_stat *
sup_asker(struct sup *s)
{
	if (s->asker_id != s->ask->id || s->asker.start == 0) {
		s->asker = sup_proc_stat((pid_t)s->ask->pid);
		s->asker_id = s->ask->id;
	}
	return &s->asker;
}

void
sup_asker_done(struct sup *s)
{
	s->ask->pid = 0;
	s->asker = (struct sup_stat){ .state = '\0' };
}

void
sup_know(struct sup *s, pid_t pid)
{
	sup_members_add(&s->known, (struct sup_known){ pid,
	    pid == (pid_t)s->ask->pid ? sup_asker(s)->start :
	    sup_proc_stat(pid).start });
}

/* Those that have lost their parent are none of the tree. */
static void
kill_line(struct sup *s)
{
	s->broken = true;
	if (s->group != NULL)
		cgroup_line_kill(s->group);
	/* Guests end with their host, where they are not found below. */
	io_close(&s->guests);
	io_close(&s->holds);
	/* Once its end was told its number may be another's. */
	if (s->line > 0 && (!s->kept || sup_is_same(&s->head))) {
		supervise_kill_tree(s->line);
		if (s->own_group)
			kill(-s->line, SIGKILL);
	}
	sup_members_kill(&s->known);
	sup_adopted_look(s);
	sup_members_kill(&s->adopted);
	s->sweep_ns = clock_mono_ns() + SWEEP_NS;
}

/* Of a line that is killed nobody may be left who was just being born, or
 * was left behind by one that died.  The kernel tells when none is: then the
 * listener hangs up. */
static void
sweep(struct sup *s)
{
	if (s->sweep_ns != 0 && clock_mono_ns() >= s->sweep_ns)
		kill_line(s);
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* For poll(2). */
static int
timeout_of(const struct sup *s)
{
	int64_t due = sooner(s->sweep_ns, sup_meter_due(s)), left;

	if (!s->clogged)
		due = sooner(due, s->flush_ns);
	if (!s->broken)
		due = sooner(due, sup_attempt_due(s));
	if (due == 0)
		return -1;
	left = due - clock_mono_ns();
	return left > 0 ? (int)((left + 999999) / 1000000) : 0;
}

/* A shell that was left behind and has started no program itself is known to
 * nobody, but what asks is below it.  Who is above the line was there before it
 * or, in the same tick of the clock, is not confined, or is aegsh. */
static pid_t
oldest_of_line(const struct sup *s, pid_t pid)
{
	struct sup_stat stat;
	pid_t parent;

	for (;;) {
		parent = sup_proc_stat(pid).parent;
		stat = sup_proc_stat(parent);
		if (parent <= 1 || parent == getppid() ||
		    stat.start < s->head.start ||
		    !sup_proc_no_new_privs(parent))
			return pid;
		pid = parent;
	}
}

void
sup_break(struct sup *s, const char *fmt, ...)
{
	struct sup_report head = { .kind = SUP_BROKEN };
	char text[SUP_PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	head.path_len = n < 0 ? 0 : (size_t)n < sizeof text ? (uint32_t)n :
	    (uint32_t)sizeof text - 1;
	/* Aegsh hears of it before its bash is gone. */
	if (!s->broken)
		sup_report(s, &head, text, NULL, NULL);
	kill_line(s);
	if (sup_is_valid(s))
		supervise_kill_tree(oldest_of_line(s, (pid_t)s->ask->pid));
	sup_kill_asker(s);
}

/* ---- answering ---------------------------------------------------------- */

static enum sup_answer
judge_call(struct sup *s)
{
	switch (s->ask->data.nr) {
	case SUP_DOOR_CALL:
		return (uint32_t)s->ask->data.args[0] == SUP_DOOR_BROKER ?
		    sup_broker(s) : sup_guest(s);
	case __NR_set_tid_address:
	case __NR_sched_getaffinity:
		return SUP_CONTINUE;
	case __NR_execve:
	case __NR_execveat:
		return sup_attempt(s);
	case __NR_exit_group:
	case __NR_exit:
		return sup_exit(s);
	case __NR_clone:
#ifdef __NR_fork
	case __NR_fork:
	case __NR_vfork:
#endif
		return sup_spawn(s);
	case __NR_connect:
		if (s->network)
			(void)sup_network(s);
		return s->may_connect != NULL ? sup_connect(s) : SUP_CONTINUE;
	case __NR_socket:
		return sup_socket(s);
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
		return sup_network(s);
	default:
		return sup_open(s);
	}
}

static void
answer(struct sup *s)
{
	enum sup_answer a = SUP_REFUSE;

	memset(s->ask, 0, s->ask_size);
	memset(s->answer, 0, s->answer_size);
	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, s->ask) < 0)
		return;		/* it was killed meanwhile */
	s->answer->id = s->ask->id;
	s->answer->error = -EACCES;
	if (s->broken)
		sup_kill_asker(s);
	else if ((a = s->images ? sup_shown(s) : SUP_CONTINUE) ==
	    SUP_CONTINUE)
		a = judge_call(s);
	if (a == SUP_CONTINUE) {
		s->answer->error = 0;
		s->answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	if (a != SUP_ANSWERED)
		ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, s->answer);
	/* Who waits for a helper's answer asks still. */
	if (a != SUP_ANSWERED || !sup_is_valid(s))
		sup_asker_done(s);
}

/* The kernel's structures may be longer than those that we know. */
static void
make_room(struct sup *s)
{
	struct seccomp_notif_sizes sizes = { 0, 0, 0 };

	s->ask_size = sizeof *s->ask;
	s->answer_size = sizeof *s->answer;
	syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
	if (sizes.seccomp_notif > s->ask_size)
		s->ask_size = sizes.seccomp_notif;
	if (sizes.seccomp_notif_resp > s->answer_size)
		s->answer_size = sizes.seccomp_notif_resp;
	s->ask = xcalloc(1, s->ask_size);
	s->answer = xcalloc(1, s->answer_size);
}

/* ---- what it holds ------------------------------------------------------ */

void
sup_take_files(struct sup *s)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		s->files = files;
		files.rlim_cur = files.rlim_max;	/* copies of scripts */
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int
smallest_from(const struct sup *s, int low)
{
	int least = -1, group[2] = { -1, -1 };
	size_t i;

	if (s->group != NULL)
		cgroup_line_fds(s->group, group);
	for (i = 0; i < s->n + 6; i++) {
		int fd = i < s->n ? s->script[i].copy : i == s->n ?
		    s->control : i == s->n + 1 ? s->door : i == s->n + 2 ?
		    s->listener : i == s->n + 3 ? s->questions :
		    group[i - s->n - 4];

		if (fd >= low && (least < 0 || fd < least))
			least = fd;
	}
	return least;
}

void
sup_close_others(const struct sup *s)
{
	int low = STDERR_FILENO + 1, fd;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	while ((fd = smallest_from(s, low)) >= 0) {
		if (fd > low)
			syscall(SYS_close_range, (unsigned)low,
			    (unsigned)fd - 1, 0);
		low = fd + 1;
	}
	syscall(SYS_close_range, (unsigned)low, ~0U, 0);
}

/* ---- the loop ----------------------------------------------------------- */

/* Whoever asks waits: no use in looking for another processor. */
static void
wake_here(const struct sup *s)
{
	ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
	    (unsigned long)SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

static void
open_door(struct sup *s)
{
	pid_t line;
	int fd = -1, rc = sup_receive_hello(s->door, &line, &fd);

	if (rc == -EAGAIN)
		return;
	if (rc < 0) {
		io_close(&s->door);
		return;
	}
	/* A second one comes where the first was lost with its launcher. */
	io_close(&s->listener);
	s->listener = fd;
	s->line = line;
	s->head = (struct sup_known){ line, sup_proc_stat(line).start };
	/* Who may look into aegsh, as root may, must not take what it is
	 * before its execve(2) for what the line started. */
	if (s->images)
		sup_attempt_first(s);
	wake_here(s);
	sup_adopted_begin(s);
	sup_group_begin(s);
	sup_meter_begin(s);
}

/* False: it is no word of aegsh's. */
static bool
obey(struct sup *s, const struct sup_report *said, const char *path, int *fd)
{
	switch ((enum sup_kind)said->kind) {
	case SUP_END:
		s->kept = true;
		sup_group_look(s);
		sup_adopted_keep(s);
		say(s, SUP_ENDED);
		return true;
	case SUP_UNIT:
		sup_meter_unit(s);
		if (s->renew != NULL)
			s->renew(s->ctx);
		sup_unit_begin(s, said, path);
		return true;
	case SUP_SCRIPT:
		sup_unit_script(s, said, path, fd);
		return true;
	case SUP_LET_GO:
		sup_unit_let_go(s);
		return true;
	case SUP_LISTEN:
		sup_unit_listen(s, said, fd);
		wake_here(s);
		return true;
	case SUP_SYNC:
		sup_meter_waits(s, said->pid != 0);
		say(s, SUP_HELD);
		return true;
	case SUP_OTHER:
		sup_adopted_other(s, said->pid);
		return true;
	case SUP_NOTHING:
	case SUP_IMAGE:
	case SUP_BROKEN:
	case SUP_LOST:
	case SUP_ENDED:
	case SUP_DONE:
	case SUP_HELD:
	case SUP_REFUSED:
	case SUP_NETWORK:
	case SUP_LIMITED:
		break;
	}
	return false;
}

static void
hear(struct sup *s)
{
	char bytes[sizeof(struct sup_report) + SUP_PATH_MAX];
	struct sup_report said = { .kind = SUP_NOTHING };
	AEG_AUTOFD int fd = -1;
	ssize_t n = sup_receive(s->control, bytes, sizeof bytes - 1, &fd, 1);

	/* ECONNRESET: it is gone with reports unread, which hides for once
	 * what it said before. */
	if (n == -EAGAIN || n == -ECONNRESET)
		return;
	if (n >= (ssize_t)sizeof said) {
		memcpy(&said, bytes, sizeof said);
		bytes[n] = '\0';
	}
	if (!obey(s, &said, bytes + sizeof said, &fd)) {
		io_close(&s->control);
		if (!s->kept)
			kill_line(s);
	}
}

static bool
is_over(const struct sup *s)
{
	return s->door < 0 && s->listener < 0 && !(s->between &&
	    s->control >= 0);
}

static void
turn_once(struct sup *s)
{
	struct pollfd p[5] = {
		{ .fd = s->listener, .events = POLLIN },
		{ .fd = s->control, .events = s->clogged ?
		    POLLIN | POLLOUT : POLLIN },
		{ .fd = s->door, .events = POLLIN },
		{ .fd = s->holds, .events = POLLIN },
		{ .fd = s->children, .events = POLLIN },
	};

	if (poll(p, AEG_NELEM(p), timeout_of(s)) < 0)
		return;
	sweep(s);
	sup_meter_read(s);
	if ((p[1].revents & POLLOUT) != 0)
		drain_queue(s);
	/* Before the door, by which another listener may come. */
	if (p[0].revents & POLLIN)
		answer(s);
	else if (p[0].revents != 0)
		io_close(&s->listener);	/* nobody is left who could ask */
	/* Who has just asked is seen already. */
	sup_attempt_look(s);
	if (p[2].revents != 0)
		open_door(s);
	if (p[3].revents != 0)
		sup_holds_hear(s);
	if (p[4].revents != 0)
		sup_children_reap(s);
	if (s->flush_ns != 0 && !s->clogged && clock_mono_ns() >= s->flush_ns)
		drain_queue(s);
	/* After it: what aegsh says may be about who came by it. */
	if (s->control >= 0 && (p[1].revents & ~POLLOUT) != 0)
		hear(s);
}

void
sup_main(struct sup *s)
{
	s->looked_at = -1;
	make_room(s);
	if (s->listener >= 0)
		wake_here(s);
	while (!is_over(s))
		turn_once(s);
	sup_group_end(s);
	say(s, SUP_DONE);
	/* It takes what is left, unless it is gone. */
	while (s->control >= 0 && s->queue.len > 0) {
		struct pollfd p = { .fd = s->control, .events = POLLOUT };

		poll(&p, 1, -1);
		drain_queue(s);
	}
	_exit(0);
}

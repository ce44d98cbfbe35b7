/* SPDX-License-Identifier: ISC */
/*
 * The child between clone(2) and execve(2).
 *
 * It shares our memory and we wait until it runs bash or ends: so it costs
 * the same however large we are, and it may do nothing but system calls and
 * write to its own stack and to what tells of a failure.
 *
 * Where the disk must still be waited for, that is done meanwhile, and so
 * are Landlock's rules: the child enters the rest of its sandbox, waits for
 * them, and when it stands in all of it, for the word.  Where nothing is to
 * be looked at as late as that, the word may be there before, and nobody is
 * woken for it.  They share errno: while both run the child makes only calls
 * that succeed or end it all, and that one failed it takes from what it
 * returned.  The launcher waits until all is over, and the word comes from
 * aegsh (exec_launch.c).
 *
 * The terminal is handed over last: as long as the line may not run, its keys
 * are for aegsh.
 */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define STACK ((size_t)64 * 1024)

/* A sanitizer's marks on this stack would outlive the child, which never
 * returns from here. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHILD __attribute__((no_sanitize("address"), noinline))
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CHILD __attribute__((no_sanitize_address, noinline))
#endif
#ifndef CHILD
#define CHILD __attribute__((noinline))
#endif

static CHILD void
default_signals(uint64_t ignored)
{
	/* The kernel's own structure: libc keeps two signals to itself, which
	 * whoever started us may have ignored, as make does. */
	uintptr_t action[4] = { 0, 0, 0, 0 };
	int sig;

	for (sig = 1; sig <= 64; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		action[0] = (uintptr_t)((ignored >> (sig - 1) & 1) != 0 ?
		    SIG_IGN : SIG_DFL);
		syscall(SYS_rt_sigaction, sig, action, NULL, (size_t)8);
	}
}

static CHILD int
enter_group(const struct exec_child *c)
{
	if (c->own_session)
		return setsid() < 0 ? err_failed() : 0;
	return c->tty >= 0 && setpgid(0, 0) < 0 ? err_failed() : 0;
}

/* SIGTTOU is blocked here, so a background group may do this. */
static CHILD int
take_terminal(const struct exec_child *c)
{
	return c->tty >= 0 && !c->own_session && c->foreground &&
	    tcsetpgrp(c->tty, getpid()) < 0 && errno != ENOTTY ?
	    err_failed() : 0;
}

/*
 * A descriptor from outside leads to a place in mounts from outside, where
 * nothing is covered, and so would every relative path from there.  Its
 * name leads to the same place in the mounts of this process, or to none.
 */
static CHILD int
enter_cwd(const struct exec_child *c)
{
	struct stat want, got;

	if (c->cwd < 0)
		return 0;
	if (c->cwd_path == NULL)
		return fchdir(c->cwd) < 0 ? err_failed() : 0;
	if (fstat(c->cwd, &want) < 0 || chdir(c->cwd_path) < 0 ||
	    stat(".", &got) < 0)
		return err_failed();
	return got.st_dev == want.st_dev && got.st_ino == want.st_ino ? 0 :
	    -ESTALE;
}

static CHILD bool
is_target(const struct exec_child *c, int fd)
{
	size_t i;

	for (i = 0; i < c->n_fds; i++) {
		if (c->fd[i].to == fd)
			return true;
	}
	return false;
}

static CHILD int
place(int from, int to)
{
	if (from == to)
		return fcntl(to, F_SETFD, 0);
	return dup2(from, to);
}

/* Everything is marked to be closed, then what is meant is put in place. */
static CHILD int
place_fds(const struct exec_child *c)
{
	int from[EXEC_FDS_MAX];
	struct rlimit was, wide;
	size_t i;

	if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		return err_failed();
	/* A soft limit below the high numbers is the line's business, not
	 * ours: it is there again when bash starts. */
	if (getrlimit(RLIMIT_NOFILE, &was) < 0)
		return err_failed();
	wide = was;
	wide.rlim_cur = was.rlim_max;
	if (was.rlim_cur <= EXEC_HIGH_FD + EXEC_FDS_MAX &&
	    setrlimit(RLIMIT_NOFILE, &wide) < 0)
		return err_failed();
	for (i = 0; i < c->n_fds; i++) {
		from[i] = c->fd[i].from;
		if (from[i] != c->fd[i].to && is_target(c, from[i]))
			from[i] = fcntl(from[i], F_DUPFD_CLOEXEC,
			    EXEC_HIGH_FD);
		if (from[i] < 0)
			return err_failed();
	}
	for (i = 0; i < c->n_fds; i++) {
		if (place(from[i], c->fd[i].to) < 0)
			return err_failed();
	}
	return setrlimit(RLIMIT_NOFILE, &was) < 0 ? err_failed() : 0;
}

/* The end of the pipe says no: we were refused, or aegsh is gone. */
static CHILD int
wait_for_word(int from)
{
	char word;

	return from < 0 || (read(from, &word, 1) == 1 &&
	    word == EXEC_CHILD_YES) ? 0 : -ECANCELED;
}

static CHILD int
confine(struct exec_child *c, int from)
{
	enum sandbox_layer layer = SANDBOX_NNP;
	int rc;

	/* It has no rules; their word must not be taken for the answer. */
	if (c->guest)
		return wait_for_word(from);
	if (c->inside) {
		rc = sandbox_apply_line(c->sandbox, &layer);
	} else {
		rc = sandbox_apply_first(c->sandbox, &layer);
		if (rc == 0) {
			layer = SANDBOX_LANDLOCK_FS;
			rc = wait_for_word(from);
		}
		if (rc == 0)
			rc = sandbox_apply_rules(c->sandbox, &layer);
	}
	if (rc < 0)
		c->layer = layer;
	return rc;
}

/*
 * Last of all: a line that may have few files must not keep its own bash from
 * being given its own.  What the parent's limits do not allow is not had.
 */
static CHILD int
set_limits(const struct exec_child *c)
{
	struct rlimit now, want;
	int i;

	for (i = 0; c->limits != NULL && i < EXEC_LIMITS; i++) {
		if (getrlimit((__rlimit_resource_t)i, &now) < 0)
			return err_failed();
		want = c->limits[i];
		if (want.rlim_max > now.rlim_max)
			want.rlim_max = now.rlim_max;
		if (want.rlim_cur > want.rlim_max)
			want.rlim_cur = want.rlim_max;
		if ((want.rlim_cur != now.rlim_cur ||
		    want.rlim_max != now.rlim_max) &&
		    setrlimit((__rlimit_resource_t)i, &want) < 0)
			return err_failed();
	}
	return 0;
}

/* What a job in the background does after aegsh is its own business, as
 * under bash. */
int
exec_parent_signal(bool tty, bool foreground)
{
	if (!tty)
		return SIGTERM;
	return foreground ? SIGHUP : 0;
}

/* A shell that nobody judges and records any more shall not go on. */
static CHILD int
bind_to_parent(const struct exec_child *c)
{
	if (prctl(PR_SET_PDEATHSIG, c->parent_signal, 0, 0, 0) < 0)
		return err_failed();
	return getppid() == c->parent ? 0 : -ESRCH;
}

/* Before anything of aegsh's descriptors is marked to be closed; what comes
 * after opens nothing to read. */
static CHILD int
call_supervisor(const struct exec_child *c)
{
	return c->supervisor >= 0 ? supervise_child(c->supervisor) : 0;
}

static CHILD int
run_steps(struct exec_child *c, int from)
{
	int rc;

	c->failed = EXEC_STEP_PARENT;
	rc = bind_to_parent(c);
	if (rc < 0)
		return rc;
	c->failed = EXEC_STEP_SUPERVISOR;
	rc = call_supervisor(c);
	if (rc < 0)
		return rc;
	c->failed = EXEC_STEP_GROUP;
	rc = enter_group(c);
	if (rc < 0)
		return rc;
	c->failed = EXEC_STEP_CWD;
	rc = enter_cwd(c);
	if (rc < 0)
		return rc;
	if (c->set_umask)
		umask(c->umask);
	default_signals(c->ignored);
	/* While limits are still our own; rulesets stay open until exec. */
	c->failed = EXEC_STEP_FDS;
	rc = place_fds(c);
	if (rc < 0)
		return rc;
	c->failed = EXEC_STEP_SANDBOX;
	rc = confine(c, from);
	if (rc < 0)
		return rc;
	c->failed = EXEC_STEP_LIMITS;
	return set_limits(c);
}

static CHILD int
wait_for_go(struct exec_child *c, int from)
{
	/* Of who has cloned it. */
	if (from >= 0 && from == c->go[0] &&
	    !__atomic_load_n(&c->told, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&c->stage, EXEC_CHILD_WAITING,
		    __ATOMIC_RELEASE);
		syscall(SYS_futex, &c->stage, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	return wait_for_word(from);
}

static CHILD int
child(void *arg)
{
	struct exec_child *c = arg;
	int from = c->go[0] >= 0 ? c->go[0] : c->word;
	pid_t self = getpid();
	sigset_t none;
	int rc;

	/* Ours, or the pipe would never end. */
	if (c->go[1] >= 0)
		close(c->go[1]);
	rc = run_steps(c, from);
	if (rc == 0) {
		c->failed = EXEC_STEP_GO;
		rc = wait_for_go(c, from);
	}
	if (rc == 0) {
		c->failed = EXEC_STEP_TERMINAL;
		rc = take_terminal(c);
	}
	if (rc == 0 && c->notify >= 0 &&
	    write(c->notify, &self, sizeof self) != (ssize_t)sizeof self)
		rc = -EPIPE;
	if (rc == 0) {
		c->failed = EXEC_STEP_EXEC;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (c->shell > 0)
			syscall(SYS_execveat, c->shell, "", c->argv, c->envp,
			    AT_EMPTY_PATH);
		else
			execve(c->path, c->argv, c->envp);
		rc = err_failed();
	}
	c->error = -rc;
	_exit(127);
}

/* A pipe whose read end is no number that the child needs for something
 * else. */
static int
open_go(struct exec_child *c)
{
	int most = STDERR_FILENO, fd;
	size_t i;

	for (i = 0; i < c->n_fds; i++)
		most = c->fd[i].to > most ? c->fd[i].to : most;
	if (pipe2(c->go, O_CLOEXEC) < 0)
		return -errno;
	if (c->go[0] > most)
		return 0;
	fd = fcntl(c->go[0], F_DUPFD_CLOEXEC, most + 1);
	if (fd < 0)
		return -errno;
	close(c->go[0]);
	c->go[0] = fd;
	return 0;
}

int
exec_child_answer(int to, bool yes)
{
	const char word = yes ? EXEC_CHILD_YES : EXEC_CHILD_NO;

	return io_write_full(to, &word, 1);
}

static void
wait_while(const struct exec_child *c, int32_t stage)
{
	while (__atomic_load_n(&c->stage, __ATOMIC_ACQUIRE) == stage)
		syscall(SYS_futex, &c->stage, FUTEX_WAIT, stage, NULL, NULL,
		    0);
}

static pid_t
clone_child(struct exec_child *c, int flags, char *stack)
{
	sigset_t all, old;
	int error;
	pid_t pid;

	/* A handler of ours must not run in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = clone(child, stack + STACK, CLONE_VM | flags, c, NULL, NULL,
	    &c->stage);
	error = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -error : pid;
}

static int
ask(const struct exec_child *c, int (*what)(void *ctx, struct err *err))
{
	return what != NULL ? what(c->ctx, c->err) : 0;
}

static int
finish(struct exec_child *c)
{
	return c->unfinished != NULL ?
	    sandbox_finish(c->profile, c->unfinished, c->err) : 0;
}

/* What is to be done while the child is on its way. */
static int
ask_meanwhile(struct exec_child *c, int to)
{
	int rc = finish(c);

	if (rc < 0)
		return rc;
	rc = exec_child_answer(to, true);
	return rc < 0 ? err_sys(c->err, -rc, "the word of the rules") :
	    ask(c, c->settle);
}

static pid_t
clone_and_ask(struct exec_child *c, int flags, char *stack)
{
	pid_t pid = open_go(c);
	/* The child, which may not run yet, looks at c for them. */
	int from = c->go[0], to = c->go[1];

	c->stage = EXEC_CHILD_ON_ITS_WAY;
	c->told = false;
	if (pid == 0)
		pid = clone_child(c, CLONE_CHILD_CLEARTID | flags, stack);
	if (pid > 0) {
		c->refused = ask_meanwhile(c, to);
		if (c->refused < 0) {
			(void)exec_child_answer(to, false);
			io_close(&to);
		}
		if (c->ready != NULL)
			wait_while(c, EXEC_CHILD_ON_ITS_WAY);
	}
	if (pid > 0 && c->refused >= 0)
		c->refused = ask(c, c->ready);
	if (pid > 0 && c->refused >= 0) {
		(void)exec_child_answer(to, true);
		__atomic_store_n(&c->told, true, __ATOMIC_RELEASE);
	}
	/* The read end last: a child that died must not cost us SIGPIPE. */
	io_close(&to);
	io_close(&from);
	if (pid > 0) {
		wait_while(c, EXEC_CHILD_ON_ITS_WAY);
		wait_while(c, EXEC_CHILD_WAITING);
	}
	return pid;
}

/* A sanitizer keeps one state for what are two processes in one memory: there
 * one of them sleeps at any time. */
static pid_t
ask_and_clone(struct exec_child *c, int flags, char *stack)
{
	c->refused = finish(c);
	if (c->refused >= 0)
		c->refused = ask(c, c->settle);
	if (c->refused >= 0)
		c->refused = ask(c, c->ready);
	return c->refused < 0 ? -ECANCELED :
	    clone_child(c, CLONE_VFORK | flags, stack);
}

static bool
may_ask_meanwhile(const struct exec_child *c)
{
#ifdef AEGSH_SANITIZE
	(void)c;
	return false;
#else
	return c->settle != NULL || c->ready != NULL;
#endif
}

pid_t
exec_child_clone(struct exec_child *c, int flags, pid_t *ret_dead)
{
	char *stack;
	pid_t pid;

	c->failed = EXEC_STEP_NONE;
	c->error = c->refused = 0;
	c->go[0] = c->go[1] = -1;
	*ret_dead = 0;
	/* Nothing else may be taken for the word. */
	if (c->word >= 0 && is_target(c, c->word))
		return -EBADF;
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return -errno;
	pid = may_ask_meanwhile(c) ? clone_and_ask(c, flags, stack) :
	    ask_and_clone(c, flags, stack);
	munmap(stack, STACK);
	if (pid < 0 || c->error == 0)
		return pid;
	*ret_dead = pid;
	return -c->error;
}

int
exec_child_error(const struct exec_child *c, int error, struct err *err)
{
	switch (c->failed) {
	case EXEC_STEP_NONE:
		return err_sys(err, error, "starting a process");
	case EXEC_STEP_PARENT:
		return err_sys(err, error, "binding the child to aegsh");
	case EXEC_STEP_SUPERVISOR:
		err_sys(err, error, "supervisor: nobody may listen to the "
		    "line here (seccomp user notification), as limits and "
		    "supervise of its sandbox profile need");
		if (err != NULL)
			err->code = ERR_LAYER;
		return ERR_LAYER;
	case EXEC_STEP_GROUP:
		return err_sys(err, error, "making its process group");
	case EXEC_STEP_TERMINAL:
		return err_sys(err, error, "handing the terminal over");
	case EXEC_STEP_CWD:
		return err_sys(err, error, "entering the working directory");
	case EXEC_STEP_FDS:
		return err_sys(err, error, "placing the child's descriptors");
	case EXEC_STEP_SANDBOX:
		err_sys(err, error, "sandbox layer %s",
		    sandbox_layer_name(c->layer));
		if (err != NULL)
			err->code = ERR_LAYER;
		return ERR_LAYER;
	case EXEC_STEP_LIMITS:
		return err_sys(err, error, "setting the limits of ulimit");
	case EXEC_STEP_GO:
		return err_sys(err, error, "waiting for the word to start");
	case EXEC_STEP_EXEC:
		break;
	}
	return err_sys(err, error, "%s", c->path);
}

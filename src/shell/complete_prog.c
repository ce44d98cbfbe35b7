/* SPDX-License-Identifier: ISC */
/*
 * One question to bash-completion: a bash that is started for it, confined,
 * asked, listened to and ended.  One for each Tab: nothing that one question
 * did can reach the next.  Where one was started in advance
 * (complete_ready.c), and would be the same now, it is that one.
 *
 * Three processes: aegsh; its child that looks for names (complete.c), in a
 * session of its own without a terminal, which says what may start; below
 * that the bash.  What goes wrong here means that others know nothing: the
 * names that aegsh finds itself are offered then.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/rights.h"
#include "shell/complete_ask.h"

#define PROFILE "completion"	/* share/sandbox/completion.conf */
#define FD_ASK 3
#define FD_ANSWER 4
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* Where its programs are; nothing that the user could put in their place. */
#define PATH "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

#define MAY_START (SANDBOX_READ | SANDBOX_EXECUTE)

void
complete_ask_done(struct complete_ask *a)
{
	io_close(&a->question);
	io_close(&a->answer);
	io_close(&a->answer_end);
	io_close(&a->listener);
	io_close(&a->pair[0]);
	io_close(&a->pair[1]);
	sandbox_free(a->sandbox);
	sandbox_profile_free(a->profile);
	complete_guard_done(&a->guard);
	strv_done(&a->env);
	strv_done(&a->dirs);
	buf_done(&a->file);
}

/* ---- the question -------------------------------------------------------- */

static bool
is_trusted_file(const char *path)
{
	AEG_AUTOFD int fd = -1;

	return conf_trust_open(path, (uid_t)-1, &fd, NULL) == 0;
}

static bool
is_trusted_dir(const char *path)
{
	AEG_AUTOFD int fd = -1;

	return conf_trust_dir(path, (uid_t)-1, &fd, NULL) == 0;
}

/* Directories of the setting that only the operator can change, and the
 * first main file in them. */
static void
find_dirs(const struct conf *conf, struct strv *dirs, struct buf *file)
{
	char *copy AEG_AUTOFREE = xstrdup(conf_str(conf,
	    CONF_COMPLETION_DIRS));
	char *rest = copy, *dir;

	while ((dir = strsep(&rest, " \t")) != NULL) {
		char *sub AEG_AUTOFREE = NULL, *path AEG_AUTOFREE = NULL;

		if (dir[0] != '/')
			continue;
		sub = path_canon(dir, "completions");
		path = path_canon(dir, "bash_completion");
		if (is_trusted_dir(sub))
			strv_add(dirs, dir);
		if (file->len == 0 && is_trusted_file(path))
			buf_puts(file, path);
	}
	buf_put(file, "", 0);
}

static void
put_string(struct buf *out, const char *text)
{
	buf_put(out, text, strlen(text) + 1);
}

void
complete_ask_put_start(const struct complete_ask *a, struct buf *out)
{
	put_string(out, a->file.data);
}

void
complete_ask_put_words(const struct complete_ask *a,
    const struct complete_words *w, struct buf *out)
{
	size_t i;

	put_string(out, w->cur);
	put_string(out, w->line);
	buf_putf(out, "%zu%c%zu%c%zu%c", strlen(w->line), '\0', w->n, '\0',
	    a->dirs.n, '\0');
	for (i = 0; i < a->dirs.n; i++)
		put_string(out, a->dirs.v[i]);
	for (i = 0; i < w->word.n; i++)
		put_string(out, w->word.v[i]);
}

static int
write_question(struct complete_ask *a, const struct complete_words *w)
{
	AEG_AUTO(buf_done) struct buf out =
	    BUF_INIT_MAX(COMPLETE_QUESTION_MAX);

	complete_ask_put_start(a, &out);
	complete_ask_put_words(a, w, &out);
	if (buf_overflow(&out))
		return -E2BIG;
	a->question = memfd_create("question", MFD_CLOEXEC |
	    MFD_ALLOW_SEALING);
	if (a->question < 0)
		return -errno;
	if (io_write_full(a->question, out.data, out.len) < 0 ||
	    lseek(a->question, 0, SEEK_SET) < 0 ||
	    fcntl(a->question, F_ADD_SEALS, SEALS) < 0)
		return -EIO;
	return 0;
}

/* ---- its confinement ----------------------------------------------------- */

/* The loader that the program's header names; owned, or NULL. */
static char *
loader_of(const char *program)
{
	AEG_AUTOFD int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr head;
	Elf64_Phdr p;
	char path[256];
	unsigned i;

	if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof p)
		return NULL;
	for (i = 0; i < head.e_phnum && i < 64; i++) {
		if (pread(fd, &p, sizeof p, (off_t)(head.e_phoff +
		    i * sizeof p)) != sizeof p)
			return NULL;
		if (p.p_type != PT_INTERP)
			continue;
		if (p.p_filesz == 0 || p.p_filesz > sizeof path ||
		    pread(fd, path, p.p_filesz, (off_t)p.p_offset) !=
		    (ssize_t)p.p_filesz || path[p.p_filesz - 1] != '\0')
			return NULL;
		return realpath(path, NULL);
	}
	return NULL;
}

static int
add_program(struct complete_ask *a, const char *real, struct err *err)
{
	char *loader AEG_AUTOFREE = loader_of(real);
	int rc = sandbox_add(a->profile, real, MAY_START, err);

	if (rc == 0 && loader != NULL)
		rc = sandbox_add(a->profile, loader, MAY_START, err);
	return rc;
}

static int
load_profile(struct complete_ask *a, struct err *err)
{
	struct shell *sh = a->sh;
	const char *cwd = state_cwd(sh->state);
	struct sandbox_vars vars;
	char *bash AEG_AUTOFREE = realpath(sysdirs()->bash, NULL);
	size_t i;
	int rc;

	if (bash == NULL || sh->rescue)
		return -ENOENT;
	turn_sandbox_vars(sh->turn, &vars);
	vars.tty = vars.tmpdir = NULL;
	/* Not the whole of these: terminals would be among it. */
	vars.project = strcmp(cwd, "/") == 0 || path_under(cwd, "/dev") ?
	    NULL : cwd;
	rc = sandbox_load(PROFILE, &vars, &a->profile, err);
	if (rc == 0)
		rc = add_program(a, bash, err);
	for (i = 0; rc == 0 && i < a->guard.programs.n; i++)
		rc = add_program(a, a->guard.programs.v[i], err);
	for (i = 0; rc == 0 && i < a->dirs.n; i++) {
		char *dir AEG_AUTOFREE = realpath(a->dirs.v[i], NULL);

		if (dir != NULL)
			rc = sandbox_add(a->profile, dir, SANDBOX_READ, err);
	}
	/* Nobody watches it. */
	if (rc == 0 && sandbox_lists_sockets(a->profile))
		sandbox_isolate(a->profile);
	return rc;
}

static void
make_env(struct complete_ask *a)
{
	static const char *const names[] = { "HOME", "USER", "LOGNAME",
		"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES" };
	const char *value;
	size_t i;

	strv_add(&a->env, "PATH=" PATH);
	strv_add(&a->env, "TERM=dumb");
	for (i = 0; i < AEG_NELEM(names); i++) {
		value = state_get(a->sh->state, names[i]);
		if (value != NULL)
			strv_addf(&a->env, "%s=%s", names[i], value);
	}
}

int
complete_ask_look(struct complete_ask *a, const struct strv *typed,
    struct err *err)
{
	struct shell *sh = a->sh;
	const char *path = state_get(sh->state, "PATH");
	int rc;

	/* This process looks once, and ends. */
	conf_trust_keep(true);
	find_dirs(sh->conf, &a->dirs, &a->file);
	if (a->dirs.n == 0)
		return -ENOENT;
	complete_guard_init(conf_str(sh->conf, CONF_COMPLETION_HELPERS),
	    typed, state_cwd(sh->state), path != NULL ? path : "",
	    &a->guard);
	rc = load_profile(a, err);
	if (rc == 0)
		make_env(a);
	return rc;
}

/* Another file or directory of that name is another one. */
static void
put_identity(struct buf *out, const char *path, bool content)
{
	struct stat st;

	put_string(out, path);
	if (path[0] == '\0' || stat(path, &st) < 0)
		return;
	buf_putf(out, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	if (content)
		buf_putf(out, ":%jd:%jd.%ld", (intmax_t)st.st_size,
		    (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	buf_putc(out, '\n');
}

void
complete_ask_key(const struct complete_ask *a, struct buf *out)
{
	const struct strv *const all[] = { &a->env, &a->dirs,
		&a->guard.allowed };
	size_t i, k;

	put_identity(out, state_cwd(a->sh->state), false);
	put_identity(out, a->sh->home != NULL ? a->sh->home : "", false);
	put_identity(out, a->file.data, true);
	for (k = 0; k < AEG_NELEM(all); k++) {
		for (i = 0; i < all[k]->n; i++)
			put_string(out, all[k]->v[i]);
		put_string(out, "");
	}
	for (i = 0; i < a->guard.programs.n; i++)
		put_identity(out, a->guard.programs.v[i], true);
	sandbox_show(a->profile, out);
}

/* ---- the bash ------------------------------------------------------------ */

static int
hand_over(int to, int fd)
{
	char byte = 0;
	const struct iovec iov = { &byte, 1 };

	return rights_send(to, &iov, 1, 0, &fd, 1) == 1 ? 0 : -EPIPE;
}

static int
take_listener(int from)
{
	char byte;
	const struct iovec iov = { &byte, 1 };
	size_t n = 1;
	int fd = -1;

	return rights_receive(from, &iov, 1, 0, &fd, &n) == 1 ? fd : -1;
}

/* Root's privileges reach past Landlock (CAP_PERFMON into the memory of
 * others): uid 0 shall be a name, in the program that starts, too. */
static int
drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (geteuid() == 0 && prctl(PR_SET_SECUREBITS, SECBIT_NOROOT |
	    SECBIT_NOROOT_LOCKED) < 0)
		return -errno;
	return syscall(SYS_capset, &head, none) < 0 ? -errno : 0;
}

static void __attribute__((noreturn))
become_bash(struct complete_ask *a, pid_t parent)
{
	char *argv[] = { (char *)(uintptr_t)"bash",
		(char *)(uintptr_t)"--norc", (char *)(uintptr_t)"--noprofile",
		(char *)(uintptr_t)"-c",
		(char *)(uintptr_t)complete_bash, NULL };
	enum sandbox_layer layer;
	sigset_t none;
	int null, sig, listener, fd[4];
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	fd[0] = fcntl(null, F_DUPFD_CLOEXEC, 20);
	fd[1] = fcntl(a->question, F_DUPFD_CLOEXEC, 20);
	fd[2] = fcntl(a->answer_end, F_DUPFD_CLOEXEC, 20);
	fd[3] = fcntl(a->pair[1], F_DUPFD_CLOEXEC, 20);
	for (i = 0; i < AEG_NELEM(fd); i++)
		if (fd[i] < 0)
			_exit(1);
	if (dup2(fd[0], 0) < 0 || dup2(fd[0], 1) < 0 || dup2(fd[0], 2) < 0 ||
	    dup2(fd[1], FD_ASK) < 0 || dup2(fd[2], FD_ANSWER) < 0 ||
	    chdir(state_cwd(a->sh->state)) < 0 ||
	    drop_capabilities() < 0 ||
	    sandbox_apply(a->sandbox, &layer) < 0)
		_exit(1);
	listener = complete_guard_install();
	if (listener < 0 || hand_over(fd[3], listener) < 0)
		_exit(1);
	/* All but the five: what aegsh has open is nothing for it. */
	if (syscall(SYS_close_range, FD_ANSWER + 1, ~0U, 0) < 0)
		_exit(1);
	execve(sysdirs()->bash, argv, strv_peek(&a->env));
	_exit(1);
}

bool
complete_ask_listen(struct complete_ask *a, int64_t end_ns, struct buf *in)
{
	struct pollfd p[2] = { { .fd = a->answer, .events = POLLIN },
		{ .fd = a->listener, .events = POLLIN } };
	char chunk[16384];
	int64_t left;
	ssize_t n;

	while (!buf_overflow(in)) {
		left = (end_ns - clock_mono_ns()) / 1000000;
		if (left <= 0 || (poll(p, 2, (int)left) < 0 &&
		    errno != EINTR))
			return false;
		if (p[1].revents & POLLIN)
			complete_guard_answer(&a->guard, a->listener,
			    &a->began);
		if (p[1].revents & (POLLHUP | POLLERR))
			p[1].fd = -1;	/* nobody is left to ask */
		if (p[0].revents == 0)
			continue;
		n = read(a->answer, chunk, sizeof chunk);
		if (n == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			buf_put(in, chunk, (size_t)n);
	}
	return false;
}

static bool
waits_for(int fd, int64_t end_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = (end_ns - clock_mono_ns()) / 1000000;

	return left > 0 && poll(&p, 1, (int)left) > 0;
}

int
complete_ask_start(struct complete_ask *a, int64_t end_ns)
{
	struct err err = ERR_INIT;
	pid_t me = getpid();
	int ends[2], rc;

	rc = sandbox_prepare(a->profile, &a->sandbox, &err);
	if (rc < 0) {
		log_debug("completion: %s", err.text);
		return rc;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	a->answer = ends[0];
	a->answer_end = ends[1];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, a->pair) < 0)
		return -errno;
	a->bash = fork();
	if (a->bash == 0)
		become_bash(a, me);
	if (a->bash < 0)
		return -errno;
	io_close(&a->answer_end);
	io_close(&a->pair[1]);
	/* Its directory may be one that does not answer. */
	if (!waits_for(a->pair[0], end_ns))
		return 1;
	a->listener = take_listener(a->pair[0]);
	return a->listener >= 0 ? 0 : -ESRCH;
}

static bool
converse(struct complete_ask *a, const struct complete_words *w,
    int64_t end_ns, struct buf *in)
{
	bool whole = true;
	int rc = write_question(a, w);

	if (rc == 0)
		rc = complete_ask_start(a, end_ns);
	if (rc == 0)
		whole = complete_ask_listen(a, end_ns, in);
	else if (rc > 0)
		whole = false;
	if (a->bash > 0)
		kill(a->bash, SIGKILL);
	if (a->bash > 0 && whole)
		waitpid(a->bash, NULL, 0);
	return whole;
}

bool
complete_prog_ask(struct complete *c, const struct complete_words *w,
    int64_t end_ns, struct complete_answer *ret)
{
	struct complete_ask a = COMPLETE_ASK_INIT(c->sh);
	struct buf in = BUF_INIT_MAX(COMPLETE_ANSWER_MAX);
	struct err err = ERR_INIT;
	bool whole = true;

	*ret = (struct complete_answer){ .choice = STRV_INIT };
	if (complete_ask_look(&a, &c->word->before, &err) < 0) {
		if (err.text[0] != '\0')
			log_debug("completion: %s", err.text);
	} else if (!complete_ready_ask(&a, w, end_ns, &in, &whole)) {
		whole = converse(&a, w, end_ns, &in);
	}
	if (in.len > 0)
		complete_answer_read(in.data, in.len, ret);
	complete_ask_done(&a);
	buf_done(&in);
	return whole;
}

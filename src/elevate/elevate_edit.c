/* SPDX-License-Identifier: ISC */
/*
 * Editing what only another user may change.  The real program is called
 * twice, with aegsh-edit for its editor: once to have what there is, which
 * the person edits as a copy in the line's own sandbox, with the editor of
 * their own; and once to install that, unless it has changed meanwhile.
 */
#include "elevate/elevate_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "elevate/elevate_edit.h"
#include "elevate/elevate_place.h"

extern char **environ;

struct copy {
	char *name, *path;		/* owned */
	struct buf was, now;
};

struct edit {
	const char *name;
	char **argv;
	struct elevate_place place;	/* where the copies are */
	struct copy copies[EDIT_FILES_MAX];
	uint32_t n;
	bool changed;			/* by others, meanwhile */
	bool asked;			/* what to do with it, as it is wrong */
};

/* ---- what is called ----------------------------------------------------- */

/* Among the letters of one word, of which some have the rest for a value. */
static bool
has_letter(const char *word, char letter, const char *valued)
{
	if (word[0] != '-' || word[1] == '-')
		return false;
	while (*++word != '\0' && *word != letter)
		if (strchr(valued, *word) != NULL)
			return false;
	return *word == letter;
}

/* The last letter has the next word for its value. */
static bool
takes_next(const char *word, const char *valued)
{
	if (word[0] != '-' || word[1] == '-')
		return false;
	while (*++word != '\0')
		if (strchr(valued, *word) != NULL)
			return word[1] == '\0';
	return false;
}

static bool
is_editor_of(const char *word, char *const *rest)
{
	static const char *const names[] = { "visudo", "vipw", "vigr" };
	const char *base = path_base(word);

	if (strcmp(base, names[0]) == 0)
		for (; *rest != NULL; rest++)
			if (has_letter(*rest, 'c', "fx") ||
			    has_letter(*rest, 'x', "f") ||
			    strncmp(*rest, "--", 2) == 0)
				return false;
	return TEXT_AMONG(base, names);
}

/* Whoever reads sudo's words otherwise than sudo does is told so by sudo. */
static bool
sudo_edits(char *const *argv)
{
	static const char valued[] = "aCcDghpRrTtUu";

	for (argv++; *argv != NULL && (*argv)[0] == '-'; argv++) {
		if (strcmp(*argv, "--") == 0) {
			argv++;
			break;
		}
		if (strcmp(*argv, "--edit") == 0 ||
		    has_letter(*argv, 'e', valued))
			return true;
		if (takes_next(*argv, valued) && argv[1] != NULL)
			argv++;
	}
	return *argv != NULL && is_editor_of(*argv, argv + 1);
}

bool
elevate_edits(const char *name, char *const *argv)
{
	if (strcmp(name, "sudoedit") == 0)
		return true;
	if (strcmp(name, "crontab") != 0)
		return strcmp(name, "sudo") == 0 && sudo_edits(argv);
	for (argv++; *argv != NULL; argv++)
		if (has_letter(*argv, 'e', "u"))
			return true;
	return false;
}

/* ---- one call of the real program --------------------------------------- */

struct call {
	struct edit *e;
	bool install;
	int in, out, err;		/* our ends of its 0, 1 and 2 */
	struct buf said;		/* on 1, before it is told anything */
	bool told;
};

static bool
take(const char **p, const char *end, void *to, size_t n)
{
	if ((size_t)(end - *p) < n)
		return false;
	memcpy(to, *p, n);
	*p += n;
	return true;
}

/* 1: all of it came; 0: not yet; -EPROTO. */
static int
parse(struct edit *e, const struct buf *said, bool again)
{
	const char *p = said->len == 0 ? NULL : memmem(said->data, said->len,
	    EDIT_MAGIC, strlen(EDIT_MAGIC));
	const char *end = said->data + said->len, *names[EDIT_FILES_MAX];
	const char *bytes[EDIT_FILES_MAX];
	uint32_t n, i, len[EDIT_FILES_MAX], name[EDIT_FILES_MAX];

	if (p == NULL)
		return 0;
	p += strlen(EDIT_MAGIC);
	if (!take(&p, end, &n, sizeof n))
		return 0;
	if (n == 0 || n > EDIT_FILES_MAX || (again && n != e->n))
		return -EPROTO;
	for (i = 0; i < n; i++) {
		if (!take(&p, end, &name[i], sizeof name[i]))
			return 0;
		if (name[i] == 0 || name[i] > EDIT_NAME_MAX)
			return -EPROTO;
		names[i] = p;
		if ((size_t)(end - p) < name[i])
			return 0;
		p += name[i];
		if (!take(&p, end, &len[i], sizeof len[i]))
			return 0;
		if (len[i] > EDIT_BYTES_MAX)
			return -EPROTO;
		bytes[i] = p;
		if ((size_t)(end - p) < len[i])
			return 0;
		p += len[i];
	}
	for (i = 0; i < n; i++) {
		struct copy *c = &e->copies[i];

		if (again) {
			e->changed |= c->was.len != len[i] ||
			    memcmp(c->was.len > 0 ? c->was.data : "",
			    bytes[i], len[i]) != 0;
			continue;
		}
		c->name = xmemdup0(names[i], name[i]);
		buf_put(&c->was, bytes[i], len[i]);
	}
	e->n = n;
	return 1;
}

/* Behind it "n", should the real program ask whether to edit once more. */
static int
tell(struct call *c)
{
	const uint32_t verb = c->install && !c->e->changed ? EDIT_WRITE :
	    EDIT_LEAVE;
	int rc = io_write_full(c->in, &verb, sizeof verb);
	uint32_t i, len;

	for (i = 0; rc == 0 && verb == EDIT_WRITE && i < c->e->n; i++) {
		const struct buf *now = &c->e->copies[i].now;

		len = (uint32_t)now->len;
		rc = io_write_full(c->in, &len, sizeof len);
		if (rc == 0 && len > 0)
			rc = io_write_full(c->in, now->data, len);
	}
	/* It may have all it wants, and be gone. */
	if (rc == 0)
		(void)io_write_full(c->in, "n\n", 2);
	io_close(&c->in);
	c->told = true;
	return rc;
}

/* visudo(8) ends as if all were well when it is told nothing more. */
static int
hear_rest(struct call *c, const char *bytes, size_t n)
{
	static const char *const asks[] = { "What now?", "retry the same" };
	size_t i;

	for (i = 0; i < AEG_NELEM(asks); i++)
		c->e->asked |= memmem(bytes, n, asks[i], strlen(asks[i])) !=
		    NULL;
	return c->install && !c->e->asked ? io_write_full(STDOUT_FILENO,
	    bytes, n) : 0;
}

static int
hear_output(struct call *c)
{
	char bytes[65536];
	ssize_t n = read(c->out, bytes, sizeof bytes);
	int rc;

	if (n <= 0) {
		io_close(&c->out);
		return 0;
	}
	if (c->told)
		return hear_rest(c, bytes, (size_t)n);
	buf_put(&c->said, bytes, (size_t)n);
	if (buf_overflow(&c->said))
		return -EPROTO;
	rc = parse(c->e, &c->said, c->install);
	return rc == 1 ? tell(c) : rc;
}

/* That nothing was changed is how the first call is to end. */
static int
hear_errors(struct call *c)
{
	char bytes[4096];
	ssize_t n = read(c->err, bytes, sizeof bytes);

	if (n <= 0) {
		io_close(&c->err);
		return 0;
	}
	if (c->told && (!c->install || c->e->changed))
		return 0;
	return io_write_full(STDERR_FILENO, bytes, (size_t)n);
}

static int
hear_all(struct call *c, int sock, int *ret_status)
{
	int rc = 0;

	while (rc == 0) {
		struct pollfd p[3] = { { sock, POLLIN, 0 },
			{ c->out, POLLIN, 0 }, { c->err, POLLIN, 0 } };

		if (poll(p, 3, -1) < 0)
			continue;
		if (p[1].revents != 0)
			rc = hear_output(c);
		if (rc == 0 && p[2].revents != 0)
			rc = hear_errors(c);
		/* Its end comes after all that it said. */
		if (rc == 0 && p[0].revents != 0 && p[1].revents == 0 &&
		    p[2].revents == 0)
			rc = elevate_hear(sock, ret_status);
	}
	return rc;
}

/* Its status; -1: it could not be, which was told. */
static int
call_real(struct edit *e, bool install, bool *ret_told)
{
	struct call c = { .e = e, .install = install, .in = -1, .out = -1,
		.err = -1, .said = BUF_INIT_MAX((size_t)EDIT_FILES_MAX *
		(EDIT_BYTES_MAX + 1024)) };
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
	int sock = -1, status = 0, rc;
	struct err why = ERR_INIT;

	if (elevate_open(e->name, &sock) != 0)
		return -1;
	/* What is open then, the end of this program closes. */
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(err, O_CLOEXEC) < 0) {
		elevate_fail(e->name, "a pipe: %s", strerror(errno));
		return -1;
	}
	rc = elevate_call(sock, e->argv, (const int[]){ in[0], out[1],
	    err[1] }, &why);
	io_close(&in[0]);
	io_close(&out[1]);
	io_close(&err[1]);
	c.in = in[1];
	c.out = out[0];
	c.err = err[0];
	if (rc < 0) {
		elevate_fail(e->name, "%s", why.text);
	} else {
		rc = hear_all(&c, sock, &status);
		if (rc < 0)
			elevate_fail(e->name, "the aegsh around the line, or "
			    "the editor that it was given: %s", err_str(rc));
	}
	*ret_told = c.told;
	io_close(&c.in);
	io_close(&c.out);
	io_close(&c.err);
	io_close(&sock);
	buf_done(&c.said);
	return rc < 0 ? -1 : status;
}

/* ---- the copies --------------------------------------------------------- */

/* A name that says nothing but what it is. */
static bool
is_plain(const char *name)
{
	return strchr(name, '/') == NULL && name[0] != '-' &&
	    strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int
make_copies(struct edit *e)
{
	uint32_t i;
	int rc = elevate_place_make(&e->place);

	for (i = 0; rc == 0 && i < e->n; i++) {
		struct copy *c = &e->copies[i];

		if (!is_plain(c->name))
			return -EPROTO;
		c->path = xasprintf("%s/%s", e->place.path, c->name);
		rc = elevate_place_add(&e->place, c->name, c->was.data,
		    c->was.len);
	}
	return rc < 0 ? rc : elevate_place_begin(&e->place);
}

static int
read_copies(struct edit *e, bool *ret_same)
{
	uint32_t i;

	*ret_same = true;
	for (i = 0; i < e->n; i++) {
		struct copy *c = &e->copies[i];
		AEG_AUTOFD int fd = open(c->path, O_RDONLY | O_CLOEXEC);
		int rc = fd < 0 ? -errno : io_read_all(fd, &c->now);

		if (rc < 0)
			return rc;
		*ret_same &= c->now.len == c->was.len &&
		    memcmp(c->now.len > 0 ? c->now.data : "",
		    c->was.len > 0 ? c->was.data : "", c->was.len) == 0;
	}
	return 0;
}

/* ---- the editor --------------------------------------------------------- */

/* Whoever ends us means the editor: it gets its last words out, and we see
 * what is to be kept. */
static volatile sig_atomic_t editing, ended_by;

static void
pass_on(int sig)
{
	ended_by = sig;
	if (editing > 0)
		kill((pid_t)editing, sig);
}

static void
catch_ends(void (*handler)(int))
{
	static const int ends[] = { SIGHUP, SIGTERM };
	struct sigaction sa = { .sa_handler = handler }, was;
	size_t i;

	sigfillset(&sa.sa_mask);
	/* What nohup(1) has ignored stays so. */
	for (i = 0; i < AEG_NELEM(ends); i++)
		if (sigaction(ends[i], NULL, &was) == 0 &&
		    was.sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
}

/* Its status of wait(2).  It is no longer meant by signals before its number
 * can be another's. */
static int
wait_for(pid_t pid)
{
	siginfo_t si;
	int status;

	for (;;) {
		if (waitid(P_PID, (id_t)pid, &si, WEXITED | WSTOPPED |
		    WNOWAIT) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (si.si_code != CLD_STOPPED)
			break;
		si.si_pid = 0;
		/* It may go on by now. */
		if (waitid(P_PID, (id_t)pid, &si, WSTOPPED | WNOHANG) < 0 ||
		    si.si_pid == 0)
			continue;
		kill(getpid(), SIGSTOP);
		kill(pid, SIGCONT);
	}
	editing = 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/* One command and no more: the shell becomes it, so that what ends us ends
 * the editor and not a shell before it. */
static bool
is_one_command(const char *editor)
{
	size_t word = strcspn(editor, " \t");

	return strpbrk(editor, ";&|<>()!\n") == NULL &&
	    memchr(editor, '=', word) == NULL;
}

/* The person's own, as a command of a shell, as all of them are. */
static int
run_editor(const struct edit *e)
{
	static const char *const names[] = { "SUDO_EDITOR", "VISUAL",
	    "EDITOR" };
	AEG_AUTO(strv_done) struct strv argv = STRV_INIT;
	const char *editor = NULL;
	posix_spawnattr_t at;
	sigset_t all;
	uint32_t i;
	pid_t pid;
	int rc;

	for (i = 0; i < AEG_NELEM(names) && (editor == NULL ||
	    editor[0] == '\0'); i++)
		editor = getenv(names[i]);
	if (editor == NULL || editor[0] == '\0')
		editor = "vi";
	strv_add(&argv, "sh");
	strv_add(&argv, "-c");
	strv_addf(&argv, "%s%s \"$@\"", is_one_command(editor) ? "exec " : "",
	    editor);
	strv_add(&argv, "sh");
	for (i = 0; i < e->n; i++)
		strv_add(&argv, e->copies[i].path);
	sigfillset(&all);
	rc = posix_spawnattr_init(&at);
	if (rc == 0) {
		posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigdefault(&at, &all);
		rc = posix_spawn(&pid, "/bin/sh", NULL, &at, strv_peek(&argv),
		    environ);
		posix_spawnattr_destroy(&at);
	}
	if (rc != 0)
		return -rc;
	editing = (sig_atomic_t)pid;
	if (ended_by != 0)
		kill(pid, ended_by);
	return wait_for(pid);
}

/* ---- */

static int
keep(struct edit *e, const char *why)
{
	elevate_place_keep(&e->place);
	return elevate_fail(e->name, "%s; what you edited is kept in %s", why,
	    e->place.path);
}

static int
install(struct edit *e)
{
	bool told = false;
	int status = call_real(e, true, &told);

	if (e->changed)
		return keep(e, "it was changed by somebody else meanwhile");
	if (status != 0 || !told || e->asked)
		return keep(e, "it was not installed");
	elevate_place_drop(&e->place, e->name);
	return 0;
}

/* By the editor, or by whoever ended that and us. */
static int
edited(struct edit *e, bool failed)
{
	bool same = false;
	int rc = read_copies(e, &same);

	if (rc < 0)
		return keep(e, err_str(rc));
	/* Such as what it had not written yet. */
	if (failed && (!same || !elevate_place_is_bare(&e->place)))
		return keep(e, "the editor failed");
	if (!failed && !same)
		return install(e);
	elevate_place_drop(&e->place, e->name);
	if (failed)
		return elevate_fail(e->name, "the editor failed");
	fprintf(stderr, "aegsh: %s: nothing was changed\n", e->name);
	return 0;
}

static int
edit(struct edit *e)
{
	bool told = false, failed;
	int status = call_real(e, false, &told), rc;

	if (status < 0)
		return ELEVATE_REFUSED;
	if (!told || e->n == 0)
		return elevate_end(status);
	catch_ends(pass_on);
	rc = make_copies(e);
	if (rc < 0) {
		elevate_place_drop(&e->place, e->name);
		return elevate_fail(e->name, "a copy of it: %s",
		    strerror(-rc));
	}
	failed = run_editor(e) != 0 || ended_by != 0;
	if (!failed)
		catch_ends(SIG_DFL);
	rc = edited(e, failed);
	return ended_by != 0 ? elevate_end(ended_by) : rc;
}

int
elevate_edit(const char *name, char **argv)
{
	AEG_AUTO(strv_done) struct strv words = STRV_INIT;
	struct edit *e = xcalloc(1, sizeof *e);
	uint32_t i;
	int status;

	strv_add(&words, name);
	for (argv++; *argv != NULL; argv++)
		strv_add(&words, *argv);
	e->name = name;
	e->place = (struct elevate_place)ELEVATE_PLACE_INIT;
	e->argv = strv_peek(&words);
	for (i = 0; i < EDIT_FILES_MAX; i++)
		e->copies[i].was = e->copies[i].now = (struct buf)
		    BUF_INIT_MAX(EDIT_BYTES_MAX);
	elevate_place_sweep(name);
	status = edit(e);
	for (i = 0; i < EDIT_FILES_MAX; i++) {
		free(e->copies[i].name);
		free(e->copies[i].path);
		buf_done(&e->copies[i].was);
		buf_done(&e->copies[i].now);
	}
	elevate_place_done(&e->place);
	free(e);
	return status;
}

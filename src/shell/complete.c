/* SPDX-License-Identifier: ISC */
/*
 * What the word before the cursor may become.  Nothing is run for it: names
 * are read from directories and files, in a child that has little time, so
 * that a dead file server stops no typing.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "shell/alias.h"
#include "shell/complete.h"

#define TIME_NS ((int64_t)150 * 1000000)
#define BYTES_MAX ((size_t)4 * 1024 * 1024)	/* of all that a child finds */

/* What the operands of a command are, where they are not just files. */
static const struct {
	const char *commands;		/* words with a blank around each */
	unsigned sources;
} rows[] = {
	{ " cd pushd rmdir mkdir ", COMPLETE_DIRS },
	{ " export unset printenv ", COMPLETE_VARIABLES },
	{ " fg bg jobs disown ", COMPLETE_JOBS },
	{ " kill wait ", COMPLETE_JOBS },
	{ " ssh mosh ping telnet ssh-copy-id host dig traceroute ",
	    COMPLETE_HOSTS },
	{ " scp sftp rsync ", COMPLETE_HOSTS | COMPLETE_FILES },
	{ " su id groups finger last chage passwd usermod userdel ",
	    COMPLETE_USERS },
	{ " chown ", COMPLETE_USERS | COMPLETE_FILES },
	{ " alias unalias ", COMPLETE_ALIASES },
	{ " help ", COMPLETE_BUILTINS },
	{ " type which whereis man ", COMPLETE_COMMANDS },
};

/* Their first operand is a command again. */
static const char wrappers[] = " sudo doas command builtin exec env nohup "
	"nice ionice time timeout setsid xargs stdbuf watch strace ltrace ";

/* The command that the word is an operand of: the last of wrappers. */
static unsigned
sources_of(const struct line_word *w)
{
	const char *name = NULL;
	size_t i;

	if (w->target)
		return COMPLETE_FILES;
	for (i = 0; i < w->before.n; i++) {
		char *key AEG_AUTOFREE = xasprintf(" %s ",
		    path_base(w->before.v[i]));

		if (w->before.v[i][0] == '-' || strchr(w->before.v[i], '='))
			continue;
		name = w->before.v[i];
		if (strstr(wrappers, key) == NULL)
			break;
		name = NULL;
	}
	if (name == NULL)
		return COMPLETE_COMMANDS;
	for (i = 0; i < AEG_NELEM(rows); i++) {
		char *key AEG_AUTOFREE = xasprintf(" %s ", path_base(name));

		if (strstr(rows[i].commands, key) != NULL)
			return rows[i].sources;
	}
	return COMPLETE_FILES;
}

/* ---- the child ----------------------------------------------------------- */

/* Three strings, each with its NUL. */
void
complete_offer(struct complete *c, const char *text, const char *shown,
    const char *note)
{
	if (c->out.len > BYTES_MAX)
		return;
	buf_put(&c->out, text, strlen(text) + 1);
	buf_put(&c->out, shown, strlen(shown) + 1);
	buf_put(&c->out, note != NULL ? note : "",
	    strlen(note != NULL ? note : "") + 1);
	/* A part of it soon: what comes late may never come. */
	if (c->out.len > 16384)
		complete_send(c);
}

void
complete_send(struct complete *c)
{
	if (io_write_full(c->to, c->out.data, c->out.len) < 0)
		_exit(1);
	c->out.len = 0;
}

static void __attribute__((noreturn))
live(struct complete *c, unsigned sources)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	complete_gather(c, sources);
	if (c->out.len > 0)
		complete_send(c);
	_exit(0);
}

/* The records that came, into choices. */
static void
take(struct buf *in, struct line_choices *ret)
{
	const char *p = in->data, *end = in->data + in->len, *f[3];
	size_t i;

	while (p < end) {
		const char *at = p;

		for (i = 0; i < 3; i++) {
			const char *nul = at < end ?
			    memchr(at, '\0', (size_t)(end - at)) : NULL;

			if (nul == NULL)
				return;	/* cut off: not this one */
			f[i] = at;
			at = nul + 1;
		}
		line_choices_add(ret, f[0], f[1],
		    f[2][0] != '\0' ? f[2] : NULL);
		p = at;
	}
}

/* Until it has ended, or the time is over.  True: it has said all. */
static bool
listen_to(int fd, struct buf *in)
{
	int64_t end = clock_mono_ns() + TIME_NS, left;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char chunk[16384];
	ssize_t n;

	while (in->len < BYTES_MAX) {
		left = (end - clock_mono_ns()) / 1000000;
		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return false;
		n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		buf_put(in, chunk, (size_t)n);
	}
	return false;
}

/* One that hung in a file system may still do so: another time, then. */
static void
reap(struct shell *sh)
{
	if (sh->completer > 0 && waitpid(sh->completer, NULL, WNOHANG) != 0)
		sh->completer = 0;
}

static void
ask_child(struct complete *c, unsigned sources, struct line_choices *ret)
{
	struct buf in = BUF_INIT;
	int ends[2];
	pid_t pid;

	reap(c->sh);
	if (c->sh->completer > 0 || pipe2(ends, O_CLOEXEC) < 0) {
		ret->partial = true;
		return;
	}
	c->to = ends[1];
	pid = fork();
	if (pid == 0)
		live(c, sources);
	close(ends[1]);
	if (pid > 0) {
		c->sh->completer = pid;
		ret->partial = !listen_to(ends[0], &in);
		kill(pid, SIGKILL);
		/* Who has said all is on its way out. */
		if (!ret->partial && waitpid(pid, NULL, 0) != 0)
			c->sh->completer = 0;
		reap(c->sh);
		take(&in, ret);
	}
	close(ends[0]);
	buf_done(&in);
}

/* ---- the entrance -------------------------------------------------------- */

static const char *
value(void *ctx, const char *name)
{
	struct shell *sh = ctx;

	return state_get(sh->state, name);
}

void
shell_choices(void *ctx, const char *text, size_t len,
    struct line_choices *ret)
{
	struct shell *sh = ctx;
	struct line_word w;
	struct complete c = { .sh = sh, .word = &w, .to = -1,
		.out = BUF_INIT };
	unsigned sources;

	line_word_at(text, len, value, sh, &w);
	ret->finished = true;
	if (w.name != SIZE_MAX) {
		sources = COMPLETE_VARIABLES;
		c.prefix = text + w.name;
		ret->from = w.name;
	} else {
		sources = w.command && !w.target ? COMPLETE_COMMANDS :
		    sources_of(&w);
		c.prefix = w.typed.data + w.value_from;
		ret->from = w.base;
		if (w.value_from > 0)
			sources = COMPLETE_FILES;
	}
	/* A ~ that is to be a user's name. */
	if (w.tilde && strchr(w.typed.data, '/') == NULL)
		sources = COMPLETE_USERS | COMPLETE_TILDE;
	if (!w.comment && !w.unknown)
		ask_child(&c, sources, ret);
	/* What goes on is not finished: a directory, text behind a variable. */
	if (w.name != SIZE_MAX) {
		ret->finished = false;
	} else if (ret->n == 1) {
		size_t n = strlen(ret->v[0].text);

		ret->finished = n > 0 && ret->v[0].text[n - 1] != '/' &&
		    ret->v[0].text[n - 1] != ':' &&
		    ret->v[0].text[n - 1] != '@';
	}
	buf_done(&c.out);
	line_word_done(&w);
}

/* SPDX-License-Identifier: ISC */
/*
 * What the word before the cursor may become.  Names are read from
 * directories and files, in a child that has little time, so that a dead file
 * server stops no typing.  The one program that runs for it is the confined
 * bash of complete_prog.c.
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
#include "shell/complete_ctl.h"

#define TIME_NS ((int64_t)150 * 1000000)	/* from the key to the answer */
#define REST_NS ((int64_t)40 * 1000000)		/* of it, for what aegsh finds
						 * itself, where others take
						 * long */
#define BYTES_MAX ((size_t)4 * 1024 * 1024)	/* of all that a child finds */

#define MARKED_MAX 256		/* names that the rules are asked about */
#define BLOCKED "b"		/* in place of flags: the name before is */

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

/* What the word may be, by the command that it is an operand of, the last of
 * wrappers.  *ret_own: aegsh knows it itself. */
static unsigned
sources_of(const struct line_word *w, bool *ret_own)
{
	const char *name = NULL;
	size_t i;

	*ret_own = true;
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
	if (complete_ctl_knows(path_base(name)))
		return COMPLETE_CTL;
	for (i = 0; i < AEG_NELEM(rows); i++) {
		char *key AEG_AUTOFREE = xasprintf(" %s ", path_base(name));

		if (strstr(rows[i].commands, key) != NULL)
			return rows[i].sources;
	}
	*ret_own = false;
	return COMPLETE_FILES;
}

/* Is others' knowledge of the command wanted?  Where aegsh knows what its
 * operands are, only for options and what stands behind one. */
static bool
wants_program(const struct shell *sh, const struct line_word *w, bool own)
{
	const struct strv *before = &w->before;

	if (strcmp(conf_str(sh->conf, CONF_COMPLETION), "full") != 0 ||
	    w->target || w->command || before->n == 0 || w->unknown ||
	    w->name != SIZE_MAX)
		return false;
	return !own || w->typed.data[0] == '-' ||
	    (before->n > 1 && before->v[before->n - 1][0] == '-');
}

/* ---- the child ----------------------------------------------------------- */

/* In front of all, where what is offered goes; then four strings each. */
void
complete_offer(struct complete *c, const char *text, const char *shown,
    const char *note, const char *flags)
{
	const char *const all[] = { text, shown, note != NULL ? note : "",
		flags };
	size_t i;

	if (c->out.len > BYTES_MAX)
		return;
	if (c->n_offered++ < MARKED_MAX)
		strv_addf(&c->offered, "%s%s", flags, text);
	if (!c->began)
		buf_putf(&c->out, "%zu%c", c->from, '\0');
	c->began = true;
	for (i = 0; i < AEG_NELEM(all); i++)
		buf_put(&c->out, all[i], strlen(all[i]) + 1);
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

/* Marks come behind the names: which of them the rules would refuse, in the
 * line as it would be then, as far as time goes. */
static void
mark(struct complete *c)
{
	size_t i;

	if (c->n_offered > MARKED_MAX)
		return;		/* more than anybody reads */
	complete_send(c);
	for (i = 0; i < c->offered.n && clock_mono_ns() < c->end_ns; i++) {
		const char *flags = c->offered.v[i], *text = flags + 1;
		AEG_AUTO(buf_done) struct buf line = BUF_INIT;

		buf_put(&line, c->text, c->from);
		buf_puts(&line, text);
		if (flags[0] == COMPLETE_GOES_ON[0])
			buf_puts(&line, line_word_close(c->word->base_quote));
		if (turn_foresee(c->sh->turn, line.data, line.len, NULL,
		    NULL) != TURN_OUTLOOK_BLOCK)
			continue;
		buf_put(&c->out, text, strlen(text) + 1);
		buf_putf(&c->out, "%c%c%s%c", '\0', '\0', BLOCKED, '\0');
	}
}

/* The status that it ends with. */
enum { ENDS_WHOLE = 0, ENDS_PARTIAL = 3 };

static void __attribute__((noreturn))
live(struct complete *c, bool program)
{
	bool late = false;

	/* Without the terminal, and as a group that can be ended as one. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	if (!program || !complete_from_program(c, &late))
		complete_gather(c, c->sources);
	mark(c);
	if (c->out.len > 0)
		complete_send(c);
	_exit(late ? ENDS_PARTIAL : ENDS_WHOLE);
}

static const char *
next_string(const char **p, const char *end)
{
	const char *at = *p, *nul = at < end ?
	    memchr(at, '\0', (size_t)(end - at)) : NULL;

	*p = nul != NULL ? nul + 1 : end;
	return nul != NULL ? at : NULL;
}

/* The records that came, into choices.  What is cut off is left out. */
static void
take(struct buf *in, size_t len, struct line_choices *ret)
{
	const char *p = in->data, *end = in->data + in->len, *f[4], *from;
	int64_t offset;
	size_t i;

	from = next_string(&p, end);
	if (from == NULL || text_to_i64(from, 0, (int64_t)len, &offset) != 0)
		return;
	ret->from = (size_t)offset;
	while (p < end) {
		for (i = 0; i < AEG_NELEM(f); i++) {
			f[i] = next_string(&p, end);
			if (f[i] == NULL)
				return;
		}
		if (strcmp(f[3], BLOCKED) == 0) {
			line_choices_block(ret, f[0]);
			continue;
		}
		line_choices_add(ret, f[0], f[1],
		    f[2][0] != '\0' ? f[2] : NULL);
		ret->finished = f[3][0] == COMPLETE_WHOLE[0];
	}
}

/* Until it has ended, or the time is over.  True: it has said all. */
static bool
listen_to(int fd, int64_t end, struct buf *in)
{
	int64_t left;
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

pid_t *
shell_child_place(struct shell *sh)
{
	pid_t *place = NULL;
	size_t i;

	for (i = 0; i < SHELL_COMPLETERS; i++) {
		if (sh->completer[i] > 0 && waitpid(sh->completer[i], NULL,
		    WNOHANG) != 0)
			sh->completer[i] = 0;
		if (sh->completer[i] == 0)
			place = &sh->completer[i];
	}
	return place;
}

/* What came from the child that is pid. */
static void
hear(struct complete *c, pid_t pid, int from, int64_t end,
    struct line_choices *ret)
{
	struct buf in = BUF_INIT;
	pid_t *place = shell_child_place(c->sh);
	int status = 0;

	*place = pid;
	ret->partial = !listen_to(from, end, &in);
	/* Who has said all is on its way out. */
	if (!ret->partial && waitpid(pid, &status, 0) != 0)
		*place = 0;
	ret->partial |= WIFEXITED(status) &&
	    WEXITSTATUS(status) == ENDS_PARTIAL;
	/* All that it started. */
	kill(-pid, SIGKILL);
	if (*place > 0)
		kill(pid, SIGKILL);
	shell_child_place(c->sh);
	take(&in, c->len, ret);
	buf_done(&in);
}

static void
ask_child(struct complete *c, bool program, struct line_choices *ret)
{
	int64_t end = clock_mono_ns() + TIME_NS;
	int ends[2];
	pid_t pid;

	if (shell_child_place(c->sh) == NULL || pipe2(ends, O_CLOEXEC) < 0) {
		ret->partial = true;
		return;
	}
	c->to = ends[1];
	c->end_ns = end - REST_NS;
	pid = fork();
	if (pid == 0)
		live(c, program);
	close(ends[1]);
	if (pid > 0)
		hear(c, pid, ends[0], end, ret);
	close(ends[0]);
}

/* ---- the entrance -------------------------------------------------------- */

static const char *
value(void *ctx, const char *name)
{
	struct shell *sh = ctx;

	return state_get(sh->state, name);
}

#define SOON_MAX ((size_t)4096)	/* bytes of a line that is looked at so often */

void
shell_choices_soon(struct shell *sh, const char *text, size_t len)
{
	struct line_word w;
	bool own;

	if (len > SOON_MAX || sh->rescue)
		return;
	line_word_at(text, len, value, sh, &w);
	if (!w.comment && !w.unknown && !w.target && !w.command) {
		bool ctl = sources_of(&w, &own) & COMPLETE_CTL;

		if (!ctl && wants_program(sh, &w, own))
			complete_ready_begin(sh, &w.before);
	}
	line_word_done(&w);
}

void
shell_choices(void *ctx, const char *text, size_t len,
    struct line_choices *ret)
{
	struct shell *sh = ctx;
	struct line_word w;
	struct complete c = { .sh = sh, .word = &w, .to = -1,
		.text = text, .len = len, .out = BUF_INIT };
	bool own = true, program;

	if (strcmp(conf_str(sh->conf, CONF_COMPLETION), "off") == 0)
		return;
	line_word_at(text, len, value, sh, &w);
	if (w.name != SIZE_MAX) {
		c.sources = COMPLETE_VARIABLES;
		c.prefix = text + w.name;
		c.from = w.name;
	} else {
		c.sources = w.command && !w.target ? COMPLETE_COMMANDS :
		    sources_of(&w, &own);
		c.prefix = w.typed.data + w.value_from;
		c.from = w.base;
		if (w.value_from > 0)
			c.sources = COMPLETE_FILES;
	}
	/* A ~ that is to be a user's name. */
	if (w.tilde && strchr(w.typed.data, '/') == NULL) {
		c.sources = COMPLETE_USERS | COMPLETE_TILDE;
		own = true;
	}
	/* Of our own programs all is known here. */
	program = (c.sources & COMPLETE_CTL) == 0 &&
	    wants_program(sh, &w, own);
	if (program)
		complete_ready_check(sh, &w.before);
	if (!w.comment && !w.unknown)
		ask_child(&c, program, ret);
	if (program)
		complete_ready_end(sh);
	buf_done(&c.out);
	strv_done(&c.offered);
	line_word_done(&w);
}

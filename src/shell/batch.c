/* SPDX-License-Identifier: ISC */
/*
 * The entrances without a prompt: one command, a script, a stream.  In a
 * clean run not a byte of ours goes anywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/resolve.h"
#include "aegsh/syntax.h"
#include "shell/shell_int.h"

/* Personal mode runs what it cannot record, and says so. */
static void
say_unrecorded(const struct shell *sh, const struct turn_result *r)
{
	if (r->ran && turn_unrecorded(sh->turn) != NULL)
		shell_say("not recorded: %s", turn_unrecorded(sh->turn));
	if (r->ran)
		shell_say_stalled(sh, &(struct shell_told){ 0 });
	if (turn_output_trouble(sh->turn) != NULL)
		shell_say("what lines write is not all kept: %s",
		    turn_output_trouble(sh->turn));
}

/* A bash that was killed takes its caller along (bash does so by being
 * replaced by its last command). */
static int
end_status(struct shell *sh, const struct turn_result *r)
{
	sh->exit_signal = r->signal;
	return r->status;
}

static int run_stream(struct shell *sh, const char *argv0,
    char *const *args);
static int run_text(struct shell *sh, char *const *argv,
    enum line_origin origin);

struct turn_judged *
shell_judge(struct shell *sh, const struct line *line)
{
	struct turn_judged *j = turn_judge(sh->turn, line);
	AEG_AUTOFREE char *news = turn_take_news(sh->turn);

	shell_progress_end(sh);
	if (news != NULL)
		shell_say("%s", news);
	return j;
}

/* -n: what bash says of a line that it only reads. */
static int
check(const struct line *line)
{
	AEG_AUTOFREE char *error = turn_unreadable(line->bytes, line->len);

	if (error == NULL)
		return 0;
	shell_say("%s", error);
	return TURN_STATUS_SYNTAX;
}

static int
run_unit(struct shell *sh, const struct line *line, const char *argv0,
    char *const *args)
{
	struct turn_judged *j;
	char *const *reader;
	struct turn_result r;
	int status;

	if (sh->args.check_only)
		return check(line);
	j = shell_judge(sh, line);
	turn_confirm(sh->turn, j);
	turn_act(sh->turn, j, argv0, args, &r);
	shell_complain(sh, j, &r);
	say_unrecorded(sh, &r);
	status = end_status(sh, &r);
	if (r.ran)
		switch (turn_reads(j, &reader)) {
		case TURN_READS_NOTHING:
			break;
		case TURN_READS_UNITS:
			status = run_stream(sh, reader[0], reader + 1);
			break;
		case TURN_READS_TEXT:
			status = run_text(sh, reader, line->origin);
			break;
		}
	turn_judged_free(j);
	return status;
}

static void
put_quoted(struct buf *out, const char *word)
{
	buf_putc(out, '\'');
	for (; *word != '\0'; word++)
		if (*word == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *word);
	buf_puts(out, "' ");
}

/* SHELL -s ARG… <<'E', with the text as the here-document: so it stands in
 * the line, and is judged and run as a part of it. */
static void
put_reader(struct buf *out, char *const *argv, const struct buf *text)
{
	char end[32];
	unsigned n = 0;
	size_t i;

	do
		snprintf(end, sizeof end, "END_%u", n++);
	while (text->len > 0 && memmem(text->data, text->len, end,
	    strlen(end)) != NULL);
	put_quoted(out, argv[0]);
	buf_puts(out, "-s -- ");
	for (i = 1; argv[i] != NULL; i++)
		put_quoted(out, argv[i]);
	buf_putf(out, "<<'%s'\n", end);
	if (text->len > 0)
		buf_put(out, text->data, text->len);
	if (text->len > 0 && text->data[text->len - 1] != '\n')
		buf_putc(out, '\n');
	buf_putf(out, "%s\n", end);
}

/* Nothing but comments: a shell is done with it at once. */
static bool
says_nothing(const struct buf *text)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	bool nothing;

	if (text->len == 0)
		return true;
	if (syn_parse(text->data, text->len, NULL, &tree, &diag) != SYN_TREE)
		return false;
	facts = syn_facts_new(tree, NULL);
	nothing = facts->n_commands == 0 && facts->n_functions == 0;
	syn_facts_free(facts);
	syn_free(tree);
	return nothing;
}

/* A shell that is not the one which runs lines: all that it is to read, read
 * first. */
static int
run_text(struct shell *sh, char *const *argv, enum line_origin origin)
{
	struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES), all = BUF_INIT;
	struct line line = { .origin = origin };
	int r = io_read_all(STDIN_FILENO, &text);

	if (r == 0 && text.len > 0 && memchr(text.data, '\0', text.len) != NULL)
		r = -EILSEQ;
	if (r == 0 && says_nothing(&text)) {
		;
	} else if (r == 0) {
		put_reader(&all, argv, &text);
		line.bytes = all.data;
		line.len = all.len;
		r = run_unit(sh, &line, sh->args.name, sh->args.args);
	} else {
		shell_say("%s: the commands on standard input: %s", argv[0],
		    r == ERR_TOO_LONG ? "more than 1 MiB" : r == -EILSEQ ?
		    "a NUL byte is among them" : strerror(-r));
		r = TURN_STATUS_BLOCKED;
	}
	buf_done(&text);
	buf_done(&all);
	return r;
}

int
shell_run_command(struct shell *sh, const char *text, enum line_origin origin)
{
	struct line line = { text, strlen(text), origin };

	if (line.len > LINE_MAX_BYTES) {
		shell_say("-c: a command of more than %zu bytes",
		    LINE_MAX_BYTES);
		return TURN_STATUS_BLOCKED;
	}
	return run_unit(sh, &line, sh->args.name, sh->args.args);
}

/* As bash finds it: by its path, and a bare name that is not here by PATH. */
static int
open_script(struct shell *sh, const char *path)
{
	char *found = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT && strchr(path, '/') == NULL &&
	    resolve_path(path, sh->state, &found) == 0) {
		fd = open(found, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		free(found);
	}
	return fd;
}

int
shell_run_script(struct shell *sh, const char *path)
{
	struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	struct line line = { .origin = LINE_SCRIPT };
	int fd AEG_AUTOFD = open_script(sh, path);
	struct stat st;
	int r;

	if (fd < 0) {
		shell_say("%s: %s", path, strerror(errno));
		return errno == ENOENT ? 127 : 126;
	}
	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode)) {
		shell_say("%s: %s", path, strerror(EISDIR));
		return 126;
	}
	r = fcntl(fd, F_SETFL, 0) < 0 ? -errno : io_read_all(fd, &text);
	if (r != 0) {
		shell_say("%s: %s", path, r == ERR_TOO_LONG ?
		    "a script of more than 1 MiB" : strerror(-r));
		buf_done(&text);
		return 126;
	}
	if (text.data != NULL && memchr(text.data, '\0', text.len < 80 ?
	    text.len : 80) != NULL) {
		shell_say("%s: cannot execute binary file", path);
		buf_done(&text);
		return 126;
	}
	line.bytes = text.data != NULL ? text.data : "";
	line.len = text.len;
	r = run_unit(sh, &line, path, sh->args.args);
	buf_done(&text);
	return r;
}

static bool
stream_step(struct shell *sh, const struct buf *text, const char *argv0,
    char *const *args, int *status)
{
	struct line line = { text->data, text->len, LINE_STDIN };
	struct turn_judged *j;
	struct turn_result r;

	if (sh->args.check_only) {
		*status = check(&line);
		return *status == 0;
	}
	j = shell_judge(sh, &line);
	turn_confirm(sh->turn, j);
	turn_stream_act(sh->turn, j, argv0, args, &r);
	shell_complain(sh, j, &r);
	if (!r.ran)
		*status = r.status;
	turn_judged_free(j);
	return r.ran;
}

static int
run_stream(struct shell *sh, const char *argv0, char *const *args)
{
	struct line_stream *in = NULL;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct turn_result r;
	enum line_result got = LINE_END;
	int refused = 0;

	line_stream_new(STDIN_FILENO, turn_cut, sh->turn, &in);
	while (refused == 0 && !turn_stream_over(sh->turn)) {
		buf_reset(&text);
		got = line_stream_read(in, &text, &err);
		if (got != LINE_OK)
			break;
		if (!stream_step(sh, &text, argv0, args, &refused))
			break;
	}
	if (got == LINE_FAILED) {
		shell_say("%s", err.text);
		refused = TURN_STATUS_BLOCKED;
	}
	turn_stream_end(sh->turn, &r);
	if (r.killed || r.kept_back)
		shell_say("%s", r.note);
	say_unrecorded(sh, &r);
	line_stream_free(in);
	buf_done(&text);
	return refused != 0 ? refused : end_status(sh, &r);
}

int
shell_run_stream(struct shell *sh)
{
	return run_stream(sh, NULL, sh->args.args);
}

/* SPDX-License-Identifier: ISC */
/*
 * Answers of the parser, one line each, for tests that compare it with
 * bash.  Units come on standard input, each ended by a NUL byte.
 *
 *	synparse [-e] [-s] [-m MODE]
 *
 * MODE answer (the default): "tree", "incomplete WHAT" or "error OFFSET
 * WHAT".  MODE print: the canonical line, NUL-terminated ("" unless a tree).
 * MODE dump: the same for the tree.  MODE trip: "same", or how the printed
 * line differs.  MODE facts: the facts, for people.  MODE words: those of
 * the last command, when known: "N LEN:BYTES…", or "?".
 * -e: extglob; -s: more input may come.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "aegsh/syntax.h"
#include "syn_show.h"

static struct syn_options opts = { .at_end = true };

static void
say(const char *prefix, const char *s)
{
	struct buf b = BUF_INIT;

	text_inert(&b, s, strlen(s), 0);
	printf("%s %s\n", prefix, b.data != NULL ? b.data : "");
	buf_done(&b);
}

static void
answer(enum syn_answer got, const struct syn_diag *diag)
{
	char where[64];

	switch (got) {
	case SYN_TREE:
		puts("tree");
		break;
	case SYN_INCOMPLETE:
		say("incomplete", diag->expected);
		break;
	case SYN_ERROR:
		snprintf(where, sizeof where, "error %zu", diag->offset);
		say(where, diag->expected);
		break;
	}
}

static bool
trip_once(const struct syn_tree *tree, struct buf *line, struct buf *dump,
    struct syn_tree **ret_again)
{
	struct syn_diag diag;

	syn_print(tree, line);
	syn_dump(tree, dump);
	return syn_parse(line->len > 0 ? line->data : "", line->len, &opts,
	    ret_again, &diag) == SYN_TREE;
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	    (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* print, parse, print: the same line and the same tree. */
static void
trip(const struct syn_tree *tree)
{
	struct buf line = BUF_INIT, dump = BUF_INIT;
	struct buf line2 = BUF_INIT, dump2 = BUF_INIT;
	struct syn_tree *again = NULL, *third = NULL;
	const char *verdict = "same";

	if (!trip_once(tree, &line, &dump, &again))
		verdict = "unreadable";
	else if (!trip_once(again, &line2, &dump2, &third))
		verdict = "unreadable twice";
	else if (!same(&dump, &dump2))
		verdict = "other tree";
	else if (!same(&line, &line2))
		verdict = "other line";
	puts(verdict);
	if (getenv("SYNPARSE_SHOW") != NULL && strcmp(verdict, "same") != 0)
		fprintf(stderr, "--- %s\n%s--- again\n%s%s\n%s\n", verdict,
		    line.data, line2.data, dump.data, dump2.data);
	syn_free(again);
	syn_free(third);
	buf_done(&line);
	buf_done(&dump);
	buf_done(&line2);
	buf_done(&dump2);
}

/* ---- facts -------------------------------------------------------------- */

static enum syn_var
from_environment(void *ctx, const char *name, const char **ret_value)
{
	(void)ctx;
	*ret_value = getenv(name);
	return *ret_value != NULL ? SYN_VAR_SET : SYN_VAR_UNSET;
}

static const struct syn_vars environment = { .get = from_environment };

static void
show_words(const struct syn_facts *f)
{
	const struct syn_command *c = f->commands + f->n_commands - 1;
	size_t i;

	if (f->n_commands == 0 || c->n_words == 0) {
		puts("?");
		return;
	}
	for (i = 0; i < c->n_words; i++)
		if (!c->words[i].known || c->words[i].may_split) {
			puts("?");
			return;
		}
	printf("%zu", c->n_words - 1);
	for (i = 1; i < c->n_words; i++) {
		printf(" %zu:", c->words[i].len);
		fwrite(c->words[i].value, 1, c->words[i].len, stdout);
	}
	putchar('\n');
}

static void
show_facts(const struct syn_facts *f)
{
	struct buf b = BUF_INIT;
	size_t i;

	for (i = 0; i < f->n_commands; i++) {
		const struct syn_command *c = &f->commands[i];

		buf_putf(&b, "%zu @%zu+%zu in %zu depth %u pipeline %u ", i,
		    c->offset, c->len, c->parent, c->depth, c->pipeline);
		syn_show_command(&b, c);
		buf_putc(&b, '\n');
	}
	for (i = 0; i < f->n_functions; i++)
		buf_putf(&b, "function %s @%zu\n", f->functions[i].name,
		    f->functions[i].offset);
	buf_puts(&b, "reads");
	for (i = 0; i < f->n_reads; i++)
		buf_putf(&b, " %s", f->reads[i]);
	buf_putf(&b, "\nrest %s%s\n", f->rest_unknown != NULL ?
	    f->rest_unknown : "known", f->only_simple ? ", simple" : "");
	fwrite(b.data, 1, b.len, stdout);
	buf_done(&b);
}

static void
facts(const char *mode, const struct syn_tree *tree)
{
	struct syn_facts *f;

	if (tree == NULL) {
		puts("?");
		return;
	}
	f = syn_facts_new(tree, &environment);
	if (strcmp(mode, "words") == 0)
		show_words(f);
	else
		show_facts(f);
	syn_facts_free(f);
}

static void
one(const char *mode, const char *unit, size_t len)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag = { .code = 0 };
	enum syn_answer got = syn_parse(unit, len, &opts, &tree, &diag);
	struct buf b = BUF_INIT;

	if (strcmp(mode, "answer") == 0) {
		answer(got, &diag);
	} else if (strcmp(mode, "trip") == 0) {
		if (tree != NULL)
			trip(tree);
		else
			puts("none");
	} else if (strcmp(mode, "words") == 0 || strcmp(mode, "facts") == 0) {
		facts(mode, tree);
	} else {
		if (tree != NULL && strcmp(mode, "print") == 0)
			syn_print(tree, &b);
		else if (tree != NULL)
			syn_dump(tree, &b);
		fwrite(b.data != NULL ? b.data : "", 1, b.len, stdout);
		putchar('\0');
	}
	buf_done(&b);
	syn_free(tree);
}

int
main(int argc, char **argv)
{
	const char *mode = "answer", *at, *end;
	struct buf in = BUF_INIT_MAX((size_t)512 * 1024 * 1024);
	int c;

	while ((c = getopt(argc, argv, "esm:")) != -1) {
		if (c == 'e')
			opts.extglob = true;
		else if (c == 's')
			opts.at_end = false;
		else if (c == 'm')
			mode = optarg;
		else
			return 100;
	}
	if (io_read_all(STDIN_FILENO, &in) != 0)
		return 111;
	at = in.data;
	end = at + in.len;
	while (at < end) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));
		size_t len = (size_t)((nul != NULL ? nul : end) - at);

		one(mode, at, len);
		at += len + 1;
	}
	buf_done(&in);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * Any bytes: parse; print, parse and print again gives the same line and
 * the same tree; facts hold together.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/syntax.h"

#define INPUT_MAX 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(expr) \
	do { \
		if (!(expr)) { \
			fprintf(stderr, "fuzz_syntax:%d: %s\n", __LINE__, \
			    #expr); \
			abort(); \
		} \
	} while (0)

static enum syn_var
get(void *ctx, const char *name, const char **ret_value)
{
	(void)ctx;
	/* Some are known, some are not there, some nobody knows. */
	switch (name[0] % 4) {
	case 0:
		*ret_value = "a b$(c)[$(d)]";
		return SYN_VAR_SET;
	case 1:
		*ret_value = "7";
		return SYN_VAR_SET;
	case 2:
		return SYN_VAR_UNSET;
	default:
		return SYN_VAR_UNKNOWN;
	}
}

/* $0, and $1 and $2. */
static const struct syn_word words[] = {
	{ .known = true, .value = "sh", .len = 2 },
	{ .known = true, .value = "a b", .len = 3 },
	{ .known = true, .value = "$(c)[$d]", .len = 8 },
};
static const struct syn_vars vars = { .get = get, .zero = &words[0],
	.args = &words[1], .n_args = 2, .has_args = true };

static void
check_word(const struct syn_word *word)
{
	size_t i, len = 0;
	bool known = true;

	FUZZ_CHECK(word->value != NULL && word->value[word->len] == '\0');
	FUZZ_CHECK(strlen(word->value) == word->len);
	for (i = 0; i < word->n_parts; i++) {
		const struct syn_part *part = &word->parts[i];

		FUZZ_CHECK(part->text[part->len] == '\0');
		FUZZ_CHECK(memcmp(word->value + len, part->text,
		    part->len) == 0);
		len += part->len;
		known = known && part->known;
	}
	FUZZ_CHECK(len == word->len);
	FUZZ_CHECK(word->known == known || !word->known);
}

static void
check_command(const struct syn_command *c, size_t index, size_t size)
{
	size_t i;

	FUZZ_CHECK(c->parent <= index);
	FUZZ_CHECK(c->offset <= size && c->len <= size - c->offset);
	FUZZ_CHECK(c->pipe_index <= c->pipe_count);
	for (i = 0; i < c->n_words; i++) {
		check_word(&c->words[i]);
		FUZZ_CHECK(c->words[i].offset <= size);
	}
	for (i = 0; i < c->n_assigns; i++)
		check_word(&c->assigns[i].value);
	for (i = 0; i < c->n_redirs; i++)
		check_word(&c->redirs[i].target);
}

static void
check_facts(const struct syn_tree *tree, size_t size)
{
	struct syn_facts *f = syn_facts_new(tree, &vars);
	size_t i;

	for (i = 0; i < f->n_commands; i++)
		check_command(&f->commands[i], i, size);
	for (i = 0; i < f->n_functions; i++)
		FUZZ_CHECK(f->functions[i].name != NULL);
	for (i = 0; i < f->n_reads; i++)
		FUZZ_CHECK(f->reads[i][0] != '\0');
	FUZZ_CHECK(!f->only_simple || f->n_commands > 0);
	for (i = 1; i < f->n_commands && f->only_simple; i++)
		FUZZ_CHECK(f->commands[i].evals > 0);
	syn_facts_free(f);
	f = syn_facts_new(tree, NULL);
	syn_facts_free(f);
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	    (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void
check_print(const struct syn_tree *tree, const struct syn_options *opts)
{
	struct buf line = BUF_INIT, dump = BUF_INIT;
	struct buf line2 = BUF_INIT, dump2 = BUF_INIT;
	struct syn_tree *again = NULL;
	struct syn_diag diag;

	syn_print(tree, &line);
	syn_dump(tree, &dump);
	/* What is printed may be longer than a unit can be, never here. */
	FUZZ_CHECK(syn_parse(line.len > 0 ? line.data : "", line.len, opts,
	    &again, &diag) == SYN_TREE);
	syn_print(again, &line2);
	syn_dump(again, &dump2);
	FUZZ_CHECK(same(&dump, &dump2));
	FUZZ_CHECK(same(&line, &line2));
	syn_free(again);
	buf_done(&line);
	buf_done(&line2);
	buf_done(&dump);
	buf_done(&dump2);
}

struct lines {
	const char *p, *end;
};

static bool
next_line(void *ctx, const char **ret, size_t *ret_len)
{
	struct lines *l = ctx;
	size_t left = (size_t)(l->end - l->p);
	const char *nl = left > 0 ? memchr(l->p, '\n', left) : NULL;

	*ret = l->p;
	*ret_len = nl != NULL ? (size_t)(nl - l->p) + 1 : left;
	l->p += *ret_len;
	return *ret_len > 0;
}

/* A unit ends where reading everything anew after each line finds its end. */
static void
check_cut(const char *text, size_t size)
{
	struct lines l = { text, text + size };
	struct syn_tree *tree;
	struct syn_diag diag;
	enum syn_answer got = SYN_INCOMPLETE;
	const char *line, *end;
	size_t len;

	if (!next_line(&l, &line, &len))
		return;
	syn_cut(line, len, NULL, next_line, &l);
	end = l.p;
	l.p = text;
	while (got == SYN_INCOMPLETE && next_line(&l, &line, &len)) {
		tree = NULL;
		got = syn_parse(text, (size_t)(l.p - text), NULL, &tree, &diag);
		syn_free(tree);
	}
	/* A mistake may be seen only behind the line that it is joined to. */
	FUZZ_CHECK(l.p == end || (got == SYN_ERROR && l.p < end));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct syn_options all[] = {
		{ .at_end = true }, { .at_end = false },
		{ .at_end = true, .extglob = true },
	};
	size_t i;

	if (size > INPUT_MAX)
		return 0;
	check_cut((const char *)data, size);
	for (i = 0; i < AEG_NELEM(all); i++) {
		struct syn_tree *tree = NULL;
		struct syn_diag diag = { .code = 0 };
		enum syn_answer got = syn_parse((const char *)data, size,
		    &all[i], &tree, &diag);

		FUZZ_CHECK((got == SYN_TREE) == (tree != NULL));
		if (tree == NULL) {
			FUZZ_CHECK(diag.offset <= size && diag.code != 0);
			FUZZ_CHECK(diag.expected[0] != '\0');
			FUZZ_CHECK(diag.line >= 1 && diag.column >= 1);
			continue;
		}
		if (all[i].at_end)
			check_print(tree, &all[i]);
		check_facts(tree, size);
		syn_free(tree);
	}
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * Wrappers whose command stands behind a word of their own (docker exec, uv
 * run), those of which each operand is a program, and tar.
 */
#include "resolve_int.h"

#include <string.h>

/* docker run --entrypoint sh IMAGE -c …: words from the image's on. */
static void
follow_entry(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *entry, const struct syn_word *argv, size_t argc)
{
	struct syn_word *words = arena_alloc(w->arena,
	    (argc + 1) * sizeof *words);

	words[0] = *entry;
	if (argc > 0)
		memcpy(words + 1, argv, argc * sizeof *words);
	resolve_follow_words(w, at, row, words, argc + 1, 0);
}

/* ip -all netns exec CMD: no name stands there. */
static bool
is_for_all(const struct wrap_row *row, const struct syn_word *word)
{
	return strcmp(row->name, "ip") == 0 &&
	    (strcmp(word->value, "-a") == 0 ||
	    strcmp(word->value, "-all") == 0);
}

void
resolve_unwrap_after(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word text;
	const struct syn_word *entry = NULL;
	struct syn_word named;
	int skip = -1, omits = 0;
	bool behind = false, open = false;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_VALUE) {
			resolve_follow_value(w, at, row, argv, &opt);
			if (resolve_opt_is(&opt, resolve_more(row)->entry)) {
				named = resolve_word_tail(w,
				    &argv[opt.value_word], opt.value_skip);
				entry = &named;
			}
		}
		omits |= kind != RESOLVE_OPT_OPERAND &&
		    is_for_all(row, &argv[opt.word]);
		if (omits > 0 && skip < 0 && kind != RESOLVE_OPT_OPERAND) {
			o.letter = 0;
			o.next = opt.word + 1;
		}
		/* kubectl exec -n x POD -- CMD */
		behind = skip >= 0 && o.ended && row->grammar[0] != '+';
		/* Until the operand stands, options go on. */
		if (skip < 0)
			o.ended = false;
		if (kind != RESOLVE_OPT_OPERAND)
			continue;
		/* docker run $options IMAGE CMD */
		open |= skip > 0 && argv[opt.word].may_split;
		if (skip < 0 && resolve_in_list(row->after, &argv[opt.word]))
			skip = row->skip - omits;
		else if (skip >= 0 && strcmp(argv[opt.word].value, "--") == 0)
			behind = true;
		else if (skip >= 0 && (skip-- == 0 || behind))
			break;
		/* The image stands; what follows are arguments. */
		if (skip == 0 && entry != NULL && opt.word + 1 <= argc &&
		    row->skip > 0 && !resolve_in_list(row->after,
		    &argv[opt.word])) {
			follow_entry(w, at, row, entry, argv + opt.word + 1,
			    argc - opt.word - 1);
			return;
		}
	}
	if (kind != RESOLVE_OPT_OPERAND ||
	    (row->fetches && resolve_is_fetched(&argv[opt.word])))
		return;
	w->pub.incomplete |= open;
	if (!row->joins) {
		resolve_follow_words(w, at, row, argv, argc, opt.word);
		if (open)
			resolve_follow_words(w, at, row, argv, argc,
			    opt.word + 1);
		return;
	}
	text = resolve_word_join(w, argv + opt.word, argc - opt.word);
	resolve_program(w, at, &text);
}

/* hyperfine 'program' 'program' */
void
resolve_unwrap_each(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND) {
			resolve_program(w, at, &argv[opt.word]);
			continue;
		}
		if (kind == RESOLVE_OPT_VALUE)
			resolve_follow_value(w, at, row, argv, &opt);
		o.next += resolve_opt_is(&opt, resolve_more(row)->pairs);
	}
}

/* tar xIf PROGRAM FILE: each letter takes its value from the words behind,
 * in order; as words with dashes. */
static const struct syn_word *
with_dashes(struct walk *w, const struct wrap_row *row,
	const struct syn_word *argv, size_t *argc)
{
	struct syn_word *out;
	const char *p = argv[1].value, *end = strchr(row->grammar, ' '), *hit;
	size_t n = 0, next = 2;
	char letter[2] = "-";

	out = arena_alloc(w->arena, (*argc + argv[1].len) * sizeof *out);
	out[n++] = argv[0];
	for (; *p != '\0'; p++) {
		letter[1] = *p;
		out[n++] = resolve_word_new(w, letter, 2, argv[1].known);
		hit = memchr(row->grammar, *p, (size_t)(end - row->grammar));
		if (hit != NULL && hit[1] == ':' && next < *argc)
			out[n++] = argv[next++];
	}
	while (next < *argc)
		out[n++] = argv[next++];
	*argc = n;
	return out;
}

void
resolve_unwrap_tar(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	static const char acts[] = "exec=";
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word text;

	if (argc > 1 && argv[1].len > 0 && argv[1].value[0] != '-')
		argv = with_dashes(w, row, argv, &argc);
	resolve_unwrap_option(w, at, row, argv, argc);
	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_VALUE ||
		    !resolve_opt_is(&opt, "checkpoint-action"))
			continue;
		text = resolve_word_tail(w, &argv[opt.value_word],
		    opt.value_skip);
		if (strncmp(text.value, acts, strlen(acts)) != 0)
			continue;
		text = resolve_word_tail(w, &text, strlen(acts));
		resolve_program(w, at, &text);
	}
}

/* SPDX-License-Identifier: ISC */
/*
 * The walk over a line's commands: each becomes an item, each wrapper is
 * followed to what it starts, each program inside the line is parsed and
 * walked in turn.  Everything lives in one arena but the nested trees.
 */
#include "resolve_int.h"
#include "resolve_path_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/path.h"

static struct resolved *
push_item(struct walk *w)
{
	if (w->pub.n == w->cap_items) {
		size_t cap = w->cap_items == 0 ? 8 : w->cap_items * 2;

		w->items = arena_grow(w->arena, w->items, w->cap_items, cap,
		    sizeof *w->items);
		w->cap_items = cap;
	}
	return &w->items[w->pub.n++];
}

void
resolve_add_code(struct walk *w, const char *language,
	const struct syn_word *text, size_t by)
{
	if (w->pub.n_code == w->cap_codes) {
		size_t cap = w->cap_codes == 0 ? 4 : w->cap_codes * 2;

		w->codes = arena_grow(w->arena, w->codes, w->cap_codes, cap,
		    sizeof *w->codes);
		w->cap_codes = cap;
	}
	/* Items still move; the index becomes a pointer at the end. */
	w->codes[w->pub.n_code++] = (struct resolve_code){
		.language = language, .text = *text,
		.by = (const struct resolved *)by,
	};
}

void
resolve_over_cap(struct walk *w)
{
	w->pub.incomplete = true;
	w->pub.over_cap = true;
}

static int
is_function_variable(void *ctx, const char *name, const char *value)
{
	(void)ctx;
	(void)value;
	return strncmp(name, "BASH_FUNC_", 10) == 0;
}

static const char *
separators(const struct walk *w)
{
	return w->ifs != NULL ? w->ifs : " \t\n";
}

/*
 * Parts that are not known, but mean nothing but a gap between words or
 * nothing at all: `c$()at`, `cat${IFS}/etc/x`, `cat$IFS$9x`.  What they
 * most likely come to is followed; the set is then incomplete.
 */
static const char *
likely(const struct walk *w, const struct syn_part *part)
{
	static const struct {
		const char *text, *value;
	} gaps[] = {
		{ "$()", "" }, { "``", "" }, { "$IFS", " " }, { "${IFS}", " " },
		{ "$@", "" }, { "$*", "" }, { "${@}", "" }, { "${*}", "" },
		{ "$1", "" }, { "$2", "" }, { "$3", "" }, { "$4", "" },
		{ "$5", "" }, { "$6", "" }, { "$7", "" }, { "$8", "" },
		{ "$9", "" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(gaps); i++)
		if (strlen(gaps[i].text) == part->len &&
		    memcmp(gaps[i].text, part->text, part->len) == 0)
			return gaps[i].value[0] == ' ' ? separators(w) :
			    gaps[i].value;
	return NULL;
}

static bool
has_gaps(const struct walk *w, const struct syn_word *word)
{
	size_t i, unknown = 0;

	for (i = 0; i < word->n_parts; i++) {
		if (word->parts[i].known)
			continue;
		if (likely(w, &word->parts[i]) == NULL)
			return false;
		unknown++;
	}
	/* A lone "$@" is what it is: not known. */
	return unknown > 0 && unknown < word->n_parts;
}

static struct syn_word
close_gaps(struct walk *w, const struct syn_word *word)
{
	struct buf text = BUF_INIT_MAX(SYN_LEN_MAX);
	struct syn_word made;
	struct syn_part *parts;
	size_t i;

	parts = arena_alloc(w->arena, word->n_parts * sizeof *parts);
	for (i = 0; i < word->n_parts; i++) {
		parts[i] = word->parts[i];
		if (!parts[i].known) {
			parts[i].text = likely(w, &parts[i]);
			parts[i].len = strlen(parts[i].text);
			parts[i].known = true;
		}
		buf_put(&text, parts[i].text, parts[i].len);
	}
	made = resolve_word_new(w, text.data != NULL ? text.data : "",
	    text.len, true);
	made.parts = parts;
	made.n_parts = word->n_parts;
	made.may_split = word->may_split;
	buf_done(&text);
	w->pub.incomplete = true;
	return made;
}

static const struct syn_word *
without_gaps(struct walk *w, const struct syn_word *argv, size_t argc)
{
	struct syn_word *out;
	size_t i, j;

	for (i = 0; i < argc; i++)
		if (!argv[i].known && has_gaps(w, &argv[i]))
			break;
	if (i == argc)
		return argv;
	out = arena_alloc(w->arena, argc * sizeof *out);
	for (j = 0; j < argc; j++)
		out[j] = !argv[j].known && has_gaps(w, &argv[j]) ?
		    close_gaps(w, &argv[j]) : argv[j];
	return out;
}

/* An unquoted value falls apart at IFS; an empty one is no word at all. */
static const struct syn_word *
split_words(struct walk *w, const struct syn_word *argv, size_t *argc)
{
	struct syn_word *out = NULL;
	const struct syn_word *part;
	size_t i, j, n = 0, n_part, cap = 0;

	for (i = 0; i < *argc && !(argv[i].known && argv[i].may_split); i++)
		continue;
	if (i == *argc)
		return argv;
	for (i = 0; i < *argc; i++) {
		part = &argv[i];
		n_part = 1;
		if (argv[i].known && argv[i].may_split)
			part = resolve_word_fields(w, &argv[i], separators(w),
			    &n_part);
		if (n + n_part > cap) {
			size_t old = cap;

			cap = (n + n_part) * 2;
			out = arena_grow(w->arena, out, old, cap, sizeof *out);
		}
		for (j = 0; j < n_part; j++)
			out[n++] = part[j];
	}
	*argc = n;
	return out;
}

/* What facts tell of a value that bash evaluates and nobody knows. */
static bool
is_evaluated(const struct syn_word *argv, size_t argc)
{
	return argc == 1 && argv[0].n_parts == 1 && !argv[0].known &&
	    argv[0].parts[0].why == SYN_WHY_ARITH;
}

void
resolve_follow(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	const struct nest_function *f;
	const struct wrap_row *row;
	struct resolved *item;
	struct spot inner = *at;
	size_t index;

	if (at->depth > RESOLVE_DEPTH_MAX || w->pub.n >= RESOLVE_ITEMS_MAX) {
		resolve_over_cap(w);
		return;
	}
	argv = without_gaps(w, argv, argc);
	argv = split_words(w, argv, &argc);
	index = w->pub.n;
	item = push_item(w);
	*item = (struct resolved){ .command = at->command, .argv = argv,
		.argc = argc, .wrapper = at->wrapper, .level = at->level,
		.program = at->program, .moved = at->by.moved,
		.more_args_unknown = at->more_args };
	if (argc == 0) {
		item->kind = RESOLVE_NONE;
		return;
	}
	resolve_name_item(w, at, item);
	if (item->name == NULL) {
		if (is_evaluated(argv, argc))
			w->mild = true;
		else
			w->pub.incomplete = true;
		return;
	}
	inner.depth++;
	inner.own = inner.no_function = inner.has_args = false;
	inner.zero = NULL;
	inner.wrapper = item->name;
	/* `f(){ "$@"; }; f rm x`: the arguments are a command. */
	f = at->by_exec || at->no_function ? NULL :
	    resolve_function(w, at, item->name);
	if (f != NULL && argc > 1 && f->runs_arguments)
		resolve_follow(w, &inner, argv + 1, argc - 1);
	item = &w->items[index];
	if (item->kind == RESOLVE_FUNCTION)
		return;
	resolve_find_fetched(w, index);
	row = resolve_wrap_row(item->name);
	inner.given = row != NULL ? resolve_give(w, at, row, &argv[0]) : NULL;
	if (row != NULL && !(at->command->evaluated &&
	    strcmp(row->name, "eval") == 0))
		resolve_unwrap(w, &inner, row, argv, argc);
	resolve_find_code(w, &inner, index);
	resolve_follow_environ(w, at, index);
}

/* Each directory on the way is there, so that no cd stayed where it was. */
static bool
can_go(struct walk *w, const char *from, const char *way)
{
	char *prefix AEG_AUTOFREE = NULL;
	size_t n = 0;

	if (way == w->went && from == w->went_from)
		return w->could_go;
	w->went = way;
	w->went_from = from;
	w->could_go = true;
	prefix = xstrdup(way);
	while (w->could_go && way[n] != '\0') {
		char *where AEG_AUTOFREE = NULL;

		n += strspn(way + n, "/");
		n += strcspn(way + n, "/");
		prefix[n] = '\0';
		where = path_canon(from, prefix);
		prefix[n] = way[n];
		w->could_go = ++w->steps <= RESOLVE_STEPS_MAX &&
		    resolve_is_dir(where);
	}
	return w->could_go;
}

/* What the program's beginning says, and what the command's facts add. */
static void
find_by(struct walk *w, const struct found_by *start,
    const struct syn_command *c, struct found_by *ret)
{
	char *joined AEG_AUTOFREE = NULL;
	const char *from;

	*ret = *start;
	switch (c->lookup) {
	case SYN_LOOKUP_UNKNOWN:
		ret->path_unknown = true;
		ret->builtins = false;
		break;
	case SYN_LOOKUP_SOME_PATH:
		ret->builtins |= !ret->path_unknown;
		ret->path_unknown = true;
		break;
	case SYN_LOOKUP_START:
		break;
	case SYN_LOOKUP_PATH:
		ret->path_unknown = false;
		ret->path_given = true;
		ret->path = c->path;
		break;
	}
	switch (c->dir) {
	case SYN_DIR_UNKNOWN:
		ret->cwd_unknown = true;
		break;
	case SYN_DIR_START:
		break;
	case SYN_DIR_AT:
		ret->cwd_unknown &= c->cwd[0] != '/';
		from = start->cwd != NULL ? start->cwd : state_cwd(w->state);
		ret->cwd_unknown |= !can_go(w, from, c->cwd);
		joined = path_canon(from, c->cwd);
		ret->cwd = arena_memdup0(w->arena, joined, strlen(joined));
		break;
	}
}

static void
follow_facts(struct walk *w, const struct spot *at)
{
	const struct syn_command *c;
	struct spot spot = *at;
	size_t i, j;

	spot.fed |= resolve_moves_stdin(at->facts);
	for (i = 0; i < at->facts->n_commands; i++) {
		c = &at->facts->commands[i];
		spot.command = c;
		spot.own = true;
		spot.level = at->level + c->evals;
		spot.depth = at->depth + c->evals;
		spot.wrapper = c->evals > 0 ? "eval" : at->wrapper;
		find_by(w, &at->by, c, &spot.by);
		resolve_follow(w, &spot, c->words, c->n_words);
		/* A prefix holds for its command alone, but a function or
		 * builtin may leave it behind: from here on it counts. */
		for (j = 0; j < c->n_assigns; j++)
			if (strcmp(c->assigns[j].name, "IFS") == 0) {
				w->ifs_unknown |= !c->assigns[j].value.known;
				w->ifs = c->assigns[j].value.value;
			}
	}
	if (at->facts->rest_unknown != NULL)
		w->pub.incomplete = true;
}

static void
name_functions(struct walk *w, struct nest *nest)
{
	const struct syn_facts *facts = nest->facts;
	const struct syn_command *c;
	struct nest_function *f;
	size_t i;

	nest->n_functions = facts->n_functions;
	if (facts->n_functions == 0)
		return;
	nest->functions = arena_alloc(w->arena,
	    facts->n_functions * sizeof *f);
	for (i = 0; i < facts->n_functions; i++)
		nest->functions[i].name = facts->functions[i].name;
	qsort(nest->functions, facts->n_functions, sizeof *f, resolve_by_name);
	/* One of each name, for the search finds any of them. */
	for (nest->n_functions = i = 1; i < facts->n_functions; i++)
		if (resolve_by_name(&nest->functions[i],
		    &nest->functions[i - 1]) != 0)
			nest->functions[nest->n_functions++] =
			    nest->functions[i];
	for (i = 0; i < facts->n_commands; i++) {
		c = &facts->commands[i];
		if (c->in_function == NULL || c->n_words == 0 ||
		    c->words[0].known)
			continue;
		f = resolve_find_function(nest, c->in_function);
		if (f != NULL)
			f->runs_arguments = true;
	}
}

static void
push_nest(struct walk *w, struct syn_tree *tree, struct syn_facts *facts)
{
	if (w->n_nests == w->cap_nests) {
		w->cap_nests = w->cap_nests == 0 ? 4 : w->cap_nests * 2;
		w->nests = xreallocarray(w->nests, w->cap_nests,
		    sizeof *w->nests);
	}
	w->nests[w->n_nests] = (struct nest){ .tree = tree, .facts = facts };
	name_functions(w, &w->nests[w->n_nests++]);
}

/* What is left of the caps lets one more program be read. */
static bool
may_read(struct walk *w, const struct spot *at, const struct syn_word *text)
{
	w->nested_bytes += text->len;
	if (at->depth < RESOLVE_DEPTH_MAX && w->nested_bytes <= SYN_LEN_MAX &&
	    w->n_nests < RESOLVE_NESTED_MAX)
		return true;
	resolve_over_cap(w);
	return false;
}

/* One reading of a program; false: bash's parser takes it for none. */
static bool
follow_text(struct walk *w, const struct spot *at, const struct syn_word *text,
	bool other)
{
	struct spot spot = *at;
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	const struct syn_options whole = { .at_end = true };
	struct syn_diag diag;
	struct syn_word lines;

	if (!may_read(w, at, text))
		return true;
	if (syn_parse(text->value, text->len, &whole, &tree,
	    &diag) != SYN_TREE) {
		/* What stands in front of the error has run by then. */
		lines = *text;
		lines.len = diag.offset < text->len ? diag.offset : text->len;
		while (lines.len > 0 && text->value[lines.len - 1] != '\n')
			lines.len--;
		if (lines.len > 0 && lines.len < text->len) {
			lines = resolve_word_new(w, text->value, lines.len,
			    text->known);
			follow_text(w, at, &lines, other);
		}
		return false;
	}
	facts = resolve_nested_facts(w, at, tree, text);
	w->pub.incomplete |= resolve_reads_otherwise(at->wrapper, text, facts);
	w->pub.incomplete |= other && resolve_given_differs(at);
	push_nest(w, tree, facts);
	spot.facts = facts;
	spot.program = (unsigned)w->n_nests - 1;
	spot.level = at->level + 1;
	spot.depth = at->depth + 1;
	/* xargs sh -c '"$@"': more of them than the line shows. */
	spot.more_args = at->more_args && at->has_args &&
	    memchr(text->value, '$', text->len) != NULL;
	w->pub.incomplete |= spot.more_args;
	spot.around = facts->only_simple ? at->given : NULL;
	spot.has_args = false;
	spot.zero = NULL;
	spot.by_exec = false;
	spot.other = other;
	spot.fed |= resolve_is_fed(at);
	follow_facts(w, &spot);
	return true;
}

void
resolve_program(struct walk *w, const struct spot *at,
	const struct syn_word *text)
{
	bool other = resolve_is_other(at->wrapper, at->other);
	struct syn_word second;
	size_t by = w->pub.n;

	if (!text->known)
		w->pub.incomplete = true;
	if (text->len == 0)
		return;
	if (!follow_text(w, at, text, other)) {
		/* Another shell may read it: it is code all the same. */
		w->pub.incomplete = true;
		if (by > 0)
			resolve_add_code(w, "shell", text, by - 1);
	}
	if (!other || !resolve_other_text(w, text, &second))
		return;
	w->pub.incomplete = true;
	if (!follow_text(w, at, &second, other) && by > 0)
		resolve_add_code(w, "shell", &second, by - 1);
}

/* Anything in the line that names a variable which auto-shebang heeds: it
 * was asked with the environment of before. */
static bool
steers_resolver(const struct syn_facts *facts)
{
	static const char prefix[] = "AUTO_SHEBANG_";
	const struct syn_command *c;
	size_t i, j;

	for (i = 0; i < facts->n_commands; i++) {
		c = &facts->commands[i];
		for (j = 0; j < c->n_assigns; j++)
			if (strncmp(c->assigns[j].name, prefix,
			    sizeof prefix - 1) == 0)
				return true;
		for (j = 0; j < c->n_words; j++)
			if (strstr(c->words[j].value, prefix) != NULL)
				return true;
	}
	return false;
}

int
resolve_facts(const struct syn_facts *facts, const struct state *state,
	struct resolve_set **ret)
{
	struct arena *arena = arena_new();
	struct walk *w = arena_alloc(arena, sizeof *w);
	struct spot at = { .facts = facts };
	const char *path;
	size_t i;

	*w = (struct walk){ .arena = arena, .state = state };
	path = state_get(state, "PATH");
	/* Where a tilde stands in it bash looks in some home directory. */
	at.by.path_unknown = at.by.builtins = path != NULL &&
	    strchr(path, '~') != NULL;
	w->inherits = state_each(state, is_function_variable, NULL) != 0;
	/* The line itself is the first program, not owned. */
	push_nest(w, NULL, (struct syn_facts *)facts);
	follow_facts(w, &at);
	for (i = 0; w->asks_resolver && i < w->n_nests; i++)
		w->pub.incomplete |= steers_resolver(w->nests[i].facts);
	for (i = 0; w->starts_shell && i < w->n_nests; i++)
		w->pub.incomplete |= resolve_names_startup(w->nests[i].facts);
	w->pub.incomplete |= w->starts_shell && resolve_inherits_startup(state);
	w->pub.only_mild = w->mild && !w->pub.incomplete;
	w->pub.incomplete |= w->mild;
	w->pub.items = w->items;
	w->pub.code = w->codes;
	for (i = 0; i < w->pub.n_code; i++)
		w->codes[i].by = &w->items[(size_t)w->codes[i].by];
	*ret = &w->pub;
	return 0;
}

void
resolve_free(struct resolve_set *set)
{
	struct walk *w = (struct walk *)set;
	size_t i;

	if (w == NULL)
		return;
	for (i = 1; i < w->n_nests; i++) {
		syn_facts_free(w->nests[i].facts);
		syn_free(w->nests[i].tree);
	}
	free(w->nests);
	arena_free(w->arena);
}

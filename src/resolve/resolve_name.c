/* SPDX-License-Identifier: ISC */
/*
 * What a command's name stands for: a function of the line, a builtin, a
 * file that is looked up as bash would where the command stands, or nothing
 * that can be told.
 */
#include "resolve_int.h"
#include "resolve_path_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/path.h"

int
resolve_by_name(const void *a, const void *b)
{
	return strcmp(((const struct nest_function *)a)->name,
	    ((const struct nest_function *)b)->name);
}

struct nest_function *
resolve_find_function(const struct nest *nest, const char *name)
{
	const struct nest_function key = { .name = name };

	return nest->n_functions == 0 ? NULL : bsearch(&key, nest->functions,
	    nest->n_functions, sizeof key, resolve_by_name);
}

/* The whole line's functions count, wherever they stand: a nested eval sees
 * them, and a loop may run what is defined further down. */
const struct nest_function *
resolve_function(const struct walk *w, const struct spot *at, const char *name)
{
	const struct nest_function *f =
	    resolve_find_function(&w->nests[at->program], name);

	return f != NULL ? f : resolve_find_function(&w->nests[0], name);
}

/* A function that the environment brings along. */
static bool
is_inherited(const struct walk *w, const char *name)
{
	char *variable AEG_AUTOFREE = NULL;

	if (!w->inherits)
		return false;
	variable = xasprintf("BASH_FUNC_%s%%%%", name);
	return state_get(w->state, variable) != NULL;
}

/* Nothing in front of it has changed how it is found. */
static bool
is_plain(const struct found_by *by)
{
	return by->path == NULL && by->cwd == NULL;
}

/* Where its links lead, and what reads it. */
static void
look_behind(struct walk *w, const struct found_by *by, struct resolved *item,
    const char *word, const char *found, const struct stat *st)
{
	const char *known = resolve_memo_get(found, st);
	char *path AEG_AUTOFREE = NULL, *interp AEG_AUTOFREE = NULL;
	struct resolve_chain chain = { .incomplete = false };

	item->kind = RESOLVE_FILE;
	if (known != NULL) {
		item->path = arena_memdup0(w->arena, known, strlen(known));
		return;
	}
	path = resolve_real(found);
	item->path = arena_memdup0(w->arena, path, strlen(path));
	/* A word with a slash is what the kernel is given. */
	interp = resolve_interpreter(strchr(word, '/') != NULL &&
	    is_plain(by) ? word : found, w->state, &chain);
	if (interp != NULL)
		item->interpreter = arena_memdup0(w->arena, interp,
		    strlen(interp));
	else if (!chain.incomplete && !chain.unread)
		resolve_memo_put(found, st, path);
	w->pub.incomplete |= chain.incomplete;
	w->asks_resolver |= chain.asked;
}

/* The file of an item, remembered within the line: looking is what costs. */
static void
look_up(struct walk *w, const struct found_by *by, struct resolved *item,
    const char *word)
{
	char *found AEG_AUTOFREE = NULL;
	struct stat st;
	const struct resolved *same;
	size_t i;

	for (i = 0; is_plain(by) && i < w->lookups; i++) {
		same = &w->items[w->looked_up[i]];
		if (strcmp(same->argv[0].value, word) == 0) {
			item->kind = same->kind;
			item->path = same->path;
			item->interpreter = same->interpreter;
			return;
		}
	}
	if (w->looks++ >= RESOLVE_DISK_MAX) {
		w->pub.incomplete = true;
		return;
	}
	if (is_plain(by))
		w->looked_up[w->lookups++] = (size_t)(item - w->items);
	if (resolve_find_by(word, w->state, by->path, by->cwd, &found,
	    &st) < 0) {
		/* What the line fills its own directory with is not there
		 * before it runs. */
		item->kind = by->path_given ? RESOLVE_UNKNOWN :
		    RESOLVE_NOT_FOUND;
		w->mild |= by->path_given;
		return;
	}
	look_behind(w, by, item, word, found, &st);
}

/* Does a function of the line run in place of what else has the name? */
static enum syn_is_function
is_function(const struct walk *w, const struct spot *at, const char *name)
{
	if (at->by_exec || at->no_function || strchr(name, '/') != NULL)
		return SYN_FUNCTION_NO;
	if (at->own && at->command->function == SYN_FUNCTION_YES)
		return SYN_FUNCTION_YES;
	/* What the program itself does not define may still be one of the
	 * line's: eval and traps see them. */
	if (at->own && at->command->function == SYN_FUNCTION_NO &&
	    (at->program == 0 ||
	    resolve_find_function(&w->nests[0], name) == NULL))
		return SYN_FUNCTION_NO;
	return resolve_function(w, at, name) != NULL ? SYN_FUNCTION_MAYBE :
	    SYN_FUNCTION_NO;
}

/* What an earlier command of the line may have moved: `PATH=$x; ls`,
 * `hash -p /tmp/x ls; ls`, `cd "$x"; ./run`. */
static bool
is_moved(const struct walk *w, const struct spot *at, const char *word)
{
	if (strchr(word, '/') == NULL)
		return at->by.path_unknown || (at->by.cwd_unknown &&
		    resolve_is_relative(at->by.path != NULL ? at->by.path :
		    resolve_search_path(w->state)));
	return word[0] != '/' && at->by.cwd_unknown;
}

/* /dev/fd/3 is what a redirection says, /proc/self/exe whoever looks. */
static bool
is_descriptor(const char *word)
{
	static const char *const below[] = { "/dev/fd/", "/proc/" };
	char *folded AEG_AUTOFREE = NULL;
	size_t i;

	if (strchr(word, '/') == NULL)
		return false;
	folded = path_canon("/", word);
	for (i = 0; i < AEG_NELEM(below); i++)
		if (strncmp(folded, below[i], strlen(below[i])) == 0)
			return true;
	return strcmp(folded, "/dev/stdin") == 0;
}

void
resolve_name_item(struct walk *w, const struct spot *at, struct resolved *item)
{
	const struct syn_word *word = &item->argv[0];
	enum syn_is_function f;

	if (!word->known || strlen(word->value) != word->len) {
		item->kind = RESOLVE_UNKNOWN;
		return;
	}
	item->name = path_base(word->value);
	f = is_function(w, at, word->value);
	if (!at->by_exec && is_inherited(w, word->value)) {
		/* Bash would run it in place of any command of that name. */
		item->kind = RESOLVE_UNKNOWN;
		w->pub.incomplete = true;
	} else if (f == SYN_FUNCTION_YES) {
		item->kind = RESOLVE_FUNCTION;
	} else if (at->by.elsewhere) {
		item->kind = RESOLVE_UNKNOWN;
	} else if (strchr(word->value, '/') == NULL && !at->by_exec &&
	    (!at->by.path_unknown || at->by.builtins) &&
	    resolve_is_builtin(word->value)) {
		item->kind = RESOLVE_BUILTIN;
	} else if (is_descriptor(word->value)) {
		item->kind = RESOLVE_UNKNOWN;
		w->pub.incomplete = true;
	} else if (is_moved(w, at, word->value)) {
		item->kind = RESOLVE_UNKNOWN;
		if (at->by.builtins && strchr(word->value, '/') == NULL)
			w->mild = true;
		else
			w->pub.incomplete = true;
	} else {
		look_up(w, &at->by, item, word->value);
	}
	if (f != SYN_FUNCTION_MAYBE)
		return;
	/* The function, or else what was found: only when nothing was there
	 * is no doubt left. */
	if (item->kind == RESOLVE_NOT_FOUND) {
		item->kind = RESOLVE_FUNCTION;
	} else {
		item->kind = RESOLVE_UNKNOWN;
		item->path = item->interpreter = NULL;
		w->pub.incomplete = true;
	}
}


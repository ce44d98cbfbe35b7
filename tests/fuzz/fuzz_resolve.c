/* SPDX-License-Identifier: ISC */
/*
 * Any bytes that parse: what they would run holds together, is the same
 * twice, and stays below the caps.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/resolve_int.h"

#define INPUT_MAX 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(expr) \
	do { \
		if (!(expr)) { \
			fprintf(stderr, "fuzz_resolve:%d: %s\n", __LINE__, \
			    #expr); \
			abort(); \
		} \
	} while (0)

static enum syn_var
get(void *ctx, const char *name, const char **ret_value)
{
	*ret_value = state_get(ctx, name);
	return *ret_value != NULL ? SYN_VAR_SET : name[0] % 2 == 0 ?
	    SYN_VAR_UNSET : SYN_VAR_UNKNOWN;
}

static void
check_word(const struct syn_word *word)
{
	FUZZ_CHECK(word->value != NULL && word->value[word->len] == '\0');
	FUZZ_CHECK(strlen(word->value) == word->len);
}

static void
check_item(const struct resolved *r)
{
	size_t i;

	for (i = 0; i < r->argc; i++)
		check_word(&r->argv[i]);
	FUZZ_CHECK(r->command != NULL);
	FUZZ_CHECK((r->kind == RESOLVE_NONE) == (r->argc == 0));
	FUZZ_CHECK(r->name == NULL || (r->argc > 0 && r->argv[0].known));
	FUZZ_CHECK((r->kind == RESOLVE_FILE) == (r->path != NULL));
	FUZZ_CHECK(r->path == NULL || r->path[0] == '/');
	FUZZ_CHECK(r->interpreter == NULL || r->path != NULL);
	FUZZ_CHECK(r->level <= RESOLVE_DEPTH_MAX + 1);
}

/* All of it as one number. */
static uint64_t
digest(const struct resolve_set *set)
{
	uint64_t h = 14695981039346656037u;
	size_t i, j;

	for (i = 0; i < set->n; i++) {
		const struct resolved *r = &set->items[i];

		h = (h ^ (uint64_t)r->kind ^ r->level << 8 ^
		    r->program << 16) * 1099511628211u;
		for (j = 0; j < r->argc; j++)
			h = (h ^ r->argv[j].len ^
			    (uint64_t)r->argv[j].known << 40) *
			    1099511628211u;
	}
	return h ^ set->n_code << 32 ^ (uint64_t)set->incomplete << 1;
}

static uint64_t
check_set(const struct syn_facts *facts, const struct state *state)
{
	struct resolve_set *set = NULL;
	uint64_t h;
	size_t i;

	FUZZ_CHECK(resolve_facts(facts, state, &set) == 0 && set != NULL);
	FUZZ_CHECK(set->n >= facts->n_commands || set->over_cap);
	FUZZ_CHECK(set->n <= RESOLVE_ITEMS_MAX);
	FUZZ_CHECK(!set->over_cap || set->incomplete);
	for (i = 0; i < set->n; i++)
		check_item(&set->items[i]);
	for (i = 0; i < set->n_code; i++) {
		FUZZ_CHECK(set->code[i].by >= set->items &&
		    set->code[i].by < set->items + set->n);
		FUZZ_CHECK(set->code[i].language[0] != '\0');
		check_word(&set->code[i].text);
	}
	h = digest(set);
	resolve_free(set);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct syn_options whole = { .at_end = true };
	static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/h";
	static char a[] = "a=sh", b[] = "b=-c x";
	static char *envp[] = { path, home, a, b, NULL };
	static struct state *state;
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;

	if (state == NULL)
		state = state_new(envp);
	if (size > INPUT_MAX || syn_parse((const char *)data, size, &whole,
	    &tree, &diag) != SYN_TREE)
		return 0;
	facts = syn_facts_new(tree, &(struct syn_vars){ get, state });
	FUZZ_CHECK(check_set(facts, state) == check_set(facts, state));
	syn_facts_free(facts);
	syn_free(tree);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* Profiles: what they inherit, and which rules each of them lets speak. */
#include "policy_compile_int.h"

#include <stddef.h>
#include <string.h>

#include "aegsh/base/text.h"

#define EXTENDS_MAX 16

struct chain {
	const struct ir_profile *v[EXTENDS_MAX];	/* itself first */
	size_t n;
};

static int
bad(struct compiler *c, const struct ir_profile *f, const char *what,
	const char *word)
{
	return err_set(c->err, ERR_SYNTAX, "%s:%u: profile '%s': %s '%s'",
	    f->file, f->line, f->name, what, word);
}

static int
find_chain(struct compiler *c, const struct ir_profile *f, struct chain *ret)
{
	const struct ir_profile *at = f;

	for (ret->n = 0;; at = ir_find_profile(c->ir, at->extends)) {
		if (at == NULL)
			return bad(c, f, "no such profile",
			    ret->v[ret->n - 1]->extends);
		if (ret->n == EXTENDS_MAX)
			return bad(c, f, "extends itself, through",
			    at->name);
		ret->v[ret->n++] = at;
		if (at->extends == NULL)
			return 0;
	}
}

static int
parse_action(struct compiler *c, const struct ir_profile *f, const char *word,
	uint32_t *ret)
{
	static const enum policy_action all[] = { POLICY_BLOCK, POLICY_WARN,
		POLICY_ALLOW };
	size_t i;

	for (i = 0; i < AEG_NELEM(all); i++)
		if (strcmp(policy_action_name(all[i]), word) == 0) {
			*ret = all[i];
			return 0;
		}
	return bad(c, f, "unknown answer", word);
}

static bool
has(const struct ir_list *list, const char *word)
{
	return text_among(word, list->v, list->n);
}

/* The floor always speaks.  Other rules speak where the profile uses their
 * set and overrides neither them nor, for the vendor's, ... : only rules of
 * the vendor's and site's layers can be overridden. */
static bool
speaks(const struct chain *chain, const struct ir_rule *r)
{
	const struct ir_list *use = NULL;
	size_t i;

	if (r->layer == POL_USER)
		return true;
	/* What the program itself defines for a rescue. */
	if (r->layer == POL_FLOOR)
		return chain->v[0]->layer != POL_FLOOR ||
		    !has(&chain->v[0]->override, r->id);
	for (i = 0; i < chain->n; i++) {
		if (has(&chain->v[i]->override, r->id))
			return false;
		if (use == NULL && chain->v[i]->use.n > 0)
			use = &chain->v[i]->use;
	}
	return use != NULL && has(use, r->set);
}

static uint32_t
rule_bits(struct compiler *c, const struct chain *chain)
{
	size_t i, words = (c->ir->n_rules + 31) / 32;
	uint32_t *bits = arena_alloc(c->ir->arena, (words + 1) * sizeof *bits);

	for (i = 0; i < c->ir->n_rules; i++)
		if (speaks(chain, c->ir->rules[i]))
			bits[i / 32] |= (uint32_t)1 << (i % 32);
	return pol_lists_add(&c->lists, bits, words);
}

/* An override that names nothing would be a promise that nobody keeps. */
static int
check_overrides(struct compiler *c, const struct ir_profile *f)
{
	size_t i, j;

	for (i = 0; i < f->override.n; i++) {
		for (j = 0; j < c->ir->n_rules; j++)
			if (strcmp(c->ir->rules[j]->id, f->override.v[i]) == 0)
				break;
		if (j == c->ir->n_rules)
			return bad(c, f, "overrides no rule",
			    f->override.v[i]);
		if (c->ir->rules[j]->layer == POL_FLOOR &&
		    f->layer != POL_FLOOR)
			return bad(c, f, "the floor can't be overridden:",
			    f->override.v[i]);
	}
	return 0;
}

/* A set that no rule is of: a slip in its name would leave out all that was
 * meant, and nobody would be told. */
static int
check_uses(struct compiler *c, const struct ir_profile *f)
{
	size_t i, j;

	for (i = 0; i < f->use.n; i++) {
		for (j = 0; j < c->ir->n_rules; j++)
			if (c->ir->rules[j]->layer != POL_USER &&
			    strcmp(c->ir->rules[j]->set, f->use.v[i]) == 0)
				break;
		if (j == c->ir->n_rules)
			return bad(c, f, "uses a set that no rule is of:",
			    f->use.v[i]);
	}
	return 0;
}

/* The same seen from a rule: one that no profile would let speak. */
static int
check_sets(struct compiler *c)
{
	const struct ir_rule *r;
	size_t i, j;

	for (i = 0; i < c->ir->n_rules; i++) {
		r = c->ir->rules[i];
		if (r->layer == POL_USER || r->layer == POL_FLOOR)
			continue;
		for (j = 0; j < c->ir->n_profiles; j++)
			if (has(&c->ir->profiles[j]->use, r->set))
				break;
		if (j == c->ir->n_profiles)
			return err_set(c->err, ERR_SYNTAX, "%s:%u: rule '%s': "
			    "no profile uses its set '%s'", r->file, r->line,
			    r->id, r->set);
	}
	return 0;
}

/* Who says that word: the profile itself or the first that it extends; NULL:
 * none of them. */
static const struct ir_profile *
who_says(const struct chain *chain, size_t offset)
{
	size_t i;

	for (i = 0; i < chain->n; i++)
		if (*(const char *const *)((const char *)chain->v[i] +
		    offset) != NULL)
			return chain->v[i];
	return NULL;
}

static const char *
first_word(const struct chain *chain, size_t offset)
{
	const struct ir_profile *by = who_says(chain, offset);

	return by == NULL ? NULL :
	    *(const char *const *)((const char *)by + offset);
}

static long
first_number(const struct chain *chain, size_t offset)
{
	long number = -1;
	size_t i;

	for (i = 0; i < chain->n && number < 0; i++)
		number = *(const long *)((const char *)chain->v[i] + offset);
	return number;
}

static int
first_flag(const struct chain *chain, size_t offset)
{
	int flag = -1;
	size_t i;

	for (i = 0; i < chain->n && flag < 0; i++)
		flag = *(const int *)((const char *)chain->v[i] + offset);
	return flag;
}

static uint32_t
first_list(struct compiler *c, const struct chain *chain, size_t offset,
	uint32_t *ret_n)
{
	const struct ir_list *list = NULL;
	uint32_t *v;
	size_t i;

	for (i = 0; i < chain->n && (list == NULL || list->n == 0); i++)
		list = (const void *)((const char *)chain->v[i] + offset);
	v = arena_alloc(c->ir->arena, (list->n + 1) * sizeof *v);
	for (i = 0; i < list->n; i++)
		v[i] = pol_strings_add(&c->strings, list->v[i]);
	*ret_n = (uint32_t)list->n;
	return pol_lists_add(&c->lists, v, list->n);
}

#define FIRST_OF(type, chain, field) \
	first_##type((chain), offsetof(struct ir_profile, field))
#define FIRST(type, field) FIRST_OF(type, &chain, field)

static int
compile_answers(struct compiler *c, const struct ir_profile *f,
	const char *unknown, const char *evidence, struct pol_profile *out)
{
	int rc;

	if (unknown != NULL &&
	    (rc = parse_action(c, f, unknown, &out->unknown)) < 0)
		return rc;
	out->unknown_evidence = out->unknown < POLICY_WARN ? out->unknown :
	    POLICY_WARN;
	if (evidence != NULL && (rc = parse_action(c, f, evidence,
	    &out->unknown_evidence)) < 0)
		return rc;
	if (out->unknown_evidence > out->unknown)
		return bad(c, f, "evidence would loosen the answer to",
		    evidence != NULL ? evidence : "");
	return 0;
}

/* Absolute directories: an empty one would be wherever a line stands. */
static int
check_search_path(struct compiler *c, const struct ir_profile *f,
	const char *path)
{
	const char *p = path;

	for (;; p++) {
		if (*p != '/')
			return bad(c, f, "not a list of absolute directories:",
			    path);
		p = strchrnul(p, ':');
		if (*p == '\0')
			return 0;
	}
}

static int
check_markers(struct compiler *c, const struct ir_profile *f)
{
	size_t i;

	for (i = 0; i < f->project.n; i++)
		if (f->project.v[i][0] == '\0' ||
		    strchr(f->project.v[i], '/') != NULL ||
		    strspn(f->project.v[i], ".") == strlen(f->project.v[i]))
			return bad(c, f, "no name that marks a project:",
			    f->project.v[i]);
	return 0;
}

#define WHO_SAYS(chain, field) \
	who_says((chain), offsetof(struct ir_profile, field))

static void
name_sandbox(struct compiler *c, const struct chain *chain,
	struct pol_profile *out)
{
	const struct ir_profile *by = WHO_SAYS(chain, sandbox);

	if (by == NULL)
		by = chain->v[0];
	out->sandbox = pol_strings_add(&c->strings, by->sandbox != NULL ?
	    by->sandbox : by->name);
	out->file = pol_strings_add(&c->strings, by->file);
	out->line = by->line;
}

/* Often another than who names the profile's own. */
static void
name_elevated(struct compiler *c, const struct chain *chain, bool confined,
	struct pol_profile *out)
{
	const struct ir_profile *by = WHO_SAYS(chain, elevated_in);
	const char *box = by != NULL ? by->elevated_in : "elevated";

	if (by == NULL)
		by = WHO_SAYS(chain, elevate);
	if (by == NULL)
		by = chain->v[0];
	out->elevated = pol_strings_add(&c->strings, confined ? box : NULL);
	out->elevated_file = pol_strings_add(&c->strings, by->file);
	out->elevated_line = by->line;
}

/* 0 or 1: which of the two words it is, and the first where nothing is
 * said. */
static int
which(const char *value, const char *first, const char *second)
{
	if (value == NULL || strcmp(value, first) == 0)
		return 0;
	return strcmp(value, second) == 0 ? 1 : -1;
}

/* What becomes of sudo and its like in a line. */
static int
compile_elevate(struct compiler *c, const struct ir_profile *f,
	const struct chain *chain, struct pol_profile *out)
{
	const char *how = FIRST_OF(word, chain, elevate);
	const char *in = FIRST_OF(word, chain, elevated);
	const char *box = FIRST_OF(word, chain, elevated_in);
	const char *shell = FIRST_OF(word, chain, elevated_shell);

	if (which(how, "no", "broker") < 0)
		return bad(c, f, "elevate is no or broker, not", how);
	if (which(in, "confine", "direct") < 0)
		return bad(c, f, "elevated is confine or direct, not", in);
	if (which(shell, "no", "aegsh") < 0)
		return bad(c, f, "elevated_shell is no or aegsh, not", shell);
	if (box != NULL && (box[0] == '\0' || box[0] == '-' ||
	    strchr(box, '/') != NULL))
		return bad(c, f, "no sandbox profile has the name", box);
	out->elevate = (uint32_t)which(how, "no", "broker");
	out->elevated_shell = (uint32_t)which(shell, "no", "aegsh");
	name_elevated(c, chain, which(in, "confine", "direct") == 0, out);
	out->elevate_keep = first_list(c, chain, offsetof(struct ir_profile,
	    elevate_keep), &out->n_elevate_keep);
	out->elevated_bare = first_list(c, chain, offsetof(struct ir_profile,
	    elevated_bare), &out->n_elevated_bare);
	return 0;
}

static int
compile_profile(struct compiler *c, const struct ir_profile *f)
{
	struct pol_profile out = { .ask_at = 1 };
	const char *path;
	long rank, ask_at;
	struct chain chain;
	int rc;

	rc = find_chain(c, f, &chain);
	if (rc < 0 || (rc = check_overrides(c, f)) < 0 ||
	    (rc = check_uses(c, f)) < 0 || (rc = check_markers(c, f)) < 0)
		return rc;
	rc = compile_answers(c, f, FIRST(word, unknown),
	    FIRST(word, unknown_evidence), &out);
	if (rc < 0)
		return rc;
	rank = FIRST(number, rank);
	if (rank < 0 || rank > 1000)
		return bad(c, f, "no rank from 0 to 1000 for", f->name);
	path = FIRST(word, search_path);
	if (path != NULL && (rc = check_search_path(c, f, path)) < 0)
		return rc;
	rc = compile_elevate(c, f, &chain, &out);
	if (rc < 0)
		return rc;
	ask_at = FIRST(number, ask_at);
	out.name = pol_strings_add(&c->strings, f->name);
	out.extends = pol_strings_add(&c->strings, f->extends);
	name_sandbox(c, &chain, &out);
	out.rank = (uint32_t)rank;
	if (ask_at >= 0)
		out.ask_at = ask_at > (long)POL_EVIDENCE_MAX ?
		    POL_EVIDENCE_MAX : (uint32_t)ask_at;
	out.enabled = FIRST(flag, enabled) != 0;
	out.jail = FIRST(flag, jail) == 1;
	out.clean = FIRST(flag, clean) == 1;
	out.vendors = f->layer == POL_VENDOR;
	out.search_path = pol_strings_add(&c->strings, path);
	out.keep = first_list(c, &chain, offsetof(struct ir_profile, keep),
	    &out.n_keep);
	out.project = first_list(c, &chain,
	    offsetof(struct ir_profile, project), &out.n_project);
	out.rules = rule_bits(c, &chain);
	buf_put(&c->sections[POL_SEC_PROFILES], &out, sizeof out);
	return 0;
}

int
pol_compile_profiles(struct compiler *c)
{
	size_t i;
	int rc;

	for (i = 0; i < c->ir->n_profiles; i++)
		if ((rc = compile_profile(c, c->ir->profiles[i])) < 0)
			return rc;
	return check_sets(c);
}

/* ---- match blocks -------------------------------------------------------- */

static int
bad_match(struct compiler *c, const struct ir_match *m, const char *what,
	const char *word)
{
	return err_set(c->err, ERR_SYNTAX, "%s:%u: match '%s': %s '%s'",
	    m->file, m->line, m->name, what, word);
}

static int
compile_ask(struct compiler *c, const struct ir_match *m, size_t ask,
	const struct ir_list *in, uint32_t *ret_list, uint32_t *ret_n)
{
	uint32_t *v = arena_alloc(c->ir->arena, (in->n + 1) * sizeof *v);
	uint32_t mask = 0;
	size_t i;
	int bit;

	for (i = 0; i < in->n; i++) {
		if (in->v[i][0] == '\0')
			return bad_match(c, m, "an empty word in a list", "");
		bit = pol_arg_bit(POL_ARG_ORIGINS, in->v[i]);
		if (ask == POL_MATCH_ORIGIN && bit < 0)
			return bad_match(c, m, "unknown origin", in->v[i]);
		if (ask == POL_MATCH_ORIGIN)
			mask |= (uint32_t)1 << bit;
		else
			v[i] = pol_strings_add(&c->strings, in->v[i]);
	}
	*ret_list = ask == POL_MATCH_ORIGIN ? mask :
	    pol_lists_add(&c->lists, v, in->n);
	*ret_n = (uint32_t)in->n;
	return 0;
}

static int
compile_match(struct compiler *c, const struct ir_match *m)
{
	struct pol_match out = { .line = m->line };
	size_t ask, not;
	int rc;

	if (ir_find_profile(c->ir, m->profile) == NULL)
		return bad_match(c, m, "no such profile", m->profile);
	out.name = pol_strings_add(&c->strings, m->name);
	out.profile = pol_strings_add(&c->strings, m->profile);
	out.file = pol_strings_add(&c->strings, m->file);
	for (ask = 0; ask < POL_MATCH_COUNT; ask++)
		for (not = 0; not < 2; not++)
			if ((rc = compile_ask(c, m, ask, &m->asks[ask][not],
			    &out.asks[ask][not].list,
			    &out.asks[ask][not].n)) < 0)
				return rc;
	buf_put(&c->sections[POL_SEC_MATCHES], &out, sizeof out);
	return 0;
}

/* The first that holds wins, so the site's come before the vendor's. */
int
pol_compile_matches(struct compiler *c)
{
	static const enum pol_layer order[] = { POL_SITE, POL_VENDOR };
	size_t i, j;
	int rc;

	if (c->ir->n_matches > POL_MATCHES_MAX)
		return err_set(c->err, ERR_TOO_LONG, "more than %d match "
		    "blocks", POL_MATCHES_MAX);
	for (j = 0; j < AEG_NELEM(order); j++)
		for (i = 0; i < c->ir->n_matches; i++)
			if (c->ir->matches[i]->layer == order[j] &&
			    (rc = compile_match(c, c->ir->matches[i])) < 0)
				return rc;
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * The compiled form: a header, then thirteen tables in one block of bytes.
 * Whatever points somewhere is an offset or an index.  A block that was
 * read from a file is believed only after pol_blob_check() has looked at
 * every one of them; after that no accessor needs to.
 */
#include "policy_int.h"

#include <string.h>

const size_t pol_row_size[POL_SEC_COUNT] = {
	[POL_SEC_STRINGS] = 1,
	[POL_SEC_LISTS] = sizeof(uint32_t),
	[POL_SEC_CONDS] = sizeof(struct pol_cond),
	[POL_SEC_RULES] = sizeof(struct pol_rule),
	[POL_SEC_INDEX] = sizeof(struct pol_name),
	[POL_SEC_PROGRAMS] = sizeof(struct pol_program),
	[POL_SEC_PROGNAMES] = sizeof(struct pol_name),
	[POL_SEC_PATTERNS] = sizeof(struct pol_pattern),
	[POL_SEC_SETS] = sizeof(struct pol_set),
	[POL_SEC_PROFILES] = sizeof(struct pol_profile),
	[POL_SEC_REGEXES] = sizeof(uint32_t),
	[POL_SEC_MATCHES] = sizeof(struct pol_match),
	[POL_SEC_GATES] = sizeof(struct pol_gate),
};

struct check {
	const char *blob;
	const struct pol_header *h;
};

static const void *
at(const struct check *c, enum pol_section_id id)
{
	return c->blob + c->h->sections[id].offset;
}

static bool
good_string(const struct check *c, uint32_t s, bool may_be_none)
{
	return (may_be_none && s == POL_NONE) ||
	    s < c->h->sections[POL_SEC_STRINGS].n;
}

static bool
good_list(const struct check *c, uint32_t start, uint32_t n)
{
	uint32_t all = c->h->sections[POL_SEC_LISTS].n;

	return n <= all && start <= all - n;
}

static bool
good_list_below(const struct check *c, uint32_t start, uint32_t n,
	enum pol_section_id id)
{
	const uint32_t *list = at(c, POL_SEC_LISTS);
	uint32_t i, below = c->h->sections[id].n, bad = 0;

	if (!good_list(c, start, n))
		return false;
	/* All of them, without a look in between: half the time. */
	for (i = 0; i < n; i++)
		bad |= list[start + i] >= below;
	return bad == 0;
}

static bool
check_sections(const struct check *c, size_t size)
{
	size_t i, offset, n;

	for (i = 0; i < POL_SEC_COUNT; i++) {
		offset = c->h->sections[i].offset;
		n = c->h->sections[i].n;
		if (offset < sizeof *c->h || offset > size || offset % 8 != 0 ||
		    n > (size - offset) / pol_row_size[i])
			return false;
	}
	n = c->h->sections[POL_SEC_STRINGS].n;
	return n > 0 && ((const char *)at(c, POL_SEC_STRINGS))[n - 1] == '\0';
}

static bool
check_cond(const struct check *c, const struct pol_cond *cond)
{
	const struct pol_cond_row *row =
	    pol_cond_row(cond->id & ~POL_COND_NOT);

	if (row == NULL)
		return false;
	switch (row->arg) {
	case POL_ARG_NAMES:
	case POL_ARG_GLOBS:
	case POL_ARG_TEXTS:
	case POL_ARG_OPTIONS:
		return good_list_below(c, cond->list, cond->n,
		    POL_SEC_STRINGS);
	case POL_ARG_REGEX:
		return good_list_below(c, cond->list, cond->n,
		    POL_SEC_REGEXES);
	case POL_ARG_NUMBERS:
	case POL_ARG_TIMES:
		return good_list(c, cond->list, cond->n);
	case POL_ARG_SETS:
	case POL_ARG_KINDS:
	case POL_ARG_UNKNOWNS:
	case POL_ARG_FEATURES:
	case POL_ARG_ORIGINS:
	case POL_ARG_TURNS:
		return cond->n == 2 && good_list(c, cond->list, 2);
	}
	return false;
}

static bool
check_rules(const struct check *c)
{
	const struct pol_rule *r = at(c, POL_SEC_RULES);
	const struct pol_cond *cond = at(c, POL_SEC_CONDS);
	uint32_t i, n_conds = c->h->sections[POL_SEC_CONDS].n;

	for (i = 0; i < n_conds; i++)
		if (!check_cond(c, &cond[i]))
			return false;
	if (c->h->sections[POL_SEC_RULES].n > POL_RULES_MAX ||
	    c->h->sections[POL_SEC_GATES].n !=
	    c->h->sections[POL_SEC_RULES].n)
		return false;
	for (i = 0; i < c->h->sections[POL_SEC_RULES].n; i++, r++)
		if (!good_string(c, r->id, false) ||
		    !good_string(c, r->reason, false) ||
		    !good_string(c, r->instead, true) ||
		    !good_string(c, r->technique, true) ||
		    !good_string(c, r->file, false) ||
		    !good_string(c, r->what, false) ||
		    r->says > POL_SAYS_ALLOW || r->layer > POL_USER ||
		    r->score > POL_EVIDENCE_MAX || r->any_words > 1 ||
		    r->n_conds > n_conds || r->conds > n_conds - r->n_conds)
			return false;
	return good_list_below(c, c->h->general, c->h->n_general,
	    POL_SEC_RULES) &&
	    good_list_below(c, c->h->notes, c->h->n_notes, POL_SEC_STRINGS);
}

static bool
check_programs(const struct check *c)
{
	const struct pol_program *p = at(c, POL_SEC_PROGRAMS);
	uint32_t i;

	for (i = 0; i < c->h->sections[POL_SEC_PROGRAMS].n; i++, p++)
		if (!good_string(c, p->options, true) ||
		    !good_string(c, p->operands, true) ||
		    p->n_when % 2 != 0 || p->n_values % 2 != 0 ||
		    p->n_turns % 2 != 0 ||
		    !good_list_below(c, p->when, p->n_when, POL_SEC_STRINGS) ||
		    !good_list_below(c, p->values, p->n_values,
		    POL_SEC_STRINGS) ||
		    !good_list_below(c, p->turns, p->n_turns, POL_SEC_STRINGS))
			return false;
	return true;
}

static bool
in_order(const char *a, const char *b)
{
	/* Mostly the first byte tells. */
	if (a[0] != b[0])
		return (unsigned char)a[0] < (unsigned char)b[0];
	return strcmp(a, b) < 0;
}

/* Both indexes are searched by halves, so order is part of being right. */
static bool
check_names(const struct check *c, enum pol_section_id id)
{
	const struct pol_name *name = at(c, id);
	const char *strings = at(c, POL_SEC_STRINGS);
	uint32_t i, n = c->h->sections[id].n;

	for (i = 0; i < n; i++) {
		if (!good_string(c, name[i].name, false))
			return false;
		if (i > 0 && !in_order(strings + name[i - 1].name,
		    strings + name[i].name))
			return false;
		if (id == POL_SEC_INDEX && !good_list_below(c, name[i].first,
		    name[i].n, POL_SEC_RULES))
			return false;
		if (id == POL_SEC_PROGNAMES && name[i].first >=
		    c->h->sections[POL_SEC_PROGRAMS].n)
			return false;
	}
	return true;
}

static bool
check_paths(const struct check *c)
{
	const struct pol_pattern *p = at(c, POL_SEC_PATTERNS);
	const struct pol_set *set = at(c, POL_SEC_SETS);
	const char *strings = at(c, POL_SEC_STRINGS);
	uint32_t i, n_sets = c->h->sections[POL_SEC_SETS].n;

	if (n_sets > POL_SETS_MAX)
		return false;
	for (i = 0; i < n_sets; i++)
		if (!good_string(c, set[i].name, false) ||
		    !good_string(c, set[i].why, true) ||
		    set[i].not_home > 1)
			return false;
	for (i = 0; i < c->h->sections[POL_SEC_PATTERNS].n; i++, p++)
		if (!good_string(c, p->text, false) || p->set >= n_sets ||
		    strnlen(strings + p->text, p->prefix) < p->prefix ||
		    p->flags >= 2 * POL_PAT_NAME)
			return false;
	return true;
}

static bool
check_profiles(const struct check *c)
{
	const struct pol_profile *p = at(c, POL_SEC_PROFILES);
	uint32_t i, words = (c->h->sections[POL_SEC_RULES].n + 31) / 32;

	for (i = 0; i < c->h->sections[POL_SEC_PROFILES].n; i++, p++)
		if (!good_string(c, p->name, false) ||
		    !good_string(c, p->sandbox, false) ||
		    !good_string(c, p->file, false) ||
		    !good_string(c, p->extends, true) ||
		    p->unknown > POLICY_ALLOW ||
		    p->unknown_evidence > POLICY_ALLOW || p->enabled > 1 ||
		    p->rank > INT32_MAX || p->jail > 1 || p->clean > 1 ||
		    p->vendors > 1 ||
		    p->elevate > 1 || !good_string(c, p->elevated, true) ||
		    !good_string(c, p->elevated_file, false) ||
		    p->elevated_shell > 1 ||
		    !good_list_below(c, p->elevated_bare, p->n_elevated_bare,
		    POL_SEC_STRINGS) ||
		    !good_list_below(c, p->elevate_keep, p->n_elevate_keep,
		    POL_SEC_STRINGS) ||
		    !good_string(c, p->search_path, true) ||
		    !good_list_below(c, p->keep, p->n_keep,
		    POL_SEC_STRINGS) ||
		    !good_list_below(c, p->project, p->n_project,
		    POL_SEC_STRINGS) ||
		    !good_list(c, p->rules, words))
			return false;
	return true;
}

static bool
check_matches(const struct check *c)
{
	const struct pol_match *m = at(c, POL_SEC_MATCHES);
	uint32_t i, ask, not;

	if (c->h->sections[POL_SEC_MATCHES].n > POL_MATCHES_MAX)
		return false;
	for (i = 0; i < c->h->sections[POL_SEC_MATCHES].n; i++, m++) {
		if (!good_string(c, m->name, false) ||
		    !good_string(c, m->profile, false) ||
		    !good_string(c, m->file, false))
			return false;
		for (ask = 0; ask < POL_MATCH_ORIGIN; ask++)
			for (not = 0; not < 2; not++)
				if (!good_list_below(c, m->asks[ask][not].list,
				    m->asks[ask][not].n, POL_SEC_STRINGS))
					return false;
	}
	return true;
}

int
pol_blob_check_head(const char *blob, size_t size)
{
	struct check c = { .blob = blob, .h = (const void *)blob };

	if (size < sizeof *c.h || size > POL_BLOB_MAX ||
	    memcmp(c.h->magic, POL_MAGIC, sizeof c.h->magic) != 0 ||
	    c.h->version != POL_VERSION || c.h->size != size ||
	    !check_sections(&c, size))
		return ERR_SYNTAX;
	return 0;
}

int
pol_blob_check(const char *blob, size_t size)
{
	struct check c = { .blob = blob, .h = (const void *)blob };
	const uint32_t *regex;
	uint32_t i;

	if (pol_blob_check_head(blob, size) < 0 || !check_rules(&c) ||
	    !check_programs(&c) || !check_names(&c, POL_SEC_INDEX) ||
	    !check_names(&c, POL_SEC_PROGNAMES) || !check_paths(&c) ||
	    !check_profiles(&c) || !check_matches(&c))
		return ERR_SYNTAX;
	regex = at(&c, POL_SEC_REGEXES);
	for (i = 0; i < c.h->sections[POL_SEC_REGEXES].n; i++)
		if (!good_string(&c, regex[i], false))
			return ERR_SYNTAX;
	return 0;
}

static int
compare(const char *name, size_t len, const char *row)
{
	int order = strncmp(name, row, len);

	return order != 0 ? order : row[len] == '\0' ? 0 : -1;
}

const struct pol_name *
pol_find_name(const struct policy *p, enum pol_section_id id,
	const char *name, size_t len)
{
	const struct pol_name *names = pol_section(p, id);
	uint32_t low = 0, high = pol_count(p, id), mid;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = compare(name, len, pol_string(p, names[mid].name));
		if (order == 0)
			return &names[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

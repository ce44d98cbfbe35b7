/* SPDX-License-Identifier: ISC */
/* From what the sources say to the compiled form: rules and their lists. */
#include "policy_compile_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/text.h"

#define NAMES_DEPTH_MAX 8

static int
expand_into(struct compiler *c, const struct ir_list *names,
	struct ir_list *out, int depth, const char *file, unsigned line)
{
	const struct ir_names *set;
	size_t i;
	int rc;

	for (i = 0; i < names->n; i++) {
		if (names->v[i][0] != '@') {
			if (out->n >= POL_LIST_MAX)
				return err_set(c->err, ERR_TOO_LONG,
				    "%s:%u: too many names", file, line);
			IR_PUSH(c->ir, out->v, out->n, names->v[i]);
			continue;
		}
		set = ir_find_names(c->ir, names->v[i] + 1);
		if (set == NULL || depth >= NAMES_DEPTH_MAX)
			return err_set(c->err, ERR_UNKNOWN_NAME,
			    "%s:%u: no names '%s'", file, line, names->v[i]);
		rc = expand_into(c, &set->members, out, depth + 1, file, line);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
pol_expand_names(struct compiler *c, const struct ir_list *names,
	struct ir_list *ret, const char *file, unsigned line)
{
	*ret = (struct ir_list){ NULL, 0 };
	return expand_into(c, names, ret, 0, file, line);
}

static int
bad(struct compiler *c, const struct ir_rule *r, const char *what,
	const char *word)
{
	return err_set(c->err, ERR_SYNTAX, "%s:%u: rule '%s': %s '%s'",
	    r->file, r->line, r->id, what, word);
}

static uint32_t
regex_index(struct compiler *c, const char *pattern)
{
	uint32_t i;

	for (i = 0; i < c->n_regexes; i++)
		if (strcmp(c->regexes[i], pattern) == 0)
			return i;
	IR_PUSH(c->ir, c->regexes, c->n_regexes, pattern);
	i = pol_strings_add(&c->strings, pattern);
	buf_put(&c->sections[POL_SEC_REGEXES], &i, sizeof i);
	return (uint32_t)c->n_regexes - 1;
}

static int
set_bit(struct compiler *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->n_sets; i++)
		if (strcmp(c->sets[i], name) == 0)
			return (int)i;
	return -1;
}

/* Enumerated words and path sets become the two halves of a mask. */
static int
compile_mask(struct compiler *c, const struct ir_rule *r,
	const struct ir_cond *in, enum pol_arg arg, struct pol_cond *out)
{
	uint64_t mask = 0;
	uint32_t halves[2];
	size_t i;
	int bit;

	for (i = 0; i < in->args.n; i++) {
		const char *word = in->args.v[i];

		if (arg != POL_ARG_SETS)
			bit = pol_arg_bit(arg, word);
		else
			bit = word[0] == '@' ? set_bit(c, word + 1) : -1;
		if (bit < 0)
			return bad(c, r, arg == POL_ARG_SETS ? "no paths" :
			    "unknown word", word);
		mask |= (uint64_t)1 << bit;
	}
	halves[0] = (uint32_t)mask;
	halves[1] = (uint32_t)(mask >> 32);
	out->list = pol_lists_add(&c->lists, halves, 2);
	out->n = 2;
	return 0;
}

static int
compile_element(struct compiler *c, const struct ir_rule *r, enum pol_arg arg,
	const char *word, uint32_t *ret)
{
	int64_t number;

	if (word[0] == '\0')
		return bad(c, r, "an empty word in a list", word);
	if (arg == POL_ARG_NUMBERS) {
		if (text_to_i64(word, 0, UINT32_MAX, &number) < 0)
			return bad(c, r, "not a number", word);
		*ret = (uint32_t)number;
		return 0;
	}
	if (arg == POL_ARG_TIMES) {
		number = pol_time_parse(word);
		if (number < 0)
			return bad(c, r, "not a time, as 'mon-fri 22:00-06:00'"
			    ":", word);
		*ret = (uint32_t)number;
		return 0;
	}
	if (arg == POL_ARG_OPTIONS && word[0] != '-' && word[0] != '+')
		return bad(c, r, "not an option", word);
	if (arg == POL_ARG_REGEX) {
		if (pol_regex_check(word, c->err) < 0)
			return err_context(c->err, "%s:%u: rule '%s'", r->file,
			    r->line, r->id);
		*ret = regex_index(c, word);
		return 0;
	}
	*ret = pol_strings_add(&c->strings, word);
	return 0;
}

/* Names with wildcards first: of a rule that is found by its other names they
 * alone are left to be tried. */
static void
wildcards_first(struct compiler *c, struct ir_list *names)
{
	const char **v = arena_alloc(c->ir->arena, (names->n + 1) *
	    sizeof *v);
	size_t i, n = 0;
	int exact;

	for (exact = 0; exact < 2; exact++)
		for (i = 0; i < names->n; i++)
			if ((strchr(names->v[i], '*') == NULL) == exact)
				v[n++] = names->v[i];
	names->v = v;
}

static int
compile_cond(struct compiler *c, const struct ir_rule *r,
	const struct ir_cond *in, struct pol_cond *out)
{
	enum pol_arg arg = pol_cond_row(in->id & ~POL_COND_NOT)->arg;
	struct ir_list args = in->args;
	uint32_t *v;
	size_t i;
	int rc = 0;

	out->id = in->id;
	if (arg == POL_ARG_SETS || arg == POL_ARG_KINDS ||
	    arg == POL_ARG_UNKNOWNS || arg == POL_ARG_FEATURES ||
	    arg == POL_ARG_ORIGINS || arg == POL_ARG_TURNS)
		return compile_mask(c, r, in, arg, out);
	if (arg == POL_ARG_NAMES)
		rc = pol_expand_names(c, &in->args, &args, r->file, r->line);
	if (rc < 0)
		return rc;
	if (arg == POL_ARG_NAMES)
		wildcards_first(c, &args);
	v = arena_alloc(c->ir->arena, (args.n + 1) * sizeof *v);
	for (i = 0; i < args.n && in->id % POL_COND_NOT == POL_COND_LANGUAGE;
	    i++)
		if (!resolve_is_language(args.v[i]))
			return bad(c, r, "no language", args.v[i]);
	for (i = 0; i < args.n; i++)
		if ((rc = compile_element(c, r, arg, args.v[i], &v[i])) < 0)
			return rc;
	out->list = pol_lists_add(&c->lists, v, args.n);
	out->n = (uint32_t)args.n;
	return 0;
}

/* What must not hold mostly does not: it refuses few, so it comes late. */
static int
cost_of(uint32_t id)
{
	return pol_cond_row(id & ~POL_COND_NOT)->cost * 2 +
	    ((id & POL_COND_NOT) != 0 ? 7 : 0);
}

static int
by_cost(const void *a, const void *b)
{
	const struct pol_cond *x = a, *y = b;
	int cost = cost_of(x->id) - cost_of(y->id);

	return cost != 0 ? cost : x->id < y->id ? -1 : x->id > y->id;
}

/* "npm install", for people who list rules. */
static void
describe(const struct ir_rule *r, struct buf *out)
{
	static const unsigned shown[] = { POL_COND_COMMAND, POL_COND_FIRST,
		POL_COND_OPTION, POL_COND_OPERAND, POL_COND_LANGUAGE,
		POL_COND_WRITES, POL_COND_READS, POL_COND_TOUCHES };
	size_t i, j, k;

	for (i = 0; i < AEG_NELEM(shown); i++)
		for (j = 0; j < r->n_conds; j++) {
			if (r->conds[j].id != shown[i])
				continue;
			if (out->len > 0)
				buf_putc(out, ' ');
			for (k = 0; k < r->conds[j].args.n && k < 12; k++)
				buf_putf(out, "%s%s", k > 0 ? "|" : "",
				    r->conds[j].args.v[k]);
			if (k < r->conds[j].args.n)
				buf_puts(out, "|…");
		}
	if (out->len == 0)
		buf_puts(out, "(any)");
}

static int
compile_rule(struct compiler *c, const struct ir_rule *r)
{
	struct pol_cond conds[2 * POL_COND_COUNT];
	AEG_AUTO(buf_done) struct buf what = BUF_INIT;
	struct pol_rule out;
	struct pol_gate gate;
	size_t i;
	int rc;

	memset(conds, 0, sizeof conds);
	for (i = 0; i < r->n_conds; i++)
		if ((rc = compile_cond(c, r, &r->conds[i], &conds[i])) < 0)
			return rc;
	qsort(conds, r->n_conds, sizeof conds[0], by_cost);
	describe(r, &what);
	out = (struct pol_rule){
		.id = pol_strings_add(&c->strings, r->id),
		.reason = pol_strings_add(&c->strings, r->reason),
		.instead = pol_strings_add(&c->strings, r->instead),
		.technique = pol_strings_add(&c->strings, r->technique),
		.file = pol_strings_add(&c->strings, r->file),
		.what = pol_strings_add(&c->strings, what.data),
		.line = r->line, .says = r->says, .layer = r->layer,
		.score = r->score, .any_words = r->any_words,
		.conds = (uint32_t)(c->sections[POL_SEC_CONDS].len /
		    sizeof conds[0]),
		.n_conds = (uint32_t)r->n_conds,
	};
	buf_put(&c->sections[POL_SEC_CONDS], conds,
	    r->n_conds * sizeof conds[0]);
	buf_put(&c->sections[POL_SEC_RULES], &out, sizeof out);
	pol_gate_make(c, conds, r->n_conds, &gate);
	buf_put(&c->sections[POL_SEC_GATES], &gate, sizeof gate);
	return 0;
}

int
pol_compile_rules(struct compiler *c)
{
	size_t i;
	int rc;

	if (c->ir->n_rules > POL_RULES_MAX)
		return err_set(c->err, ERR_TOO_LONG, "more than %d rules",
		    POL_RULES_MAX);
	for (i = 0; i < c->ir->n_rules; i++)
		if ((rc = compile_rule(c, c->ir->rules[i])) < 0)
			return rc;
	return 0;
}

/* ---- the whole ---------------------------------------------------------- */

static void
put_section(struct buf *out, struct pol_header *h, enum pol_section_id id,
	const struct buf *bytes)
{
	static const char zeros[8];

	h->sections[id] = (struct pol_section){ .offset = (uint32_t)out->len,
		.n = (uint32_t)(bytes->len / pol_row_size[id]) };
	if (bytes->len > 0)
		buf_put(out, bytes->data, bytes->len);
	buf_put(out, zeros, (8 - out->len % 8) % 8);
}

static int
assemble(struct compiler *c, const uint8_t hash[32], char **ret,
	size_t *ret_size)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(POL_BLOB_MAX);
	struct pol_header h = { .magic = POL_MAGIC, .version = POL_VERSION,
		.general = c->general, .n_general = c->n_general };
	uint32_t *notes;
	size_t i;

	memcpy(h.hash, hash, sizeof h.hash);
	notes = arena_alloc(c->ir->arena, (c->ir->n_notes + 1) * sizeof *notes);
	for (i = 0; i < c->ir->n_notes; i++)
		notes[i] = pol_strings_add(&c->strings, c->ir->notes[i]);
	h.n_notes = (uint32_t)c->ir->n_notes;
	h.notes = pol_lists_add(&c->lists, notes, c->ir->n_notes);
	buf_put(&out, &h, sizeof h);
	buf_put(&out, "\0\0\0\0\0\0\0", (8 - out.len % 8) % 8);
	put_section(&out, &h, POL_SEC_STRINGS, &c->strings.bytes);
	put_section(&out, &h, POL_SEC_LISTS, &c->lists);
	for (i = POL_SEC_CONDS; i < POL_SEC_COUNT; i++)
		put_section(&out, &h, (enum pol_section_id)i,
		    &c->sections[i]);
	if (buf_overflow(&out))
		return err_set(c->err, ERR_TOO_LONG, "the policy is too large");
	h.size = (uint32_t)out.len;
	memcpy(out.data, &h, sizeof h);
	*ret_size = out.len;
	*ret = buf_take(&out);
	return 0;
}

static int
compile_all(struct compiler *c)
{
	int rc;

	/* Offset 0 is the empty string, so that no list is without one. */
	pol_strings_add(&c->strings, "");
	if ((rc = pol_compile_paths(c)) < 0 ||
	    (rc = pol_compile_programs(c)) < 0 ||
	    (rc = pol_compile_rules(c)) < 0 ||
	    (rc = pol_compile_index(c)) < 0 ||
	    (rc = pol_compile_profiles(c)) < 0)
		return rc;
	return pol_compile_matches(c);
}

int
pol_compile(const struct pol_sources *sources, char **ret, size_t *ret_size,
	struct err *err)
{
	struct compiler c = { .err = err };
	size_t i;
	int rc = 0;

	c.ir = ir_new();
	for (i = 0; i < sources->n && rc == 0; i++)
		rc = ir_parse(c.ir, &sources->v[i], err);
	if (rc == 0)
		rc = compile_all(&c);
	if (rc == 0)
		rc = assemble(&c, sources->hash, ret, ret_size);
	pol_strings_done(&c.strings);
	buf_done(&c.lists);
	for (i = 0; i < POL_SEC_COUNT; i++)
		buf_done(&c.sections[i]);
	ir_free(c.ir);
	return rc;
}

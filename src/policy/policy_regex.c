/* SPDX-License-Identifier: ISC */
/*
 * pcre2, compiled when a pattern is first needed.  Limits are set on every
 * match; the caller treats "limit hit" as a match of the strict kind.
 */
#include "policy_int.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#define JIT_AFTER 64	/* matches after which compiling to code pays */

struct pol_regex {
	pcre2_code *code;
	unsigned uses;
};

static pcre2_code *
compile(const char *pattern, int *ret_error, size_t *ret_offset)
{
	return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	    PCRE2_DOTALL | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF,
	    ret_error, ret_offset, NULL);
}

int
pol_regex_check(const char *pattern, struct err *err)
{
	char text[256];
	int code = 0;
	size_t offset = 0;
	pcre2_code *re = compile(pattern, &code, &offset);

	if (re != NULL) {
		pcre2_code_free(re);
		return 0;
	}
	pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof text);
	return err_set(err, ERR_SYNTAX, "bad regular expression '%s': %s at "
	    "%zu", pattern, text, offset);
}

static struct pol_regex *
ready(const struct policy *p, uint32_t index)
{
	const uint32_t *patterns = pol_section(p, POL_SEC_REGEXES);
	struct pol_regex *re = &p->regexes[index];
	int code;
	size_t offset;

	if (re->code == NULL)
		re->code = compile(pol_string(p, patterns[index]), &code,
		    &offset);
	return re;
}

/* The match data is made with the first match, like the patterns. */
static void
prepare(const struct policy *p)
{
	struct policy *own = (struct policy *)p;

	if (own->match_data != NULL)
		return;
	own->match_data = pcre2_match_data_create(1, NULL);
	own->match_context = pcre2_match_context_create(NULL);
	if (own->match_context != NULL)
		pcre2_set_heap_limit(own->match_context, 4096);
}

/* A pattern that looks once at each byte for a few alternatives gets through
 * long arguments, too; one that looks back from each at all others doesn't. */
static void
set_limits(pcre2_match_context *context, size_t len)
{
	uint32_t limit = POL_REGEX_LIMIT + POL_REGEX_LIMIT_BYTE *
	    (uint32_t)(len < POL_REGEX_LONG ? len : POL_REGEX_LONG);

	pcre2_set_match_limit(context, limit);
	pcre2_set_depth_limit(context, limit);
}

enum pol_regex_answer
pol_regex_match(const struct policy *p, uint32_t index, const char *text,
	size_t len)
{
	struct pol_regex *re = ready(p, index);
	int rc;

	prepare(p);
	if (re->code == NULL || p->match_data == NULL ||
	    p->match_context == NULL)
		return POL_REGEX_LIMIT_HIT;
	if (re->uses < JIT_AFTER && ++re->uses == JIT_AFTER)
		pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	set_limits(p->match_context, len);
	rc = pcre2_match(re->code, (PCRE2_SPTR)text, len, 0, 0, p->match_data,
	    p->match_context);
	if (rc >= 0)
		return POL_REGEX_YES;
	return rc == PCRE2_ERROR_NOMATCH ? POL_REGEX_NO : POL_REGEX_LIMIT_HIT;
}

void
pol_regex_free(struct policy *p)
{
	uint32_t i, n = p->regexes != NULL ? pol_count(p, POL_SEC_REGEXES) : 0;

	for (i = 0; i < n; i++)
		pcre2_code_free(p->regexes[i].code);
	free(p->regexes);
	pcre2_match_data_free(p->match_data);
	pcre2_match_context_free(p->match_context);
}

struct pol_regex *
pol_regex_new(uint32_t n)
{
	return xcalloc(n + 1, sizeof(struct pol_regex));
}

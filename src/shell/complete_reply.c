/* SPDX-License-Identifier: ISC */
/* What a completion answered: bytes of somebody else's, made into names that
 * are quoted anew before they stand in a line. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "shell/complete_prog.h"

static bool
has_option(const char *options, const char *name)
{
	size_t len = strlen(name);
	const char *p = options;

	while ((p = strstr(p, name)) != NULL) {
		if ((p == options || p[-1] == ' ') &&
		    (p[len] == ' ' || p[len] == '\0'))
			return true;
		p += len;
	}
	return false;
}

void
complete_answer_read(const char *bytes, size_t len,
    struct complete_answer *ret)
{
	const char *p = bytes, *end = bytes + len, *nul;
	bool first = true;

	*ret = (struct complete_answer){ .choice = STRV_INIT };
	while (p < end && ret->choice.n < COMPLETE_ANSWERS_MAX &&
	    (nul = memchr(p, '\0', (size_t)(end - p))) != NULL) {
		if (first) {
			ret->known = has_option(p, "known");
			ret->nospace = has_option(p, "nospace");
			ret->filenames = has_option(p, "filenames");
			ret->plusdirs = has_option(p, "plusdirs");
		} else if (nul > p) {
			strv_add(&ret->choice, p);
		}
		first = false;
		p = nul + 1;
	}
}

void
complete_answer_done(struct complete_answer *a)
{
	strv_done(&a->choice);
}

/* What the text means, if it is one word that a shell would take as it
 * stands; else NULL. */
static char *
plain_word(const char *text)
{
	struct line_word w;
	char *ret = NULL;
	size_t len = strlen(text);

	if (strpbrk(text, "$`\n") != NULL)
		return NULL;
	line_word_at(text, len, NULL, NULL, &w);
	if (!w.unknown && !w.comment && !w.target &&
	    w.name == SIZE_MAX && w.quote == LINE_UNQUOTED && w.from == 0 &&
	    w.before.n == 0 && (len == 0 || text[len - 1] != '\\'))
		ret = xstrdup(w.typed.data);
	line_word_done(&w);
	return ret;
}

char *
complete_answer_value(const char *choice, bool filename)
{
	size_t len = strlen(choice);
	char *text, *plain;

	if (filename)
		return xstrdup(choice);
	/* Who wants a blank behind it writes one. */
	while (len > 0 && choice[len - 1] == ' ' &&
	    (len < 2 || choice[len - 2] != '\\'))
		len--;
	text = xmemdup0(choice, len);
	plain = plain_word(text);
	if (plain == NULL)
		return text;
	free(text);
	return plain;
}

/* SPDX-License-Identifier: ISC */
/* The operator's rules: rows for the same tables, as lines of text. */
#include "redact_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define WORDS_MAX 8
#define WORD_MAX 64	/* bytes of one word of a rule */

struct reading {
	struct redact_rules *to;
	char *words[WORDS_MAX];
	size_t n;
};

static char *
capitals(const char *word)
{
	char *copy = xstrdup(word), *p;

	for (p = copy; *p != '\0'; p++)
		*p = *p == '-' || *p == '.' ? '_' :
		    (char)toupper((unsigned char)*p);
	return copy;
}

static int
full(struct err *err)
{
	return err_set(err, ERR_TOO_LONG, "more than %d rules of one kind",
	    REDACT_RULES_MAX);
}

static int
add_name(const char **names, size_t *n, const char *word, struct err *err)
{
	if (*n == REDACT_RULES_MAX)
		return full(err);
	names[(*n)++] = capitals(word);
	return 0;
}

static int
add_token(struct reading *r, struct err *err)
{
	int64_t least;

	if (text_to_i64(r->words[2], 8, 4096, &least) < 0)
		return err_set(err, ERR_RANGE, "token: LEAST is a number "
		    "from 8 to 4096");
	if (strlen(r->words[1]) < 2)
		return err_set(err, ERR_RANGE,
		    "token: a PREFIX has at least two bytes");
	if (r->to->n_tokens == REDACT_RULES_MAX)
		return full(err);
	r->to->tokens[r->to->n_tokens++] = (struct redact_token){
	    xstrdup(r->words[1]), (size_t)least };
	return 0;
}

static int
add_option(struct reading *r, struct err *err)
{
	static const struct {
		const char *word;
		enum redact_where where;
	} places[] = { { "attached", REDACT_ATTACHED },
	    { "next", REDACT_NEXT }, { "both", REDACT_BOTH } };
	struct redact_option o = { .after = 0 };
	size_t k;

	for (k = 0; k < AEG_NELEM(places); k++)
		if (strcmp(r->words[3], places[k].word) == 0)
			break;
	if (k == AEG_NELEM(places) || (r->n == 6 &&
	    (strcmp(r->words[4], "after") != 0 ||
	    strlen(r->words[5]) != 1)) || r->n == 5)
		return err_set(err, ERR_SYNTAX, "option: not COMMAND OPTION "
		    "attached|next|both [after C]");
	if (r->to->n_options == REDACT_RULES_MAX)
		return full(err);
	o.command = xstrdup(r->words[1]);
	o.option = xstrdup(r->words[2]);
	o.where = places[k].where;
	if (r->n == 6)
		o.after = r->words[5][0];
	r->to->options[r->to->n_options++] = o;
	return 0;
}

static int
add_header(struct reading *r, struct err *err)
{
	if (r->to->n_headers == REDACT_RULES_MAX)
		return full(err);
	r->to->headers[r->to->n_headers++] = xstrdup(r->words[1]);
	return 0;
}

static int
add_rule(struct reading *r, struct err *err)
{
	const char *kind = r->words[0];

	if (strcmp(kind, "name") == 0 && r->n == 2)
		return add_name(r->to->names, &r->to->n_names, r->words[1],
		    err);
	if (strcmp(kind, "not-name") == 0 && r->n == 2)
		return add_name(r->to->not_names, &r->to->n_not_names,
		    r->words[1], err);
	if (strcmp(kind, "token") == 0 && r->n == 3)
		return add_token(r, err);
	if (strcmp(kind, "header") == 0 && r->n == 2)
		return add_header(r, err);
	if (strcmp(kind, "option") == 0 && r->n >= 4 && r->n <= 6)
		return add_option(r, err);
	return err_set(err, ERR_SYNTAX, "not a rule: name WORD, not-name WORD, "
	    "token PREFIX LEAST, header NAME, or option COMMAND OPTION "
	    "attached|next|both [after C]");
}

static int
read_line(struct reading *r, char *line, struct err *err)
{
	char *save = NULL, *word;

	r->n = 0;
	for (word = strtok_r(line, " \t\r", &save); word != NULL;
	    word = strtok_r(NULL, " \t\r", &save)) {
		if (word[0] == '#')
			break;
		if (r->n == WORDS_MAX || strlen(word) > WORD_MAX)
			return err_set(err, ERR_TOO_LONG,
			    "a rule has at most %d words of %d bytes",
			    WORDS_MAX, WORD_MAX);
		r->words[r->n++] = word;
	}
	return r->n == 0 ? 0 : add_rule(r, err);
}

void
redact_rules_done(struct redact_rules *rules)
{
	size_t i;

	for (i = 0; i < rules->n_options; i++) {
		free((char *)(uintptr_t)rules->options[i].command);
		free((char *)(uintptr_t)rules->options[i].option);
	}
	for (i = 0; i < rules->n_tokens; i++)
		free((char *)(uintptr_t)rules->tokens[i].prefix);
	for (i = 0; i < rules->n_headers; i++)
		free((char *)(uintptr_t)rules->headers[i]);
	for (i = 0; i < rules->n_names; i++)
		free((char *)(uintptr_t)rules->names[i]);
	for (i = 0; i < rules->n_not_names; i++)
		free((char *)(uintptr_t)rules->not_names[i]);
	*rules = (struct redact_rules){ .n_options = 0 };
}

/* Move what was read behind what is there; it fits, or nothing moves. */
static int
append(struct redact_rules *to, struct redact_rules *from, struct err *err)
{
#define APPEND(list, n) \
	do { \
		memcpy(to->list + to->n, from->list, \
		    from->n * sizeof to->list[0]); \
		to->n += from->n; \
		from->n = 0; \
	} while (0)
	if (to->n_options + from->n_options > REDACT_RULES_MAX ||
	    to->n_tokens + from->n_tokens > REDACT_RULES_MAX ||
	    to->n_headers + from->n_headers > REDACT_RULES_MAX ||
	    to->n_names + from->n_names > REDACT_RULES_MAX ||
	    to->n_not_names + from->n_not_names > REDACT_RULES_MAX)
		return full(err);
	APPEND(options, n_options);
	APPEND(tokens, n_tokens);
	APPEND(headers, n_headers);
	APPEND(names, n_names);
	APPEND(not_names, n_not_names);
	return 0;
}

int
redact_rules_add(struct redact *r, const char *name, const char *text,
    size_t len, struct err *err)
{
	AEG_AUTOFREE char *copy = NULL;
	AEG_AUTOFREE struct redact_rules *more = xcalloc(1, sizeof *more);
	struct reading reading = { .to = more };
	char *line, *next;
	int number = 0, rc = 0;

	if (len > REDACT_FILE_MAX)
		return err_set(err, ERR_TOO_LONG, "%s: longer than %zu bytes",
		    name, REDACT_FILE_MAX);
	if (len > 0 && memchr(text, '\0', len) != NULL)
		return err_set(err, ERR_SYNTAX, "%s: not a text", name);
	copy = xmemdup0(text, len);
	for (line = copy; rc == 0 && line != NULL; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		number++;
		rc = read_line(&reading, line, err);
	}
	if (rc == 0 && r->rules == NULL)
		r->rules = xcalloc(1, sizeof *r->rules);
	if (rc < 0)
		err_context(err, "%s:%d", name, number);
	else
		rc = append(r->rules, more, err);
	redact_rules_done(more);
	return rc;
}

/* SPDX-License-Identifier: ISC */
/* Options that select rows of the record. */
#include "admin_read.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

void
admin_filter_done(struct admin_filter *f)
{
	free(f->cwd);
	free(f->file);
	f->cwd = f->file = NULL;
}

static int
bad(struct admin *a, const char *value, const char *what)
{
	admin_complain(a, "%s: not %s", value, what);
	return -EINVAL;
}

static int
take_time(struct admin *a, const char *text, int64_t *ret)
{
	if (admin_time_parse(text, clock_wall_ns(), ret) == 0)
		return 0;
	return bad(a, text, "a time: 90m, 2d, today, 2026-08-01, "
	    "'2026-08-01 12:30', @SECONDS");
}

static int
take_number(struct admin *a, const char *text, int64_t least, int64_t *ret)
{
	if (text_to_i64(text, least, INT64_MAX, ret) == 0)
		return 0;
	return bad(a, text, least > 0 ? "a number from 1 on" : "a number");
}

/* "INT" or "SIGINT"; 0: none. */
static int
signal_number(const char *text)
{
	int i;

	if (strncasecmp(text, "sig", 3) == 0)
		text += 3;
	for (i = 1; i < NSIG; i++) {
		const char *name = sigabbrev_np(i);

		if (name != NULL && strcasecmp(name, text) == 0)
			return i;
	}
	return 0;
}

static int
take_status(struct admin *a, const char *text, struct audit_query *q)
{
	static const struct {
		const char *word;
		enum audit_ended ended;
	} words[] = {
		{ "failed", AUDIT_ENDED_FAILED },
		{ "refused", AUDIT_ENDED_REFUSED },
		{ "unfinished", AUDIT_ENDED_OPEN },
	};
	int64_t n;
	size_t i;

	for (i = 0; i < AEG_NELEM(words); i++) {
		if (strcmp(text, words[i].word) == 0) {
			q->ended = words[i].ended;
			return 0;
		}
	}
	q->number = signal_number(text);
	q->ended = q->number > 0 ? AUDIT_ENDED_SIGNAL : AUDIT_ENDED_STATUS;
	if (q->number > 0)
		return 0;
	if (text_to_i64(text, 0, 255, &n) < 0)
		return bad(a, text, "a status: 0..255, failed, SIGINT, "
		    "refused, unfinished");
	q->number = (int)n;
	return 0;
}

static int
take_cwd(struct admin *a, const char *text, struct admin_filter *f)
{
	AEG_AUTOFREE char *here = getcwd(NULL, 0);

	if (text[0] == '\0' || (text[0] != '/' && here == NULL))
		return bad(a, text, "a directory");
	free(f->cwd);
	f->cwd = path_canon(here != NULL ? here : "/", text);
	f->q.cwd = f->cwd;
	return 0;
}

/* A name alone is one in any directory. */
static int
take_file(struct admin *a, const char *text, struct admin_filter *f)
{
	AEG_AUTOFREE char *here = getcwd(NULL, 0);

	if (text[0] == '\0' || (text[0] != '/' && here == NULL))
		return bad(a, text, "a file");
	free(f->file);
	f->file = strchr(text, '/') == NULL ? xstrdup(text) :
	    path_canon(here != NULL ? here : "/", text);
	f->q.file = f->file;
	return 0;
}

static int
take_decision(struct admin *a, const char *text, struct audit_query *q)
{
	/* Questions and rules have other words for what the record calls
	 * confirm. */
	if (strcmp(text, "ask") == 0 || strcmp(text, "warn") == 0)
		text = "confirm";
	if (strcmp(text, "allow") != 0 && strcmp(text, "confirm") != 0 &&
	    strcmp(text, "block") != 0)
		return bad(a, text, "a decision: allow, confirm (ask, warn), "
		    "block");
	q->decision = text;
	return 0;
}

int
admin_filter_take(struct admin *a, struct admin_filter *f, int o,
    const char *value)
{
	struct audit_query *q = &f->q;

	switch (o) {
	case ADMIN_F_JSON:
		f->json = true;
		return 0;
	case ADMIN_F_LIMIT:
		return take_number(a, value, 0, &q->limit);
	case ADMIN_F_SINCE:
		return take_time(a, value, &q->since_ns);
	case ADMIN_F_UNTIL:
		return take_time(a, value, &q->until_ns);
	case ADMIN_F_SEARCH:
		q->text = value;
		return 0;
	case ADMIN_F_OUTPUT:
		q->wrote = value;
		return 0;
	case ADMIN_F_DECISION:
		return take_decision(a, value, q);
	case ADMIN_F_STATUS:
		return take_status(a, value, q);
	case ADMIN_F_RULE:
		q->rule = value;
		return 0;
	case ADMIN_F_CWD:
		return take_cwd(a, value, f);
	case ADMIN_F_HOST:
		q->host = value;
		return 0;
	case ADMIN_F_SESSION:
		return take_number(a, value, 1, &q->session);
	case ADMIN_F_PROGRAM:
		q->program = value;
		return 0;
	case ADMIN_F_FILE:
		return take_file(a, value, f);
	case ADMIN_F_UNFINISHED:
		q->ended = AUDIT_ENDED_OPEN;
		return 0;
	case ADMIN_F_UNINDEXED:
		q->unindexed = true;
		return 0;
	case ADMIN_F_USER:
		f->user = value;
		return 0;
	case ADMIN_F_ALL:
		f->all = true;
		return 0;
	}
	return -EINVAL;		/* was said */
}

int
admin_filter_parse(struct admin *a, struct admin_args *args,
    struct admin_filter *f)
{
	int o;

	while ((o = admin_option_next(a, args)) != ADMIN_ARGS_END) {
		if (admin_filter_take(a, f, o, args->value) < 0) {
			if (o != ADMIN_ARGS_BAD)
				admin_usage(a);
			return ADMIN_USAGE;
		}
	}
	return ADMIN_OK;
}

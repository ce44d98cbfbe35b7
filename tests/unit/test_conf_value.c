/* SPDX-License-Identifier: ISC */
#include "conf/conf_int.h"
#include "tap.h"

#include <stdlib.h>

static const struct {
	enum conf_id id;
	const char *text;
	int rc;
	int64_t number;
} checks[] = {
	{ CONF_MODE, "managed", 0, 0 },
	{ CONF_MODE, "personal", 0, 1 },
	{ CONF_MODE, "", ERR_RANGE, 0 },
	{ CONF_MODE, "Managed", ERR_RANGE, 0 },
	{ CONF_MODE, "manage", ERR_RANGE, 0 },
	{ CONF_MODE, "managed personal", ERR_RANGE, 0 },
	{ CONF_FAIL, "default", 0, 3 },
	{ CONF_ASK_TIMEOUT, "100", 0, 100 },
	{ CONF_ASK_TIMEOUT, "99", ERR_RANGE, 0 },
	{ CONF_ASK_TIMEOUT, "60000", 0, 60000 },
	{ CONF_ASK_TIMEOUT, "60001", ERR_RANGE, 0 },
	{ CONF_ASK_TIMEOUT, "-1", ERR_RANGE, 0 },
	{ CONF_ASK_TIMEOUT, "8s", ERR_RANGE, 0 },
	{ CONF_ASK_TIMEOUT, "", ERR_RANGE, 0 },
	{ CONF_ASK_TIMEOUT, "99999999999999999999", ERR_RANGE, 0 },
	{ CONF_DEBUG, "yes", 0, 1 },
	{ CONF_DEBUG, "on", 0, 1 },
	{ CONF_DEBUG, "true", 0, 1 },
	{ CONF_DEBUG, "no", 0, 0 },
	{ CONF_DEBUG, "off", 0, 0 },
	{ CONF_DEBUG, "false", 0, 0 },
	{ CONF_DEBUG, "1", ERR_RANGE, 0 },
	{ CONF_ENDPOINT, "", 0, 0 },
	{ CONF_ENDPOINT, "https://h/v1", 0, 0 },
	{ CONF_ENDPOINT, "https://h/\nx", ERR_SYNTAX, 0 },
	{ CONF_ENDPOINT, "\x1b[2J", ERR_SYNTAX, 0 },
	{ CONF_ENDPOINT, "\x7f", ERR_SYNTAX, 0 },
};

static const struct {
	enum conf_id id;
	bool managed;
	const char *from, *to;
	bool tightens;
} ways[] = {
	{ CONF_ASK_TIMEOUT, true, "8000", "7999", true },
	{ CONF_ASK_TIMEOUT, true, "8000", "8000", false },
	{ CONF_ASK_TIMEOUT, true, "8000", "8001", false },
	{ CONF_ASK_CONFIDENCE, true, "60", "61", true },
	{ CONF_ASK_CONFIDENCE, true, "60", "59", false },
	{ CONF_PROFILE, true, "admin", "safe", false },
	{ CONF_DEBUG, true, "no", "yes", false },
	{ CONF_FAIL, true, "policy", "ask", true },
	{ CONF_FAIL, true, "ask", "block", true },
	{ CONF_FAIL, true, "ask", "policy", false },
	/* default is block when managed, ask when not */
	{ CONF_FAIL, true, "default", "ask", false },
	{ CONF_FAIL, true, "default", "policy", false },
	{ CONF_FAIL, true, "default", "block", false },
	{ CONF_FAIL, true, "ask", "default", true },
	{ CONF_FAIL, false, "default", "block", true },
	{ CONF_FAIL, false, "default", "ask", false },
	{ CONF_FAIL, false, "default", "policy", false },
	{ CONF_FAIL, false, "policy", "default", true },
	{ CONF_FAIL, false, "block", "default", false },
};

static int64_t
number(enum conf_id id, const char *text)
{
	int64_t n = -1;

	conf_value_check(conf_row(id), text, &n, NULL);
	return n;
}

int
main(void)
{
	char *longest;
	struct err err = ERR_INIT;
	int64_t n;
	size_t i;
	int id;

	for (i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		const struct conf_row *row = conf_row(checks[i].id);
		int rc;

		n = -77;
		err = (struct err)ERR_INIT;
		rc = conf_value_check(row, checks[i].text, &n, &err);
		OKF(rc == checks[i].rc &&
		    n == (rc == 0 ? checks[i].number : -77),
		    "%s = %.20s", row->name, i == 25 ? "(escape)" :
		    i == 24 ? "(newline)" : checks[i].text);
		if (rc < 0)
			OKF(strncmp(err.text, row->name,
			    strlen(row->name)) == 0,
			    "the error names %s", row->name);
	}
	for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		OKF(conf_value_tightens(conf_row(ways[i].id), ways[i].managed,
		    number(ways[i].id, ways[i].from),
		    number(ways[i].id, ways[i].to)) == ways[i].tightens,
		    "%s %s: %s to %s is%s tighter", conf_row(ways[i].id)->name,
		    ways[i].managed ? "managed" : "personal", ways[i].from,
		    ways[i].to, ways[i].tightens ? "" : " not");
	}

	longest = malloc(CONF_VALUE_MAX + 2);
	memset(longest, 'x', CONF_VALUE_MAX + 1);
	longest[CONF_VALUE_MAX] = '\0';
	IS_INT(conf_value_check(conf_row(CONF_MODEL), longest, &n, NULL), 0);
	longest[CONF_VALUE_MAX] = 'x';
	longest[CONF_VALUE_MAX + 1] = '\0';
	IS_INT(conf_value_check(conf_row(CONF_MODEL), longest, &n, NULL),
	    ERR_TOO_LONG);
	free(longest);

	for (id = 0; id < CONF_COUNT; id++) {
		const struct conf_row *row = conf_row((enum conf_id)id);

		OKF(conf_find(row->name, strlen(row->name)) == id &&
		    conf_value_check(row, row->preset, &n, NULL) == 0 &&
		    (row->words != NULL) == (row->type == CONF_ENUM ||
		    row->type == CONF_SET),
		    "row %s is sound", row->name);
	}
	IS_INT(conf_find("mod", 3), -1);
	IS_INT(conf_find("", 0), -1);
	IS_STR(conf_value_canon(conf_row(CONF_DEBUG), "on", 1), "yes");
	return tap_done();
}

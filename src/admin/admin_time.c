/* SPDX-License-Identifier: ISC */
/* Moments: how people write them, and how they are shown. */
#include "admin_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define NS INT64_C(1000000000)
#define SECONDS_MAX INT64_C(4000000000)	/* more would overflow as ns */

/* "90m": so long ago. */
static int
ago(const char *text, int64_t now_ns, int64_t *ret_ns)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 },
		{ 'w', 7 * 86400 },
	};
	size_t len = strlen(text), i;
	AEG_AUTOFREE char *digits = NULL;
	int64_t n;

	if (len < 2)
		return -EINVAL;
	digits = xmemdup0(text, len - 1);
	for (i = 0; i < AEG_NELEM(units); i++) {
		if (text[len - 1] != units[i].unit)
			continue;
		if (text_to_i64(digits, 0, SECONDS_MAX / units[i].seconds,
		    &n) < 0)
			return -EINVAL;
		*ret_ns = now_ns - n * units[i].seconds * NS;
		return 0;
	}
	return -EINVAL;
}

static int
from_tm(struct tm *tm, int64_t *ret_ns)
{
	struct tm asked = *tm;
	time_t t;

	tm->tm_isdst = -1;
	t = mktime(tm);
	if (t < 0 || t > SECONDS_MAX)
		return -EINVAL;
	/* mktime() takes the 31st of February for one in March. */
	if (tm->tm_mday != asked.tm_mday || tm->tm_mon != asked.tm_mon)
		return -EINVAL;
	*ret_ns = (int64_t)t * NS;
	return 0;
}

static int
day(const char *text, int64_t now_ns, int64_t *ret_ns)
{
	time_t now = (time_t)(now_ns / NS);
	struct tm tm;

	if (strcmp(text, "today") != 0 && strcmp(text, "yesterday") != 0)
		return -EINVAL;
	if (localtime_r(&now, &tm) == NULL)
		return -EINVAL;
	tm.tm_sec = tm.tm_min = tm.tm_hour = 0;
	tm.tm_isdst = -1;
	if (text[0] == 'y')
		tm.tm_mday--;
	now = mktime(&tm);
	if (now < 0)
		return -EINVAL;
	*ret_ns = (int64_t)now * NS;
	return 0;
}

static int
date(const char *text, int64_t *ret_ns)
{
	static const char *const forms[] = {
		"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(forms); i++) {
		struct tm tm = { 0 };
		const char *end = strptime(text, forms[i], &tm);

		if (end != NULL && *end == '\0')
			return from_tm(&tm, ret_ns);
	}
	return -EINVAL;
}

int
admin_time_parse(const char *text, int64_t now_ns, int64_t *ret_ns)
{
	int64_t n;

	if (text[0] == '@') {
		if (text_to_i64(text + 1, 0, SECONDS_MAX, &n) < 0)
			return -EINVAL;
		*ret_ns = n * NS;
		return 0;
	}
	if (ago(text, now_ns, ret_ns) == 0 || day(text, now_ns, ret_ns) == 0)
		return 0;
	return date(text, ret_ns);
}

void
admin_time_show(int64_t ns, char ret[ADMIN_TIME_MAX])
{
	time_t t = (time_t)(ns / NS);
	struct tm tm;

	if (localtime_r(&t, &tm) == NULL ||
	    strftime(ret, ADMIN_TIME_MAX, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		strcpy(ret, "?");
}

void
admin_time_json(int64_t ns, char ret[ADMIN_TIME_MAX])
{
	time_t t = (time_t)(ns / NS);
	size_t len;
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL || (len = strftime(ret, ADMIN_TIME_MAX,
	    "%Y-%m-%dT%H:%M:%S", &tm)) == 0) {
		strcpy(ret, "?");
		return;
	}
	snprintf(ret + len, ADMIN_TIME_MAX - len, ".%09dZ", (int)(ns % NS));
}

void
admin_span_show(int64_t ns, char ret[ADMIN_TIME_MAX])
{
	double s = (double)ns / 1e9;

	if (s < 1)
		snprintf(ret, ADMIN_TIME_MAX, "%.1fms", s * 1e3);
	else if (s < 60)
		snprintf(ret, ADMIN_TIME_MAX, "%.1fs", s);
	else if (s < 3600)
		snprintf(ret, ADMIN_TIME_MAX, "%dm%02ds", (int)s / 60,
		    (int)s % 60);
	else
		snprintf(ret, ADMIN_TIME_MAX, "%.0fh%02dm",
		    (s - (double)((int64_t)s % 3600)) / 3600,
		    (int)((int64_t)s % 3600 / 60));
}

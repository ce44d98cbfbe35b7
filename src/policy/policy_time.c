/* SPDX-License-Identifier: ISC */
/*
 * Spans of the week: "22:00-06:00", "sat sun", "mon-fri 09:00-17:30".  One
 * whose end lies before its beginning goes on into the next day.
 */
#include "policy_int.h"

#include <string.h>

#define DAY 1440u		/* minutes */
#define ALL_DAYS 0x7fu
/* A span: minutes of beginning and end, 11 bits each, and a bit a day. */
#define SPAN(days, from, to) ((days) << 22 | (from) << 11 | (to))

static const char days[7][4] = { "sun", "mon", "tue", "wed", "thu", "fri",
	"sat" };

static int
parse_day(const char **p)
{
	int i;

	for (i = 0; i < 7; i++)
		if (strncmp(*p, days[i], 3) == 0) {
			*p += 3;
			return i;
		}
	return -1;
}

/* "mon" or "fri-mon". */
static bool
parse_days(const char **p, uint32_t *ret)
{
	int first = parse_day(p), last = first;

	if (first < 0)
		return false;
	if (**p == '-') {
		++*p;
		last = parse_day(p);
	}
	if (last < 0)
		return false;
	for (; first != last; first = (first + 1) % 7)
		*ret |= (uint32_t)1 << first;
	*ret |= (uint32_t)1 << last;
	return true;
}

static bool
parse_clock(const char **p, uint32_t *ret)
{
	const char *s = *p;
	size_t i;

	for (i = 0; i < 5; i++)
		if (i == 2 ? s[i] != ':' : s[i] < '0' || s[i] > '9')
			return false;
	*ret = (uint32_t)((s[0] - '0') * 10 + (s[1] - '0')) * 60 +
	    (uint32_t)((s[3] - '0') * 10 + (s[4] - '0'));
	*p += 5;
	return s[3] < '6' && *ret <= DAY;
}

int64_t
pol_time_parse(const char *text)
{
	uint32_t on = 0, from = 0, to = DAY;
	const char *p = text;

	while (*p >= 'a' && *p <= 'z') {
		if (!parse_days(&p, &on) || (*p != ' ' && *p != '\0'))
			return -1;
		p += strspn(p, " ");
	}
	if (*p != '\0' && (!parse_clock(&p, &from) || *p++ != '-' ||
	    !parse_clock(&p, &to) || from == DAY || to == from))
		return -1;
	if (*p != '\0' || p == text)
		return -1;
	return (int64_t)SPAN(on != 0 ? on : ALL_DAYS, from, to);
}

bool
pol_time_holds(uint32_t span, unsigned weekday, unsigned minute)
{
	uint32_t on = span >> 22, from = span >> 11 & 0x7ff, to = span & 0x7ff;
	bool today = on >> weekday & 1, yesterday = on >> (weekday + 6) % 7 & 1;

	if (from < to)
		return today && minute >= from && minute < to;
	return (today && minute >= from) || (yesterday && minute < to);
}

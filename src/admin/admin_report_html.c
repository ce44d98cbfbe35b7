/* SPDX-License-Identifier: ISC */
/*
 * A report as one page.  Nothing in it is fetched and nothing runs: the page
 * forbids both to the browser, and each text is made inert, then escaped.
 */
#include "admin_report.h"

#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define PLOT_WIDE 720
#define PLOT_HIGH 120
#define PLOT_LEFT 48		/* for numbers */
#define PLOT_TOP 8
#define BAR_MOST 40.0		/* its width */
#define LABEL_WIDE 90.0
#define DAYS_MOST 92		/* of the plot */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\""
	"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
	"form-action 'none'\">\n"
	"<meta name=\"referrer\" content=\"no-referrer\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<title>aegsh report</title>\n<style>\n"
	":root{color-scheme:light dark;--text:#222;--page:#fff;--line:#ddd;"
	"--dim:#595959;--all:#4a7ab5;--no:#b3261e}\n"
	"@media(prefers-color-scheme:dark){:root{--text:#ddd;--page:#181a1b;"
	"--line:#3a3d40;--dim:#a8a8a8;--all:#6f9fd8;--no:#ff8a75}}\n"
	"body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;"
	"padding:0 1em;color:var(--text);background:var(--page)}\n"
	"div{overflow-x:auto}\n"
	"table{border-collapse:collapse;margin:.5em 0 1.5em}\n"
	"th,td{padding:.2em .8em .2em 0;text-align:left;"
	"border-bottom:1px solid var(--line);white-space:nowrap}\n"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	"svg{display:block;max-width:100%;height:auto}\n"
	".all{fill:var(--all)}.no{fill:var(--no)}"
	"path{stroke:var(--line);fill:none}"
	"text{font:11px sans-serif;fill:var(--dim)}.end{text-anchor:end}\n"
	"</style>\n</head>\n<body>\n";

static void
put(struct admin *a, const char *text)
{
	AEG_AUTO(buf_done) struct buf inert = BUF_INIT;
	size_t i;

	text_inert(&inert, text, strlen(text), 0);
	for (i = 0; i < inert.len; i++) {
		switch (inert.data[i]) {
		case '&':
			fputs("&amp;", a->out);
			break;
		case '<':
			fputs("&lt;", a->out);
			break;
		case '>':
			fputs("&gt;", a->out);
			break;
		case '"':
			fputs("&quot;", a->out);
			break;
		case '\'':
			fputs("&#39;", a->out);
			break;
		default:
			putc(inert.data[i], a->out);
		}
	}
}

/* ---- tables ------------------------------------------------------------- */

struct cell {
	const char *key, *title;
};

static void
put_time(struct admin *a, const char *text)
{
	AEG_AUTOFREE char *moment = admin_report_moment(text);

	put(a, moment);
}

static void
put_value(struct admin *a, const char *key, const json_t *v)
{
	bool moment = strcmp(key, "first") == 0 || strcmp(key, "last") == 0;

	if (json_is_integer(v)) {
		fprintf(a->out, "<td class=\"n\">%lld</td>",
		    (long long)json_integer_value(v));
	} else if (moment && json_is_string(v)) {
		fputs("<td>", a->out);
		put_time(a, json_string_value(v));
		fputs("</td>", a->out);
	} else {
		fputs("<td>", a->out);
		put(a, json_is_string(v) ? json_string_value(v) : "");
		fputs("</td>", a->out);
	}
}

static void
put_table(struct admin *a, const json_t *list, const struct cell *cells)
{
	const struct cell *c;
	size_t i;

	fputs("<div><table>\n<tr>", a->out);
	for (c = cells; c->key != NULL; c++)
		fprintf(a->out, "<th%s>%s</th>", json_is_integer(
		    json_object_get(json_array_get(list, 0), c->key)) ?
		    " class=\"n\"" : "", c->title);
	fputs("</tr>\n", a->out);
	for (i = 0; i < json_array_size(list); i++) {
		fputs("<tr>", a->out);
		for (c = cells; c->key != NULL; c++)
			put_value(a, c->key, json_object_get(
			    json_array_get(list, i), c->key));
		fputs("</tr>\n", a->out);
	}
	fputs("</table></div>\n", a->out);
}

/* ---- plots --------------------------------------------------------------- */

struct bar {
	char label[16];
	json_int_t all, refused;
};

static void
put_bar(struct admin *a, double x, double wide, json_int_t n, json_int_t most,
    const char *class)
{
	double high = (double)n * PLOT_HIGH / (double)most;

	/* One line among thousands is to be seen, too. */
	if (high < 1)
		high = 1;
	if (n > 0)
		fprintf(a->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		    "width=\"%.1f\" height=\"%.1f\"/>", class, x,
		    PLOT_TOP + PLOT_HIGH - high, wide * 0.8, high);
}

/* How much a bar says: none, and the most. */
static void
put_scale(struct admin *a, json_int_t most)
{
	fprintf(a->out, "<path d=\"M%d %dh%dm0 %dh-%d\"/><text class=\"end\" "
	    "x=\"%d\" y=\"%d\">%lld</text><text class=\"end\" x=\"%d\" "
	    "y=\"%d\">0</text>\n", PLOT_LEFT, PLOT_TOP, PLOT_WIDE, PLOT_HIGH,
	    PLOT_WIDE, PLOT_LEFT - 6, PLOT_TOP + 4, (long long)most,
	    PLOT_LEFT - 6, PLOT_TOP + PLOT_HIGH + 4);
}

static void
put_plot(struct admin *a, const char *what, const struct bar *bars, size_t n)
{
	json_int_t most = 1;
	double wide = (double)PLOT_WIDE / (double)(n > 0 ? n : 1);
	size_t i, each = n > 8 ? (n + 7) / 8 : 1;

	for (i = 0; i < n; i++) {
		if (bars[i].all > most)
			most = bars[i].all;
	}
	if (wide > LABEL_WIDE)
		wide = LABEL_WIDE;
	fprintf(a->out, "<h2>%s</h2>\n<svg role=\"img\" aria-label=\"%s, at "
	    "most %lld\" viewBox=\"0 0 %d %d\" width=\"%d\">\n", what, what,
	    (long long)most, PLOT_LEFT + PLOT_WIDE + 24, PLOT_TOP +
	    PLOT_HIGH + 18, PLOT_LEFT + PLOT_WIDE + 24);
	put_scale(a, most);
	for (i = 0; i < n; i++) {
		double x = PLOT_LEFT + wide * (double)i;

		fputs("<g><title>", a->out);
		put(a, bars[i].label);
		fprintf(a->out, ": %lld lines, %lld refused</title>",
		    (long long)bars[i].all, (long long)bars[i].refused);
		put_bar(a, x, wide < BAR_MOST ? wide : BAR_MOST, bars[i].all,
		    most, "all");
		put_bar(a, x, wide < BAR_MOST ? wide : BAR_MOST,
		    bars[i].refused, most, "no");
		if (i % each == 0) {
			fprintf(a->out, "<text x=\"%.1f\" y=\"%d\">", x,
			    PLOT_TOP + PLOT_HIGH + 14);
			put(a, bars[i].label);
			fputs("</text>", a->out);
		}
		fputs("</g>\n", a->out);
	}
	fputs("</svg>\n", a->out);
}

/* The day k days from that one. */
static bool
day_at(const char *day, long k, char ret[16])
{
	struct tm tm = { .tm_hour = 12 };
	time_t t;

	if (strptime(day, "%Y-%m-%d", &tm) == NULL)
		return false;
	t = timegm(&tm) + k * 86400;
	return gmtime_r(&t, &tm) != NULL && strftime(ret, 16, "%Y-%m-%d",
	    &tm) > 0;
}

static const char *
day_of(const json_t *days, size_t i)
{
	const char *day = json_string_value(json_object_get(json_array_get(
	    days, i), "day"));

	return day != NULL ? day : "";
}

/* Up to the last, each day in its place: nothing happened on some. */
static void
put_days(struct admin *a, const json_t *days)
{
	AEG_AUTOFREE struct bar *bars = xcalloc(DAYS_MOST, sizeof *bars);
	size_t i = json_array_size(days), k, n = 0;
	const char *last = i > 0 ? day_of(days, i - 1) : "";

	for (k = DAYS_MOST; k-- > 0 && day_at(last, (long)k - DAYS_MOST + 1,
	    bars[k].label) && (i > 0 || n == 0);) {
		const json_t *day;

		n++;
		if (i == 0 || strcmp(day_of(days, i - 1), bars[k].label) != 0)
			continue;
		day = json_array_get(days, --i);
		bars[k].all = json_integer_value(json_object_get(day,
		    "lines"));
		bars[k].refused = json_integer_value(json_object_get(day,
		    "refused"));
	}
	put_plot(a, i > 0 ? "Lines a day, the newest 92 days" : "Lines a day",
	    bars + DAYS_MOST - n, n);
}

static void
put_hours(struct admin *a, const json_t *hours)
{
	struct bar bars[24] = { { .all = 0 } };
	size_t i;

	for (i = 0; i < AEG_NELEM(bars); i++) {
		snprintf(bars[i].label, sizeof bars[i].label, "%02u:00",
		    (unsigned)i);
		bars[i].all = json_integer_value(json_array_get(hours, i));
	}
	put_plot(a, "Lines by hour of the day", bars, AEG_NELEM(bars));
}

/* ---- the page ----------------------------------------------------------- */

static void
put_user(struct admin *a, const json_t *user)
{
	static const struct {
		const char *key, *title;
		struct cell cells[4];
	} lists[] = {
		{ "rules", "Refused, by rule", { { "rule", "Rule" },
		    { "lines", "Lines" }, { NULL, NULL } } },
		{ "unusual", "Unusual programs", { { "program", "Program" },
		    { "lines", "Lines" }, { "last", "Last" },
		    { NULL, NULL } } },
		{ "programs", "Programs used most", { { "program",
		    "Program" }, { "lines", "Lines" }, { NULL, NULL } } },
	};
	size_t i;

	fputs("<h2>", a->out);
	put(a, json_string_value(json_object_get(user, "user")));
	fputs("</h2>\n", a->out);
	for (i = 0; i < AEG_NELEM(lists); i++) {
		const json_t *list = json_object_get(user, lists[i].key);

		if (json_array_size(list) == 0)
			continue;
		fprintf(a->out, "<h3>%s</h3>\n", lists[i].title);
		put_table(a, list, lists[i].cells);
	}
}

static json_int_t
sum(const json_t *list, const char *key)
{
	json_int_t n = 0;
	size_t i;

	for (i = 0; i < json_array_size(list); i++)
		n += json_integer_value(json_object_get(json_array_get(list,
		    i), key));
	return n;
}

/* What there is to know first. */
static void
put_summary(struct admin *a, const json_t *document)
{
	const json_t *users = json_object_get(document, "users");
	const json_t *since = json_object_get(document, "since");
	char now[ADMIN_TIME_MAX], host[HOST_NAME_MAX + 1] = "";

	admin_time_json(clock_wall_ns(), now);
	(void)gethostname(host, sizeof host - 1);
	fputs("<h1>aegsh report</h1>\n<p>Made on ", a->out);
	put(a, host);
	fputs(" at ", a->out);
	put_time(a, now);
	fprintf(a->out, ": %lld lines of %zu users in %lld sessions",
	    (long long)json_integer_value(json_object_get(document,
	    "lines")), json_array_size(users), (long long)sum(users,
	    "sessions"));
	if (json_is_string(since)) {
		fputs(" since ", a->out);
		put_time(a, json_string_value(since));
	}
	fprintf(a->out, "; %lld refused, %lld confirmed, %lld failed.</p>\n",
	    (long long)sum(users, "refused"), (long long)sum(users,
	    "confirmed"), (long long)sum(users, "failed"));
}

void
admin_report_html(struct admin *a, const json_t *document)
{
	static const struct cell of_users[] = {
		{ "user", "User" }, { "sessions", "Sessions" },
		{ "lines", "Lines" }, { "refused", "Refused" },
		{ "confirmed", "Confirmed" }, { "declined", "Declined" },
		{ "failed", "Failed" }, { "secrets", "With secrets" },
		{ "first", "First" }, { "last", "Last" }, { NULL, NULL },
	};
	static const struct cell of_sessions[] = {
		{ "user", "User" }, { "session", "Session" },
		{ "host", "Host" }, { "tty", "Terminal" },
		{ "first", "First" }, { "last", "Last" },
		{ "lines", "Lines" }, { "refused", "Refused" },
		{ "confirmed", "Confirmed" }, { NULL, NULL },
	};
	const json_t *users = json_object_get(document, "users");
	const json_t *sessions = json_object_get(document, "sessions");
	json_int_t left_out = json_integer_value(json_object_get(document,
	    "sessions_left_out"));
	size_t i;

	fputs(head, a->out);
	put_summary(a, document);
	put_table(a, users, of_users);
	fputs("<p><svg width=\"250\" height=\"16\" role=\"img\" aria-label=\""
	    "colours of the plots\"><rect class=\"all\" width=\"12\" height="
	    "\"12\"/><text x=\"18\" y=\"11\">all lines</text><rect class=\"no\""
	    " x=\"90\" width=\"12\" height=\"12\"/><text x=\"108\" y=\"11\">"
	    "of them refused, or not run</text></svg></p>\n", a->out);
	put_days(a, json_object_get(document, "days"));
	put_hours(a, json_object_get(document, "hours"));
	for (i = 0; i < json_array_size(users); i++)
		put_user(a, json_array_get(users, i));
	fputs("<h2>Sessions with most lines</h2>\n", a->out);
	put_table(a, sessions, of_sessions);
	if (left_out > 0)
		fprintf(a->out, "<p>And %lld with fewer.</p>\n",
		    (long long)left_out);
	if (json_is_true(json_object_get(document, "advisory")))
		fprintf(a->out, "<p>%s</p>\n", admin_report_advisory);
	fputs("</body>\n</html>\n", a->out);
}

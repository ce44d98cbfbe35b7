/* SPDX-License-Identifier: ISC */
/*
 * A report as one page.  Nothing in it is fetched and nothing runs: the page
 * forbids both to the browser, and each text is made inert, then escaped.
 */
#include "admin_report.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define PLOT_WIDE 720
#define PLOT_HIGH 120
#define DAYS_MOST 92		/* of the plot */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\""
	"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
	"form-action 'none'\">\n"
	"<meta name=\"referrer\" content=\"no-referrer\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>aegsh report</title>\n<style>\n"
	"body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;"
	"padding:0 1em;color:#222;background:#fff}\n"
	"table{border-collapse:collapse;margin:.5em 0 1.5em}\n"
	"th,td{padding:.2em .8em .2em 0;text-align:left;"
	"border-bottom:1px solid #ddd}\n"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	"svg{display:block;max-width:100%;height:auto}\n"
	".all{fill:#4a7ab5}.no{fill:#c0392b}text{font:11px sans-serif;"
	"fill:#555}\n"
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
put_value(struct admin *a, const json_t *v)
{
	if (json_is_integer(v))
		fprintf(a->out, "<td class=\"n\">%lld</td>",
		    (long long)json_integer_value(v));
	else {
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

	fputs("<table>\n<tr>", a->out);
	for (c = cells; c->key != NULL; c++)
		fprintf(a->out, "<th%s>%s</th>", json_is_integer(
		    json_object_get(json_array_get(list, 0), c->key)) ?
		    " class=\"n\"" : "", c->title);
	fputs("</tr>\n", a->out);
	for (i = 0; i < json_array_size(list); i++) {
		fputs("<tr>", a->out);
		for (c = cells; c->key != NULL; c++)
			put_value(a, json_object_get(json_array_get(list, i),
			    c->key));
		fputs("</tr>\n", a->out);
	}
	fputs("</table>\n", a->out);
}

/* ---- plots --------------------------------------------------------------- */

struct bar {
	const char *label;
	json_int_t all, refused;
};

static void
put_bar(struct admin *a, double x, double wide, json_int_t n, json_int_t most,
    const char *class)
{
	double high = (double)n * PLOT_HIGH / (double)most;

	if (n > 0)
		fprintf(a->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		    "width=\"%.1f\" height=\"%.1f\"/>", class, x,
		    PLOT_HIGH - high, wide * 0.8, high);
}

static void
put_plot(struct admin *a, const char *what, const struct bar *bars, size_t n)
{
	json_int_t most = 1;
	double wide = (double)PLOT_WIDE / (double)(n > 0 ? n : 1);
	size_t i, each = n > 12 ? (n + 11) / 12 : 1;

	for (i = 0; i < n; i++) {
		if (bars[i].all > most)
			most = bars[i].all;
	}
	fprintf(a->out, "<h2>%s</h2>\n<svg role=\"img\" aria-label=\"%s, at "
	    "most %lld\" viewBox=\"0 0 %d %d\" width=\"%d\">\n", what, what,
	    (long long)most, PLOT_WIDE, PLOT_HIGH + 18, PLOT_WIDE);
	for (i = 0; i < n; i++) {
		double x = wide * (double)i;

		fputs("<g><title>", a->out);
		put(a, bars[i].label);
		fprintf(a->out, ": %lld lines, %lld refused</title>",
		    (long long)bars[i].all, (long long)bars[i].refused);
		put_bar(a, x, wide, bars[i].all, most, "all");
		put_bar(a, x, wide, bars[i].refused, most, "no");
		if (i % each == 0) {
			fprintf(a->out, "<text x=\"%.1f\" y=\"%d\">", x,
			    PLOT_HIGH + 14);
			put(a, bars[i].label);
			fputs("</text>", a->out);
		}
		fputs("</g>\n", a->out);
	}
	fputs("</svg>\n", a->out);
}

static void
put_days(struct admin *a, const json_t *days)
{
	size_t n = json_array_size(days), first, i;
	AEG_AUTOFREE struct bar *bars = NULL;

	first = n > DAYS_MOST ? n - DAYS_MOST : 0;
	bars = xcalloc(n - first + 1, sizeof *bars);
	for (i = first; i < n; i++) {
		const json_t *day = json_array_get(days, i);

		bars[i - first] = (struct bar){
			json_string_value(json_object_get(day, "day")),
			json_integer_value(json_object_get(day, "lines")),
			json_integer_value(json_object_get(day, "refused")) };
	}
	put_plot(a, first > 0 ? "Lines a day, the newest 92" : "Lines a day",
	    bars, n - first);
}

static void
put_hours(struct admin *a, const json_t *hours)
{
	struct bar bars[24];
	char labels[24][8];
	size_t i;

	for (i = 0; i < AEG_NELEM(bars); i++) {
		snprintf(labels[i], sizeof labels[i], "%02u:00", (unsigned)i);
		bars[i] = (struct bar){ labels[i], json_integer_value(
		    json_array_get(hours, i)), 0 };
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
	const json_t *since = json_object_get(document, "since");
	size_t i;

	fputs(head, a->out);
	fprintf(a->out, "<h1>aegsh report</h1>\n<p>%lld lines",
	    (long long)json_integer_value(json_object_get(document,
	    "lines")));
	if (json_is_string(since)) {
		fputs(" since ", a->out);
		put(a, json_string_value(since));
	}
	fputs(".</p>\n", a->out);
	put_table(a, users, of_users);
	put_days(a, json_object_get(document, "days"));
	put_hours(a, json_object_get(document, "hours"));
	for (i = 0; i < json_array_size(users); i++)
		put_user(a, json_array_get(users, i));
	fputs("<h2>Sessions</h2>\n", a->out);
	put_table(a, json_object_get(document, "sessions"), of_sessions);
	if (json_is_true(json_object_get(document, "advisory")))
		fprintf(a->out, "<p>%s</p>\n", admin_report_advisory);
	fputs("</body>\n</html>\n", a->out);
}

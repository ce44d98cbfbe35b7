/* SPDX-License-Identifier: ISC */
/* `aegshctl audit report`: who did how much, and what stands out. */
#include <errno.h>
#include <string.h>

#include "admin_report.h"
#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

#define SESSIONS_SHOWN 20

enum { O_FORMAT = ADMIN_F_COUNT };

static const struct admin_option options[] = {
	ADMIN_FILTER_OPTIONS("all"),
	[O_FORMAT] = { "format", 0, "FORMAT", "text, json or html",
	    ADMIN_WORDS_REPORT },
	{ NULL }
};

enum format { FORMAT_TEXT = 0, FORMAT_JSON, FORMAT_HTML };

struct column {
	struct admin_column column;
	const char *key;
	bool moment;
};

#define COLUMNS_MOST 10

/* The first of a list of objects as a table. */
static void
print_list(struct admin *a, const json_t *list, const struct column *columns,
    size_t n, size_t most)
{
	struct admin_column plain[COLUMNS_MOST];
	struct admin_table *t;
	size_t i, c;

	for (c = 0; c < n; c++)
		plain[c] = columns[c].column;
	t = admin_table_new(plain, n);
	for (i = 0; i < json_array_size(list) && i < most; i++) {
		const char *cells[COLUMNS_MOST];
		char numbers[COLUMNS_MOST][24];
		AEG_AUTO(strv_done) struct strv moments = STRV_INIT;

		for (c = 0; c < n; c++) {
			const json_t *v = json_object_get(json_array_get(list,
			    i), columns[c].key);

			cells[c] = json_string_value(v);
			if (columns[c].moment && cells[c] != NULL) {
				strv_take(&moments,
				    admin_report_moment(cells[c]));
				cells[c] = moments.v[moments.n - 1];
			}
			if (!json_is_integer(v))
				continue;
			snprintf(numbers[c], sizeof numbers[c], "%lld",
			    (long long)json_integer_value(v));
			cells[c] = numbers[c];
		}
		admin_table_add(t, cells);
	}
	admin_table_print(t, a);
	admin_table_free(t);
}

static void
print_of_user(struct admin *a, const json_t *user, const char *key,
    const char *title, const struct column *columns, size_t n)
{
	const json_t *list = json_object_get(user, key);

	if (json_array_size(list) == 0)
		return;
	admin_say(a, "\n%s: %s:\n", json_string_value(json_object_get(user,
	    "user")), title);
	print_list(a, list, columns, n, SIZE_MAX);
}

static void
print_text(struct admin *a, const json_t *document)
{
	static const struct column users[] = {
		{ { "USER", 4, false, true }, "user" },
		{ { "SESSIONS", 4, true, false }, "sessions" },
		{ { "LINES", 4, true, false }, "lines" },
		{ { "REFUSED", 4, true, false }, "refused" },
		{ { "CONFIRMED", 4, true, false }, "confirmed" },
		{ { "DECLINED", 4, true, false }, "declined" },
		{ { "FAILED", 4, true, false }, "failed" },
		{ { "SECRETS", 4, true, false }, "secrets" },
	};
	static const struct column rules[] = {
		{ { "RULE", 8, false, true }, "rule" },
		{ { "LINES", 4, true, false }, "lines" },
	};
	static const struct column programs[] = {
		{ { "PROGRAM", 8, false, true }, "program" },
		{ { "LINES", 4, true, false }, "lines" },
		{ { "LAST", 23, false, false }, "last", true },
	};
	static const struct column sessions[] = {
		{ { "USER", 4, false, false }, "user" },
		{ { "SESSION", 4, true, false }, "session" },
		{ { "FIRST", 23, false, false }, "first", true },
		{ { "LAST", 23, false, false }, "last", true },
		{ { "LINES", 4, true, false }, "lines" },
		{ { "REFUSED", 4, true, false }, "refused" },
		{ { "CONFIRMED", 4, true, false }, "confirmed" },
		{ { "TTY", 3, false, true }, "tty" },
	};
	const json_t *list = json_object_get(document, "users");
	size_t i;

	print_list(a, list, users, AEG_NELEM(users), SIZE_MAX);
	for (i = 0; i < json_array_size(list); i++) {
		const json_t *user = json_array_get(list, i);

		print_of_user(a, user, "rules", "refused, by rule",
		    rules, AEG_NELEM(rules));
		print_of_user(a, user, "unusual", "unusual programs",
		    programs, AEG_NELEM(programs));
		print_of_user(a, user, "programs",
		    "programs used most", programs,
		    AEG_NELEM(programs) - 1);
	}
	admin_say(a, "\nSessions with most lines:\n");
	print_list(a, json_object_get(document, "sessions"), sessions,
	    AEG_NELEM(sessions), SESSIONS_SHOWN);
	if (json_is_true(json_object_get(document, "advisory")))
		admin_say(a, "\n%s\n", admin_report_advisory);
}

static int
on_row(void *ctx, const struct audit_row *row)
{
	admin_report_add(ctx, row);
	return 0;
}

static int
report(struct admin *a, struct admin_filter *f, enum format format)
{
	struct admin_report *r = admin_report_new(f->q.since_ns);
	struct err err = ERR_INIT;
	json_t *document;
	bool bad = false;
	int rc;

	if (format == FORMAT_TEXT)
		admin_page_start(a);
	/* What came before tells what is usual. */
	f->q.since_ns = 0;
	rc = admin_rows(a, f, on_row, r, &bad, &err);
	document = admin_report_document(r);
	admin_report_free(r);
	if (rc == 0 && json_array_size(json_object_get(document, "users")) ==
	    0)
		rc = 1;
	if (rc == 0 && format == FORMAT_HTML)
		admin_report_html(a, document);
	else if (rc == 0 && format == FORMAT_JSON)
		admin_json_print(a, json_incref(document));
	else if (rc == 0)
		print_text(a, document);
	json_decref(document);
	admin_page_end(a);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	return bad ? ADMIN_SYSTEM : rc == 0 ? ADMIN_OK : ADMIN_NO;
}

static int
take_format(struct admin *a, const char *text, enum format *ret)
{
	static const char *const words[] = { [FORMAT_TEXT] = "text",
		[FORMAT_JSON] = "json", [FORMAT_HTML] = "html" };
	size_t i;

	for (i = 0; i < AEG_NELEM(words); i++) {
		if (strcmp(text, words[i]) == 0) {
			*ret = (enum format)i;
			return 0;
		}
	}
	admin_complain(a, "%s: not a format: text, json, html", text);
	return -EINVAL;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTO(admin_filter_done) struct admin_filter f =
	    ADMIN_FILTER_INIT(0);
	enum format format = FORMAT_TEXT;
	int o, rc;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		rc = o == O_FORMAT ? take_format(a, args.value, &format) :
		    admin_filter_take(a, &f, o, args.value);
		if (rc < 0) {
			if (o != ADMIN_ARGS_BAD)
				admin_usage(a);
			return ADMIN_USAGE;
		}
	}
	if (f.json)
		format = FORMAT_JSON;
	return admin_operands(a, &args, 0, 0) < 0 ? ADMIN_USAGE :
	    report(a, &f, format);
}

const struct admin_verb cmd_audit_report = {
	.name = "audit report",
	.usage = "",
	.summary = "tell who did how much, and what stands out",
	.run = run,
	.options = options,
};

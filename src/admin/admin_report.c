/* SPDX-License-Identifier: ISC */
/*
 * Counting rows: by user, by session, by day, by hour.
 *
 * A program is the first word of a line that is no assignment, no reserved
 * word and none of what only starts another, nor of its options, without its
 * directory;
 * unusual is one that its user has run at most twice in the whole record,
 * and in the time that is reported.
 */
#include "admin_report.h"

#include <string.h>
#include <time.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define UNUSUAL_MOST 2
#define LIST_MOST 20		/* of rules, programs */
#define UNUSUAL_LIST 100
#define SESSIONS_MOST 500
#define PROGRAM_MAX 64

struct admin_report {
	int64_t since_ns;
	int64_t lines;
	bool advisory;		/* a row's user could have written it */
	json_t *users;		/* by name, counters */
	json_t *sessions;	/* by "name/number", in the order of rows */
	json_t *days;		/* by date */
	int64_t hours[24];
};

const char admin_report_advisory[] = "The record is advisory: its user can "
	"write to it outside aegsh.";

struct admin_report *
admin_report_new(int64_t since_ns)
{
	struct admin_report *r = xcalloc(1, sizeof *r);

	r->since_ns = since_ns;
	r->users = json_object();
	r->sessions = json_object();
	r->days = json_object();
	return r;
}

void
admin_report_free(struct admin_report *r)
{
	if (r == NULL)
		return;
	json_decref(r->users);
	json_decref(r->sessions);
	json_decref(r->days);
	free(r);
}

static json_t *
object_in(json_t *o, const char *key)
{
	json_t *member = json_object_get(o, key);

	if (member == NULL) {
		member = json_object();
		json_object_set_new(o, key, member);
	}
	return member;
}

static void
count(json_t *o, const char *key, bool when)
{
	json_t *n = json_object_get(o, key);

	if (n == NULL)
		json_object_set_new(o, key, json_integer(when));
	else
		json_integer_set(n, json_integer_value(n) + when);
}

/* Texts of rows as keys: valid and harmless. */
static char *
key_of(const char *p, size_t len)
{
	struct buf b = BUF_INIT;

	text_inert(&b, p, len, 0);
	return buf_take(&b);
}

/* ---- the program of a line ---------------------------------------------- */

static bool
is_assignment(const char *p, size_t len)
{
	const char *eq = memchr(p, '=', len);

	return eq != NULL && text_is_name(p, (size_t)(eq - p));
}

/* What only starts another program, and its options with a word of their
 * own behind them. */
struct carrier {
	const char *name, *letters, *words;
};

static const struct carrier *
carrier_of(const char *p, size_t len)
{
	static const struct carrier all[] = {
		{ "sudo", "aCcDghpRrTtUu", " auth-type close-from login-class"
		    " chdir group host prompt chroot role command-timeout type"
		    " other-user user " },
		{ "doas", "aCu", " " },
		{ "env", "CSu", " chdir split-string unset " },
		{ "nohup", "", " " },
		{ "time", "fo", " format output " },
		{ "exec", "a", " " },
		{ "command", "", " " },
		{ "nice", "n", " adjustment " },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(all); i++) {
		if (strlen(all[i].name) == len &&
		    memcmp(p, all[i].name, len) == 0)
			return &all[i];
	}
	return NULL;
}

/* Whether the word behind this option belongs to it. */
static bool
takes_next(const struct carrier *c, const char *p, size_t len)
{
	size_t i;

	if (len > 2 && p[1] == '-') {
		AEG_AUTOFREE char *word = xasprintf(" %.*s ", (int)(len - 2),
		    p + 2);

		return memchr(p, '=', len) == NULL &&
		    strstr(c->words, word) != NULL;
	}
	for (i = 1; i < len; i++) {
		if (strchr(c->letters, p[i]) != NULL)
			return i == len - 1;
	}
	return false;
}

static bool
is_one_of(const char *words, const char *p, size_t len)
{
	AEG_AUTOFREE char *word = xasprintf(" %.*s ", (int)len, p);

	return strstr(words, word) != NULL;
}

/* NULL: the line begins with none. */
static char *
program_of(const char *p, size_t len)
{
	static const char ends[] = " \t\n;|&<>(){}";
	const char *end = p + len;
	const struct carrier *carrier = NULL, *next;
	bool value = false, loop = false;

	while (p < end) {
		const char *word, *slash;
		size_t n = 0;

		while (p < end && strchr(ends, *p) != NULL)
			p++;
		word = p;
		while (p < end && strchr(ends, *p) == NULL)
			p++;
		n = (size_t)(p - word);
		if (n == 0 || word[0] == '#')
			return NULL;
		if (value) {
			value = false;
			continue;
		}
		/* Reserved words stand before a command, or a name and what
		 * it is to be in turn. */
		loop = loop || is_one_of(" for select ", word, n);
		if (loop) {
			loop = !is_one_of(" do ", word, n);
			continue;
		}
		if (is_one_of(" if while until do ! ", word, n))
			continue;
		/* The second is the definition of a function. */
		if (is_one_of(" case function [[ ", word, n) ||
		    (p < end && *p == '('))
			return NULL;
		if (carrier != NULL && word[0] == '-') {
			value = takes_next(carrier, word, n);
			continue;
		}
		next = carrier_of(word, n);
		if (next != NULL)
			carrier = next;
		if (next != NULL || is_assignment(word, n))
			continue;
		slash = memrchr(word, '/', n);
		if (slash != NULL && slash + 1 < p) {
			word = slash + 1;
			n = (size_t)(p - word);
		}
		return key_of(word, n < PROGRAM_MAX ? n : PROGRAM_MAX);
	}
	return NULL;
}

/* ---- one row ------------------------------------------------------------ */

static void
span(json_t *o, int64_t wall_ns)
{
	if (json_object_get(o, "first_ns") == NULL)
		json_object_set_new(o, "first_ns", json_integer(wall_ns));
	json_object_set_new(o, "last_ns", json_integer(wall_ns));
}

static void
count_row(json_t *o, const struct audit_row *row)
{
	const char *answer = row->answer != NULL ? row->answer : "";

	count(o, "lines", true);
	count(o, "refused", !row->ran);
	count(o, "failed", row->ran && row->finished && row->status != 0);
	count(o, "unfinished", row->ran && !row->finished);
	count(o, "confirmed", strcmp(answer, "yes") == 0);
	count(o, "declined", strcmp(answer, "no") == 0 ||
	    strcmp(answer, "edit") == 0);
	count(o, "secrets", row->redacted > 0);
	span(o, row->wall_ns);
}

static void
count_session(struct admin_report *r, json_t *user, const char *name,
    const struct audit_row *row)
{
	AEG_AUTOFREE char *key = xasprintf("%s/%lld", name,
	    (long long)row->session);
	json_t *o = json_object_get(r->sessions, key);

	if (o == NULL) {
		o = object_in(r->sessions, key);
		json_object_set_new(o, "user", json_string(name));
		json_object_set_new(o, "session", json_integer(row->session));
		admin_json_text(o, "host", row->host);
		admin_json_text(o, "tty", row->tty);
		count(user, "sessions", true);
	}
	count_row(o, row);
}

static void
count_moment(struct admin_report *r, const struct audit_row *row)
{
	time_t t = (time_t)(row->wall_ns / 1000000000);
	char day[32];
	struct tm tm;
	json_t *o;

	if (localtime_r(&t, &tm) == NULL ||
	    strftime(day, sizeof day, "%Y-%m-%d", &tm) == 0)
		return;
	r->hours[tm.tm_hour]++;
	o = object_in(r->days, day);
	count(o, "lines", true);
	count(o, "refused", !row->ran);
}

static void
count_program(json_t *user, const struct audit_row *row, bool reported)
{
	AEG_AUTOFREE char *name = program_of(row->line, row->len);
	json_t *o;

	if (name == NULL)
		return;
	o = object_in(object_in(user, "programs"), name);
	count(o, "ever", true);
	count(o, "lines", reported);
	if (reported)
		json_object_set_new(o, "last_ns", json_integer(row->wall_ns));
}

void
admin_report_add(struct admin_report *r, const struct audit_row *row)
{
	const char *who = row->user != NULL ? row->user : "?";
	AEG_AUTOFREE char *name = key_of(who, strlen(who));
	json_t *user = object_in(r->users, name);
	bool reported = row->wall_ns >= r->since_ns;

	count_program(user, row, reported);
	if (!reported)
		return;
	r->lines++;
	r->advisory |= row->writer == NULL || strcmp(row->writer, "broker") !=
	    0;
	count_row(user, row);
	count_session(r, user, name, row);
	count_moment(r, row);
	if (!row->ran && row->rule != NULL && row->rule[0] != '\0') {
		AEG_AUTOFREE char *rule = key_of(row->rule,
		    strlen(row->rule));

		count(object_in(user, "rules"), rule, true);
	}
}

/* ---- the document ------------------------------------------------------- */

struct item {
	const char *key;
	json_t *value;
	int64_t n;
};

static int
most_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->key, y->key);
}

static int
by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* The members of o in an order; counter NULL: the values are numbers. */
static struct item *
items_of(json_t *o, const char *counter, int (*order)(const void *,
    const void *), size_t *ret_n)
{
	struct item *v = xcalloc(json_object_size(o) + 1, sizeof *v);
	size_t n = 0;
	void *at;

	for (at = json_object_iter(o); at != NULL;
	    at = json_object_iter_next(o, at)) {
		json_t *value = json_object_iter_value(at);

		v[n++] = (struct item){ json_object_iter_key(at), value,
			json_integer_value(counter != NULL ?
			json_object_get(value, counter) : value) };
	}
	qsort(v, n, sizeof *v, order);
	*ret_n = n;
	return v;
}

static void
set_time(json_t *o, const char *key, int64_t ns)
{
	char text[ADMIN_TIME_MAX];

	if (ns == 0) {
		json_object_set_new(o, key, json_null());
		return;
	}
	admin_time_json(ns, text);
	json_object_set_new(o, key, json_string(text));
}

char *
admin_report_moment(const char *text)
{
	size_t n = strlen(text);

	if (n <= 19 || text[10] != 'T')
		return xasprintf("%s UTC", text);
	return xasprintf("%.10s %.8s UTC", text, text + 11);
}

/* first_ns and last_ns become moments. */
static void
set_span(json_t *o, json_t *from)
{
	set_time(o, "first", json_integer_value(json_object_get(from,
	    "first_ns")));
	set_time(o, "last", json_integer_value(json_object_get(from,
	    "last_ns")));
}

static void
copy(json_t *o, json_t *from, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		json_object_set(o, *keys, json_object_get(from, *keys));
}

static json_t *
rules(json_t *user)
{
	size_t n, i;
	AEG_AUTOFREE struct item *v = items_of(json_object_get(user, "rules"),
	    NULL, most_first, &n);
	json_t *list = json_array(), *o;

	for (i = 0; i < n && i < LIST_MOST; i++) {
		o = json_object();
		json_object_set_new(o, "rule", json_string(v[i].key));
		json_object_set_new(o, "lines", json_integer(v[i].n));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
programs(json_t *user, bool unusual)
{
	size_t n, i, most = unusual ? UNUSUAL_LIST : LIST_MOST;
	AEG_AUTOFREE struct item *v = items_of(json_object_get(user,
	    "programs"), "lines", most_first, &n);
	json_t *list = json_array(), *o;

	for (i = 0; i < n && json_array_size(list) < most; i++) {
		if (v[i].n == 0 || (unusual && json_integer_value(
		    json_object_get(v[i].value, "ever")) > UNUSUAL_MOST))
			continue;
		o = json_object();
		json_object_set_new(o, "program", json_string(v[i].key));
		json_object_set_new(o, "lines", json_integer(v[i].n));
		if (unusual)
			set_time(o, "last", json_integer_value(
			    json_object_get(v[i].value, "last_ns")));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
users(struct admin_report *r)
{
	static const char *const keys[] = { "sessions", "lines", "refused",
		"failed", "unfinished", "confirmed", "declined", "secrets",
		NULL };
	size_t n, i;
	AEG_AUTOFREE struct item *v = items_of(r->users, "lines", most_first,
	    &n);
	json_t *list = json_array(), *o;

	for (i = 0; i < n; i++) {
		if (v[i].n == 0)
			continue;
		o = json_object();
		json_object_set_new(o, "user", json_string(v[i].key));
		copy(o, v[i].value, keys);
		set_span(o, v[i].value);
		json_object_set_new(o, "rules", rules(v[i].value));
		json_object_set_new(o, "programs", programs(v[i].value,
		    false));
		json_object_set_new(o, "unusual", programs(v[i].value, true));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
sessions(struct admin_report *r, int64_t *ret_left_out)
{
	static const char *const keys[] = { "user", "session", "host", "tty",
		"lines", "refused", "failed", "confirmed", "declined", NULL };
	size_t n, i;
	AEG_AUTOFREE struct item *v = items_of(r->sessions, "lines",
	    most_first, &n);
	json_t *list = json_array(), *o;

	for (i = 0; i < n && i < SESSIONS_MOST; i++) {
		o = json_object();
		copy(o, v[i].value, keys);
		set_span(o, v[i].value);
		json_array_append_new(list, o);
	}
	*ret_left_out = (int64_t)(n - i);
	return list;
}

static json_t *
days(struct admin_report *r)
{
	size_t n, i;
	AEG_AUTOFREE struct item *v = items_of(r->days, "lines", by_key, &n);
	json_t *list = json_array();

	for (i = 0; i < n; i++) {
		json_object_set_new(v[i].value, "day", json_string(v[i].key));
		json_array_append(list, v[i].value);
	}
	return list;
}

json_t *
admin_report_document(struct admin_report *r)
{
	json_t *o = json_object(), *hours = json_array();
	int64_t left_out;
	size_t i;

	set_time(o, "since", r->since_ns);
	json_object_set_new(o, "advisory", json_boolean(r->advisory));
	json_object_set_new(o, "lines", json_integer(r->lines));
	json_object_set_new(o, "users", users(r));
	json_object_set_new(o, "sessions", sessions(r, &left_out));
	json_object_set_new(o, "sessions_left_out", json_integer(left_out));
	json_object_set_new(o, "days", days(r));
	for (i = 0; i < AEG_NELEM(r->hours); i++)
		json_array_append_new(hours, json_integer(r->hours[i]));
	json_object_set_new(o, "hours", hours);
	return o;
}

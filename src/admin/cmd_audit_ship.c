/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl audit ship': carry the record to where the setting says, from
 * where each sink was last.
 *
 * It is no part of the shell: a line waits for its own disk and for nobody
 * else, and what a line runs finds nothing of this to hold or to end.  The
 * record itself is the queue.
 */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "admin_read.h"
#include "admin_ship.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define BATCHES_MAX 64		/* of one store, before the next has its turn */
#define PAUSE_MS 1000		/* between two looks, when following */
#define BACK_OFF_MAX_S 300

enum { O_JSON, O_ALL, O_FOLLOW };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_ALL] = { "all", 0, NULL, "the stores of all users (root only)",
	    ADMIN_WORDS_NONE },
	[O_FOLLOW] = { "follow", 'f', NULL, "go on with what comes",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

struct way {			/* to one sink */
	const struct ship_sink *sink;
	struct admin_sender sender;
	int64_t not_before_ns;	/* mono: it failed; 0: it did not */
	unsigned failures;	/* one after the other */
	char *said;		/* what was wrong when it was last said */
};

struct source {			/* a store */
	uid_t uid;
	char *user;
	uint64_t seen;		/* what its files looked like, when each sink
				 * had all of it; 0: not so */
	char *said;
	int64_t not_before_ns;
	unsigned failures;
};

struct shipping {
	struct admin *a;
	struct admin_ship_means means;
	struct way ways[SHIP_SINKS_MAX];
	struct source *sources;
	size_t n_sources;
	struct ship_batch *batch;
	struct buf text;
	bool all, json, bad;
	bool operators;	/* the setting is theirs, and so are the marks */
};

static void
say_once(struct shipping *s, char **said, const char *about, const char *text)
{
	s->bad = true;
	if (*said != NULL && strcmp(*said, text) == 0)
		return;
	free(*said);
	*said = xstrdup(text);
	admin_complain(s->a, "%s%s%s", about, about[0] != '\0' ? ": " : "",
	    text);
}

/* Twice as long each time; or what was asked for, if that is longer. */
static int64_t
later(unsigned *failures, int64_t asked_s)
{
	int64_t wait = BACK_OFF_MAX_S;

	if (*failures < 8)
		wait = (int64_t)1 << *failures;
	(*failures)++;
	if (asked_s > wait)
		wait = asked_s;
	return clock_mono_ns() + wait * 1000000000;
}

/* ---- one batch ---------------------------------------------------------- */

static const char *const gap_texts[SHIP_FOLLOWS_COUNT] = {
	[SHIP_FOLLOWS] = "",
	[SHIP_FOLLOWS_DELETED] = "links were deleted before they were sent",
	[SHIP_FOLLOWS_CHANGED] = "the chain is not the one that was sent "
	    "before: somebody wrote it anew or cut it off",
	[SHIP_FOLLOWS_OTHER] = "the store is another than the one that was "
	    "sent before",
};

/* In front of the others, where something is missing between what was sent
 * and them: who reads them at the other end must see that. */
static void
put_gap(struct ship_batch *b, struct buf *text)
{
	json_t *o = json_object();
	char *json;

	admin_json_text(o, "text", gap_texts[b->follows]);
	json_object_set_new(o, "missing", json_integer(b->missing));
	json = json_dumps(o, JSON_COMPACT);
	json_decref(o);
	if (json == NULL)
		abort();
	buf_reset(text);
	buf_puts(text, json);
	free(json);
	memmove(b->records + 1, b->records, b->n * sizeof b->records[0]);
	b->n++;
	b->records[0] = (struct ship_record){
		.seq = b->records[1].seq - 1, .wall_ns = clock_wall_ns(),
		.what = SHIP_WHAT_GAP, .json = text->data, .len = text->len };
}

static void
note(struct admin_mark *m, const struct ship_batch *b, bool gap,
    const struct ship_taken *t, const char *why)
{
	const struct ship_record *last;

	if (t->taken > (gap ? 1 : 0)) {
		last = &b->records[t->taken - 1];
		memcpy(m->at.store, b->store, sizeof m->at.store);
		memcpy(m->at.link, last->link, sizeof m->at.link);
		m->at.seq = last->seq;
		m->sent += t->taken - (gap ? 1 : 0);
		m->rejected += t->rejected;
		/* A number of the user's. */
		if (gap && b->missing <= INT64_MAX - m->lost)
			m->lost += b->missing;
		m->changed += gap && b->follows != SHIP_FOLLOWS_DELETED;
		m->sent_ns = clock_wall_ns();
	}
	free(m->why);
	m->why = why != NULL ? xstrdup(why) : NULL;
	if (t->taken == (int64_t)b->n)
		m->since_ns = 0;
	else if (m->since_ns == 0)
		m->since_ns = clock_wall_ns();
}

/* 1: there is more; 0: that was all; or an error of the sink. */
static int
send_batch(struct shipping *s, struct way *w, struct admin_mark *m,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf word = BUF_INIT;
	struct ship_taken taken = { .taken = 0 };
	struct ship_batch *b = s->batch;
	bool gap = b->follows != SHIP_FOLLOWS;
	int64_t last = b->records[b->n - 1].seq;
	int rc = 0;

	if (gap)
		put_gap(b, &word);
	if (w->sender.fd < 0)
		rc = admin_sender_start(s->a, &w->sender, &s->means, w->sink,
		    err);
	if (rc == 0)
		rc = admin_sender_send(&w->sender, b, s->means.timeout_ms,
		    &taken, err);
	if (rc < 0)
		err_context(err, "%s", w->sink->name);
	note(m, b, gap, &taken, err->code != 0 ? err->text : NULL);
	if (rc == 0 && taken.taken < (int64_t)b->n)
		rc = err->code < 0 ? err->code : -EIO;
	if (rc < 0) {
		admin_sender_end(&w->sender);
		w->not_before_ns = later(&w->failures, taken.retry_s);
		return rc;
	}
	w->failures = 0;
	w->not_before_ns = 0;
	/* It has them now, and said it keeps some of them not. */
	if (taken.rejected > 0)
		say_once(s, &w->said, "", err->text);
	return last < b->last;
}

/* ---- one store and one sink --------------------------------------------- */

static void
report(struct shipping *s, const struct source *from, const struct way *w,
    const struct admin_mark *was, const struct admin_mark *m)
{
	json_t *o;

	if (!s->json || (m->sent == was->sent && m->since_ns == 0))
		return;
	o = json_object();
	admin_json_text(o, "user", from->user);
	admin_json_text(o, "sink", w->sink->name);
	json_object_set_new(o, "sent", json_integer(m->sent - was->sent));
	json_object_set_new(o, "rejected", json_integer(m->rejected -
	    was->rejected));
	json_object_set_new(o, "lost", json_integer(m->lost - was->lost));
	json_object_set_new(o, "seq", json_integer(m->at.seq));
	admin_json_text(o, "problem", m->since_ns != 0 ? m->why : NULL);
	admin_json_print(s->a, o);
	fflush(s->a->out);
}

/* *ret_done: the sink has all there is.  An error is of the store or of the
 * marks; what is wrong with the sink is said. */
static int
ship_one(struct shipping *s, struct source *from, struct way *w,
    struct admin_marks *marks, bool *ret_done, struct err *err)
{
	struct admin_mark *m = admin_marks_of(marks, w->sink->name);
	const struct admin_mark was = *m;
	struct err why = ERR_INIT;
	int rc = 1, kept = 0, i;

	*ret_done = false;
	for (i = 0; rc == 1 && i < BATCHES_MAX; i++) {
		rc = admin_ship_read(s->a, from->uid, from->user, &m->at,
		    s->batch, &s->text, err);
		if (rc < 0)
			return rc;
		if (s->batch->n == 0)
			break;
		rc = send_batch(s, w, m, &why);
		kept = admin_marks_save(marks, err);
		if (kept < 0)
			return kept;
	}
	*ret_done = rc == 0;
	if (rc < 0)
		say_once(s, &w->said, "", why.text);
	report(s, from, w, &was, m);
	return 0;
}

/* ---- all ---------------------------------------------------------------- */

/* What the files of a store look like; they are their user's, so nothing
 * depends on it but when they are looked into. */
static uint64_t
look(uid_t uid)
{
	static const char *const names[] = { "audit.db", "audit.db-wal",
		"audit.spool", "audit.late" };
	AEG_AUTOFREE char *place = NULL;
	uint64_t sum = 1;
	struct stat st;
	size_t i;

	if (audit_place(uid, false, &place, NULL) < 0)
		return 0;
	for (i = 0; i < AEG_NELEM(names); i++) {
		AEG_AUTOFREE char *path = xasprintf("%s/%s", place, names[i]);

		if (lstat(path, &st) < 0)
			st = (struct stat){ .st_size = -1 };
		sum = sum * 1099511628211U + (uint64_t)st.st_ino;
		sum = sum * 1099511628211U + (uint64_t)st.st_size;
		sum = sum * 1099511628211U + (uint64_t)st.st_mtim.tv_sec;
		sum = sum * 1099511628211U + (uint64_t)st.st_mtim.tv_nsec;
	}
	return sum;
}

static void
ship_store(struct shipping *s, struct source *from)
{
	AEG_AUTO(admin_marks_done) struct admin_marks marks =
	    ADMIN_MARKS_INIT;
	struct err err = ERR_INIT;
	uint64_t seen = look(from->uid);
	bool done, all = true;
	size_t i;
	int rc;

	if ((seen != 0 && seen == from->seen) ||
	    from->not_before_ns > clock_mono_ns())
		return;
	rc = admin_marks_load(from->uid, s->operators, true, &marks, &err);
	for (i = 0; rc == 0 && i < s->means.sinks.n; i++) {
		struct way *w = &s->ways[i];

		done = false;
		if (w->not_before_ns <= clock_mono_ns())
			rc = ship_one(s, from, w, &marks, &done, &err);
		all = all && done;
	}
	from->seen = rc == 0 && all ? seen : 0;
	if (rc == -ENOENT) {		/* nothing is recorded yet */
		from->seen = seen;
		return;
	}
	if (rc < 0) {
		AEG_AUTOFREE char *about = xasprintf("store of %s",
		    from->user);

		say_once(s, &from->said, about, err.text);
		from->not_before_ns = later(&from->failures, 0);
		return;
	}
	from->failures = 0;
}

static void
add_source(struct shipping *s, uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);
	size_t i;

	for (i = 0; i < s->n_sources; i++) {
		if (s->sources[i].uid == uid)
			return;
	}
	/* A store whose user is gone: audit sign says so. */
	if (pw == NULL && uid != s->a->uid)
		return;
	s->sources = xreallocarray(s->sources, s->n_sources + 1,
	    sizeof *s->sources);
	s->sources[s->n_sources++] = (struct source){ .uid = uid,
		.user = xstrdup(pw != NULL ? pw->pw_name : s->a->user) };
}

static void
find_sources(struct shipping *s)
{
	AEG_AUTOFREE uid_t *uids = NULL;
	size_t n = 0, i;

	if (!s->all) {
		add_source(s, s->a->uid);
		return;
	}
	admin_stores(&uids, &n);
	for (i = 0; i < n; i++)
		add_source(s, uids[i]);
}

/* Everything once.  Senders end with it: the next ones see a file, a name
 * or a certificate as it is then. */
static void
pass(struct shipping *s)
{
	size_t i;

	find_sources(s);
	for (i = 0; i < s->n_sources; i++)
		ship_store(s, &s->sources[i]);
	for (i = 0; i < s->means.sinks.n; i++) {
		admin_sender_end(&s->ways[i].sender);
		if (s->ways[i].failures == 0 && !s->bad) {
			free(s->ways[i].said);
			s->ways[i].said = NULL;
		}
	}
}

static void
ship(struct shipping *s, bool follow)
{
	const struct timespec pause = { PAUSE_MS / 1000,
		PAUSE_MS % 1000 * 1000000L };
	size_t i;

	for (i = 0; i < s->means.sinks.n; i++)
		s->ways[i] = (struct way){ .sink = &s->means.sinks.at[i],
			.sender = ADMIN_SENDER_INIT };
	s->batch = xcalloc(1, sizeof *s->batch);
	pass(s);
	while (follow && !ferror(s->a->out)) {
		s->bad = false;
		nanosleep(&pause, NULL);
		pass(s);
	}
	for (i = 0; i < s->means.sinks.n; i++)
		free(s->ways[i].said);
	for (i = 0; i < s->n_sources; i++) {
		free(s->sources[i].user);
		free(s->sources[i].said);
	}
	free(s->sources);
	free(s->batch);
	buf_done(&s->text);
}

/* ---- the verb ----------------------------------------------------------- */

/* Whose setting it is says who sends: a host's record does not go twice. */
static int
look_at_caller(struct shipping *s, struct err *err)
{
	s->operators = conf_origin(s->a->conf, CONF_SHIP) == CONF_OPERATOR;
	if (s->all && geteuid() != 0)
		return err_set(err, ERR_CALLER,
		    "only root may read the stores of others");
	if (s->operators && s->a->uid != sysdirs()->operator_uid)
		return err_set(err, ERR_CALLER, "the operator has this host's "
		    "record sent");
	return 0;
}

/* Where nothing is recorded yet there is nothing to hold, and nothing to do
 * but wait. */
static int
lock_marks(struct shipping *s, bool follow, int *ret_fd, struct err *err)
{
	const struct timespec pause = { PAUSE_MS / 1000, 0 };
	int rc;

	while ((rc = admin_marks_lock(s->a->uid, s->operators, ret_fd, err)) ==
	    -ENOENT && follow)
		nanosleep(&pause, NULL);
	return rc;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct shipping s = { .a = a };
	struct err err = ERR_INIT;
	AEG_AUTOFD int lock = -1;
	bool follow = false;
	int o, rc;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == O_JSON)
			s.json = true;
		else if (o == O_ALL)
			s.all = true;
		else
			follow = true;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	rc = admin_ship_means(a, &s.means, &err);
	if (rc == 0)
		rc = look_at_caller(&s, &err);
	if (rc == 0 && s.means.sinks.n == 0)
		rc = err_set(&err, ERR_CALLER, "the setting ship names no "
		    "place to send it to; see aegsh.conf(5)");
	if (rc == 0)
		rc = lock_marks(&s, follow, &lock, &err);
	if (rc == 0)
		ship(&s, follow);
	admin_ship_means_done(&s.means);
	if (rc < 0 && rc != -ENOENT)
		return admin_fail(a, &err);
	return s.bad ? ADMIN_NO : ADMIN_OK;
}

const struct admin_verb cmd_audit_ship = {
	.name = "audit ship",
	.usage = "",
	.summary = "carry the record to other machines, as the setting ship "
	    "says",
	.run = run,
	.options = options,
};

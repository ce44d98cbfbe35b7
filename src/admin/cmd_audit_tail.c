/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl audit tail`: the newest lines, and those that come.  A line that
 * still runs is shown again when its outcome is there.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "admin_read.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define LIMIT 10
#define OPEN_MAX_ROWS 1024	/* running lines that are watched */
/* The kernel tells of a change; where it does not (a file system of
 * another machine), a look a second has to do. */
#define LOOK_MS 1000
#define PAUSE_NS (250L * 1000 * 1000)	/* between two looks at least */

enum { O_FOLLOW = ADMIN_F_COUNT };

static const struct admin_option options[] = {
	ADMIN_FILTER_OPTIONS("10"),
	[O_FOLLOW] = { "follow", 'f', NULL, "go on with what comes",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

struct tail {
	struct admin *a;
	bool json;
	int64_t last;		/* seen */
	int64_t open[OPEN_MAX_ROWS];
	size_t n_open, rows;
};

static void
print_row(struct tail *t, const struct audit_row *row)
{
	char when[ADMIN_TIME_MAX], end[32];

	if (t->json) {
		admin_json_print(t->a, admin_row_json(row));
		return;
	}
	admin_time_show(row->wall_ns, when);
	admin_row_end(row, end, sizeof end);
	admin_say(t->a, "%s  ", when);
	admin_put(t->a, row->user != NULL ? row->user : "-",
	    row->user != NULL ? strlen(row->user) : 1);
	admin_say(t->a, "  ");
	admin_put(t->a, row->decision, strlen(row->decision));
	admin_say(t->a, "  %s  ", end);
	admin_put(t->a, row->line, row->len);
	admin_say(t->a, "\n");
}

static int
on_row(void *ctx, const struct audit_row *row)
{
	struct tail *t = ctx;

	print_row(t, row);
	t->rows++;
	if (row->id > t->last)
		t->last = row->id;
	if (row->ran && !row->finished && t->n_open < OPEN_MAX_ROWS)
		t->open[t->n_open++] = row->id;
	return ferror(t->a->out);
}

/* A line that was open before: shown once it is not. */
static int
on_open_row(void *ctx, const struct audit_row *row)
{
	struct tail *t = ctx;

	if (row->finished)
		print_row(t, row);
	else
		t->open[t->n_open++] = row->id;
	return 0;
}

static int
look_at_open(struct tail *t, struct audit *store, struct err *err)
{
	int64_t open[OPEN_MAX_ROWS];
	size_t n = t->n_open, i;
	int rc = 0;

	memcpy(open, t->open, sizeof open);
	t->n_open = 0;
	for (i = 0; i < n && rc == 0; i++) {
		const struct audit_query q = { .id = open[i] };

		rc = audit_query(store, &q, on_open_row, t, err);
	}
	return rc;
}

/* Until something was written; false: nobody reads what is printed. */
static bool
wait_for_more(struct admin *a, int watch)
{
	struct pollfd fds[2] = {
		{ .fd = watch, .events = POLLIN },
		{ .fd = fileno(a->out), .events = 0 },
	};
	const struct timespec pause = { 0, PAUSE_NS };
	char events[4096];

	nanosleep(&pause, NULL);
	if (poll(fds, 2, LOOK_MS) > 0 && (fds[1].revents & POLLERR) != 0)
		return false;
	while (watch >= 0 && read(watch, events, sizeof events) > 0)
		;
	return true;
}

static int
follow(struct tail *t, struct audit *store, const char *place,
    struct audit_query *q, struct err *err)
{
	AEG_AUTOFD int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	int rc = 0;

	if (watch >= 0 && inotify_add_watch(watch, place, IN_MODIFY |
	    IN_CREATE) < 0)
		io_close(&watch);
	q->limit = 0;
	while (rc == 0 && fflush(t->a->out) == 0 &&
	    wait_for_more(t->a, watch)) {
		rc = look_at_open(t, store, err);
		q->after_id = t->last;
		if (rc == 0)
			rc = audit_query(store, q, on_row, t, err);
	}
	return rc;
}

/* Where nothing fitted so far, what comes is new all the same. */
static int
newest(void *ctx, const struct audit_row *row)
{
	*(int64_t *)ctx = row->id;
	return 1;
}

static int
tail(struct admin *a, struct admin_filter *f, bool on)
{
	static const struct audit_query last = { .limit = 1 };
	struct tail t = { .a = a, .json = f->json };
	AEG_AUTOFREE char *place = NULL;
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int64_t top = 0;
	int rc = admin_read_open(a, f->user, on, &store, &place, &err);

	if (rc == 0)
		rc = audit_query(store, &last, newest, &top, &err);
	if (rc == 0)
		rc = audit_query(store, &f->q, on_row, &t, &err);
	/* A row that came between the two was shown. */
	if (top > t.last)
		t.last = top;
	if (rc == 0 && on)
		rc = follow(&t, store, place, &f->q, &err);
	audit_close(store);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	return t.rows > 0 ? ADMIN_OK : ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTO(admin_filter_done) struct admin_filter f =
	    ADMIN_FILTER_INIT(LIMIT);
	bool on = false;
	int o;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_FOLLOW) {
			on = true;
		} else if (admin_filter_take(a, &f, o, args.value) < 0) {
			if (o != ADMIN_ARGS_BAD)
				admin_usage(a);
			return ADMIN_USAGE;
		}
	}
	if (f.all) {
		admin_complain(a, "--all: one store at a time; --user says "
		    "which");
		return ADMIN_USAGE;
	}
	if (on && (f.q.wrote != NULL || f.q.file != NULL)) {
		admin_complain(a, "%s: lines are shown as they begin, and "
		    "have written and changed nothing yet",
		    f.q.wrote != NULL ? "--output" : "--file");
		return ADMIN_USAGE;
	}
	return admin_operands(a, &args, 0, 0) < 0 ? ADMIN_USAGE :
	    tail(a, &f, on);
}

const struct admin_verb cmd_audit_tail = {
	.name = "audit tail",
	.usage = "",
	.summary = "show the newest lines, and those that come (-f)",
	.run = run,
	.options = options,
};

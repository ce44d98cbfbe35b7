/* SPDX-License-Identifier: ISC */
/*
 * The rows of a store, or of all of them.
 *
 * Each store is read with its owner's rights.  For all stores that takes a
 * process each, which becomes its user for good and sends the rows on; what
 * comes is measured before it is believed.
 */
#include "admin_read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define FRAME_MAX ((uint32_t)16 * 1024 * 1024)
#define NO_TEXT UINT32_MAX
/* Rows of all stores that are put in order. */
#define SORTED_MAX 1000000
/* In which a store has its next row: its user may hold it up. */
#define SILENT_SECONDS 300

/* ---- one row, from process to process ---------------------------------- */

#define OF(member) offsetof(struct audit_row, member)
#define TEXT(member) { OF(member), 0 }
static const struct {
	size_t at;
	size_t len_at;		/* 0: it ends with its NUL */
} texts[] = {
	TEXT(uuid), { OF(line), OF(len) }, TEXT(user), TEXT(host), TEXT(tty),
	TEXT(origin), TEXT(cwd), TEXT(interpreter), TEXT(decision),
	TEXT(source), TEXT(rule), TEXT(reason), TEXT(model), TEXT(answer),
	TEXT(writer), TEXT(note), TEXT(answered_by), TEXT(votes),
	{ OF(argv), OF(argv_len) }, TEXT(remote), { OF(files), OF(files_len) },
	{ OF(out.head), OF(out.head_len) }, { OF(out.tail), OF(out.tail_len) },
	{ OF(err.head), OF(err.head_len) }, { OF(err.tail), OF(err.tail_len) },
};

static const char **
text_of(struct audit_row *row, size_t i)
{
	return (const char **)(void *)((char *)row + texts[i].at);
}

static size_t *
len_of(struct audit_row *row, size_t i)
{
	return (size_t *)(void *)((char *)row + texts[i].len_at);
}

static void
pack(struct buf *b, const struct audit_row *from)
{
	struct audit_row row = *from, bare = *from;
	size_t i;

	for (i = 0; i < AEG_NELEM(texts); i++)
		*text_of(&bare, i) = NULL;
	buf_put(b, &bare, sizeof bare);
	for (i = 0; i < AEG_NELEM(texts); i++) {
		const char *text = *text_of(&row, i);
		uint32_t len = text == NULL ? NO_TEXT : (uint32_t)(
		    texts[i].len_at > 0 ? *len_of(&row, i) : strlen(text));

		buf_put(b, &len, sizeof len);
		if (text != NULL) {
			buf_put(b, text, len);
			buf_putc(b, '\0');
		}
	}
}

/* Of an object that came as bytes: a bool, and which stream it is. */
static void
make_sane(struct audit_output *o, enum audit_stream stream)
{
	static const enum audit_stream none = AUDIT_STREAM_NONE;

	*(char *)&o->cut = *(char *)&o->cut != 0;
	if (memcmp(&o->stream, &none, sizeof none) != 0)
		o->stream = stream;
}

/* The row's texts stay in the frame. */
static int
unpack(const char *frame, size_t size, struct audit_row *ret)
{
	const char *p = frame + sizeof *ret, *end = frame + size;
	size_t i;

	if (size < sizeof *ret)
		return ERR_PROTOCOL;
	memcpy(ret, frame, sizeof *ret);
	*(char *)&ret->ran = *(char *)&ret->ran != 0;
	*(char *)&ret->finished = *(char *)&ret->finished != 0;
	make_sane(&ret->out, AUDIT_STREAM_OUT);
	make_sane(&ret->err, AUDIT_STREAM_ERR);
	for (i = 0; i < AEG_NELEM(texts); i++) {
		uint32_t len;

		*text_of(ret, i) = NULL;
		if (texts[i].len_at > 0)
			*len_of(ret, i) = 0;
		if (end - p < (ptrdiff_t)sizeof len)
			return ERR_PROTOCOL;
		memcpy(&len, p, sizeof len);
		p += sizeof len;
		if (len == NO_TEXT)
			continue;
		if (end - p <= (ptrdiff_t)len || p[len] != '\0')
			return ERR_PROTOCOL;
		*text_of(ret, i) = p;
		if (texts[i].len_at > 0)
			*len_of(ret, i) = len;
		p += len + 1;
	}
	return ret->line != NULL && p == end ? 0 : ERR_PROTOCOL;
}

/* ---- the process of one store ------------------------------------------ */

struct sender {
	int to;
	int rc;
};

/* A frame of no row: kind 1, and what went wrong. */
static int
send_frame(int to, uint32_t kind, const char *p, size_t len)
{
	uint32_t head[2] = { kind, (uint32_t)len };
	int rc = io_write_full(to, head, sizeof head);

	return rc < 0 ? rc : io_write_full(to, p, len);
}

static int
send_row(void *ctx, const struct audit_row *row)
{
	AEG_AUTO(buf_done) struct buf frame = BUF_INIT_MAX(FRAME_MAX);
	struct sender *s = ctx;

	pack(&frame, row);
	s->rc = buf_overflow(&frame) ? ERR_TOO_LONG :
	    send_frame(s->to, 0, frame.data, frame.len);
	return s->rc;
}

static void __attribute__((noreturn))
read_one(struct admin *a, const struct admin_filter *f, const char *user,
    int to)
{
	struct sender s = { .to = to };
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int rc = admin_read_open(a, user, false, &store, NULL, &err);

	if (rc == 0)
		rc = audit_query(store, &f->q, send_row, &s, &err);
	audit_close(store);
	if (rc < 0 && rc != -ENOENT)
		send_frame(to, 1, err.text, strlen(err.text));
	_exit(rc < 0 && rc != -ENOENT ? ADMIN_SYSTEM : s.rc < 0);
}

/* ---- all stores --------------------------------------------------------- */

static int
by_uid(const void *a, const void *b)
{
	uid_t x = *(const uid_t *)a, y = *(const uid_t *)b;

	return (x > y) - (x < y);
}

static void
look_in(const char *dir, const char *prefix, uid_t **list, size_t *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int64_t uid;
	size_t i;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (!text_starts(e->d_name, prefix) ||
		    text_to_i64(e->d_name + strlen(prefix), 0, UINT32_MAX - 1,
		    &uid) < 0)
			continue;
		for (i = 0; i < *n && (*list)[i] != (uid_t)uid; i++)
			;
		if (i < *n)
			continue;
		*list = xreallocarray(*list, *n + 1, sizeof **list);
		(*list)[(*n)++] = (uid_t)uid;
	}
	if (d != NULL)
		closedir(d);
}

struct kept {
	int64_t wall_ns;
	size_t place, size;
	char *frame;
};

struct gather {
	struct admin *a;
	const struct admin_filter *f;
	admin_row_fn *fn;
	void *ctx;
	struct kept *kept;
	size_t n;
	bool stop, bad;
};

static void
tell(struct gather *g, const char *user, const char *text)
{
	admin_complain(g->a, "store of %s: %s", user, text);
	g->bad = true;
}

static int
take_row(struct gather *g, char *frame, uint32_t size)
{
	struct audit_row row;
	int rc = unpack(frame, size, &row);

	if (rc < 0)
		return rc;
	if (g->f->q.limit == 0) {
		g->stop = g->fn(g->ctx, &row) != 0;
		return 0;
	}
	if (g->n >= SORTED_MAX)
		return ERR_TOO_LONG;
	g->kept = xreallocarray(g->kept, g->n + 1, sizeof *g->kept);
	g->kept[g->n] = (struct kept){ row.wall_ns, g->n, size,
		xmemdup0(frame, size) };
	g->n++;
	return 0;
}

/* Of what its user held up, or spoiled: all that came before is told. */
static void
leave_out(struct gather *g, const char *user, int rc)
{
	AEG_AUTOFREE char *why = rc == -ECANCELED ?
	    xstrdup("its reader was stopped again and again") :
	    rc == -ETIMEDOUT ? xasprintf("its reader did not answer for %d "
	    "seconds", SILENT_SECONDS) : xstrdup(err_str(rc));
	AEG_AUTOFREE char *text = xasprintf("%s; the rest of it is left out",
	    why);

	tell(g, user, text);
}

/* False: the process is of no use any more. */
static bool
receive(struct gather *g, const char *user, struct admin_reader *from)
{
	uint32_t head[2];
	int rc = 0;

	while (rc == 0 && !g->stop &&
	    (rc = admin_hear(from, head, sizeof head)) == 0) {
		AEG_AUTOFREE char *frame = NULL;

		if (head[1] > FRAME_MAX) {
			rc = ERR_TOO_LONG;
			break;
		}
		frame = xcalloc(1, (size_t)head[1] + 1);
		rc = admin_hear(from, frame, head[1]);
		if (rc == 0 && head[0] != 0)
			tell(g, user, frame);
		else if (rc == 0)
			rc = take_row(g, frame, head[1]);
	}
	if (rc < 0 && rc != -ENODATA)
		leave_out(g, user, rc);
	return rc == 0 || rc == -ENODATA;
}

static int
ask_store(struct gather *g, uid_t uid, struct err *err)
{
	const struct passwd *pw = getpwuid(uid);
	AEG_AUTOFREE char *user = NULL;
	int ends[2], status = 0;
	bool useful;
	pid_t pid;

	if (pw == NULL) {
		admin_complain(g->a, "store of uid %lu: left out, because "
		    "there is no such user any more", (unsigned long)uid);
		return 0;
	}
	user = xstrdup(pw->pw_name);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	fflush(g->a->out);
	pid = fork();
	if (pid == 0) {
		io_close(&ends[0]);
		read_one(g->a, g->f, user, ends[1]);
	}
	io_close(&ends[1]);
	if (pid < 0) {
		io_close(&ends[0]);
		return err_sys(err, errno, "fork");
	}
	useful = receive(g, user, &(struct admin_reader){ pid, ends[0],
	    SILENT_SECONDS * 1000, 0 });
	io_close(&ends[0]);
	if (!useful)
		kill(pid, SIGKILL);
	admin_reap(pid, &status);
	if (WIFSIGNALED(status) && !g->stop && useful)
		tell(g, user, "its reader was killed");
	return 0;
}

static int
by_time(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->wall_ns != y->wall_ns)
		return x->wall_ns < y->wall_ns ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static void
hand_out(struct gather *g)
{
	size_t first = 0, i;

	if (g->n > 0)
		qsort(g->kept, g->n, sizeof *g->kept, by_time);
	if ((int64_t)g->n > g->f->q.limit)
		first = g->n - (size_t)g->f->q.limit;
	for (i = first; i < g->n && !g->stop; i++) {
		struct audit_row row;

		if (unpack(g->kept[i].frame, g->kept[i].size, &row) == 0)
			g->stop = g->fn(g->ctx, &row) != 0;
	}
	for (i = 0; i < g->n; i++)
		free(g->kept[i].frame);
	free(g->kept);
}

void
admin_stores(uid_t **ret, size_t *ret_n)
{
	*ret = NULL;
	*ret_n = 0;
	look_in(sysdirs()->state, "", ret, ret_n);
	look_in(sysdirs()->state_own, "aegsh-", ret, ret_n);
	if (*ret_n > 0)
		qsort(*ret, *ret_n, sizeof **ret, by_uid);
}

static int
all_stores(struct admin *a, const struct admin_filter *f, admin_row_fn *fn,
    void *ctx, bool *ret_bad, struct err *err)
{
	struct gather g = { .a = a, .f = f, .fn = fn, .ctx = ctx };
	AEG_AUTOFREE uid_t *uids = NULL;
	size_t n = 0, i;
	int rc = 0;

	if (geteuid() != 0)
		return err_set(err, ERR_CALLER,
		    "only root may read the stores of others");
	admin_stores(&uids, &n);
	for (i = 0; i < n && rc == 0 && !g.stop; i++)
		rc = ask_store(&g, uids[i], err);
	hand_out(&g);
	*ret_bad = g.bad;
	return rc;
}

int
admin_rows(struct admin *a, const struct admin_filter *f, admin_row_fn *fn,
    void *ctx, bool *ret_bad, struct err *err)
{
	struct audit *store = NULL;
	int rc;

	*ret_bad = false;
	if (f->all)
		return all_stores(a, f, fn, ctx, ret_bad, err);
	rc = admin_read_open(a, f->user, false, &store, NULL, err);
	if (rc < 0)
		return rc;
	rc = audit_query(store, &f->q, fn, ctx, err);
	audit_close(store);
	return rc;
}

static int
stop_at_one(void *ctx, const struct audit_row *row)
{
	bool *any = ctx;

	(void)row;
	*any = true;
	return 1;
}

void
admin_rows_none(struct admin *a, const struct admin_filter *f)
{
	/* Any text has that one in it. */
	const struct audit_query q = { .limit = 1, .wrote = "" };
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	bool any = false;
	int rc;

	if (f->q.wrote == NULL || f->all ||
	    admin_read_quietly(a, f->user, false, &store, &err) < 0)
		return;
	rc = audit_query(store, &q, stop_at_one, &any, &err);
	audit_close(store);
	if (rc == 0 && !any)
		admin_complain(a, "nothing of what lines write is in this "
		    "record, so --output finds none: it is kept where output "
		    "is not none, see aegsh.conf(5)");
}

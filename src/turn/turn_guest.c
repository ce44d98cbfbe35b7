/* SPDX-License-Identifier: ISC */
/* Bodies of the frames between a guest and its host. */
#include "turn/turn_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"

#ifndef MFD_NOEXEC_SEAL		/* since Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* What an honest guest says at most: a line, in front of it the options of
 * bash, variables, each with a newline, and functions. */
#define OPTIONS_MAX ((size_t)64 * 1024)
#define QUESTION_LINE_MAX (LINE_MAX_BYTES + OPTIONS_MAX + STATE_PLAIN_MAX + \
	STATE_VARS_MAX + CARRY_MAX)

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

void
guest_put(struct guest_body *b, uint32_t n)
{
	buf_put(&b->out, &n, sizeof n);
}

void
guest_put_text(struct guest_body *b, const char *text, size_t len)
{
	pack_bytes(&b->out, text, len);
}

void
guest_put_string(struct guest_body *b, const char *text)
{
	guest_put_text(b, text, text != NULL ? strlen(text) : 0);
}

bool
guest_broken(const struct guest_body *b)
{
	return b->in.p == NULL;
}

uint32_t
guest_get(struct guest_body *b)
{
	uint32_t n = pack_get_len(&b->in);

	return guest_broken(b) ? 0 : n;
}

const char *
guest_get_text(struct guest_body *b, size_t *ret_len)
{
	uint32_t len = guest_get(b);
	const char *p = pack_get(&b->in, len);

	*ret_len = p != NULL ? len : 0;
	return p != NULL ? p : "";
}

char *
guest_get_string(struct guest_body *b)
{
	size_t len;
	const char *p = guest_get_text(b, &len);

	if (memchr(p, '\0', len) != NULL)
		b->in.p = NULL;
	return xmemdup0(p, guest_broken(b) ? 0 : len);
}

/* ---- what a guest says --------------------------------------------------- */

void
guest_question_done(struct guest_question *q)
{
	free(q->tty);
	free(q->cwd);
	strv_done(&q->envp);
}

bool
guest_get_question(struct guest_body *b, struct guest_question *q)
{
	uint32_t n, i, origin = guest_get(b);

	q->flags = guest_get(b);
	q->prefix = guest_get(b);
	q->prefix_lines = guest_get(b);
	(void)guest_get(b);
	(void)guest_get(b);
	q->tty = guest_get_string(b);
	q->cwd = guest_get_string(b);
	n = guest_get(b);
	/* Small ones would take many times their bytes. */
	if (n > STATE_VARS_MAX + STATE_OWN_VARS)
		return false;
	for (i = 0; i < n && !guest_broken(b); i++)
		strv_take(&q->envp, guest_get_string(b));
	q->line.bytes = guest_get_text(b, &q->line.len);
	q->line.origin = origin > LINE_LOGIN ? LINE_ORIGIN_UNKNOWN :
	    (enum line_origin)origin;
	return !guest_broken(b) && b->in.p == b->in.end && q->cwd[0] == '/' &&
	    q->prefix <= q->line.len &&
	    q->line.len <= QUESTION_LINE_MAX;
}

char **
guest_get_args(struct guest_body *b, char **ret_text)
{
	size_t len, n = 0, i;
	const char *p = guest_get_text(b, &len);
	char *at, **v;

	if (len > AUDIT_LINE_MAX)
		b->in.p = NULL;
	if (len == 0 || guest_broken(b))
		return NULL;
	at = *ret_text = xmemdup0(p, len);
	for (i = 0; i < len; i++)
		n += at[i] == '\0';
	/* The last is without one where there was no room for it. */
	n += at[len - 1] != '\0';
	v = xcalloc(n + 1, sizeof *v);
	for (i = 0; i < n; i++, at += strlen(at) + 1)
		v[i] = at;
	return v;
}

/* ---- frames ------------------------------------------------------------- */

static int
to_file(const struct buf *body)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("aegsh-line", flags | MFD_NOEXEC_SEAL), rc;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("aegsh-line", flags);
	if (fd < 0)
		return -errno;
	rc = io_write_full(fd, body->data, body->len);
	if (rc == 0 && fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0)
		rc = -errno;
	if (rc < 0)
		io_close(&fd);
	return rc < 0 ? rc : fd;
}

int
guest_send(int fd, enum guest_type type, struct guest_body *b,
    struct err *err)
{
	struct wire_msg m = WIRE_MSG_INIT;
	AEG_AUTOFD int file = -1;
	int rc;

	m.type = type;
	m.body = b->out.data;
	m.len = b->out.len;
	if (buf_overflow(&b->out)) {
		buf_done(&b->out);
		return err_set(err, ERR_TOO_LONG, "a line and its environment "
		    "of more than %zu bytes", GUEST_BODY_MAX);
	}
	if (m.len > GUEST_INLINE) {
		file = to_file(&b->out);
		if (file < 0) {
			buf_done(&b->out);
			return err_sys(err, -file, "a memory file");
		}
		m.len = 0;
		m.fds[m.n_fds++] = file;
	}
	rc = wire_send(fd, &m, err);
	buf_done(&b->out);
	return rc;
}

/* Whoever sent it cannot change it any more. */
static int
map_file(struct guest_frame *f, struct guest_body *b, struct err *err)
{
	int has = fcntl(f->m.fds[0], F_GET_SEALS);
	struct stat st;

	if (has < 0 || (has & SEALS) != SEALS || fstat(f->m.fds[0], &st) < 0 ||
	    st.st_size <= 0 || (size_t)st.st_size > GUEST_BODY_MAX)
		return err_set(err, ERR_PROTOCOL, "not a sealed memory file");
	f->map_len = (size_t)st.st_size;
	f->map = mmap(NULL, f->map_len, PROT_READ, MAP_PRIVATE, f->m.fds[0],
	    0);
	if (f->map == MAP_FAILED) {
		f->map = NULL;
		return err_sys(err, errno, "a memory file");
	}
	b->in.p = f->map;
	b->in.end = b->in.p + f->map_len;
	return 0;
}

int
guest_recv(int fd, int cancel_fd, struct guest_frame *ret,
    struct guest_body *b, struct err *err)
{
	int rc = wire_recv(fd, -1, cancel_fd, &ret->m, err);

	if (rc < 0)
		return rc;
	*b = (struct guest_body){ .in = { ret->m.body,
		(const char *)ret->m.body + ret->m.len } };
	return ret->m.n_fds == 0 ? 0 : ret->m.n_fds > 1 || ret->m.len > 0 ?
	    err_set(err, ERR_PROTOCOL, "descriptors that nobody asked for") :
	    map_file(ret, b, err);
}

void
guest_frame_done(struct guest_frame *f)
{
	if (f->map != NULL)
		munmap(f->map, f->map_len);
	f->map = NULL;
	wire_msg_done(&f->m);
}

void
guest_record(const struct turn *t, const struct guest_who *w,
    struct audit **ret, char **ret_unrecorded)
{
	AEG_AUTO(names_user_done) struct names_user other = { .name = NULL };
	bool known = w->uid != t->opts.uid &&
	    names_user_by_uid(w->uid, &other) == 0;
	char host[256] = "";
	struct audit_session s = {
		.user = known ? other.name : t->opts.user,
		.remote = w->remote,
		.origin = line_origin_name(w->origin),
		.host = host,
		.tty = w->tty,
		.version = t->opts.version,
		.profile = policy_profile(t->policy),
		.policy_hash = policy_hash(t->policy),
		.uid = w->uid,
		.loginuid = t->opts.loginuid,
		.pid = w->pid,
	};
	AEG_AUTOFREE char *silent = NULL;
	struct err err = ERR_INIT;

	if (gethostname(host, sizeof host - 1) < 0)
		host[0] = '\0';
	if (t->store == NULL) {
		err_set(&err, ERR_STORE, "there is no store");
	} else if (audit_reach(t->opts.uid, turn_record_wait(t), &silent,
	    &err) == 0 && audit_open_brief(t->store,
	    turn_record_wait(t), turn_runs_on(t), ret, &err) == 0 &&
	    turn_leave_out(t, *ret, &err) == 0 &&
	    audit_session_begin(*ret, &s, &err) == 0) {
		audit_note(*ret, "inside", w->label);
		return;
	}
	*ret_unrecorded = xstrdup(err.text);
	audit_close(*ret);
	*ret = NULL;
}

bool
guest_tally_add(struct guest_tally *c, int64_t now_ns, size_t most,
    int64_t each_ns)
{
	int64_t forgiven;

	if (c->forgiven_ns == 0)
		c->forgiven_ns = now_ns;
	forgiven = (now_ns - c->forgiven_ns) / each_ns;
	c->forgiven_ns += forgiven * each_ns;
	c->n -= (uint64_t)forgiven < c->n ? (size_t)forgiven : c->n;
	return ++c->n <= most;
}

void
guest_sha256(const char *bytes, size_t len, unsigned char ret[32])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, (const uint8_t *)bytes);
	sha256_digest(&ctx, 32, ret);
}

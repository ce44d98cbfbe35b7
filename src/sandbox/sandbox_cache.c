/* SPDX-License-Identifier: ISC */
/*
 * A profile's text as it was read, kept in the user's store directory,
 * where no command can write, with what its files looked like: reading
 * and checking them costs a short run a tenth of its time.
 *
 * It counts only while every file that was looked for is what it was, or
 * still isn't there.  Whatever is wrong with the copy (another owner, a
 * wrong mode, bytes that do not check) it is as if there were none.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/pack.h"
#include "aegsh/base/path.h"

#define PREFIX "sandbox-"
#define COPY_MAX ((size_t)256 * 1024)
/* A file that changed less than this ago could change once more within one
 * tick of its time stamps. */
#define SETTLED_NS (INT64_C(2) * 1000 * 1000 * 1000)

static const char magic[8] = "aegssb5";

struct header {
	char magic[8];
	uint64_t check;		/* of all that follows */
};

/* As FNV-1a, eight bytes a step: against accidents.  Who can write here needs
 * no forgery. */
static uint64_t
checksum(const char *p, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325 ^ len, word;
	size_t n;

	for (; len > 0; p += n, len -= n) {
		n = len < sizeof word ? len : sizeof word;
		word = 0;
		memcpy(&word, p, n);
		sum = (sum ^ word) * 0x100000001b3;
		sum ^= sum >> 32;
	}
	return sum;
}

void
sandbox_seen_as(const struct stat *st, struct sandbox_seen *ret)
{
	const int64_t now[SANDBOX_SEEN] = { (int64_t)st->st_dev,
		(int64_t)st->st_ino, st->st_mode, st->st_uid, st->st_size,
		st->st_mtim.tv_sec, st->st_mtim.tv_nsec, st->st_ctim.tv_sec,
		st->st_ctim.tv_nsec };

	ret->there = true;
	memcpy(ret->identity, now, sizeof now);
}

static bool
is_settled(const struct sandbox_seen *s)
{
	int64_t newest = s->identity[5] > s->identity[7] ? s->identity[5] :
	    s->identity[7];

	return !s->there || newest < (clock_wall_ns() - SETTLED_NS) /
	    1000000000;
}

/* The texts of a profile; the first MUST are always there. */
#define MUST 4
static const size_t texts[] = {
	offsetof(struct sandbox_text, file),
	offsetof(struct sandbox_text, udp),
	offsetof(struct sandbox_text, seccomp),
	offsetof(struct sandbox_text, supervise),
	offsetof(struct sandbox_text, started),
	offsetof(struct sandbox_text, escape),
	offsetof(struct sandbox_text, shells),
	offsetof(struct sandbox_text, addresses),
	offsetof(struct sandbox_text, umask),
	offsetof(struct sandbox_text, output_then),
	offsetof(struct sandbox_text, survivors),
	offsetof(struct sandbox_text, scope),
	offsetof(struct sandbox_text, description),
	offsetof(struct sandbox_text, for_root),
};
_Static_assert(sizeof(struct sandbox_text) == sizeof(char *) *
    AEG_NELEM(texts) + sizeof(struct sandbox_list) * SANDBOX_KEY_COUNT +
    sizeof(long) * SANDBOX_LIMIT_COUNT, "the copy holds each member");

static char **
text_of(struct sandbox_text *t, size_t i)
{
	return (char **)(void *)((char *)t + texts[i]);
}

void
sandbox_text_done(struct sandbox_text *t)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(texts); i++)
		free(*text_of(t, i));
	for (i = 0; i < SANDBOX_KEY_COUNT; i++) {
		strv_done(&t->list[i].value);
		strv_done(&t->list[i].where);
	}
	memset(t, 0, sizeof *t);
}

/* ---- writing ------------------------------------------------------------ */

static void
put_seen(struct buf *b, const struct sandbox_seen *s)
{
	size_t i;

	pack_int(b, s->place);
	pack_text(b, s->name);
	pack_int(b, s->there);
	for (i = 0; i < SANDBOX_SEEN; i++)
		pack_int(b, s->identity[i]);
}

static void
put_all(struct buf *b, const struct sandbox_seen *seen, size_t n,
    struct sandbox_text *t)
{
	size_t i, k;

	pack_text(b, AEGSH_VERSION);
	pack_text(b, sysdirs()->conf);
	pack_text(b, sysdirs()->data);
	pack_int(b, (int64_t)n);
	for (i = 0; i < n; i++)
		put_seen(b, &seen[i]);
	for (i = 0; i < AEG_NELEM(texts); i++)
		pack_text(b, *text_of(t, i));
	for (i = 0; i < SANDBOX_KEY_COUNT; i++) {
		pack_int(b, (int64_t)t->list[i].value.n);
		for (k = 0; k < t->list[i].value.n; k++) {
			pack_text(b, t->list[i].value.v[k]);
			pack_text(b, t->list[i].where.v[k]);
		}
	}
	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++)
		pack_int(b, t->limit[i]);
}

/* Put there whole or not at all: a half-written file never gets its name. */
static void
put_file(const char *dir, const char *name, const struct buf *bytes)
{
	AEG_AUTOFD int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTOFD int fd = -1;
	char file[sizeof PREFIX + SANDBOX_NAME_MAX], temp[64];

	if (dir_fd < 0)
		return;
	snprintf(file, sizeof file, PREFIX "%s", name);
	snprintf(temp, sizeof temp, ".sandbox.%ld", (long)getpid());
	unlinkat(dir_fd, temp, 0);
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (io_write_full(fd, bytes->data, bytes->len) < 0 ||
	    renameat(dir_fd, temp, dir_fd, file) < 0)
		unlinkat(dir_fd, temp, 0);
}

void
sandbox_cache_write(const char *dir, const char *name,
    const struct sandbox_seen *seen, size_t n, struct sandbox_text *t)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(COPY_MAX);
	struct header h;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!is_settled(&seen[i]))
			return;
	}
	memcpy(h.magic, magic, sizeof magic);
	buf_put(&b, &h, sizeof h);
	put_all(&b, seen, n, t);
	if (buf_overflow(&b))
		return;
	h.check = checksum(b.data + sizeof h, b.len - sizeof h);
	memcpy(b.data, &h, sizeof h);
	put_file(dir, name, &b);
}

/* ---- reading: p is NULL once something was wrong ------------------------ */

static char *
copy_text(struct pack_reader *r)
{
	const char *text = pack_get_text(r);

	return text != NULL ? xstrdup(text) : NULL;
}

static bool
get_same_text(struct pack_reader *r, const char *want)
{
	const char *text = pack_get_text(r);

	return text != NULL && strcmp(text, want) == 0;
}

/* The file that was looked for then, now. */
static bool
is_unchanged(struct pack_reader *r, const int place_fd[SANDBOX_PLACES])
{
	struct sandbox_seen then = { .place = (unsigned)pack_get_int(r) }, now;
	const char *name = pack_get_text(r);
	struct stat st;
	size_t i;

	then.there = pack_get_int(r) != 0;
	for (i = 0; i < SANDBOX_SEEN; i++)
		then.identity[i] = pack_get_int(r);
	if (r->p == NULL || name == NULL || then.place >= SANDBOX_PLACES)
		return false;
	if (place_fd[then.place] < 0)
		return !then.there;
	if (fstatat(place_fd[then.place], name, &st,
	    AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && !then.there;
	sandbox_seen_as(&st, &now);
	return then.there && memcmp(now.identity, then.identity,
	    sizeof now.identity) == 0;
}

static void
get_lists(struct pack_reader *r, struct sandbox_text *t)
{
	size_t i;
	int64_t n;

	for (i = 0; i < SANDBOX_KEY_COUNT; i++) {
		for (n = pack_get_int(r); n > 0 && r->p != NULL; n--) {
			const char *value = pack_get_text(r);
			const char *where = pack_get_text(r);

			if (value == NULL || where == NULL) {
				r->p = NULL;
				return;
			}
			strv_add(&t->list[i].value, value);
			strv_add(&t->list[i].where, where);
		}
	}
}

static bool
get_all(struct pack_reader *r, const int place_fd[SANDBOX_PLACES],
    struct sandbox_text *t)
{
	int64_t n;
	size_t i;

	if (!get_same_text(r, AEGSH_VERSION) ||
	    !get_same_text(r, sysdirs()->conf) ||
	    !get_same_text(r, sysdirs()->data))
		return false;
	for (n = pack_get_int(r); n > 0; n--) {
		if (!is_unchanged(r, place_fd))
			return false;
	}
	for (i = 0; i < AEG_NELEM(texts); i++) {
		*text_of(t, i) = copy_text(r);
		if (i < MUST && *text_of(t, i) == NULL)
			return false;
	}
	get_lists(r, t);
	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++)
		t->limit[i] = (long)pack_get_int(r);
	return r->p != NULL && r->p == r->end;
}

char *
sandbox_cache_path(const char *dir, const char *name)
{
	return xasprintf("%s/" PREFIX "%s", dir, name);
}

static int
read_file(const char *dir, const char *name, struct buf *ret)
{
	AEG_AUTOFREE char *path = sandbox_cache_path(dir, name);
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0 ||
	    st.st_uid != geteuid())
		return ERR_TRUST;
	return io_read_all(fd, ret);
}

int
sandbox_cache_read(const char *dir, const char *name,
    const int place_fd[SANDBOX_PLACES], struct sandbox_text *ret)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(COPY_MAX);
	struct sandbox_text t;
	struct header h;
	struct pack_reader r;
	int rc = read_file(dir, name, &b);

	if (rc < 0)
		return rc;
	if (b.len < sizeof h)
		return ERR_SYNTAX;
	memcpy(&h, b.data, sizeof h);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.check !=
	    checksum(b.data + sizeof h, b.len - sizeof h))
		return ERR_SYNTAX;
	r = (struct pack_reader){ b.data + sizeof h, b.data + b.len };
	memset(&t, 0, sizeof t);
	if (!get_all(&r, place_fd, &t)) {
		sandbox_text_done(&t);
		return ERR_SYNTAX;
	}
	*ret = t;
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* Budgets and health, in one small file that sessions share. */
#include "aegsh/validator_store.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "validator_int.h"

#define MAGIC "AEGJST1"
#define SECOND ((int64_t)1000000000)
#define QUESTION ((uint64_t)1000000)	/* of the bucket's unit */
#define PATIENCE_NS (SECOND / 20)

int
val_file_open(const char *dir, const char *name, bool write, int *ret_fd,
    struct err *err)
{
	AEG_AUTOFD int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTOFD int fd = -1;
	struct stat st;

	if (at >= 0)
		fd = openat(at, name, (write ? O_RDWR | O_CREAT : O_RDONLY) |
		    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s/%s", dir, name);
	if (!S_ISREG(st.st_mode) || (st.st_mode & 0007) != 0)
		return err_set(err, ERR_TRUST, "%s/%s: not a file that is "
		    "closed to others", dir, name);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int
val_state_open(const char *dir, const char *name, bool write, int *ret_fd,
    struct err *err)
{
	return val_file_open(dir, name, write, ret_fd, err);
}

/* Nobody holds it longer than a write takes; who is stopped meanwhile must
 * not stop others. */
int
val_file_lock(int fd)
{
	int64_t end = clock_mono_ns() + PATIENCE_NS;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (clock_mono_ns() > end)
			return -EBUSY;
		usleep(500);
	}
	return 0;
}

/* What is no state is an empty one. */
static void
get(int fd, struct val_state *ret)
{
	if (pread(fd, ret, sizeof *ret, 0) == (ssize_t)sizeof *ret &&
	    memcmp(ret->magic, MAGIC, sizeof MAGIC) == 0)
		return;
	memset(ret, 0, sizeof *ret);
	memcpy(ret->magic, MAGIC, sizeof MAGIC);
}

void
val_state_read(int fd, struct val_state *ret)
{
	size_t i;

	get(fd, ret);
	for (i = 0; i < VAL_CHAIN_MAX; i++)
		ret->endpoints[i].name[VAL_NAME_MAX - 1] = '\0';
}

static int
put(int fd, const struct val_state *s)
{
	return pwrite(fd, s, sizeof *s, 0) == (ssize_t)sizeof *s ? 0 :
	    -errno;
}

static void
turn_day(struct val_state *s, int64_t now_ns)
{
	int64_t day = now_ns / SECOND / 86400;

	if (s->day == day)
		return;
	s->day = day;
	s->day_questions = s->day_tokens_in = s->day_tokens_out = 0;
	s->day_cost = 0;
}

/* The bucket holds one minute's worth and fills at the same pace.  A clock
 * that was set back fills nothing. */
static void
fill(struct val_state *s, int64_t now_ns, uint32_t rate)
{
	uint64_t most = rate * QUESTION;
	int64_t gone = now_ns - s->bucket_ns;

	if (s->bucket_ns == 0 || gone > 60 * SECOND)
		s->bucket = most;
	else if (gone > 0)
		s->bucket += (uint64_t)(gone / 1000) * rate / 60;
	if (s->bucket > most)
		s->bucket = most;
	s->bucket_ns = now_ns;
}

int
val_state_take(int fd, int64_t now_ns, uint32_t rate, uint64_t day_cost,
    struct err *err)
{
	struct val_state s;
	int rc = val_file_lock(fd);

	if (rc < 0)
		return err_set(err, rc, "the budget is locked");
	get(fd, &s);
	turn_day(&s, now_ns);
	fill(&s, now_ns, rate);
	if (s.bucket < QUESTION) {
		rc = err_set(err, ERR_REFUSED,
		    "more than %u questions a minute", rate);
	} else if (s.day_cost >= day_cost) {
		rc = err_set(err, ERR_REFUSED,
		    "the day's budget of %llu.%02llu is spent",
		    (unsigned long long)(day_cost / 1000000),
		    (unsigned long long)(day_cost / 10000 % 100));
	} else {
		s.bucket -= QUESTION;
		s.day_questions++;
		rc = put(fd, &s);
		if (rc < 0)
			err_set(err, rc, "the budget cannot be written: %s",
			    err_str(rc));
	}
	flock(fd, LOCK_UN);
	return rc;
}

void
val_state_spent(int fd, int64_t now_ns, const struct val_verdict *v)
{
	struct val_state s;

	if (val_file_lock(fd) < 0)
		return;
	get(fd, &s);
	turn_day(&s, now_ns);
	s.day_tokens_in += v->tokens_in;
	s.day_tokens_out += v->tokens_out;
	s.day_cost += v->cost;
	put(fd, &s);
	flock(fd, LOCK_UN);
}

void
val_state_health(int fd, const struct val_health *h)
{
	struct val_state s;
	struct val_health *row = NULL;
	size_t i;

	if (val_file_lock(fd) < 0)
		return;
	get(fd, &s);
	for (i = 0; i < VAL_CHAIN_MAX && row == NULL; i++)
		if (strncmp(s.endpoints[i].name, h->name,
		    VAL_NAME_MAX) == 0)
			row = &s.endpoints[i];
	/* Else the one that was heard of the longest ago. */
	for (i = 0; i < VAL_CHAIN_MAX && (row == NULL ||
	    strncmp(row->name, h->name, VAL_NAME_MAX) != 0); i++) {
		struct val_health *e = &s.endpoints[i];

		if (row == NULL || e->last_ok_ns + e->last_fail_ns <
		    row->last_ok_ns + row->last_fail_ns)
			row = e;
	}
	if (strncmp(row->name, h->name, VAL_NAME_MAX) != 0 ||
	    row->print != h->print)
		memset(row, 0, sizeof *row);
	memcpy(row->name, h->name, sizeof row->name);
	row->place = h->place;
	row->print = h->print;
	row->failures = h->failures;
	row->open = h->open;
	row->open_until_ns = h->open_until_ns;
	if (h->last_ok_ns != 0)
		row->last_ok_ns = h->last_ok_ns;
	if (h->last_fail_ns != 0)
		row->last_fail_ns = h->last_fail_ns;
	row->asked += h->asked;
	row->answered += h->answered;
	put(fd, &s);
	flock(fd, LOCK_UN);
}

uint64_t
val_endpoint_place(const struct val_endpoint *e)
{
	const char *const texts[] = { e->format, e->url, e->model, e->proxy };
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;
	uint64_t place;
	size_t i;

	sha256_init(&ctx);
	for (i = 0; i < AEG_NELEM(texts); i++)
		sha256_update(&ctx, strlen(texts[i]) + 1,
		    (const uint8_t *)texts[i]);
	sha256_digest(&ctx, sizeof digest, digest);
	memcpy(&place, digest, sizeof place);
	return place;
}

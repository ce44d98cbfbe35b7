/* SPDX-License-Identifier: ISC */
/*
 * The verdicts that are remembered: a table of fixed rows, each in the
 * bucket that its key chooses.  Key and row are MACs with a secret of the
 * helper, so that a row somebody else wrote is worth nothing.
 */
#include "aegsh/validator_store.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "validator_int.h"

#define MAGIC "AEGJVC1"
#define WAYS 8		/* rows of a bucket */
#define MAC_LEN 16
#define SECOND ((int64_t)1000000000)
#define ROWS_MAX ((uint32_t)65536)

struct head {
	char magic[8];
	uint32_t rows, pad;
	uint64_t hits, misses, stored, forged;
	char room[80];
};

struct row {
	unsigned char key[MAC_LEN], mac[MAC_LEN];
	int64_t stored_ns;		/* wall; 0: unused */
	uint32_t confidence, pad;
	char category[16];
	char model[64];
};

_Static_assert(sizeof(struct head) == 128 && sizeof(struct row) == 128,
    "a row is 128 bytes");

static void
make_mac(const unsigned char secret[VAL_SECRET_LEN], const char *use,
    const void *p, size_t len, unsigned char ret[MAC_LEN])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, VAL_SECRET_LEN, secret);
	hmac_sha256_update(&ctx, strlen(use) + 1, (const uint8_t *)use);
	hmac_sha256_update(&ctx, len, p);
	hmac_sha256_digest(&ctx, MAC_LEN, ret);
}

static void
row_mac(const unsigned char secret[VAL_SECRET_LEN], const struct row *r,
    unsigned char ret[MAC_LEN])
{
	struct row copy = *r;

	memset(copy.mac, 0, sizeof copy.mac);
	make_mac(secret, "row", &copy, sizeof copy, ret);
}

static int
get_head(int fd, struct head *ret)
{
	if (pread(fd, ret, sizeof *ret, 0) != (ssize_t)sizeof *ret ||
	    memcmp(ret->magic, MAGIC, sizeof MAGIC) != 0 ||
	    ret->rows == 0 || ret->rows % WAYS != 0 || ret->rows > ROWS_MAX)
		return ERR_SYNTAX;
	return 0;
}

static int
start_over(int fd, uint32_t rows)
{
	struct head h = { .rows = rows };

	memcpy(h.magic, MAGIC, sizeof MAGIC);
	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)sizeof(struct row) *
	    (1 + (off_t)rows)) < 0 ||
	    pwrite(fd, &h, sizeof h, 0) != (ssize_t)sizeof h)
		return -errno;
	return 0;
}

int
val_cache_open(const char *dir, uint32_t rows, bool write, int *ret_fd,
    struct err *err)
{
	AEG_AUTOFD int fd = -1;
	struct head h;
	int rc = val_file_open(dir, VAL_CACHE_NAME, write, &fd, err);

	if (rc < 0)
		return rc;
	rows = (rows + WAYS - 1) / WAYS * WAYS;
	rc = get_head(fd, &h);
	if (write && rows != 0 && (rc < 0 || h.rows != rows)) {
		rc = val_file_lock(fd);
		if (rc == 0)
			rc = start_over(fd, rows);
		flock(fd, LOCK_UN);
	}
	if (rc < 0)
		return err_set(err, rc, "%s/" VAL_CACHE_NAME ": %s", dir,
		    err_str(rc));
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static off_t
bucket_at(const struct head *h, const unsigned char key[MAC_LEN])
{
	uint32_t n;

	memcpy(&n, key, sizeof n);
	return (off_t)sizeof(struct row) *
	    (1 + (off_t)(n % (h->rows / WAYS)) * WAYS);
}

static bool
get_bucket(int fd, off_t at, struct row rows[WAYS])
{
	return pread(fd, rows, WAYS * sizeof *rows, at) ==
	    (ssize_t)(WAYS * sizeof *rows);
}

/* Numbers of the head are for people: a lost update does no harm. */
static void
put_head(int fd, const struct head *h)
{
	if (pwrite(fd, h, sizeof *h, 0) != (ssize_t)sizeof *h)
		return;
}

static void
tell(const struct row *r, struct val_verdict *ret)
{
	struct val_verdict v = { .status = VAL_ANSWERED,
		.action = VAL_ALLOW, .confidence = r->confidence,
		.cached = true };

	memcpy(v.model, r->model, strnlen(r->model, sizeof r->model - 1));
	memcpy(v.category, r->category,
	    strnlen(r->category, sizeof r->category - 1));
	snprintf(v.reason, sizeof v.reason, "allowed before");
	*ret = v;
}

int
val_cache_get(int fd, const unsigned char secret[VAL_SECRET_LEN],
    const unsigned char digest[VAL_DIGEST_LEN], int64_t now_ns,
    uint32_t ttl_s, struct val_verdict *ret, bool *ret_forged)
{
	unsigned char key[MAC_LEN], mac[MAC_LEN];
	struct row rows[WAYS];
	struct head h;
	off_t at;
	int i, found = 0;

	*ret_forged = false;
	make_mac(secret, "key", digest, VAL_DIGEST_LEN, key);
	if (get_head(fd, &h) < 0)
		return 0;
	at = bucket_at(&h, key);
	if (!get_bucket(fd, at, rows))
		return 0;
	for (i = 0; i < WAYS && found == 0; i++) {
		const struct row *r = &rows[i];

		if (r->stored_ns == 0 || !memeql_sec(r->key, key, MAC_LEN))
			continue;
		row_mac(secret, r, mac);
		if (!memeql_sec(r->mac, mac, MAC_LEN) ||
		    r->confidence > 100 || !val_category_good(r->category,
		    sizeof r->category)) {
			static const struct row none;

			*ret_forged = true;
			h.forged++;
			if (pwrite(fd, &none, sizeof none, at +
			    i * (off_t)sizeof none) < 0)
				break;
		} else if (r->stored_ns <= now_ns &&
		    now_ns - r->stored_ns < ttl_s * SECOND) {
			tell(r, ret);
			found = 1;
		}
	}
	h.hits += found == 1;
	h.misses += found == 0;
	put_head(fd, &h);
	return found;
}

void
val_cache_put(int fd, const unsigned char secret[VAL_SECRET_LEN],
    const unsigned char digest[VAL_DIGEST_LEN], int64_t now_ns,
    const struct val_verdict *v)
{
	struct row row = { .stored_ns = now_ns, .confidence = v->confidence };
	struct row rows[WAYS];
	struct head h;
	int i, place = 0;
	off_t at;

	make_mac(secret, "key", digest, VAL_DIGEST_LEN, row.key);
	memcpy(row.category, v->category,
	    strnlen(v->category, sizeof row.category - 1));
	memcpy(row.model, v->model, strnlen(v->model, sizeof row.model - 1));
	row_mac(secret, &row, row.mac);
	if (val_file_lock(fd) < 0)
		return;
	if (get_head(fd, &h) == 0) {
		at = bucket_at(&h, row.key);
		if (get_bucket(fd, at, rows)) {
			for (i = 0; i < WAYS; i++)
				if (memcmp(rows[i].key, row.key,
				    MAC_LEN) == 0) {
					place = i;
					break;
				} else if (rows[i].stored_ns <
				    rows[place].stored_ns) {
					place = i;
				}
			h.stored++;
			if (pwrite(fd, &row, sizeof row, at + place *
			    (off_t)sizeof row) == (ssize_t)sizeof row)
				put_head(fd, &h);
		}
	}
	flock(fd, LOCK_UN);
}

int
val_cache_stats(int fd, struct val_cache_stats *ret, struct err *err)
{
	struct val_cache_stats s = { .rows = 0 };
	struct row rows[WAYS];
	struct head h;
	uint32_t n;
	int i;

	if (get_head(fd, &h) < 0)
		return err_set(err, ERR_SYNTAX, VAL_CACHE_NAME
		    ": not a table of verdicts");
	s.rows = h.rows;
	s.hits = h.hits;
	s.misses = h.misses;
	s.stored = h.stored;
	s.forged = h.forged;
	for (n = 0; n < h.rows && get_bucket(fd, (off_t)sizeof(struct row) *
	    (1 + (off_t)n), rows); n += WAYS)
		for (i = 0; i < WAYS; i++) {
			if (rows[i].stored_ns == 0)
				continue;
			s.used++;
			if (s.oldest_ns == 0 ||
			    rows[i].stored_ns < s.oldest_ns)
				s.oldest_ns = rows[i].stored_ns;
		}
	*ret = s;
	return 0;
}

int
val_cache_clear(int fd, struct err *err)
{
	struct head h;
	int rc = get_head(fd, &h);

	if (rc == 0)
		rc = val_file_lock(fd);
	if (rc == 0)
		rc = start_over(fd, h.rows);
	flock(fd, LOCK_UN);
	return rc < 0 ? err_set(err, rc, VAL_CACHE_NAME ": %s", err_str(rc)) :
	    0;
}

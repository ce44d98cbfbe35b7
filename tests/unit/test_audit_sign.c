/* SPDX-License-Identifier: ISC */
/* Signatures of heads: the vectors of RFC 8032 and of tests/cases, which
 * another program takes as well; whatever of a head is altered makes its
 * signature none. */
#include "aegsh/audit_sign.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "scratch.h"
#include "tap.h"

static void
from_hex(const char *hex, unsigned char *ret, size_t len)
{
	for (; len > 0; len--, hex += 2)
		*ret++ = (unsigned char)(text_hex(hex[0]) << 4 |
		    text_hex(hex[1]));
}

static char *
to_hex(const unsigned char *p, size_t len)
{
	struct buf b = BUF_INIT;

	while (len-- > 0)
		buf_putf(&b, "%02x", *p++);
	return buf_take(&b);
}

/* RFC 8032, 7.1, tests 1 to 3. */
static void
public_keys(void)
{
	static const char *const pairs[][2] = {
		{ "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031"
		  "cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa623"
		  "25af021a68f707511a" },
		{ "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4"
		  "fb8a6fb", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec496"
		  "8cc0cd55f12af4660c" },
		{ "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0"
		  "b4458f7", "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303"
		  "ac5deb911548908025" },
	};
	unsigned char secret[AUDIT_KEY_LEN], public[AUDIT_KEY_LEN];
	size_t i;

	for (i = 0; i < AEG_NELEM(pairs); i++) {
		AEG_AUTOFREE char *got = NULL;

		from_hex(pairs[i][0], secret, sizeof secret);
		audit_key_public(secret, public);
		got = to_hex(public, sizeof public);
		IS_STR(got, pairs[i][1]);
	}
}

static struct audit_head
make(void)
{
	struct audit_head h = { .wall_ns = 1234567890123456789, .seq = 42 };

	memset(h.store, 0xa5, sizeof h.store);
	memset(h.link, 1, sizeof h.link);
	memset(h.root, 2, sizeof h.root);
	return h;
}

static void
vectors(void)
{
	AEG_AUTOFREE char *path = xasprintf("%s/tests/cases/audit-sign.case",
	    getenv("abs_top_srcdir"));
	FILE *f = fopen(path, "r");
	char line[1024], secret_hex[80], store[40], link[80], root[80];
	char want[160];
	int64_t wall, seq;
	int n = 0;

	OK(f != NULL);
	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		unsigned char secret[AUDIT_KEY_LEN];
		struct audit_signature s;
		struct audit_head h;
		AEG_AUTOFREE char *got = NULL;

		if (line[0] == '#' || sscanf(line, "%79s %39s %" SCNd64 " %"
		    SCNd64 " %79s %79s %159s", secret_hex, store, &wall, &seq,
		    link, root, want) != 7)
			continue;
		h.wall_ns = wall;
		h.seq = seq;
		from_hex(secret_hex, secret, sizeof secret);
		from_hex(store, h.store, sizeof h.store);
		from_hex(link, h.link, sizeof h.link);
		from_hex(root, h.root, sizeof h.root);
		audit_head_sign(&h, secret, &s);
		got = to_hex(s.bytes, sizeof s.bytes);
		IS_STR(got, want);
		n++;
	}
	OK(n >= 2);
	if (f != NULL)
		fclose(f);
}

/* Each bit of what is signed, of the signature and of the key. */
static void
altered(void)
{
	unsigned char secret[AUDIT_KEY_LEN] = { 7 };
	struct audit_head h = make(), other;
	struct audit_signature s, bad;
	int wrong = 0;
	size_t i;

	audit_head_sign(&h, secret, &s);
	OK(audit_head_signed(&h, &s));
	for (i = 0; i < sizeof h.store * 8; i++) {
		other = h;
		other.store[i / 8] ^= (unsigned char)(1 << i % 8);
		wrong += audit_head_signed(&other, &s);
	}
	for (i = 0; i < 64; i++) {
		other = h;
		other.seq ^= (int64_t)((uint64_t)1 << i);
		wrong += audit_head_signed(&other, &s);
		other = h;
		other.wall_ns ^= (int64_t)((uint64_t)1 << i);
		wrong += audit_head_signed(&other, &s);
	}
	for (i = 0; i < AUDIT_HASH_LEN * 8; i++) {
		other = h;
		other.link[i / 8] ^= (unsigned char)(1 << i % 8);
		wrong += audit_head_signed(&other, &s);
		other = h;
		other.root[i / 8] ^= (unsigned char)(1 << i % 8);
		wrong += audit_head_signed(&other, &s);
		bad = s;
		bad.key[i / 8] ^= (unsigned char)(1 << i % 8);
		wrong += audit_head_signed(&h, &bad);
	}
	for (i = 0; i < AUDIT_SIGNATURE_LEN * 8; i++) {
		bad = s;
		bad.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		wrong += audit_head_signed(&h, &bad);
	}
	IS_INT(wrong, 0);
}

static void
write_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0 ||
	    chmod(path, mode) < 0)
		exit(99);
}

/* A file that cannot be written for want of room: what is there stays. */
static void
no_room(void)
{
	unsigned char before[AUDIT_KEY_LEN], after[AUDIT_KEY_LEN];
	struct rlimit all, none;
	struct audit_keys known;
	struct err err = ERR_INIT;
	int rc[2];

	signal(SIGXFSZ, SIG_IGN);
	IS_INT(audit_key_load(false, false, before, &err), 0);
	getrlimit(RLIMIT_FSIZE, &all);
	none = all;
	none.rlim_cur = 16;
	setrlimit(RLIMIT_FSIZE, &none);
	rc[0] = audit_key_load(true, true, after, &err);
	rc[1] = audit_key_publish(before, &err);
	setrlimit(RLIMIT_FSIZE, &all);
	IS_INT(rc[0], -EFBIG);
	IS_INT(rc[1], -EFBIG);
	IS_INT(audit_key_load(false, false, after, &err), 0);
	OKF(memcmp(before, after, sizeof before) == 0, "the key stays");
	IS_INT(audit_keys_read(NULL, &known, &err), 0);
	OKF(known.n == 2 && !audit_keys_have(&known, before),
	    "and so do the public ones");
}

static void
keys(void)
{
	static const char key[] = "aegsh-key d75a980182b10ab7d54bfed3c964073a"
	    "0ee172f3daa62325af021a68f707511a";
	AEG_AUTOFREE char *etc = scratch_path("etc");
	AEG_AUTOFREE char *secret = scratch_path("etc/audit.key");
	AEG_AUTOFREE char *public = scratch_path("etc/audit.pub");
	AEG_AUTOFREE char *text = NULL;
	unsigned char first[AUDIT_KEY_LEN], again[AUDIT_KEY_LEN];
	struct audit_keys known;
	struct err err = ERR_INIT;
	int i;

	setenv("AEGSH_TEST_ROOT", scratch_dir, 1);
	mkdir(etc, 0755);
	IS_INT(audit_key_load(false, false, first, &err), -ENOENT);
	IS_INT(audit_key_load(true, false, first, &err), 0);
	IS_INT(audit_key_load(true, false, again, &err), 0);
	OK(memcmp(first, again, sizeof first) == 0);
	IS_INT(audit_key_load(true, true, again, &err), 0);
	OK(memcmp(first, again, sizeof first) != 0);
	OK(chmod(secret, 0640) == 0);
	IS_INT(audit_key_load(false, false, again, &err), ERR_TRUST);
	OK(chmod(secret, 0600) == 0 && truncate(secret, 31) == 0);
	IS_INT(audit_key_load(false, false, again, &err), ERR_TRUST);

	IS_INT(audit_keys_read(NULL, &known, &err), 0);
	IS_INT(known.n, 0);
	IS_INT(audit_key_publish(first, &err), 0);
	IS_INT(audit_key_publish(first, &err), 0);
	IS_INT(audit_keys_read(NULL, &known, &err), 0);
	OK(known.n == 1 && audit_keys_have(&known, first) &&
	    !audit_keys_have(&known, again));
	OK(chmod(public, 0666) == 0);
	IS_INT(audit_keys_read(NULL, &known, &err), ERR_TRUST);
	IS_INT(audit_keys_read("/nonexistent/x", &known, &err), -ENOENT);
	text = xasprintf("# of this host\n\n%s comment\n%s", key, key);
	write_file(public, text, 0644);
	IS_INT(audit_keys_read(public, &known, &err), 0);
	IS_INT(known.n, 2);
	OK(unlink(secret) == 0);
	IS_INT(audit_key_load(true, false, again, &err), 0);
	no_room();
	IS_INTN(audit_key_publish(first, &err), 0,
	    "behind a line that has no end");
	IS_INT(audit_keys_read(NULL, &known, &err), 0);
	OK(known.n == 3 && audit_keys_have(&known, first));
	write_file(public, "aegsh-key d75a98\n", 0644);
	IS_INT(audit_keys_read(public, &known, &err), ERR_SYNTAX);
	OK(strstr(err.text, ":1: ") != NULL);
	write_file(public, "aegsh-keys\n", 0644);
	IS_INT(audit_keys_read(public, &known, &err), ERR_SYNTAX);
	free(text);
	text = NULL;
	for (i = 0; i <= AUDIT_KEYS_MAX; i++) {
		char *longer = xasprintf("%s%s\n", text != NULL ? text : "",
		    key);

		free(text);
		text = longer;
	}
	write_file(public, text + strlen(key) + 1, 0644);
	IS_INT(audit_keys_read(public, &known, &err), 0);
	IS_INTN(audit_key_publish(first, &err), ERR_TOO_LONG,
	    "no more than can be read");
	IS_INT(audit_keys_read(public, &known, &err), 0);
	write_file(public, text, 0644);
	IS_INT(audit_keys_read(public, &known, &err), ERR_TOO_LONG);
	OK(audit_key_open_to(0) && audit_key_open_to(geteuid()) &&
	    !audit_key_open_to(geteuid() + 1));
}

/* What the operator keeps is read back. */
static void
lines(void)
{
	unsigned char secret[AUDIT_KEY_LEN] = { 9 }, store[16];
	struct audit_head h = make();
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct audit_witnessed last = { .seq = 0 };
	struct audit_signature s;

	OK(!audit_witness_last("", 0, store, &last));
	audit_head_sign(&h, secret, &s);
	audit_signed_text(&b, &h, &s);
	h.seq = 43;
	buf_puts(&b, "\naegsh-head store=torn seq=9\n");
	audit_signed_text(&b, &h, &s);
	OK(audit_witness_last(b.data, b.len, store, &last));
	OK(last.seq == 43 && memcmp(store, h.store, 16) == 0 &&
	    memcmp(last.link, h.link, sizeof h.link) == 0);
}

/* What a reader says of a store, beside what was signed of it. */
static void
follows(void)
{
	static const struct {
		int64_t seq;
		bool other_store, other_link;
		int want;
	} cases[] = {
		{ 42, false, false, 0 },
		{ 43, false, true, 0 },
		{ 42, false, true, ERR_STORE },
		{ 41, false, false, ERR_STORE },
		{ 41, false, true, ERR_STORE },
		{ 0, false, true, ERR_STORE },
		{ INT64_MIN, false, true, ERR_STORE },
		{ INT64_MAX, false, true, 0 },
		{ 41, true, true, 0 },
		{ 42, true, true, 0 },
	};
	struct audit_head seen = make();
	struct err err = ERR_INIT;
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct audit_head h = seen;

		h.seq = cases[i].seq;
		h.store[15] ^= cases[i].other_store;
		h.link[31] ^= cases[i].other_link;
		IS_INT(audit_head_follows(&h, &seen, &err), cases[i].want);
		IS_INT(audit_head_follows(&h, NULL, &err), 0);
	}
}

int
main(void)
{
	scratch_new();
	public_keys();
	vectors();
	altered();
	keys();
	lines();
	follows();
	return tap_done();
}

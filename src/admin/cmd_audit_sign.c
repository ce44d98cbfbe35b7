/* SPDX-License-Identifier: ISC */
/* `aegshctl audit key', `audit sign': the operator vouches for how far the
 * record of others had come, and remembers it where they cannot write. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin_read.h"
#include "admin_signer.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define HEADS "heads"
/* What is kept of one store's heads before the older half goes to .old. */
#define HEADS_MAX ((off_t)16 * 1024 * 1024)

enum { K_JSON, K_NEW };

static const struct admin_option key_options[] = {
	[K_JSON] = ADMIN_OPTION_JSON,
	[K_NEW] = { "new", 0, NULL, "another one; the old one stays known",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

enum { S_JSON, S_ALL, S_USER };

static const struct admin_option sign_options[] = {
	[S_JSON] = ADMIN_OPTION_JSON,
	[S_ALL] = { "all", 0, NULL, "the stores of all users",
	    ADMIN_WORDS_NONE },
	[S_USER] = { "user", 0, "NAME", "that user's store",
	    ADMIN_WORDS_USER },
	{ NULL }
};

/* ---- the directory of what was signed ----------------------------------- */

/* -1: err. */
static int
open_heads(bool make, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/" HEADS, sysdirs()->state);
	AEG_AUTOFD int parent = -1, fd = -1;
	struct stat st;
	int rc = make ? io_make_dirs(sysdirs()->state, 0755) : 0;

	if (rc < 0) {
		err_sys(err, -rc, "%s", sysdirs()->state);
		return -1;
	}
	if (conf_trust_dir(sysdirs()->state, (uid_t)-1, &parent, err) < 0)
		return -1;
	if (make && mkdirat(parent, HEADS, 0700) < 0 && errno != EEXIST) {
		err_sys(err, errno, "%s", path);
		return -1;
	}
	fd = openat(parent, HEADS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, errno, "%s", path);
		return -1;
	}
	if (st.st_uid != geteuid() || (st.st_mode & 077) != 0) {
		err_set(err, ERR_TRUST, "%s: must be the operator's alone, "
		    "mode 0700", path);
		return -1;
	}
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* The head that was signed last for that uid; false: none. */
static int
last_head(int heads, const char *name, struct audit_head *ret, bool *ret_any,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(2 *
	    (size_t)HEADS_MAX);
	AEG_AUTOFD int fd = openat(heads, name, O_RDONLY | O_NOFOLLOW |
	    O_CLOEXEC);
	struct audit_witnessed last;
	int rc;

	*ret_any = false;
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, HEADS "/%s",
		    name);
	rc = io_read_all(fd, &text);
	if (rc == 0 && buf_overflow(&text))
		rc = ERR_TOO_LONG;
	if (rc < 0)
		return err_set(err, rc, HEADS "/%s: %s", name, err_str(rc));
	*ret_any = audit_witness_last(text.data, text.len, ret->store, &last);
	if (*ret_any) {
		ret->seq = last.seq;
		memcpy(ret->link, last.link, sizeof ret->link);
	}
	return 0;
}

/* A line more, for good; a long file becomes NAME.old, and what is there of
 * that goes. */
static int
append(int heads, const char *name, const char *line, size_t len,
    struct err *err)
{
	AEG_AUTOFREE char *old = xasprintf("%s.old", name);
	struct stat st;
	AEG_AUTOFD int fd = -1;
	int rc;

	if (fstatat(heads, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_size > HEADS_MAX && renameat(heads, name, heads, old) < 0)
		return err_sys(err, errno, HEADS "/%s", name);
	fd = openat(heads, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, HEADS "/%s", name);
	rc = io_write_full(fd, line, len);
	if (rc == 0 && (fsync(fd) < 0 || fsync(heads) < 0))
		rc = -errno;
	return rc < 0 ? err_sys(err, -rc, HEADS "/%s", name) : 0;
}

/* ---- audit key ---------------------------------------------------------- */

static int
key(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	unsigned char secret[AUDIT_KEY_LEN], public[AUDIT_KEY_LEN];
	AEG_AUTO(buf_done) struct buf hex = BUF_INIT;
	bool json = false, fresh = false;
	struct err err = ERR_INIT;
	AEG_AUTOFD int heads = -1;
	json_t *doc;
	int o, rc;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == K_JSON)
			json = true;
		else
			fresh = true;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	rc = audit_key_load(true, fresh, secret, &err);
	if (rc < 0)
		return admin_fail(a, &err);
	audit_key_public(secret, public);
	explicit_bzero(secret, sizeof secret);
	rc = audit_key_publish(public, &err);
	if (rc == 0)
		heads = open_heads(true, &err);
	if (rc < 0 || heads < 0)
		return admin_fail(a, &err);
	hex_put(&hex, public, sizeof public);
	if (!json) {
		admin_say(a, "aegsh-key %s\n", hex.data);
		return ADMIN_OK;
	}
	doc = json_object();
	admin_json_text(doc, "key", hex.data);
	admin_json_print(a, doc);
	return ADMIN_OK;
}

/* ---- audit sign --------------------------------------------------------- */

struct signing {
	struct admin *a;
	struct admin_signer signer;
	int heads;
	unsigned witness;
	bool json, bad;
	char name[16];		/* of the file, the uid */
};

/* On record with the operator before the store has it. */
static int
keep(void *ctx, const struct admin_sealed *sealed, struct err *err)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	struct signing *s = ctx;

	audit_signed_text(&line, &sealed->head, &sealed->signature);
	buf_putc(&line, '\n');
	return append(s->heads, s->name, line.data, line.len, err);
}

static void
show(struct signing *s, const char *user, const struct admin_sealed *sealed)
{
	const struct audit_head *h = &sealed->head;
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	json_t *o;

	if (!s->json) {
		audit_signed_text(&line, h, &sealed->signature);
		admin_say(s->a, "%s\n", line.data);
		return;
	}
	o = json_object();
	admin_json_text(o, "user", user);
	admin_json_hex(o, "store", h->store, sizeof h->store);
	json_object_set_new(o, "wall_ns", json_integer(h->wall_ns));
	json_object_set_new(o, "seq", json_integer(h->seq));
	admin_json_hex(o, "link", h->link, sizeof h->link);
	admin_json_hex(o, "root", h->root, sizeof h->root);
	admin_json_hex(o, "key", sealed->signature.key, AUDIT_KEY_LEN);
	admin_json_hex(o, "signature", sealed->signature.bytes,
	    AUDIT_SIGNATURE_LEN);
	admin_json_print(s->a, o);
}

static void
complain(struct signing *s, const char *user, const char *text)
{
	admin_complain(s->a, "store of %s: %s", user, text);
	s->bad = true;
}

static int
tell_witness(struct signing *s, const struct admin_sealed *sealed,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;

	audit_signed_text(&line, &sealed->head, &sealed->signature);
	return audit_witness_send(s->witness, line.data, err);
}

static void
sign_one(struct signing *s, uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);
	AEG_AUTOFREE char *user = NULL;
	struct audit_head seen = { .seq = 0 };
	struct admin_sealed sealed;
	struct err err = ERR_INIT;
	bool any = false;
	int rc;

	user = pw != NULL ? xstrdup(pw->pw_name) : xasprintf("uid %lu",
	    (unsigned long)uid);
	snprintf(s->name, sizeof s->name, "%lu", (unsigned long)uid);
	rc = last_head(s->heads, s->name, &seen, &any, &err);
	if (rc == 0 && pw == NULL)
		rc = err_set(&err, ERR_UNKNOWN_NAME, "left out, because there "
		    "is no such user any more");
	if (rc == 0)
		rc = admin_signer_seal(s->a, &s->signer, user,
		    any ? &seen : NULL, keep, s, &sealed, &err);
	if (rc == -ENOENT && !any)
		return;			/* nothing is recorded yet */
	if (rc == -ENOENT)
		err_set(&err, rc, "is gone; link %" PRId64 " of it was signed",
		    seen.seq);
	if (rc < 0) {
		complain(s, user, err.text);
		return;
	}
	if (any && memcmp(seen.store, sealed.head.store,
	    sizeof seen.store) != 0)
		complain(s, user, "is another store than the one that was "
		    "signed before; what that one held is not in it");
	if (!sealed.fresh)
		return;
	show(s, user, &sealed);
	if (tell_witness(s, &sealed, &err) < 0)
		complain(s, user, err.text);
}

static void
sign_all(struct signing *s)
{
	AEG_AUTOFREE uid_t *uids = NULL;
	size_t n = 0, i;

	admin_stores(&uids, &n);
	for (i = 0; i < n; i++) {
		if (!audit_key_open_to(uids[i]))
			sign_one(s, uids[i]);
	}
}

static int
sign_user(struct signing *s, const char *user, struct err *err)
{
	const struct passwd *pw = getpwnam(user);

	if (pw == NULL)
		return err_set(err, ERR_CALLER, "no such user: %s", user);
	if (audit_key_open_to(pw->pw_uid))
		return err_set(err, ERR_CALLER, "%s can read the key: a "
		    "signature of their record would prove nothing", user);
	sign_one(s, pw->pw_uid);
	return 0;
}

static int
sign(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct signing s = { .a = a, .signer = ADMIN_SIGNER_INIT };
	struct err err = ERR_INIT;
	const char *user = NULL;
	AEG_AUTOFD int heads = -1;
	bool all = false;
	int o, rc;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == S_JSON)
			s.json = true;
		else if (o == S_ALL)
			all = true;
		else
			user = args.value;
	}
	if (admin_operands(a, &args, 0, 0) < 0)
		return ADMIN_USAGE;
	if (all == (user != NULL)) {
		admin_complain(a, "either --all or --user must be said");
		return admin_usage(a);
	}
	rc = audit_key_is_ours(&err);
	if (rc == 0)
		rc = admin_conf(a, &err);
	if (rc == 0)
		rc = audit_witness_parse(conf_str(a->conf, CONF_WITNESS),
		    &s.witness);
	if (rc == 0)
		rc = admin_signer_start(a, &s.signer, &err);
	if (rc == 0) {
		heads = s.heads = open_heads(false, &err);
		rc = heads < 0 ? err.code : 0;
	}
	if (rc == 0 && user != NULL)
		rc = sign_user(&s, user, &err);
	else if (rc == 0)
		sign_all(&s);
	admin_signer_done(&s.signer);
	if (rc < 0)
		return admin_fail(a, &err);
	return s.bad ? ADMIN_NO : ADMIN_OK;
}

const struct admin_verb cmd_audit_key = {
	.name = "audit key",
	.usage = "",
	.summary = "make the key that signs heads, and print its public half",
	.run = key,
	.options = key_options,
};

const struct admin_verb cmd_audit_sign = {
	.name = "audit sign",
	.usage = "",
	.summary = "sign how far the record of others has come (operator "
	    "only)",
	.run = sign,
	.options = sign_options,
};

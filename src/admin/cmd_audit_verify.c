/* SPDX-License-Identifier: ISC */
/* `aegshctl audit verify', `audit head', `audit backup': whether the record
 * is what was written, and what to keep of it elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "admin_prove.h"
#include "admin_read.h"
#include "aegsh/audit.h"
#include "aegsh/audit_chain.h"
#include "aegsh/audit_sign.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

enum { O_JSON, O_USER, O_WITNESS, O_KEY, O_ROW };

#define OPTION_USER { "user", 0, "NAME", "that user's store (root only)", \
	ADMIN_WORDS_USER }

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = OPTION_USER,
	[O_WITNESS] = { "witness", 0, "FILE",
	    "compare with the heads in FILE (-: standard input)",
	    ADMIN_WORDS_FILE },
	[O_KEY] = { "key", 0, "FILE",
	    "check signatures by the keys in FILE, not the operator's",
	    ADMIN_WORDS_FILE },
	[O_ROW] = { "row", 0, "ID",
	    "prove that one line is in the record", ADMIN_WORDS_NONE },
	{ NULL }
};
static const struct admin_option user_only[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = OPTION_USER,
	{ NULL }
};

struct asked {
	bool json;
	const char *user, *witness, *keys, *row;
};

#define FINDINGS_MAX 1000	/* that are shown; all are counted */

struct told {
	struct admin *a;
	bool json;
	int64_t shown;
};

/* -EINVAL: was said. */
static int
take_options(struct admin *a, struct admin_args *args, struct asked *ret)
{
	int o;

	while ((o = admin_option_next(a, args)) >= 0) {
		if (o == O_JSON)
			ret->json = true;
		else if (o == O_USER)
			ret->user = args->value;
		else if (o == O_KEY)
			ret->keys = args->value;
		else if (o == O_ROW)
			ret->row = args->value;
		else
			ret->witness = args->value;
	}
	return admin_operands(a, args, 0, 0);
}

/* ADMIN_OK, or what the verb returns.  That somebody looked is not recorded:
 * it would be a link more at the end that is looked at, and nothing that the
 * rows say is shown. */
static int
open_store(struct admin *a, const struct asked *q, bool head,
    struct audit **ret)
{
	struct err err = ERR_INIT;
	int rc = admin_read_quietly(a, q->user, head, ret, &err);

	/* A head is kept, so that it can be told from none after a deletion. */
	if (rc == 0 && head)
		rc = audit_head(*ret, &err);
	if (rc == 0)
		return ADMIN_OK;
	audit_close(*ret);
	return admin_read_fail(a, rc, &err);
}

/* Read before rights change: the file may be root's. */
static int
read_witness(struct admin *a, const char *path, struct buf *ret)
{
	AEG_AUTOFD int file = -1;
	struct err err = ERR_INIT;
	int fd = STDIN_FILENO;

	if (path == NULL)
		return ADMIN_OK;
	if (path[0] != '-' || path[1] != '\0')
		fd = file = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && io_read_all(fd, ret) == 0 && !buf_overflow(ret))
		return ADMIN_OK;
	if (buf_overflow(ret))
		err_set(&err, ERR_TOO_LONG, "%s: more than %zu bytes", path,
		    BUF_MAX_DEFAULT);
	else
		err_sys(&err, errno, "%s", path);
	return admin_fail(a, &err);
}

static void
on_finding(void *ctx, const struct audit_finding *f)
{
	static const char *const texts[AUDIT_FAULT_COUNT] = {
		[AUDIT_FAULT_ALTERED] = "is not what was recorded",
		[AUDIT_FAULT_MISSING] = "is gone",
		[AUDIT_FAULT_REORDERED] = "stands out of its order",
		[AUDIT_FAULT_GAP] = "links of the chain are gone",
		[AUDIT_FAULT_UNCHAINED] = "was put in, or ended, beside the "
		    "chain",
		[AUDIT_FAULT_HEAD] = "a head is of another chain",
		[AUDIT_FAULT_TRUNCATED] = "the chain ends before it",
		[AUDIT_FAULT_REWRITTEN] = "a witness has seen another chain",
		[AUDIT_FAULT_SCHEMA] = "is not the table that aegsh makes, or "
		    "has something to it; no row was read",
		[AUDIT_FAULT_OUTPUT] = "what the line wrote is not in its "
		    "session's file as it was",
		[AUDIT_FAULT_INDEX] = "a search would not find it, or one of "
		    "those behind it: remove audit.index, or audit.outputs",
		[AUDIT_FAULT_SIGNATURE] = "its signature is not one by a "
		    "known key",
	};
	struct told *t = ctx;
	json_t *o;

	/* Whoever altered all of it must not flood who looks. */
	if (t->shown++ >= FINDINGS_MAX)
		return;

	if (t->json) {
		o = json_object();
		admin_json_text(o, "fault", audit_fault_name(f->fault));
		json_object_set_new(o, "seq", f->seq != 0 ?
		    json_integer(f->seq) : json_null());
		admin_json_text(o, "table", f->table);
		json_object_set_new(o, "row", f->row != 0 ?
		    json_integer(f->row) : json_null());
		admin_json_print(t->a, o);
		return;
	}
	if (f->row != 0)
		admin_say(t->a, "%s %" PRId64, f->table, f->row);
	else if (f->fault == AUDIT_FAULT_SCHEMA)
		admin_say(t->a, "%s", f->table);
	if (f->row != 0 && f->seq != 0)
		admin_say(t->a, ", ");
	if (f->seq != 0)
		admin_say(t->a, "link %" PRId64, f->seq);
	admin_say(t->a, ": %s\n", texts[f->fault]);
}

/* The first link that only the store itself vouches for, whose user could
 * have written it so; 0: there is none. */
static int64_t
advisory_from(const struct audit_verdict *v, int64_t witnessed)
{
	int64_t upto = v->signed_to > witnessed ? v->signed_to : witnessed;

	if (v->findings > 0 || upto < v->first)
		return v->links > 0 ? v->first : 0;
	return upto < v->last ? upto + 1 : 0;
}

static void
print_verdict(struct admin *a, const struct audit_verdict *v,
    int64_t witnessed, bool json)
{
	int64_t from = advisory_from(v, witnessed);
	json_t *o = json_object();

	admin_json_hex(o, "store", v->origin.store, sizeof v->origin.store);
	json_object_set_new(o, "links", json_integer(v->links));
	json_object_set_new(o, "first", json_integer(v->first));
	json_object_set_new(o, "last", json_integer(v->last));
	admin_json_hex(o, "link", v->link, sizeof v->link);
	json_object_set_new(o, "heads", json_integer(v->heads));
	json_object_set_new(o, "witnessed", json_integer(v->witnessed));
	json_object_set_new(o, "signed", json_integer(v->is_signed));
	json_object_set_new(o, "signed_to", json_integer(v->signed_to));
	json_object_set_new(o, "advisory_from", from > 0 ? json_integer(from) :
	    json_null());
	json_object_set_new(o, "expired", json_integer(v->expired));
	json_object_set_new(o, "outputs", json_integer(v->outputs));
	json_object_set_new(o, "older", json_integer(v->older));
	json_object_set_new(o, "findings", json_integer(v->findings));
	if (json)
		admin_json_print(a, o);
	else
		admin_json_show(a, o, ADMIN_SHOW_FOLDED);
}

/* What is wrong, then what was read; an exit status. */
static int
conclude(struct admin *a, const struct asked *q, const struct audit_verdict *v,
    const struct audit_witnessed *seen, size_t witnesses)
{
	bool blind = q->witness != NULL && witnesses == 0;

	/* In the order of their links. */
	print_verdict(a, v, witnesses > 0 ? seen[witnesses - 1].seq : 0,
	    q->json);
	if (blind)
		admin_complain(a, "%s: has no head of this store",
		    q->witness);
	if (v->findings > FINDINGS_MAX)
		admin_complain(a, "%" PRId64 " findings more are not shown",
		    v->findings - FINDINGS_MAX);
	if (v->unsure > 0)
		admin_complain(a, "%" PRId64 " signatures were not checked, "
		    "because no key is known here; see --key", v->unsure);
	return v->findings > 0 || blind ? ADMIN_NO : ADMIN_OK;
}

static int
verify(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTOFREE struct audit_witnessed *seen = NULL;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct asked q = { .json = false };
	struct audit_witnessed last;
	struct audit_origin origin;
	struct audit_verdict v;
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	struct told t = { .a = a };
	struct audit_keys keys;
	size_t n = 0;
	int rc;

	if (take_options(a, &args, &q) < 0)
		return ADMIN_USAGE;
	if (q.row != NULL && q.witness != NULL) {
		admin_complain(a, "--row and --witness do not go together");
		return admin_usage(a);
	}
	t.json = q.json;
	rc = read_witness(a, q.witness, &text);
	/* A file that was named comes first; before the operator's, who may
	 * not read the store at all is told that. */
	if (rc == ADMIN_OK && (q.keys != NULL || q.row != NULL) &&
	    audit_keys_read(q.keys, &keys, &err) < 0)
		rc = admin_fail(a, &err);
	if (rc == ADMIN_OK && q.row == NULL)
		rc = open_store(a, &q, false, &store);
	if (rc == ADMIN_OK && q.keys == NULL && q.row == NULL &&
	    audit_keys_read(NULL, &keys, &err) < 0)
		rc = admin_fail(a, &err);
	if (rc == ADMIN_OK && q.row != NULL)
		return admin_prove(a, q.user, q.row, &keys, q.json);
	if (rc != ADMIN_OK) {
		audit_close(store);
		return rc;
	}
	rc = audit_stand(store, &origin, &last, &err);
	if (rc == 0 && text.len > 0)
		rc = audit_witness_read(text.data, text.len, origin.store,
		    &seen, &n, &err);
	if (rc == 0)
		rc = audit_verify(store, &(struct audit_against){
		    .witnesses = seen, .n = n, .keys = &keys }, on_finding,
		    &t, &v, &err);
	audit_close(store);
	if (rc < 0)
		return admin_fail(a, &err);
	return conclude(a, &q, &v, seen, n);
}

static int
head(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct asked q = { .json = false };
	struct audit_witnessed last;
	struct audit_origin origin;
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	json_t *o;
	int rc;

	if (take_options(a, &args, &q) < 0)
		return ADMIN_USAGE;
	rc = open_store(a, &q, true, &store);
	if (rc != ADMIN_OK)
		return rc;
	rc = audit_stand(store, &origin, &last, &err);
	audit_close(store);
	if (rc < 0)
		return admin_fail(a, &err);
	if (q.json) {
		o = json_object();
		admin_json_hex(o, "store", origin.store, sizeof origin.store);
		json_object_set_new(o, "seq", json_integer(last.seq));
		admin_json_hex(o, "link", last.link, sizeof last.link);
		admin_json_print(a, o);
		return ADMIN_OK;
	}
	audit_head_text(&b, origin.store, last.seq, last.link);
	admin_say(a, "%s\n", b.data);
	return ADMIN_OK;
}

static int
backup(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct err err = ERR_INIT;
	struct audit *store = NULL;
	int rc;

	if (admin_json_operands(a, &args, 1, 1, NULL) < 0)
		return ADMIN_USAGE;
	rc = admin_read_copy(a, &store, &err);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	rc = audit_backup(store, argv[args.at], &err);
	audit_close(store);
	return rc < 0 ? admin_fail(a, &err) : ADMIN_OK;
}

const struct admin_verb cmd_audit_verify = {
	.name = "audit verify",
	.usage = "",
	.summary = "check that the record is what was written",
	.run = verify,
	.options = options,
};

const struct admin_verb cmd_audit_head = {
	.name = "audit head",
	.usage = "",
	.summary = "print the last link of the record, to be kept elsewhere",
	.run = head,
	.options = user_only,
};

static const struct admin_option no_options[] = { { NULL } };

const struct admin_verb cmd_audit_backup = {
	.name = "audit backup",
	.usage = "FILE",
	.summary = "copy the record while it is written to",
	.run = backup,
	.options = no_options,
	.words = ADMIN_WORDS_FILE,
};

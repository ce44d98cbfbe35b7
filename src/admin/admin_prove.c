/* SPDX-License-Identifier: ISC */
/* `aegshctl audit verify --row': what proves that a line is in the record,
 * to be checked without it. */
#include "admin_prove.h"

#include <errno.h>
#include <inttypes.h>

#include "admin_read.h"
#include "aegsh/audit_prove.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

struct proving {
	struct admin *a;
	json_t *links;
	const struct audit_keys *keys;
	int64_t row;		/* 0: there is no such line */
	int64_t bare, broken, forged;	/* links without a head; … */
};

static json_t *
head_json(struct proving *v, const struct audit_proof *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "seq", json_integer(p->head.seq));
	json_object_set_new(o, "wall_ns", json_integer(p->head.wall_ns));
	admin_json_hex(o, "link", p->head.link, sizeof p->head.link);
	admin_json_hex(o, "root", p->head.root, sizeof p->head.root);
	if (!p->is_signed)
		return o;
	admin_json_hex(o, "key", p->signature.key, sizeof p->signature.key);
	admin_json_hex(o, "signature", p->signature.bytes,
	    sizeof p->signature.bytes);
	if (v->keys->n > 0 && (!audit_keys_have(v->keys, p->signature.key) ||
	    !audit_head_signed(&p->head, &p->signature)))
		v->forged++;
	return o;
}

static void
on_link(void *ctx, const struct audit_proof *p)
{
	char text[2 * AUDIT_HASH_LEN + 1];
	struct proving *v = ctx;
	json_t *o = json_object(), *path;
	size_t i;

	json_object_set_new(o, "seq", json_integer(p->seq));
	json_object_set_new(o, "kind", json_integer(p->kind));
	admin_json_text(o, "what", p->what);
	json_object_set_new(o, "row", json_integer(p->row));
	admin_json_hex(o, "before", p->before, sizeof p->before);
	admin_json_hex(o, "bytes", p->bytes, p->len);
	admin_json_hex(o, "link", p->link, sizeof p->link);
	v->broken += p->broken;
	v->bare += !p->has_head;
	if (p->has_head && !p->broken) {
		path = json_array();
		for (i = 0; i < p->n; i++) {
			hex_text(p->path[i], AUDIT_HASH_LEN, text);
			json_array_append_new(path, json_string(text));
		}
		json_object_set_new(o, "index",
		    json_integer((json_int_t)p->index));
		json_object_set_new(o, "leaves",
		    json_integer((json_int_t)p->leaves));
		json_object_set_new(o, "path", path);
		json_object_set_new(o, "head", head_json(v, p));
	}
	json_array_append_new(v->links, o);
}

static int
on_row(void *ctx, const struct audit_row *row)
{
	((struct proving *)ctx)->row = row->id;
	return 1;
}

/* By its number or its UUID. */
static int
find_row(struct proving *v, struct audit *store, const char *id,
    struct err *err)
{
	struct audit_query q = { .limit = 1 };

	if (text_to_i64(id, 1, INT64_MAX, &q.id) < 0)
		q.uuid = id;
	return audit_query(store, &q, on_row, v, err);
}

static int
conclude(struct proving *v, const char *id)
{
	if (v->broken > 0)
		admin_complain(v->a, "%s: the record does not prove this line "
		    "(see audit verify), or the links beside it were deleted",
		    id);
	if (v->forged > 0)
		admin_complain(v->a, "%s: its head has a signature that is "
		    "not one by a known key", id);
	if (v->bare > 0)
		admin_complain(v->a, "%s: no head is as far as this yet; "
		    "audit head makes one", id);
	return v->broken > 0 || v->bare > 0 || v->forged > 0 ? ADMIN_NO :
	    ADMIN_OK;
}

int
admin_prove(struct admin *a, const char *user, const char *id,
    const struct audit_keys *keys, bool json)
{
	struct proving v = { .a = a, .keys = keys };
	struct audit_witnessed last;
	struct audit *store = NULL;
	struct audit_origin origin;
	struct err err = ERR_INIT;
	json_t *o;
	int rc = admin_read_open(a, user, false, &store, NULL, &err);

	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	v.links = json_array();
	rc = audit_stand(store, &origin, &last, &err);
	if (rc == 0)
		rc = find_row(&v, store, id, &err);
	if (rc == 0 && v.row != 0)
		rc = audit_prove(store, v.row, on_link, &v, &err);
	audit_close(store);
	if (rc < 0 || v.row == 0 || json_array_size(v.links) == 0) {
		json_decref(v.links);
		if (rc < 0)
			return admin_fail(a, &err);
		admin_complain(a, v.row == 0 ? "%s: no such line" :
		    "%s: is older than the chain", id);
		return ADMIN_NO;
	}
	o = json_object();
	admin_json_hex(o, "store", origin.store, sizeof origin.store);
	json_object_set_new(o, "line", json_integer(v.row));
	json_object_set_new(o, "links", v.links);
	if (json)
		admin_json_print(a, o);
	else
		admin_json_show(a, o, ADMIN_SHOW_AS_IS);
	return conclude(&v, id);
}

/* SPDX-License-Identifier: ISC */
/*
 * The key of the tags, and what the operator adds.  The key stands in the
 * store, which no profile grants to a command: whoever had it could try out
 * which secret a tag belongs to.
 */
#include "redact_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/keyfile.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"

#define KEY_NAME "redact.key"
#define RULES_NAME "redact.conf"

void
redact_key_set(struct redact *r, const unsigned char key[REDACT_KEY_LEN])
{
	memcpy(r->key, key, sizeof r->key);
	r->keyed = true;
}

int
redact_key_load(struct redact *r, const char *dir, struct err *err)
{
	int rc = keyfile_load(dir, KEY_NAME, r->key, sizeof r->key, err);

	if (rc == 0)
		r->keyed = true;
	return rc;
}

static int
load_rules(struct redact *r, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/" RULES_NAME,
	    sysdirs()->conf);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	int rc = conf_trust_read(path, (uid_t)-1, REDACT_FILE_MAX, &text, err);

	if (rc == -ENOENT)
		return 0;
	return rc < 0 ? rc : redact_rules_add(r, path, text.data != NULL ?
	    text.data : "", text.len, err);
}

int
redact_open(const char *store, struct redact **ret, struct err *err)
{
	struct redact *r = redact_new();
	struct err why = ERR_INIT;
	int rc = load_rules(r, err);

	if (rc == 0 && (store == NULL || redact_key_load(r, store, &why) < 0)) {
		log_debug("redact: %s", why.text);
		rc = keyfile_random(r->key, sizeof r->key, err);
		r->keyed = rc == 0;
	}
	if (rc < 0) {
		redact_free(r);
		return rc;
	}
	*ret = r;
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* The rule files that are in force, for those who want to see them. */
#include "policy_int.h"

#include <nettle/sha2.h>

#include "aegsh/base/hex.h"

static const char *
layer_name(enum pol_layer layer)
{
	switch (layer) {
	case POL_FLOOR:
		return "floor";
	case POL_VENDOR:
		return "vendor";
	case POL_SITE:
		return "site";
	case POL_USER:
		return "user";
	}
	return "?";
}

static int
tell(const struct pol_sources *s,
	int (*fn)(void *ctx, const struct policy_file *file), void *ctx)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < s->n && rc == 0; i++) {
		const struct pol_source *v = &s->v[i];
		struct policy_file file = { .layer = layer_name(v->layer),
			.path = v->path, .built_in = v->layer == POL_FLOOR,
			.uid = v->seen.st_uid, .mode = v->seen.st_mode & 07777,
			.len = v->len };
		struct sha256_ctx sha;
		uint8_t hash[32];

		sha256_init(&sha);
		sha256_update(&sha, v->len, (const void *)v->text);
		sha256_digest(&sha, sizeof hash, hash);
		hex_text(hash, 32, file.hash);
		rc = fn(ctx, &file);
	}
	return rc;
}

int
policy_each_file(const char *user_dir, uid_t uid,
	int (*fn)(void *ctx, const struct policy_file *file), void *ctx,
	struct err *err)
{
	struct pol_sources s = POL_SOURCES_INIT;
	struct policy_user *user = NULL;
	int rc = pol_sources_read(NULL, &s, err);

	if (rc < 0)
		return rc;
	rc = tell(&s, fn, ctx);
	pol_sources_done(&s);
	/* One that can't be used is left out of the rules, and told there. */
	if (rc != 0 || user_dir == NULL ||
	    policy_user_read(user_dir, uid, &user, NULL) < 0 || user == NULL)
		return rc;
	rc = tell(pol_user_files(user), fn, ctx);
	policy_user_free(user);
	return rc;
}

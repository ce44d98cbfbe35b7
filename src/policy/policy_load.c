/* SPDX-License-Identifier: ISC */
/* Loading: from the cache where the sources are the same, else from the
 * sources, whose examples must then hold. */
#include "policy_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"

static const struct pol_profile *
find_profile(const struct policy *p, const char *name)
{
	const struct pol_profile *all = pol_section(p, POL_SEC_PROFILES);
	uint32_t i;

	for (i = 0; i < pol_count(p, POL_SEC_PROFILES); i++)
		if (strcmp(pol_string(p, all[i].name), name) == 0)
			return &all[i];
	return NULL;
}

int
policy_select(struct policy *p, const char *profile, struct err *err)
{
	const struct pol_profile *found = find_profile(p, profile);

	if (found == NULL)
		return err_set(err, ERR_UNKNOWN_NAME, "no policy profile '%s'; "
		    "aegshctl profile list shows them", profile);
	p->profile = found;
	return 0;
}

int
pol_open_bytes(struct pol_bytes bytes, const char *profile,
	struct policy **ret, struct err *err)
{
	struct policy *p = xcalloc(1, sizeof *p);

	p->bytes = bytes;
	p->blob = bytes.p;
	p->size = bytes.size;
	p->head = (const void *)p->blob;
	p->regexes = pol_regex_new(pol_count(p, POL_SEC_REGEXES));
	pol_sets_prepare(p);
	hex_text(p->head->hash, 32, p->hash);
	/* policy_choose() will. */
	if (profile == NULL && pol_count(p, POL_SEC_PROFILES) > 0)
		p->profile = pol_section(p, POL_SEC_PROFILES);
	else if (policy_select(p, profile != NULL ? profile : "(none)",
	    err) < 0) {
		policy_free(p);
		return ERR_UNKNOWN_NAME;
	}
	*ret = p;
	return 0;
}

int
pol_open(char *blob, size_t size, const char *profile, struct policy **ret,
	struct err *err)
{
	return pol_open_bytes((struct pol_bytes){ .p = blob, .size = size },
	    profile, ret, err);
}

static int
compile(struct pol_sources *s, const char *cache_dir, struct pol_bytes *ret,
	struct err *err)
{
	AEG_AUTO(pol_bytes_done) struct pol_bytes bytes = { .p = NULL };
	int rc = pol_compile(s, &bytes.p, &bytes.size, err);

	if (rc == 0)
		rc = pol_examples_check(s, bytes.p, bytes.size, err);
	if (rc < 0)
		return rc;
	if (cache_dir != NULL)
		pol_cache_write(cache_dir, s->hash, bytes.p, bytes.size);
	*ret = bytes;
	bytes = (struct pol_bytes){ .p = NULL };
	return 0;
}

static int
load(const char *profile, const char *cache_dir,
	const struct policy_user *user, bool map, struct policy **ret,
	struct err *err)
{
	AEG_AUTO(pol_sources_done) struct pol_sources s = POL_SOURCES_INIT;
	AEG_AUTOFD int dir = cache_dir != NULL ? open(cache_dir, O_PATH |
	    O_DIRECTORY | O_CLOEXEC) : -1;
	struct pol_bytes bytes = { .p = NULL };
	struct pol_known known = { .checked = { 0 } };
	int rc;

	rc = pol_sources_find(user, &s, err);
	if (rc < 0)
		return rc;
	if (dir >= 0 && pol_cache_known(dir, s.identity, &known) == 0 &&
	    pol_cache_read(dir, &known, map, &bytes) == 0) {
		memcpy(s.hash, known.hash, sizeof s.hash);
		if (map && memcmp(known.checked, bytes.file,
		    sizeof known.checked) != 0)
			pol_cache_vouch(cache_dir, &s, &bytes);
		return pol_open_bytes(bytes, profile, ret, err);
	}
	rc = pol_sources_fill(&s, err);
	known = (struct pol_known){ .checked = { 0 } };
	memcpy(known.hash, s.hash, sizeof known.hash);
	if (rc == 0 && (dir < 0 || pol_cache_read(dir, &known, map,
	    &bytes) < 0))
		rc = compile(&s, cache_dir, &bytes, err);
	if (rc < 0)
		return rc;
	if (cache_dir != NULL)
		pol_cache_remember(cache_dir, &s);
	return pol_open_bytes(bytes, profile, ret, err);
}

int
pol_load(const char *profile, const char *cache_dir,
	const struct policy_user *user, bool watched, struct policy **ret,
	struct err *err)
{
	/* Before the files are read: what changes meanwhile shows later. */
	struct pol_watch *watch = watched ? pol_watch_new() : NULL;
	int rc = load(profile, cache_dir, user, !watched, ret, err);

	if (rc == 0)
		(*ret)->watch = watch;
	else
		pol_watch_free(watch);
	return rc;
}

int
policy_load_layers(const char *profile, const char *cache_dir,
	const struct policy_user *user, struct policy **ret, struct err *err)
{
	return pol_load(profile, cache_dir, user, true, ret, err);
}

int
policy_refresh(struct policy *p, const char *cache_dir,
	const struct policy_user *user, struct policy **ret, struct err *err)
{
	struct policy *fresh = NULL;
	struct pol_watch *watch;
	int rc;

	*ret = NULL;
	if (p->watch == NULL || !pol_watch_changed(p->watch))
		return 0;
	watch = pol_watch_new();
	rc = load(policy_profile(p), cache_dir, user, false, &fresh, err);
	if (rc == 0 && strcmp(fresh->hash, p->hash) != 0) {
		fresh->watch = watch;
		*ret = fresh;
		return 0;
	}
	policy_free(fresh);
	pol_watch_free(p->watch);
	p->watch = watch;
	return rc;
}

int
policy_load(const char *profile, const char *cache_dir, struct policy **ret,
	struct err *err)
{
	return policy_load_layers(profile, cache_dir, NULL, ret, err);
}

void
policy_free(struct policy *p)
{
	if (p == NULL)
		return;
	pol_regex_free(p);
	pol_watch_free(p->watch);
	free(p->buckets);
	free(p->own_left_out);
	free(p->not_listed);
	buf_done(&p->shown);
	pol_bytes_done(&p->bytes);
	free(p);
}

const char *
policy_profile(const struct policy *p)
{
	return pol_string(p, p->profile->name);
}

const char *
policy_sandbox(const struct policy *p)
{
	return pol_string(p, p->profile->sandbox);
}

int
policy_rank(const struct policy *p)
{
	return (int)p->profile->rank;
}

enum policy_action
policy_unknown(const struct policy *p, unsigned evidence)
{
	return (enum policy_action)(evidence >= p->profile->ask_at ?
	    p->profile->unknown_evidence : p->profile->unknown);
}

const char *
policy_hash(const struct policy *p)
{
	return p->hash;
}

const char *
policy_action_name(enum policy_action action)
{
	switch (action) {
	case POLICY_BLOCK:
		return "block";
	case POLICY_WARN:
		return "warn";
	case POLICY_UNKNOWN:
		return "unknown";
	case POLICY_ALLOW:
		return "allow";
	}
	return "block";
}

int
policy_each_note(const struct policy *p, int (*fn)(void *ctx,
	const char *text), void *ctx)
{
	const uint32_t *notes = pol_list(p, p->head->notes);
	uint32_t i;
	int rc;

	for (i = 0; i < p->head->n_notes; i++)
		if ((rc = fn(ctx, pol_string(p, notes[i]))) != 0)
			return rc;
	return 0;
}

int
policy_each_profile(const struct policy *p, int (*fn)(void *ctx,
	const char *name, const char *extends, int rank), void *ctx)
{
	const struct pol_profile *all = pol_section(p, POL_SEC_PROFILES);
	uint32_t i;
	int rc;

	for (i = 0; i < pol_count(p, POL_SEC_PROFILES); i++)
		if ((rc = fn(ctx, pol_string(p, all[i].name),
		    pol_string(p, all[i].extends), (int)all[i].rank)) != 0)
			return rc;
	return 0;
}

int
policy_each_sandbox(const struct policy *p, int (*fn)(void *ctx,
	const char *profile, const char *sandbox, const char *file,
	unsigned line), void *ctx)
{
	const struct pol_profile *f = pol_section(p, POL_SEC_PROFILES);
	uint32_t i;
	int rc;

	for (i = 0; i < pol_count(p, POL_SEC_PROFILES); i++) {
		const char *name = pol_string(p, f[i].name);
		const char *elevated = pol_string(p, f[i].elevated);

		rc = fn(ctx, name, pol_string(p, f[i].sandbox),
		    pol_string(p, f[i].file), f[i].line);
		if (rc == 0 && f[i].elevate == 1 && elevated != NULL)
			rc = fn(ctx, name, elevated,
			    pol_string(p, f[i].elevated_file),
			    f[i].elevated_line);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* The settings or a match block give it, or the site has made it for that. */
static bool
is_given(const struct policy *p, const struct pol_profile *f,
	const char *configured)
{
	const struct pol_match *m = pol_section(p, POL_SEC_MATCHES);
	const char *name = pol_string(p, f->name);
	uint32_t i;

	if (f->vendors == 0 || strcmp(name, configured) == 0)
		return true;
	for (i = 0; i < pol_count(p, POL_SEC_MATCHES); i++)
		if (strcmp(name, pol_string(p, m[i].profile)) == 0)
			return true;
	return false;
}

bool
policy_any_elevates(const struct policy *p, const char *configured,
	bool *ret_confined)
{
	const struct pol_profile *f = pol_section(p, POL_SEC_PROFILES);
	bool any = false;
	uint32_t i;

	*ret_confined = false;
	for (i = 0; i < pol_count(p, POL_SEC_PROFILES); i++) {
		if (f[i].elevate != 1 || !is_given(p, &f[i], configured))
			continue;
		any = true;
		*ret_confined |= pol_string(p, f[i].elevated) != NULL;
	}
	return any;
}

bool
pol_speaks(const struct policy *p, uint32_t rule)
{
	return pol_list(p, p->profile->rules)[rule / 32] >> (rule % 32) & 1;
}

int
policy_each(const struct policy *p, enum policy_action action,
	int (*fn)(void *ctx, const char *id, const char *what,
	const char *reason, const char *where), void *ctx)
{
	const struct pol_rule *r = pol_section(p, POL_SEC_RULES);
	char where[512];
	uint32_t i;
	int rc;

	for (i = 0; i < pol_count(p, POL_SEC_RULES); i++) {
		if (pol_action(r[i].says) != action || !pol_speaks(p, i))
			continue;
		snprintf(where, sizeof where, "%s:%u", pol_string(p, r[i].file),
		    r[i].line);
		rc = fn(ctx, pol_string(p, r[i].id), pol_string(p, r[i].what),
		    pol_string(p, r[i].reason), where);
		if (rc != 0)
			return rc;
	}
	return 0;
}

enum policy_action
pol_action(uint32_t says)
{
	switch ((enum pol_says)says) {
	case POL_SAYS_BLOCK:
		return POLICY_BLOCK;
	case POL_SAYS_WARN:
		return POLICY_WARN;
	case POL_SAYS_EVIDENCE:
		return POLICY_UNKNOWN;
	case POL_SAYS_ALLOW:
		return POLICY_ALLOW;
	}
	return POLICY_BLOCK;
}

/* SPDX-License-Identifier: ISC */
/*
 * Which rules and which profile a session has: the layers; match blocks,
 * asked in order as those of sshd_config(5); then the settings, then what
 * was asked for, which can only be stricter.
 */
#include "policy_int.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"

static int
take_note(void *ctx, const char *text)
{
	strv_add(ctx, text);
	return 0;
}

int
policy_load_session(const char *cache_dir, const char *user_dir, uid_t uid,
	bool watch, struct policy **ret, struct policy_user **ret_user,
	struct strv *notes, struct err *err)
{
	struct policy_user *user = NULL;
	struct err own = ERR_INIT;
	int rc = 0;

	if (user_dir != NULL)
		rc = policy_user_read(user_dir, uid, &user, &own);
	if (rc == 0)
		rc = pol_load(NULL, cache_dir, user, watch, ret, &own);
	/* Whose fault is it? */
	if (rc < 0 && user_dir != NULL) {
		policy_user_free(AEG_STEAL(user));
		rc = pol_load(NULL, cache_dir, NULL, watch, ret, err);
		if (rc == 0) {
			(*ret)->own_left_out = xasprintf("your own rules are "
			    "left out: %s", own.text);
			strv_add(notes, (*ret)->own_left_out);
		}
	} else if (rc < 0 && err != NULL) {
		*err = own;
	}
	if (rc < 0)
		return rc;
	policy_each_note(*ret, take_note, notes);
	*ret_user = user;
	return 0;
}

const char *
policy_own_left_out(const struct policy *p)
{
	return p->own_left_out;
}

/* ---- match blocks -------------------------------------------------------- */

static bool
any_pattern(const struct policy *p, uint32_t list, uint32_t n,
	const char *text)
{
	const uint32_t *v = pol_list(p, list);
	uint32_t i;

	for (i = 0; i < n; i++)
		if (fnmatch(pol_string(p, v[i]), text, 0) == 0)
			return true;
	return false;
}

/* 1, 0, or an error: a group that could not be asked for is not one that
 * nobody is in. */
static int
any_group(const struct policy *p, uint32_t list, uint32_t n,
	struct names_groups *groups, struct err *err)
{
	const uint32_t *v = pol_list(p, list);
	uint32_t i;
	int rc = 0;

	for (i = 0; i < n && rc == 0; i++)
		rc = names_in_group(pol_string(p, v[i]), groups, err);
	return rc;
}

/* 1: what is asked holds. */
static int
answer(const struct policy *p, enum pol_match_ask ask, uint32_t list,
	uint32_t n, const struct policy_who *who,
	struct names_groups *groups, struct err *err)
{
	switch (ask) {
	case POL_MATCH_USER:
		return any_pattern(p, list, n, who->user);
	case POL_MATCH_GROUP:
		return any_group(p, list, n, groups, err);
	case POL_MATCH_HOST:
		return any_pattern(p, list, n, who->host);
	case POL_MATCH_ORIGIN:
		return (list >> who->origin & 1) ||
		    (who->login && (list >> POLICY_ORIGIN_LOGIN & 1));
	case POL_MATCH_COUNT:
		break;
	}
	return 0;
}

/* 1, 0, or an error. */
static int
holds(const struct policy *p, const struct pol_match *m,
	const struct policy_who *who, struct names_groups *groups,
	struct err *err)
{
	int ask, not, rc;

	for (ask = 0; ask < POL_MATCH_COUNT; ask++)
		for (not = 0; not < 2; not++) {
			if (m->asks[ask][not].n == 0)
				continue;
			rc = answer(p, (enum pol_match_ask)ask,
			    m->asks[ask][not].list, m->asks[ask][not].n, who,
			    groups, err);
			if (rc < 0)
				return err_context(err, "%s:%u: match '%s'",
				    pol_string(p, m->file), m->line,
				    pol_string(p, m->name));
			if (rc == not)
				return 0;
		}
	return 1;
}

static int
first_match(const struct policy *p, const struct policy_who *who,
	const struct pol_match **ret, struct err *err)
{
	const struct pol_match *m = pol_section(p, POL_SEC_MATCHES);
	struct names_groups groups = { .gids = who->groups,
	    .n = who->n_groups };
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < pol_count(p, POL_SEC_MATCHES); i++, m++) {
		rc = holds(p, m, who, &groups, err);
		if (rc == 1)
			*ret = m;
	}
	return rc < 0 ? rc : names_groups_sure(&groups, err);
}

/* Select a profile that is as strict as the selected one, or ERR_RANGE. */
static int
tighten(struct policy *p, const char *profile, struct err *err)
{
	const struct pol_profile *before = p->profile;
	int rc = policy_select(p, profile, err);

	if (rc < 0 || p->profile->rank >= before->rank)
		return rc;
	p->profile = before;
	return err_set(err, ERR_RANGE, "profile %s is less strict than %s, "
	    "which the operator configured", profile, policy_profile(p));
}

static int
select_configured(struct policy *p, const struct policy_wish *wish,
	struct err *err)
{
	int rc = policy_select(p, wish->configured, err);

	if (rc < 0 && wish->file != NULL)
		err_context(err, "%s:%u", wish->file, wish->line);
	return rc;
}

int
policy_choose(struct policy *p, const struct policy_who *who,
	const struct policy_wish *wish, struct policy_choice *ret,
	struct err *err)
{
	struct policy_choice choice = { .block = NULL };
	const struct pol_match *m = NULL;
	struct err vain = ERR_INIT;
	int rc = first_match(p, who, &m, err);

	if (rc == 0 && m != NULL)
		rc = policy_select(p, pol_string(p, m->profile), err);
	else if (rc == 0)
		rc = select_configured(p, wish, err);
	if (rc == 0 && m != NULL) {
		choice.block = pol_string(p, m->name);
		choice.file = pol_string(p, m->file);
		choice.line = m->line;
	}
	if (rc == 0 && wish->wanted != NULL)
		rc = m != NULL || wish->only_tighter ?
		    tighten(p, wish->wanted, err) :
		    policy_select(p, wish->wanted, err);
	else if (rc == 0 && m != NULL && wish->own &&
	    tighten(p, wish->configured, &vain) < 0)
		snprintf(choice.note, sizeof choice.note, "%s (match '%s' in "
		    "%s:%u)", vain.text, choice.block, choice.file,
		    choice.line);
	if (rc == 0)
		*ret = choice;
	return rc;
}

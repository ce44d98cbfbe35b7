/* SPDX-License-Identifier: ISC */
/*
 * Set-group-id: a helper that reads what its user may not.
 *
 * Whoever has the other end of our socket is that user, and need not be
 * aegsh.  So it is not he who says which key is read and where it is sent:
 * with the group, the operator's own settings say it, and only where they
 * make the install a managed one.
 */
#include "judge_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/conf.h"
#include "aegsh/wire_helper.h"

bool
judge_group_held(void)
{
	return getegid() != getgid();
}

int
judge_group_drop(struct err *err)
{
	if (!judge_group_held())
		return 0;
	if (setresgid(getgid(), getgid(), getgid()) < 0 ||
	    wire_helper_hide() < 0)
		return err_sys(err, errno, "giving the group up");
	return 0;
}

static uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint64_t
least_cost(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The user may ask fewer of them, in his order (a trial asks each alone). */
static int
choose(struct val_setup *s, const struct val_setup *told, struct err *err)
{
	struct val_setup all = *s;
	size_t i, k;

	s->n = 0;
	for (i = 0; i < told->n; i++) {
		const char *name = told->endpoints[i].name;

		for (k = 0; k < all.n; k++)
			if (strcmp(all.endpoints[k].name, name) == 0)
				break;
		if (k == all.n)
			return err_set(err, ERR_REFUSED, "%s is no endpoint "
			    "of the operator's settings", name);
		s->endpoints[s->n] = all.endpoints[k];
		/* One that the user has: nothing of the group's. */
		if (all.endpoints[k].key_file[0] == '\0')
			s->endpoints[s->n].key = told->endpoints[i].key;
		s->n++;
	}
	return 0;
}

/* What only narrows may come from the user's own settings. */
static void
narrow(struct val_setup *s, const struct val_setup *told)
{
	s->store = told->store;
	s->profile = told->profile;
	s->cache_rows = told->cache_rows;
	s->cache_ttl_s = least(s->cache_ttl_s, told->cache_ttl_s);
	s->rate = least(s->rate, told->rate);
	s->day_cost = least_cost(s->day_cost, told->day_cost);
	if (s->quorum > s->n)	/* one of them, on trial */
		s->quorum = (uint32_t)s->n;
}

static int
take_operators(const struct conf *conf, const struct val_setup *told,
    struct val_chain *chain, struct err *err)
{
	int rc = val_chain_load(conf, told->store, told->profile, false, chain,
	    err);

	if (rc < 0)
		return rc;
	rc = choose(&chain->setup, told, err);
	if (rc == 0)
		narrow(&chain->setup, told);
	return rc;
}

int
judge_group_settings(const struct val_setup *told, struct val_chain *ret,
    struct err *err)
{
	struct conf *conf = NULL;
	/* As user 0: the operator's file and no other. */
	int rc = conf_load(0, NULL, NULL, &conf, err);

	if (rc == 0 && conf_managed(conf))
		rc = take_operators(conf, told, ret, err);
	else if (rc == 0)
		rc = judge_group_drop(err);
	conf_free(conf);
	return rc;
}

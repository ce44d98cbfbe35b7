/* SPDX-License-Identifier: ISC */
/* The validator's part of `aegshctl status'. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/validator_chain.h"
#include "aegsh/validator_store.h"

static void
put_time(json_t *o, const char *key, int64_t ns)
{
	char text[ADMIN_TIME_MAX];

	if (ns != 0)
		admin_time_json(ns, text);
	admin_json_text(o, key, ns != 0 ? text : NULL);
}

static void
put_count(json_t *o, const char *key, uint64_t n)
{
	json_object_set_new(o, key, json_integer((json_int_t)n));
}

static void
put_health(json_t *o, const struct val_endpoint *e,
    const struct val_state *state)
{
	const struct val_health *h = NULL;
	uint64_t place = val_endpoint_place(e);
	int64_t now = clock_wall_ns();
	size_t i;

	for (i = 0; i < VAL_CHAIN_MAX; i++)
		if (strcmp(state->endpoints[i].name, e->name) == 0 &&
		    state->endpoints[i].place == place)
			h = &state->endpoints[i];
	admin_json_text(o, "health", h == NULL ? "not asked yet" :
	    h->open != 0 && h->open_until_ns > now ? "left alone" :
	    h->failures > 0 ? "failing" : "good");
	if (h == NULL)
		return;
	put_count(o, "failures_in_a_row", h->failures);
	put_count(o, "asked", h->asked);
	put_count(o, "answered", h->answered);
	put_time(o, "last_answer", h->last_ok_ns);
	put_time(o, "last_failure", h->last_fail_ns);
	put_time(o, "asked_again", h->open != 0 && h->open_until_ns > now ?
	    h->open_until_ns : 0);
}

static void
put_endpoint(json_t *list, const struct val_endpoint *e,
    const struct val_state *state)
{
	json_t *o = json_object();
	AEG_AUTOFD int fd = -1;

	json_array_append_new(list, o);
	admin_json_text(o, "name", e->name);
	admin_json_text(o, "url", e->url);
	admin_json_text(o, "format", e->format);
	admin_json_text(o, "model", e->model);
	if (e->key_file[0] != '\0') {
		admin_json_text(o, "key_file", e->key_file);
		fd = open(e->key_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		/* Then so can this user's commands, where the sandbox does
		 * not keep them from it. */
		json_object_set_new(o, "key_readable_by_user",
		    json_boolean(fd >= 0));
	}
	put_health(o, e, state);
}

static void
put_state(json_t *o, const struct val_state *s)
{
	char cost[32];

	if (s->day != clock_wall_ns() / 1000000000 / 86400)
		return;
	put_count(o, "questions_today", s->day_questions);
	put_count(o, "tokens_today", s->day_tokens_in + s->day_tokens_out);
	snprintf(cost, sizeof cost, "%llu.%06llu",
	    (unsigned long long)(s->day_cost / 1000000),
	    (unsigned long long)(s->day_cost % 1000000));
	admin_json_text(o, "cost_today", cost);
}

int
admin_validator_status(struct admin *a, json_t *o, struct err *err)
{
	AEG_AUTO(val_chain_done) struct val_chain chain = VAL_CHAIN_INIT;
	AEG_AUTOFREE char *place = NULL;
	struct val_state state = { .day = 0 };
	json_t *list = json_array();
	AEG_AUTOFD int fd = -1;
	size_t i;
	int rc;

	if (audit_place(a->uid, false, &place, NULL) == 0 &&
	    val_state_open(place, VAL_STATE_NAME, false, &fd, NULL) == 0)
		val_state_read(fd, &state);
	rc = val_chain_load(a->conf, place, NULL, false, &chain, err);
	json_object_set_new(o, "configured", json_boolean(rc < 0 ||
	    chain.setup.n > 0));
	admin_json_text(o, "when_it_fails", conf_str(a->conf, CONF_FAIL));
	for (i = 0; rc == 0 && i < chain.setup.n; i++)
		put_endpoint(list, &chain.setup.endpoints[i], &state);
	json_object_set_new(o, "endpoints", list);
	if (rc == 0 && chain.setup.n > 0) {
		put_count(o, "must_agree", chain.setup.quorum);
		put_state(o, &state);
	}
	return rc;
}

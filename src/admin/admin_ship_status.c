/* SPDX-License-Identifier: ISC */
/* Where the record is sent, and how far that is: who is recorded is told,
 * and who operates the host sees a gap. */
#include "admin_read.h"
#include "admin_ship.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/audit.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define LATE_NS (INT64_C(3600) * 1000000000)

/* Links that the store has and the sink not; -1: that cannot be said. */
static int64_t
behind(struct audit *store, const struct admin_mark *m)
{
	struct audit_witnessed last;
	struct audit_origin origin;

	if (store == NULL || audit_stand(store, &origin, &last, NULL) < 0)
		return -1;
	if (memcmp(origin.store, m->at.store, sizeof origin.store) != 0)
		return last.seq;
	return last.seq > m->at.seq ? last.seq - m->at.seq : 0;
}

static void
set_time(json_t *o, const char *key, int64_t ns)
{
	char when[ADMIN_TIME_MAX];

	if (ns <= 0)
		return;
	admin_time_json(ns, when);
	admin_json_text(o, key, when);
}

/* user NULL: the own one. */
static bool
add_sink(struct audit *store, const struct admin_mark *m, const char *user,
    json_t *list)
{
	int64_t links = behind(store, m), now = clock_wall_ns();
	json_t *o = json_object();
	bool late = links > 0 && (m->sent_ns == 0 ||
	    now - m->sent_ns > LATE_NS);

	if (user != NULL)
		admin_json_text(o, "user", user);
	admin_json_text(o, "sink", m->sink);
	if (links >= 0)
		json_object_set_new(o, "behind", json_integer(links));
	json_object_set_new(o, "sent", json_integer(m->sent));
	json_object_set_new(o, "rejected", json_integer(m->rejected));
	json_object_set_new(o, "lost", json_integer(m->lost));
	json_object_set_new(o, "changed", json_integer(m->changed));
	set_time(o, "last", m->sent_ns);
	if (m->since_ns != 0) {
		set_time(o, "fails_since", m->since_ns);
		admin_json_text(o, "problem", m->why != NULL ? m->why :
		    "it takes nothing");
	} else if (late) {
		admin_json_text(o, "problem", "nobody sends it: aegshctl "
		    "audit ship is not run");
	} else if (m->why != NULL) {
		admin_json_text(o, "note", m->why);
	}
	json_array_append_new(list, o);
	return m->since_ns != 0 || late;
}

/* Of other users' records what did not go as it should: for the operator, who
 * has them sent. */
static bool
add_others(struct admin *a, const struct ship_sinks *sinks, json_t *o)
{
	json_t *list = json_array();
	AEG_AUTOFREE uid_t *uids = NULL;
	bool bad = false;
	size_t n = 0, i, k;

	admin_stores(&uids, &n);
	for (i = 0; i < n; i++) {
		AEG_AUTO(admin_marks_done) struct admin_marks marks =
		    ADMIN_MARKS_INIT;
		const struct passwd *pw = getpwuid(uids[i]);

		if (uids[i] == a->uid || admin_marks_load(uids[i], true,
		    false, &marks, NULL) < 0)
			continue;
		for (k = 0; k < sinks->n; k++) {
			const struct admin_mark *m = admin_marks_of(&marks,
			    sinks->at[k].name);

			if (m->since_ns != 0 || m->rejected > 0 ||
			    m->lost > 0 || m->changed > 0)
				bad = add_sink(NULL, m, pw != NULL ?
				    pw->pw_name : "?", list) || bad;
		}
	}
	if (json_array_size(list) > 0)
		json_object_set_new(o, "gaps_of_others", list);
	else
		json_decref(list);
	return bad;
}

bool
admin_ship_status(struct admin *a, struct audit *store, json_t *o)
{
	bool operators = conf_origin(a->conf, CONF_SHIP) == CONF_OPERATOR;
	AEG_AUTO(admin_marks_done) struct admin_marks marks =
	    ADMIN_MARKS_INIT;
	struct ship_sinks sinks = { .n = 0 };
	json_t *list = json_array();
	struct err err = ERR_INIT;
	bool bad = false;
	size_t i;
	int rc = ship_sinks_parse(conf_str(a->conf, CONF_SHIP), &sinks, &err);

	if (rc == 0 && sinks.n > 0) {
		rc = admin_marks_load(a->uid, operators, false, &marks, &err);
		if (rc == -ENOENT)	/* never run */
			rc = 0;
	}
	for (i = 0; rc == 0 && i < sinks.n; i++)
		bad = add_sink(store, admin_marks_of(&marks,
		    sinks.at[i].name), NULL, list) || bad;
	if (operators && sinks.n > 0 && geteuid() == 0)
		bad = add_others(a, &sinks, o) || bad;
	if (sinks.n == 0)
		admin_json_text(o, "sent_to", "nobody: see ship");
	else
		json_object_set_new(o, "sent_to", json_incref(list));
	json_decref(list);
	ship_sinks_done(&sinks);
	if (rc < 0) {
		admin_json_text(o, "problem", err.text);
		bad = true;
	}
	return bad;
}

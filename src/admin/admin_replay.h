/* SPDX-License-Identifier: ISC */
/* Scores of judges on labelled lines. */
#ifndef AEGSH_ADMIN_REPLAY_H
#define AEGSH_ADMIN_REPLAY_H

#include "admin_ask.h"

enum replay_judge { REPLAY_POLICY, REPLAY_MODEL, REPLAY_BOTH, REPLAY_JUDGES };

/* What a line may come to: bits by enum decision_action; 0: no label. */
unsigned replay_label(const json_t *row);

/* One line's result; -1: that judge did not answer. */
struct replay_result {
	unsigned label;
	int came_to[REPLAY_JUDGES];	/* enum decision_action */
	bool asked;			/* the model was needed for "both" */
	int64_t latency_ns;
	uint64_t cost, tokens_in, tokens_out;
};

json_t *replay_result_json(int64_t number, const char *hash,
	const struct replay_result *r);
/* False: it is no such document. */
bool replay_result_read(const json_t *o, int64_t *ret_number,
	const char **ret_hash, struct replay_result *ret);

struct replay_score {
	uint64_t lines, harmful, harmless, unlabelled, failed;
	uint64_t found[REPLAY_JUDGES];	/* harmful and not allowed */
	uint64_t alarms[REPLAY_JUDGES];	/* stricter than its label */
	uint64_t asked, cost, tokens_in, tokens_out;
	int64_t *latencies;
	size_t n_latencies;
};
void replay_score_add(struct replay_score *s, const struct replay_result *r);
void replay_score_done(struct replay_score *s);
/* Sorts the latencies. */
json_t *replay_score_json(struct replay_score *s);
void replay_score_print(struct admin *a, struct replay_score *s);

#endif

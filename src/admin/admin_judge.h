/* SPDX-License-Identifier: ISC */
/* Judging lines as a session of somebody would, with nothing run. */
#ifndef AEGSH_ADMIN_JUDGE_H
#define AEGSH_ADMIN_JUDGE_H

#include "admin_facts.h"
#include "aegsh/decision.h"
#include "aegsh/policy.h"

struct admin_judge_opts {
	const char *profile;	/* NULL: the one that a session would have */
	const char *user;	/* NULL: the caller, with his environment */
	const char *cwd;	/* NULL: the caller's */
	const char *site;	/* rules in the place of the site's, or NULL:
				 * see policy_load_trial() */
	enum policy_origin origin;
	bool rules_alone;	/* not what the shell refuses beside them */
	bool keeps_rights;	/* no admin_confine(): somebody will be asked */
};

struct admin_judge;

/* Where opts name a user, root becomes that user.  Once this is done, the
 * process can change nothing any more: admin_confine(). */
int admin_judge_new(struct admin *a, const struct admin_judge_opts *opts,
	struct admin_judge **ret, struct err *err);
void admin_judge_free(struct admin_judge *j);
const struct policy *admin_judge_policy(const struct admin_judge *j);
/* The match block that chose the profile, or NULL. */
const char *admin_judge_match(const struct admin_judge *j);
/* What of the user's own rules is not followed. */
const struct strv *admin_judge_notes(const struct admin_judge *j);
/* For the next line: another profile, directory (it need not be there) and
 * origin; NULL and POLICY_ORIGIN_UNKNOWN: those of opts. */
int admin_judge_place(struct admin_judge *j, const char *profile,
	const char *cwd, enum policy_origin origin, struct err *err);

struct admin_judged {
	struct admin_facts facts;
	struct policy_verdict verdict;	/* with SYN_TREE */
	struct decision *decision;
	bool model;			/* a language model would be asked */
	struct buf explain;
};

/* Takes bytes. */
int admin_judge_line(struct admin_judge *j, char *bytes, size_t len,
	bool explain, struct admin_judged *ret, struct err *err);
void admin_judged_done(struct admin_judged *t);

/* What else a session goes by, for folding an answer in. */
const struct decision_input *admin_judge_input(const struct admin_judge *j);

/* The answer as the exit status of `test`: ADMIN_OK, ADMIN_NO (somebody
 * would be asked), ADMIN_BLOCK; and as "allow", "warn", "block". */
int admin_judged_status(const struct admin_judged *t);
const char *admin_judged_word(const struct admin_judged *t);
/* The document of `test --json`. */
json_t *admin_judged_json(const struct admin_judge *j,
	const struct admin_judged *t, bool explain);

/* "prompt", "command", …; POLICY_ORIGIN_UNKNOWN for any other word. */
enum policy_origin admin_origin(const char *word);

/* admin_lines.c: answer the JSON lines of a descriptor, each by a document
 * on a->out; the exit status. */
int admin_judge_lines(struct admin *a, struct admin_judge *j, int fd,
	bool explain);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The second judge: a language model, asked over a socket through the
 * helper aegsh-judge.  No HTTP, no JSON parser and no key in this process:
 * the helper parses the answer strictly and hands over a frame of fixed
 * layout (aegsh/validator_frame.h), which is checked again here, field by
 * field.
 */
#ifndef AEGSH_VALIDATOR_H
#define AEGSH_VALIDATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/conf.h"
#include "aegsh/redact.h"

#define VAL_REPLY_MAX ((size_t)64 * 1024)	/* bytes of one answer */
#define VAL_REASON_MAX 300			/* bytes of a reason kept */
#define VAL_LINE_MAX ((size_t)32 * 1024)	/* longer lines are not sent:
						 * they count as unanswered */
#define VAL_FACTS_MAX 64			/* the same for more facts */
#define VAL_NAME_MAX 32				/* of an endpoint, with NUL */
#define VAL_CHAIN_MAX 8				/* endpoints of a chain */

enum val_action { VAL_BLOCK = 0, VAL_WARN, VAL_ALLOW };
enum val_status {
	VAL_FAILED = 0,		/* down, late, malformed: the fail mode rules */
	VAL_NOT_CONFIGURED,	/* no endpoint */
	VAL_CANCELLED,		/* Ctrl-C while it was asked */
	VAL_ANSWERED,
};

struct val_verdict {
	enum val_status status;
	enum val_action action;		/* with VAL_ANSWERED */
	unsigned confidence;		/* percent */
	char reason[VAL_REASON_MAX];	/* inert; or what failed */
	char alternative[VAL_REASON_MAX];	/* inert, may be empty */
	char category[64];		/* [a-z0-9_-]+ */
	char model[128];		/* inert; who answered, or was asked */
	char endpoint[VAL_NAME_MAX];	/* its name in the chain, or "" */
	int64_t latency_ns;
	uint64_t tokens_in, tokens_out;	/* of all that were asked */
	uint64_t cost;			/* millionths of the currency */
	bool cached;			/* nobody was asked anew */
	bool forged;			/* somebody had planted a verdict; it
					 * was not believed */
};

/* What the model is told, besides the line: facts as name and text.  All
 * of it travels as JSON strings, never as instructions, and with what looks
 * like a secret replaced. */
struct val_fact {
	const char *name, *text;
	size_t len;
};
struct val_question {
	const char *line;
	size_t len;
	const char *cwd;
	const char *origin;
	const struct val_fact *facts;
	size_t n_facts;
	/* Everything is known: no unknown part, no script.  Then an allow may
	 * be taken from, and kept in, the cache. */
	bool settled;
	/* What the answer depends on and the model is not told: hash of the
	 * policy, values, prefixes.  Goes into the key of the cache alone. */
	const char *context;
	size_t context_len;
	const struct redact *redact;	/* NULL: what is built in, no tags */
};

struct validator;

/* Starts nothing.  Reads the file of the option chain, where it is set, and
 * takes keys that it finds in the environment out of it: validator_taken()
 * names those variables, which must not live on elsewhere.  store: the
 * user's, for cache, budgets and health; profile: for what the operator adds
 * to the prompt; NULL: none.  ERR_TOO_LONG for a setting over its cap. */
int validator_new(const struct conf *conf, const char *store,
	const char *profile, struct validator **ret, struct err *err);
const struct strv *validator_taken(const struct validator *v);
/* In a copy of the process that made it, all of whose descriptors are closed:
 * the helper is the other one's, and a question starts another. */
void validator_forked(struct validator *v);
/* Ends the helper; waits for nothing but its death by SIGKILL, briefly. */
void validator_free(struct validator *v);
bool validator_configured(const struct validator *v);
/* How the last question went, for a prompt: VAL_NOT_CONFIGURED; VAL_ANSWERED
 * also before the first; VAL_FAILED. */
enum val_status validator_health(const struct validator *v);
/* The endpoints, in order: name and model of one; for trials of each. */
size_t validator_count(const struct validator *v);
void validator_tell(const struct validator *v, size_t i,
	const char **ret_name, const char **ret_model);
/* From now on ask that endpoint alone, and nothing is remembered; (size_t)-1:
 * the whole chain, but still nothing remembered. */
void validator_select(struct validator *v, size_t i);
/* Start the helper in the background, so that the first question finds it
 * warm.  Never blocks; a failure shows when it is asked.  Does nothing after
 * a failure that a changed file would mend (key, prompt, names of hosts):
 * the next question reads those anew. */
void validator_warm(struct validator *v);
/* Its helper, which it reaps itself, or -1. */
pid_t validator_helper_pid(const struct validator *v);
/* Ask.  cancel_fd readable (Ctrl-C; -1: none) gives VAL_CANCELLED at once.
 * progress, when not NULL, is called every 300 ms or so with the time gone
 * and who is asked (inert; never NULL), so that the caller can tell a person
 * what is waited for.  It takes no longer than ask-timeout and a blink. */
void validator_ask(struct validator *v, const struct val_question *q,
	int cancel_fd, void (*progress)(void *ctx, int64_t waited_ns,
	const char *who), void *ctx, struct val_verdict *ret);

const char *val_action_name(enum val_action action);
const char *val_status_name(enum val_status status);

/* Strict: exactly one object with exactly the schema's members and this
 * nonce, nothing else.  ERR_SYNTAX says what is wrong.  Stands in an
 * archive of its own (LINK_valreply), because it needs a JSON parser and
 * the shell does not. */
int val_parse_reply(const char *text, size_t len, const char *nonce,
	struct val_verdict *ret, struct err *err);

#endif

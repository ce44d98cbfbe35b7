/* SPDX-License-Identifier: ISC */
/*
 * aegsh-judge: what its files share.
 *
 * main calls judge_setup (keys, endpoints, confinement) and then judge_loop,
 * which puts questions to judge_chain; that decides whom to ask, over
 * judge_http and in the words of one row of judge_format.
 */
#ifndef JUDGE_INT_H
#define JUDGE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/validator_chain.h"
#include "aegsh/validator_frame.h"
#include "aegsh/validator_store.h"

#define JUDGE_KEY_MAX ((size_t)8 * 1024)	/* bytes of a key file */
#define JUDGE_CA_MAX ((size_t)4 * 1024 * 1024)	/* bytes of a ca-file */
#define JUDGE_PROMPT_MAX ((size_t)64 * 1024)
#define JUDGE_BODY_MAX ((size_t)512 * 1024)	/* bytes of one HTTP body */
#define JUDGE_HEADERS_MAX ((size_t)64 * 1024)	/* of all header fields */
#define JUDGE_TOKENS_MAX 100000000		/* more is no count */
#define JUDGE_PROMPT "prompts/judge-2.txt"	/* below sysdirs()->data */

struct judge_format;
struct json_t;

/* Where a model is. */
struct judge_endpoint {
	char *url;		/* of the request, whole */
	char *unix_path;	/* connect there instead, or NULL */
	char *label;		/* "host:port" or the socket, for messages */
	char *proxy;		/* or NULL */
	unsigned port;		/* that is connected to; 0: a unix socket */
	bool plain;		/* no TLS: loopback and nothing else */
	bool is_name;		/* a host has to be looked up */
	uid_t trusted_uid;	/* whose socket it may be, besides the
				 * operator's and its server's; -1: nobody */
};

/* https://host[:port][/base][?query]; http:// where the host is loopback;
 * unix:/socket[:/base].  The format says what is appended, with the model
 * where it wants it. */
int judge_endpoint_parse(const char *text, const struct judge_format *f,
	const char *model, struct judge_endpoint *ret, struct err *err);
/* http, https or socks5h://host:port: everything goes there. */
int judge_endpoint_proxy(struct judge_endpoint *e, const char *proxy,
	struct err *err);
void judge_endpoint_done(struct judge_endpoint *e);
/* A socket that only its server, the operator or uid can have put there:
 * asked before each connection.  ERR_TRUST says what is wrong. */
int judge_socket_check(const char *path, uid_t uid, struct err *err);

/* uid: whose files are trusted besides the operator's. */
int judge_key_read(const char *path, uid_t uid, struct buf *ret,
	struct err *err);
/* A key that came by other ways: one word, or ERR_SYNTAX. */
int judge_key_check(const char *what, struct buf *key, struct err *err);

/* The process has a group that its user has not. */
bool judge_group_held(void);
int judge_group_drop(struct err *err);
/* With it: what the operator's settings say, narrowed by what was told; *ret
 * untouched and the group dropped where no operator manages this install. */
int judge_group_settings(const struct val_setup *told, struct val_chain *ret,
	struct err *err);

/* One question as the two texts of a conversation. */
struct judge_prompt {
	const char *model;
	const char *system;	/* instructions: ours alone */
	const char *user;	/* data */
};

/* What came back, taken out of its envelope. */
struct judge_reply {
	struct buf text;	/* the model's */
	char model[sizeof(((struct val_verdict *)0)->model)];	/* inert */
	uint64_t tokens_in, tokens_out;
	bool streamed;		/* though it was not asked for */
	bool any, ended;	/* some text; the end was seen */
	unsigned blocks;
};
#define JUDGE_REPLY_INIT { .text = BUF_INIT_MAX(JUDGE_BODY_MAX) }

/*
 * A wire format.  level says how much is asked of the server, 0 the most;
 * what its bits mean is the format's own business.
 */
struct judge_format {
	const char *name;
	const char *path;	/* appended to the base URL; %s: the model */
	const char *unix_base;	/* of a socket for which none is given */
	const char *auth;	/* header field, with %s for the key */
	const char *header;	/* another one, or NULL */
	/* The body of the request, owned; NULL: a text is not UTF-8. */
	struct json_t *(*request)(const struct judge_prompt *p,
		unsigned level);
	/* Take the model's text out of the answer, or of one of its pieces. */
	int (*event)(struct json_t *o, struct judge_reply *r,
		struct err *err);
	unsigned step;		/* how far one step down in the form is */
};
extern const struct judge_format judge_format_openai, judge_format_azure,
	judge_format_responses, judge_format_anthropic, judge_format_gemini,
	judge_format_ollama;
const struct judge_format *judge_format_find(const char *name);	/* or NULL */
/* The body of a request, appended to ret. */
int judge_format_request(const struct judge_format *f,
	const struct judge_prompt *p, unsigned level, struct buf *ret,
	struct err *err);
/* The model's text out of the body of the answer. */
int judge_format_reply(const struct judge_format *f, const char *body,
	size_t len, struct judge_reply *ret, struct err *err);
/* The server refused with this status and body: the next lower level, or
 * the same when there is none. */
unsigned judge_format_lower(const struct judge_format *f, unsigned level,
	long status, const char *body, size_t len);

/* ---- judge_http.c ------------------------------------------------------- */

/* All connections; one request at a time for each judge_http. */
struct judge_net;
struct judge_http;
/* What came of one request. */
enum judge_outcome {
	JUDGE_FAILED = 0,	/* err says why */
	JUDGE_LEAVE,		/* the same, and a fresh helper may do better */
	JUDGE_REPLIED,
};

int judge_net_new(struct judge_net **ret, struct err *err);
void judge_net_free(struct judge_net *net);
/* Work until something happens, on fd as well, or wait_ms are over: 1 when
 * a request ended, then *ret is it. */
int judge_net_work(struct judge_net *net, int fd, int wait_ms,
	struct judge_http **ret, struct err *err);

/* key and ca are borrowed and may be empty. */
int judge_http_new(struct judge_net *net, const struct judge_endpoint *e,
	const struct judge_format *f, const struct buf *key,
	const struct buf *ca, struct judge_http **ret, struct err *err);
void judge_http_free(struct judge_http *h);
/* Send body (kept until the end); the answer within timeout_ms. */
int judge_http_start(struct judge_http *h, struct buf *body,
	int64_t timeout_ms, struct err *err);
/* Open a connection for the next one, with a request that holds no key. */
void judge_http_warm(struct judge_http *h);
/* Drop the request under way, if there is one. */
void judge_http_drop(struct judge_http *h);
/* After its end: JUDGE_REPLIED with the status and the borrowed body. */
enum judge_outcome judge_http_result(struct judge_http *h, long *ret_status,
	const struct buf **ret_body, struct err *err);
/* Seconds after which the server would like to be asked again; -1: it did
 * not say. */
int64_t judge_http_retry_after(const struct judge_http *h);

/* ---- judge_chain.c ------------------------------------------------------ */

enum judge_phase {
	JUDGE_UNASKED = 0,
	JUDGE_WAITING,		/* for the next attempt */
	JUDGE_ASKING,
	JUDGE_ANSWERED,
	JUDGE_GAVE_UP,
};

/* One endpoint of the chain. */
struct judge_member {
	char *name, *model;
	struct judge_endpoint at;
	const struct judge_format *format;
	struct buf key, ca;
	struct judge_http *http;	/* NULL: broken says why */
	struct err broken;
	unsigned level;			/* what this server takes */
	uint32_t timeout_ms, attempts;
	uint64_t price_in, price_out;
	uint64_t place, print;		/* as in struct val_health */
	/* the circuit breaker */
	unsigned failures;		/* in a row */
	int64_t open_until_ns;		/* monotonic; 0: closed */
	/* the question under way */
	enum judge_phase phase;
	unsigned tries, asked_level;
	int64_t next_ns;		/* with JUDGE_WAITING */
	struct val_verdict verdict;	/* with JUDGE_ANSWERED */
	struct err why;			/* with JUDGE_GAVE_UP */
	bool leave;			/* a fresh helper may do better */
};

/* The question under way. */
struct judge_question {
	bool active;
	uint32_t id;
	struct val_ask ask;		/* but for its data */
	struct buf system, user;	/* the two texts */
	int64_t end_ns;			/* monotonic */
	uint64_t tokens_in, tokens_out, cost;
};

/* All of it. */
struct judge {
	int fd;				/* to aegsh */
	struct judge_net *net;
	struct judge_member members[VAL_CHAIN_MAX];
	size_t n;
	unsigned quorum;
	struct buf prompt;
	struct judge_question q;
	struct err broken;		/* why set-up failed; code 0: it held */
	/* what is kept across sessions; fds are -1 where there is none */
	int state_fd, host_fd, cache_fd;
	uint32_t cache_ttl_s, rate, host_rate;
	uint64_t day_cost, host_day_cost;
	struct err no_budget;		/* code 0: it can be kept */
	bool has_secret;		/* the operator's */
	unsigned char secret[VAL_SECRET_LEN];
	unsigned char chain_digest[VAL_DIGEST_LEN];
	bool forged;			/* a row of the cache was, last time */
};

/* Begin with q's texts; its end may come at once.  1: it is over, and *ret
 * is the verdict; 0: it goes on.  leaving as in val_answer_pack(). */
int judge_chain_begin(struct judge *j, struct val_verdict *ret,
	bool *ret_leaving);
/* The request of one member ended, or (NULL) time passed. */
int judge_chain_step(struct judge *j, struct judge_http *ended,
	struct val_verdict *ret, bool *ret_leaving);
void judge_chain_drop(struct judge *j);
/* Milliseconds until a step is due; -1: none is. */
int judge_chain_wait_ms(const struct judge *j);
/* Who is asked, for people. */
const char *judge_chain_label(const struct judge *j);
void judge_chain_warm(struct judge *j);

/* ---- judge_health.c: the circuit breaker --------------------------------- */

bool judge_health_asks(const struct judge_member *m, int64_t now_ns);
void judge_health_good(struct judge *j, struct judge_member *m);
void judge_health_bad(struct judge *j, struct judge_member *m);
/* Those that an earlier session left open. */
void judge_health_load(struct judge *j);

void judge_setup(struct judge *j, const struct val_setup *s);
void judge_done(struct judge *j);
/* Serve until aegsh is gone (-ENODATA, -EPIPE) or breaks the protocol. */
int judge_loop(struct judge *j, struct err *err);

#endif

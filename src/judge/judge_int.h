/* SPDX-License-Identifier: ISC */
/*
 * aegsh-judge: what its files share.
 *
 * main calls judge_setup (key, endpoint, confinement) and then judge_loop,
 * which drives judge_http and speaks through one row of judge_format.
 */
#ifndef JUDGE_INT_H
#define JUDGE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/validator_frame.h"

#define JUDGE_KEY_MAX ((size_t)8 * 1024)	/* bytes of a key file */
#define JUDGE_CA_MAX ((size_t)4 * 1024 * 1024)	/* bytes of a ca-file */
#define JUDGE_PROMPT_MAX ((size_t)64 * 1024)
#define JUDGE_BODY_MAX ((size_t)512 * 1024)	/* bytes of one HTTP body */
#define JUDGE_HEADERS_MAX ((size_t)64 * 1024)	/* of all header fields */
#define JUDGE_PROMPT "prompts/judge-1.txt"	/* below sysdirs()->data */

/* Where the model is. */
struct judge_endpoint {
	char *url;		/* of the request, whole */
	char *unix_path;	/* connect there instead, or NULL */
	char *label;		/* "host:port" or the socket, for messages */
	unsigned port;		/* 0: a unix socket */
	bool plain;		/* no TLS: loopback and nothing else */
	bool is_name;		/* the host has to be looked up */
};

/* https://host[:port][/base][?query]; http:// where the host is loopback;
 * unix:/socket[:/base].  path is what the wire format appends. */
int judge_endpoint_parse(const char *text, const char *path,
	struct judge_endpoint *ret, struct err *err);
void judge_endpoint_done(struct judge_endpoint *e);

/* uid: whose files are trusted besides the operator's. */
int judge_key_read(const char *path, uid_t uid, struct buf *ret,
	struct err *err);

/* One question as the two texts of a conversation. */
struct judge_prompt {
	const char *model;
	const char *system;	/* instructions: ours alone */
	const char *user;	/* data */
};

/*
 * A wire format.  level says how much is asked of the server, 0 the most;
 * what its bits mean is the format's own business.
 */
struct judge_format {
	const char *name;
	const char *path;	/* appended to the base URL */
	const char *auth;	/* header field, with %s for the key */
	/* The body of the request. */
	int (*request)(const struct judge_prompt *p, unsigned level,
		struct buf *ret, struct err *err);
	/* The model's text out of the body of the answer. */
	int (*reply)(const char *body, size_t len, struct buf *ret_text,
		char *ret_model, size_t model_size, struct err *err);
	/* The server refused with this status and body: the next lower
	 * level, or the same when there is none. */
	unsigned (*lower)(unsigned level, long status, const char *body,
		size_t len);
};
extern const struct judge_format judge_format_openai;

/* Enter it for good, after everything is opened: no_new_privs, Landlock,
 * limits, seccomp.  ERR_LAYER names what could not be had. */
int judge_confine(const struct judge_endpoint *e, bool own_ca,
	struct err *err);

struct judge_http;
/* What came of one request. */
enum judge_outcome {
	JUDGE_FAILED = 0,	/* err says why */
	JUDGE_LEAVE,		/* the same, and a fresh helper may do better */
	JUDGE_REPLIED,
};

/* key and ca are borrowed and may be empty. */
int judge_http_new(const struct judge_endpoint *e, const char *auth,
	const struct buf *key, const struct buf *ca, struct judge_http **ret,
	struct err *err);
void judge_http_free(struct judge_http *h);
/* Send body (kept until the end); the answer within timeout_ms. */
int judge_http_start(struct judge_http *h, struct buf *body,
	int64_t timeout_ms, struct err *err);
/* Drop the request under way, if there is one. */
void judge_http_drop(struct judge_http *h);
/* Work until something happens, on fd as well: 1 when the request ended. */
int judge_http_work(struct judge_http *h, int fd, struct err *err);
/* After that: JUDGE_REPLIED with the status and the borrowed body. */
enum judge_outcome judge_http_result(struct judge_http *h, long *ret_status,
	const struct buf **ret_body, struct err *err);

/* All of it. */
struct judge {
	int fd;				/* to aegsh */
	char *model;
	struct judge_endpoint endpoint;
	struct buf key, ca, prompt;
	const struct judge_format *format;
	struct judge_http *http;
	unsigned level;			/* what this server takes */
	struct err broken;		/* why set-up failed; code 0: it held */
};

void judge_setup(struct judge *j, const struct val_setup *s);
void judge_done(struct judge *j);
/* Serve until aegsh is gone (-ENODATA, -EPIPE) or breaks the protocol. */
int judge_loop(struct judge *j, struct err *err);

#endif

/* SPDX-License-Identifier: ISC */
/* Between the files of the room: settings, the script, candidates, walk. */
#ifndef SHEBANG_INT_H
#define SHEBANG_INT_H

#include "aegsh/shebang.h"

#include <sys/stat.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/base/io.h"

/* ---- settings: shebang_settings.c -------------------------------------- */

enum shebang_key {
	SHEBANG_PROBE_DIRS,
	SHEBANG_SUFFIXES,
	SHEBANG_FOLLOW,
	SHEBANG_PRIORITY,
	SHEBANG_TRUST_ENV,
	SHEBANG_EXPAND,
	SHEBANG_KEYS
};

struct shebang_row {
	const char *key;	/* after "auto-shebang-" */
	const char *env;	/* or NULL: the environment has no say */
	const char *initial;
	const char *const *words;	/* the only values, or NULL: a list */
};

extern const struct shebang_row shebang_rows[SHEBANG_KEYS];

struct shebang_settings {
	char *value[SHEBANG_KEYS];	/* owned; NULL: nobody said anything */
	enum shebang_source source[SHEBANG_KEYS];
};

void shebang_settings_done(struct shebang_settings *s);
/* The row's position, or -1. */
int shebang_key_find(const char *key, size_t len);
/* 0 or ERR_SYNTAX, ERR_TOO_LONG. */
int shebang_value_check(enum shebang_key key, const char *value,
	struct err *err);
/* Over the directives that s holds: the environment, where it is trusted,
 * and below both the defaults.  After it no value is NULL. */
int shebang_settings_layer(struct shebang_settings *s, char *const *envp,
	struct err *err);
bool shebang_setting_is(const struct shebang_settings *s,
	enum shebang_key key, const char *value);
/* The value of a variable, or NULL when it isn't there. */
const char *shebang_env(char *const *envp, const char *name, size_t len);

/* ---- directives: shebang_directive.c ----------------------------------- */

/* Put what the head says into s.  cut: the file goes on within the lines
 * that count.  0 or ERR_SYNTAX, ERR_TOO_LONG; s may hold part then. */
int shebang_directives(const struct shebang_query *q, const char *head,
	size_t len, bool cut, struct shebang_settings *s, struct err *err);

/* ---- lists: shebang_plan.c --------------------------------------------- */

/* What to look for at each level of the walk. */
struct shebang_plan {
	struct strv dirs;	/* expanded; absolute ones start with '/' */
	struct strv names;	/* candidates in their order */
};

void shebang_plan_done(struct shebang_plan *plan);
/* One probe-dirs entry: `~`, and with vars the variables.  0; -ENOENT and
 * *ret_why (static) when it names nothing now; ERR_SYNTAX, ERR_TOO_LONG. */
int shebang_expand(const char *entry, bool vars, char *const *envp,
	struct buf *out, const char **ret_why, struct err *err);
int shebang_plan_build(const struct shebang_query *q,
	const struct shebang_settings *s, struct shebang_plan *plan,
	struct err *err);

/* ---- the script: shebang_script.c -------------------------------------- */

struct shebang_script {
	int dir_fd;		/* O_PATH, of its directory */
	int fd;			/* for reading */
	char *name;		/* within the directory, owned */
	struct stat st;
};

#define SHEBANG_SCRIPT_INIT { -1, -1, NULL, { 0 } }

void shebang_script_done(struct shebang_script *s);
int shebang_script_open(int cwd_fd, const char *path,
	struct shebang_script *s, struct err *err);
/* The lines that may hold directives; *ret_cut as above. */
int shebang_script_head(const struct shebang_script *s, struct buf *head,
	bool *ret_cut, struct err *err);
/* Behind the links of the script's name: the directory (O_PATH) of the
 * file itself, or -1 in *ret_fd when the name is no link. */
int shebang_script_real(const struct shebang_script *s, int *ret_fd,
	struct err *err);
/* The path, links resolved, of the script's directory, or of the real one
 * behind its links.  0, or -errno. */
int shebang_dir_path(const struct shebang_query *q, int fd, bool real,
	char **ret_path);
/* Open for reading the very file that an O_PATH descriptor stands on; name
 * within dir_fd (or NULL) is tried where there is no /proc.  Or -errno. */
int shebang_reopen(int path_fd, int dir_fd, const char *name);

/* ---- candidates: shebang_candidate.c ----------------------------------- */

struct shebang_candidate {
	enum shebang_verdict verdict;
	int errnum;		/* with UNREACHABLE */
	int fd;			/* O_PATH, with TAKEN */
	enum shebang_format format;
};

#define SHEBANG_CANDIDATE_INIT { SHEBANG_MISSING, 0, -1, SHEBANG_OTHER }

/* Look at one path, for a script (its stat, or NULL).  0 whatever the
 * verdict; negative only when this process can't go on (-EMFILE, -ENFILE,
 * -ENOMEM). */
int shebang_candidate(const struct shebang_query *q,
	const struct stat *script, const char *path,
	struct shebang_candidate *ret);
/* An open that failed: is the process at its end, or is it the path? */
bool shebang_is_fatal(int errnum);
void shebang_trace_candidate(const struct shebang_query *q,
	const char *path, const struct shebang_candidate *c);
/* What a readable descriptor holds; *ret_resolver as shebang_is_resolver. */
enum shebang_format shebang_look(int fd, bool *ret_resolver);

/* ---- the walk: shebang_walk.c ------------------------------------------ */

struct shebang_walk {
	const struct shebang_query *q;
	const struct shebang_plan *plan;
	const struct stat *script;	/* or NULL */
	struct shebang_result *found;	/* filled when its path is not NULL */
	unsigned tries;
	bool absolute_done;	/* an earlier walk looked there */
	const char *walked;	/* where that one began, or NULL: what stands
				 * above has been looked at */
	dev_t dev;		/* of the last directory, and whether it is */
	bool dev_known, autofs;	/* an automounter's */
};

/* From the directory upward until something is taken or the root is done.
 * Takes over *fd. */
int shebang_walk(struct shebang_walk *w, int *fd, const char *path,
	struct err *err);

/* ---- shared: shebang_resolve.c ----------------------------------------- */

void shebang_trace(const struct shebang_query *q,
	const struct shebang_step *step);
/* Why errnum stops a path, in the codes of shebang_resolve(). */
int shebang_fail_path(struct err *err, int errnum, const char *what,
	const char *path);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Which interpreter belongs to a script: auto-shebang's rule.  A script
 * says `#!/usr/bin/env /path/to/auto-python`; the file `auto-python` that
 * stands nearest to the script, from its directory upward, runs it.  What
 * the script and the environment may change about that is auto-shebang(7).
 *
 * Nothing here executes, prints, or looks at $PATH, and nothing but the
 * script's head is read of it, so asking about a hostile script is safe.
 * Facts: the directory tree through openat(2), the environment that the
 * caller hands over, never the calling process's own.
 */
#ifndef AEGSH_SHEBANG_H
#define AEGSH_SHEBANG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "aegsh/base/err.h"

#define SHEBANG_HEAD_LINES 30		/* where directives may stand */
#define SHEBANG_HEAD_MAX ((size_t)64 * 1024)	/* bytes, of those lines */
#define SHEBANG_VALUE_MAX ((size_t)4096)	/* bytes of one setting */
#define SHEBANG_LIST_MAX 64		/* entries of a list */
#define SHEBANG_NAME_MAX ((size_t)255)	/* bytes of a search name */
#define SHEBANG_PATH_MAX ((size_t)4096)	/* bytes of a path, with the NUL */
#define SHEBANG_HOPS_MAX 40		/* links behind one script name */
#define SHEBANG_TRIES_MAX 65536		/* candidates of one question */

/* What became of one candidate.  The zero value refuses. */
enum shebang_verdict {
	SHEBANG_MISSING = 0,
	SHEBANG_DANGLING,	/* a symbolic link that leads nowhere */
	SHEBANG_UNREACHABLE,	/* the system says why, see errnum */
	SHEBANG_NOT_REGULAR,
	SHEBANG_NOT_EXECUTABLE,
	SHEBANG_SELF,		/* the file that asks */
	SHEBANG_RESOLVER,	/* another auto-shebang: copy, other version */
	SHEBANG_OWN_SCRIPT,	/* the script that is to be run */
	SHEBANG_TAKEN,
};

enum shebang_source { SHEBANG_DEFAULT, SHEBANG_DIRECTIVE, SHEBANG_ENV };

enum shebang_from { SHEBANG_OVERRIDE, SHEBANG_WALK, SHEBANG_FALLBACK };

/* How the kernel starts a file: OTHER is for it to find out. */
enum shebang_format { SHEBANG_OTHER = 0, SHEBANG_SCRIPT, SHEBANG_ELF };

enum shebang_step_kind {
	SHEBANG_STEP_SETTING,	/* name, text: the value, source */
	SHEBANG_STEP_UNKNOWN,	/* name: a key that nobody knows, line */
	SHEBANG_STEP_ORIGIN,	/* name: script, real or symlink; text: the
				 * directory from which the walk goes up */
	SHEBANG_STEP_SKIPPED,	/* name: probe-dirs entry or directory that
				 * is not looked at, text: why */
	SHEBANG_STEP_CANDIDATE,	/* text: the path, verdict, errnum */
};

/* Borrowed for the call.  Fields that a kind does not name are zero. */
struct shebang_step {
	enum shebang_step_kind kind;
	const char *name, *text;
	enum shebang_source source;
	enum shebang_verdict verdict;
	int errnum;
	int line;
};

typedef void shebang_trace_fn(void *ctx, const struct shebang_step *step);

struct shebang_query {
	const char *name;	/* what to search for: "auto-python" */
	const char *script;	/* as it was given, relative to cwd_fd */
	int cwd_fd;		/* or AT_FDCWD */
	char *const *envp;	/* that the command has; may be NULL */
	dev_t self_dev;		/* the file that asks, or both zero */
	ino_t self_ino;
	bool explain;		/* trace also what is missing; costs a call
				 * for each such candidate */
	shebang_trace_fn *trace;/* or NULL */
	void *trace_ctx;
};

struct shebang_result {
	char *path;		/* absolute, owned */
	int fd;			/* O_PATH, on the file that was checked */
	enum shebang_format format;
	enum shebang_from from;
};

#define SHEBANG_RESULT_INIT { NULL, -1, SHEBANG_OTHER, SHEBANG_OVERRIDE }

/*
 * The whole rule.  0 and *ret_result filled (shebang_result_done() frees
 * it), or untouched and
 *   -ESRCH	no candidate was taken, and there is no fallback
 *   -ENOENT	the script, or the file that AUTO_SHEBANG_OVERRIDE_EXE or
 *		_FALLBACK_EXE names, is missing
 *   ERR_SYNTAX, ERR_TOO_LONG	a directive, a variable or a name is invalid
 *   -errno	there, but it can't be used (-EACCES), or the system failed
 */
int shebang_resolve(const struct shebang_query *query,
	struct shebang_result *ret_result, struct err *err)
	__attribute__((nonnull(1, 2), warn_unused_result));
void shebang_result_done(struct shebang_result *result);

/* The exit status for what shebang_resolve() returned: 0, 2, 126, 127. */
int shebang_exit_status(int rc);

/* The script's first line without its newline, at most SHEBANG_HEAD_MAX
 * bytes, owned and NUL-terminated (it may hold NULs too).  Errors as for
 * the script above. */
int shebang_first_line(int cwd_fd, const char *script, char **ret_line,
	size_t *ret_len, struct err *err) __attribute__((nonnull(2, 3, 4)));

/*
 * The note (elf(5)) in each auto-shebang program by which others know it.
 * The values never change, or versions would no longer know each other.
 */
#define SHEBANG_NOTE_NAME "auto-shebang"
#define SHEBANG_NOTE_TYPE 1

/* True when the file behind fd (O_PATH or readable) is an auto-shebang
 * program by its note: an alias, a copy, another version.  False also when
 * it can't be read. */
bool shebang_is_resolver(int fd);

/* Words for people: "not executable", "directive". */
const char *shebang_verdict_str(enum shebang_verdict verdict);
const char *shebang_source_str(enum shebang_source source);

#endif

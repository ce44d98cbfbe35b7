/* SPDX-License-Identifier: ISC */
/*
 * Settings: read once, at start, from files whose owner and mode were
 * checked on the open descriptor; defaults below them; tightening above.
 *
 * Layers, in order: default, operator (sysdirs()->conf/aegsh.conf), user
 * ($XDG_CONFIG_HOME/aegsh/aegsh.conf), command line (-o name=value).  The
 * last two may set a row when that tightens the value, or when the mode is
 * personal and the operator did not set the row; a row of scope OPERATOR
 * never.  What they tried in vain is kept as notes.  For uid 0 no user
 * layer is read.  Managed is exactly when the operator's file, owned by
 * the operator, says so.
 */
#ifndef AEGSH_CONF_H
#define AEGSH_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

#define CONF_FILE_MAX ((size_t)256 * 1024)	/* bytes of one file */

enum conf_id {
#define CONF_ROW(id, ...) CONF_##id,
#include "aegsh/conf_options.h"
#undef CONF_ROW
	CONF_COUNT
};

enum conf_type { CONF_BOOL, CONF_INT, CONF_ENUM, CONF_STRING,
	CONF_SET };	/* words with blanks between them; the number has bit N
			 * for the word at place N */
enum conf_scope { CONF_SCOPE_OPERATOR = 0, CONF_SCOPE_USER };
enum conf_tighten { CONF_TIGHTEN_NONE = 0, CONF_TIGHTEN_LESS,
	CONF_TIGHTEN_MORE, CONF_TIGHTEN_WORDS };
enum conf_layer { CONF_DEFAULT, CONF_OPERATOR, CONF_USER, CONF_CMDLINE };

struct conf_row {
	const char *name;
	enum conf_type type;
	const char *preset;		/* default, as text */
	int64_t least, most;
	const char *words;		/* enum: strictest first */
	enum conf_scope scope;
	enum conf_tighten tighten;
	const char *help;
};
const struct conf_row *conf_row(enum conf_id id)
	__attribute__((returns_nonnull));

struct conf;

/* user_file NULL: the XDG place for uid's home.  A file that is not there
 * is fine.  A file that cannot be trusted or parsed: an error where it is
 * the operator's; where it is the user's, the file is left out and a note
 * says so (it could only have tightened; in managed mode it is an error). */
int conf_load(uid_t uid, const char *home, const char *user_file,
	struct conf **ret, struct err *err);
/* Where that fails and somebody must get in: the defaults, as managed. */
struct conf *conf_strict(void);
void conf_free(struct conf *c);
/* One "name=value" of the command line.  ERR_RANGE where it may not be set
 * so: then nothing changed. */
int conf_override(struct conf *c, const char *assignment, struct err *err);

bool conf_managed(const struct conf *c);
bool conf_bool(const struct conf *c, enum conf_id id);
int64_t conf_int(const struct conf *c, enum conf_id id);
const char *conf_str(const struct conf *c, enum conf_id id);	/* also enums */
enum conf_layer conf_origin(const struct conf *c, enum conf_id id);
const char *conf_layer_name(enum conf_layer layer);
/* Path of the file that set it, or NULL. */
const char *conf_origin_file(const struct conf *c, enum conf_id id);
/* Its line there, from 1; 0: no file did. */
unsigned conf_origin_line(const struct conf *c, enum conf_id id);
/* Path of the file that the layer was looked for in, whether it is there or
 * not; NULL: the layer has none. */
const char *conf_layer_file(const struct conf *c, enum conf_layer layer);
/* Why all of the user's file was left out, or NULL; among the notes. */
const char *conf_left_out(const struct conf *c);
/* What was ignored and why, for status and debug. */
const struct strv *conf_notes(const struct conf *c);

/* Comments of a text for libconfuse become blanks, and its lines stay: the
 * library takes a line with a comment for three. */
void conf_blank_comments(char *text, size_t len);

/*
 * Open a file whose contents will be believed: regular, not a symbolic
 * link in its last component, owned by the operator or by uid, writable by
 * nobody else, and so is every directory above it (a sticky one may be
 * writable by all).  Pass (uid_t)-1 to accept the operator alone.
 */
int conf_trust_open(const char *path, uid_t uid, int *ret_fd, struct err *err);
/* A directory by the same rules, itself included; links to directories are
 * followed, the last component too.  The descriptor is O_PATH. */
int conf_trust_dir(const char *path, uid_t uid, int *ret_fd, struct err *err);
/* Nobody but root can put other bytes under this name, which is absolute. */
bool conf_trust_is_roots(const char *path);
/* Nobody but root and that user can, and of the names only root. */
bool conf_trust_is_owners(const char *path, uid_t uid);
/* The same as conf_trust_open() and read it, up to max bytes. */
int conf_trust_read(const char *path, uid_t uid, size_t max, struct buf *ret,
	struct err *err);
/* While on, directories that were checked are not checked again: for a
 * program's start, which ends with off. */
void conf_trust_keep(bool on);

#endif

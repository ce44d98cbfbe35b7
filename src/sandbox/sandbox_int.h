/* SPDX-License-Identifier: ISC */
/* What the files of sandbox share. */
#ifndef AEGSH_SANDBOX_INT_H
#define AEGSH_SANDBOX_INT_H

#include "aegsh/sandbox.h"

#include <seccomp.h>
#include <sys/resource.h>

#define SANDBOX_EXTENDS_MAX 8	/* profiles in one chain of extends */
#define SANDBOX_NAME_MAX 64	/* bytes of a profile's name */
#define SANDBOX_GRANTS_MAX 500	/* path entries of one profile */
#define SANDBOX_PORTS_MAX 256	/* ports of one list */
#define SANDBOX_BPF_MAX 4096	/* instructions, BPF_MAXINSNS */
#define SANDBOX_COVERS_MAX 16
#define SANDBOX_SHELLS_MAX 100

/*
 * Landlock's rights as the kernel numbers them (linux/landlock.h), spelt
 * out here because the headers of a build may be older than the kernel
 * that runs.
 */
#define SANDBOX_FS_EXECUTE	(1ULL << 0)
#define SANDBOX_FS_WRITE_FILE	(1ULL << 1)
#define SANDBOX_FS_READ_FILE	(1ULL << 2)
#define SANDBOX_FS_READ_DIR	(1ULL << 3)
#define SANDBOX_FS_REMOVE_DIR	(1ULL << 4)
#define SANDBOX_FS_REMOVE_FILE	(1ULL << 5)
#define SANDBOX_FS_MAKE_CHAR	(1ULL << 6)
#define SANDBOX_FS_MAKE_DIR	(1ULL << 7)
#define SANDBOX_FS_MAKE_REG	(1ULL << 8)
#define SANDBOX_FS_MAKE_SOCK	(1ULL << 9)
#define SANDBOX_FS_MAKE_FIFO	(1ULL << 10)
#define SANDBOX_FS_MAKE_BLOCK	(1ULL << 11)
#define SANDBOX_FS_MAKE_SYM	(1ULL << 12)
#define SANDBOX_FS_REFER	(1ULL << 13)	/* ABI 2 */
#define SANDBOX_FS_TRUNCATE	(1ULL << 14)	/* ABI 3 */
#define SANDBOX_FS_IOCTL_DEV	(1ULL << 15)	/* ABI 5 */
#define SANDBOX_FS_RESOLVE_UNIX	(1ULL << 16)	/* ABI 9 */
#define SANDBOX_FS_KNOWN	((1ULL << 17) - 1)
#define SANDBOX_NET_BIND_TCP	(1ULL << 0)	/* ABI 4 */
#define SANDBOX_NET_CONNECT_TCP	(1ULL << 1)
#define SANDBOX_SCOPE_ABSTRACT	(1ULL << 0)	/* ABI 6 */
#define SANDBOX_SCOPE_SIGNAL	(1ULL << 1)

/* Rights by which a tree changes. */
#define SANDBOX_FS_CHANGE \
	(SANDBOX_FS_WRITE_FILE | SANDBOX_FS_TRUNCATE | \
	SANDBOX_FS_REMOVE_DIR | SANDBOX_FS_REMOVE_FILE | \
	SANDBOX_FS_MAKE_CHAR | SANDBOX_FS_MAKE_DIR | SANDBOX_FS_MAKE_REG | \
	SANDBOX_FS_MAKE_SOCK | SANDBOX_FS_MAKE_FIFO | \
	SANDBOX_FS_MAKE_BLOCK | SANDBOX_FS_MAKE_SYM | SANDBOX_FS_REFER)
/* The only ones that a rule on something else than a directory may hold. */
#define SANDBOX_FS_OF_FILE \
	(SANDBOX_FS_EXECUTE | SANDBOX_FS_WRITE_FILE | SANDBOX_FS_READ_FILE | \
	SANDBOX_FS_TRUNCATE | SANDBOX_FS_IOCTL_DEV | SANDBOX_FS_RESOLVE_UNIX)

/* ---- sandbox_file.c: the text ------------------------------------------ */

enum sandbox_key {	/* lists of a profile's text */
	SANDBOX_KEY_READ, SANDBOX_KEY_LIST, SANDBOX_KEY_EXECUTE,
	SANDBOX_KEY_WRITE, SANDBOX_KEY_MAKE, SANDBOX_KEY_NODE,
	SANDBOX_KEY_DEVICE, SANDBOX_KEY_CONNECT,
	SANDBOX_KEY_GRANTS,		/* those above grant rights */
	SANDBOX_KEY_HIDE = SANDBOX_KEY_GRANTS,
	SANDBOX_KEY_COVER_EMPTY, SANDBOX_KEY_COVER_READONLY,
	SANDBOX_KEY_PATHS,		/* those above hold paths */
	SANDBOX_KEY_REQUIRE = SANDBOX_KEY_PATHS,
	SANDBOX_KEY_TCP_CONNECT, SANDBOX_KEY_TCP_BIND, SANDBOX_KEY_UNIX,
	SANDBOX_KEY_COUNT
};

enum sandbox_limit {
	SANDBOX_LIMIT_CPU, SANDBOX_LIMIT_MEMORY, SANDBOX_LIMIT_PROCESSES,
	SANDBOX_LIMIT_FILES, SANDBOX_LIMIT_FILE_SIZE, SANDBOX_LIMIT_CORE,
	SANDBOX_LIMIT_SPACE, SANDBOX_LIMIT_CHILDREN, SANDBOX_LIMIT_TIME,
	SANDBOX_LIMIT_OUTPUT, SANDBOX_LIMIT_COUNT
};

struct sandbox_list {
	struct strv value;
	struct strv where;	/* "file:line" of each */
};

/* The settings of a chain of files, checked one by one, not yet together. */
struct sandbox_text {
	char *file;		/* of the profile itself */
	char *description, *for_root;
	struct sandbox_list list[SANDBOX_KEY_COUNT];
	char *udp, *seccomp, *supervise, *started, *escape, *shells,
		*addresses, *umask, *output_then, *survivors,
		*scope;
	long limit[SANDBOX_LIMIT_COUNT];	/* -1: leave it */
};

const char *sandbox_key_name(enum sandbox_key key);
const char *sandbox_limit_name(enum sandbox_limit limit);
/* sandbox_watch.c: check and take over those words of the text. */
int sandbox_read_watch(struct sandbox_profile *p, struct err *err);
/* All processes of a line count together. */
bool sandbox_limit_is_shared(enum sandbox_limit limit);
/* RLIMIT_…, or -1: nothing is set in a process. */
int sandbox_limit_resource(enum sandbox_limit limit);
/* Read NAME and what it extends, or the copy of it in cache (may be NULL).
 * ERR_UNKNOWN_NAME, ERR_SYNTAX, ERR_TRUST, ERR_RANGE, each with
 * "file:line". */
int sandbox_text_read(const char *name, const char *cache,
	struct sandbox_text *ret, struct err *err);
/* The same of a text that is built in. */
int sandbox_text_builtin(const char *text, struct sandbox_text *ret,
	struct err *err);
const char *sandbox_rescue_text(const char *name);
void sandbox_text_done(struct sandbox_text *t);

/* ---- sandbox_cache.c: the text, read before ---------------------------- */

enum { SANDBOX_PLACES = 2 };	/* the operator's, the vendor's */
#define SANDBOX_SEEN 9

struct sandbox_seen {		/* a file that was looked for */
	unsigned place;
	char *name;
	bool there;
	int64_t identity[SANDBOX_SEEN];
};

struct stat;
void sandbox_seen_as(const struct stat *st, struct sandbox_seen *ret);
/* Where that is; owned. */
char *sandbox_cache_path(const char *dir, const char *name);
/* dir: the store's.  place_fd: -1 where there is no such directory. */
int sandbox_cache_read(const char *dir, const char *name,
	const int place_fd[SANDBOX_PLACES], struct sandbox_text *ret);
void sandbox_cache_write(const char *dir, const char *name,
	const struct sandbox_seen *seen, size_t n,
	struct sandbox_text *t);

/* ---- sandbox_path.c: names of places ----------------------------------- */

/* Put the values of $NAMES in.  1 and an owned absolute path; 0 when a
 * value is not there, so that the entry is left out; ERR_SYNTAX. */
int sandbox_path_expand(const char *text, const struct sandbox_vars *vars,
	char **ret, struct err *err);
/* The place that the name means now, links resolved; or NULL.  Owned, and
 * so is *ret_fd (ret_fd may be NULL), an O_PATH descriptor of it. */
char *sandbox_path_find(const char *path, int *ret_fd);
/* The same; what of it does not exist is kept by its letters. */
char *sandbox_path_real(const char *path);

/* ---- sandbox.c: the profile -------------------------------------------- */

enum sandbox_filter {		/* which seccomp rows */
	SANDBOX_FILTER_STRICT = 0,
	SANDBOX_FILTER_DEFAULT,
	SANDBOX_FILTER_DEBUGGER,	/* and ptrace in the own tree */
	SANDBOX_FILTER_ROOT,
};

struct sandbox_grant {
	char *path;		/* canonical */
	uint64_t fs;		/* SANDBOX_FS_… */
	int fd;			/* O_PATH, the profile's own, or -1 */
	/* "file:line" of the entry of each key, or NULL. */
	const char *where[SANDBOX_KEY_GRANTS];
};

struct sandbox_hole {
	char *path;		/* canonical */
	const char *where;	/* "file:line", or NULL: aegsh's own store */
};

struct sandbox_shell {		/* a file that is one */
	dev_t dev;
	ino_t ino;
	off_t size;
	char *path;		/* canonical */
};

struct sandbox_cover {
	char *path;		/* canonical */
	bool readonly;		/* else an empty directory lies over it */
};

struct sandbox_ports {
	bool all;
	size_t n;
	uint16_t port[SANDBOX_PORTS_MAX];
};

/* An entry of `unix': a socket, or a directory of them. */
struct sandbox_socket {
	char *asked;		/* what its variables stand for */
	const char *where;	/* "file:line" */
	char *path;		/* canonical; NULL: not looked up */
	/* Commands may change the place: that one socket is meant, which was
	 * there or was not. */
	bool pinned, there;
	dev_t dev;
	ino_t ino;
};

/* A place that the text names, by what its variables stand for. */
struct sandbox_wish {
	enum sandbox_key key;
	char *path;
	const char *where;	/* "file:line" */
};

struct sandbox_profile {
	char *name;
	/* What is to be looked up; and whether it was. */
	struct sandbox_wish *wishes;
	size_t n_wishes;
	char *asked_store, *asked_silent, *asked_conf_user;
	bool once;		/* struct sandbox_vars */
	bool complete;
	bool open;		/* a rescue: nothing of aegsh's is kept */
	struct sandbox_text text;
	unsigned required;
	struct sandbox_grant *grants;
	size_t n_grants;
	struct sandbox_hole *holes;
	size_t n_holes;
	struct sandbox_cover covers[SANDBOX_COVERS_MAX];
	size_t n_covers;
	struct sandbox_ports connect, bind;
	bool udp;
	bool local;		/* unix sockets … */
	bool listed;		/* … to these, and those of lines */
	struct sandbox_socket *sockets;
	size_t n_sockets;
	bool frozen;		/* no file may be changed or made */
	enum sandbox_filter filter;
	enum sandbox_supervise supervise;
	enum sandbox_started started;
	enum sandbox_escape escape;
	bool addresses;		/* are recorded */
	enum sandbox_output output_then;
	bool no_shells;		/* below the line's own bash */
	struct sandbox_shell *shells;	/* that were found */
	size_t n_shells;
	bool loosens_umask;
	bool ends_survivors;
	bool unscoped;		/* signals and abstract sockets are free */
	/* Places that no command may change, canonical, or NULL. */
	char *store, *conf, *conf_user;
	char *copy;		/* of its text, in the store; or NULL */
};

/* ---- sandbox_places.c -------------------------------------------------- */

/* What sandbox_complete() will look up. */
int sandbox_places_expand(struct sandbox_profile *p,
	const struct sandbox_vars *vars, struct err *err);
void sandbox_places_done(struct sandbox_profile *p);

/* The rights that a key's paths get. */
uint64_t sandbox_key_rights(enum sandbox_key key);
/* The cover over a canonical path, or NULL. */
const struct sandbox_cover *sandbox_covered(const struct sandbox_profile *p,
	const char *path);
/* A granted tree in which this canonical path could be changed, removed or
 * replaced, covers left aside; or NULL. */
const struct sandbox_grant *sandbox_changed_by(
	const struct sandbox_profile *p, const char *path);

/* ---- sandbox_unix.c ------------------------------------------------------ */

/* The words of the text, and what its variables stand for. */
int sandbox_sockets_read(struct sandbox_profile *p,
	const struct sandbox_vars *vars, struct err *err);
/* Where that is; all grants are known.  ERR_RANGE: a directory in which
 * commands may put what they like. */
int sandbox_sockets_find(struct sandbox_profile *p, struct err *err);
void sandbox_sockets_forget(struct sandbox_profile *p);
void sandbox_sockets_done(struct sandbox_profile *p);
/* The entry that names this place or one around it, or NULL. */
const struct sandbox_socket *sandbox_socket_entry(
	const struct sandbox_profile *p, const char *path);

/* ---- sandbox_shells.c: shells that nothing may start --------------------- */

/* Fills p->shells. */
void sandbox_shells_find(struct sandbox_profile *p);
/* It is the file of one, under whatever name. */
bool sandbox_shells_has(const struct sandbox_profile *p, dev_t dev, ino_t ino);

/* ---- sandbox_rule.c: grants and holes become rules --------------------- */

/* The place is fd, if that is not -1; else name, as seen from dir. */
struct sandbox_rule {
	int fd, dir;
	const char *name;
	const char *path;	/* for messages */
	uint64_t fs;
};

/* What Landlock is told: holes are worked out by listing their neighbours.
 * Calls each() for rule after rule, until one says no: what it said, below
 * 0, is returned.  One without rights is none, but asks it to close what it
 * holds.  ERR_RANGE past SANDBOX_RULES_MAX; -errno where descriptors or memory
 * run out. */
int sandbox_rules_make(const struct sandbox_profile *p,
	int (*each)(void *ctx, const struct sandbox_rule *r,
	struct err *err), void *ctx, struct err *err);

/* ---- sandbox_landlock.c ------------------------------------------------ */

/* The ABI of the running kernel, or -errno (0 is never returned). */
int sandbox_landlock_abi(void);
/* Every right on files that the kernel knows at this ABI. */
uint64_t sandbox_landlock_fs(int abi);
/* What a ruleset handles: the attribute as ABI 6 has it; shorter sizes are
 * older kernels' own. */
struct sandbox_handled {
	uint64_t fs, net, scoped;
};
/* Rulesets, as descriptors: one without a rule, and the profile's rules. */
int sandbox_landlock_create(const struct sandbox_profile *p, int abi,
	unsigned layers, int *ret_fd, struct sandbox_handled *ret,
	struct err *err);
int sandbox_landlock_fill(const struct sandbox_profile *p,
	const struct sandbox_handled *handled, int fd, size_t *ret_rules,
	struct err *err);
int sandbox_landlock_line(int abi, int *ret_fd, struct err *err);

/* ---- sandbox_rows.c, sandbox_seccomp.c --------------------------------- */

/* No addresses: each start would have to write them. */
struct sandbox_row {
	char name[24];		/* of the system call */
	int nr;
	unsigned when;		/* SANDBOX_ROW_…, 0: always */
	int error;		/* errno it fails with */
	unsigned n_args;
	struct scmp_arg_cmp args[2];
	char reason[96];
};

#define SANDBOX_ROW_NOT_DEBUGGER (1 << 0)	/* all but debugger */
#define SANDBOX_ROW_NOT_ROOT     (1 << 1)	/* all but root */
#define SANDBOX_ROW_STRICT       (1 << 2)	/* strict alone */
#define SANDBOX_ROW_NO_INET      (1 << 3)	/* neither TCP nor UDP */
#define SANDBOX_ROW_NO_UDP       (1 << 4)	/* TCP, but no UDP */
#define SANDBOX_ROW_PORTS        (1 << 5)	/* TCP by ports or not at all */
#define SANDBOX_ROW_RAW_INET     (1 << 7)	/* all but root, some network */
#define SANDBOX_ROW_OLD_ABI      (1 << 6)	/* Landlock without TRUNCATE */
#define SANDBOX_ROW_NO_LOCAL     (1 << 8)	/* no unix sockets */
#define SANDBOX_ROW_FROZEN       (1 << 9)	/* nothing can be written */
#define SANDBOX_ROW_NO_MEMFD     (1 << 10)	/* strict, or without shells */

extern const struct sandbox_row sandbox_rows[];
extern const size_t sandbox_n_rows;
/* Whether a row belongs in this profile's filter beside that Landlock. */
bool sandbox_row_holds(const struct sandbox_row *row,
	const struct sandbox_profile *p, int abi);

struct sock_filter;

/* All that decides about rows, as a small number, and a profile that has
 * it; false where none can, and for what is too rare to be made at build
 * time (no unix sockets, yet a network; no shells below a line). */
#define SANDBOX_FILTER_KEYS 256
unsigned sandbox_filter_key(const struct sandbox_profile *p, int abi);
bool sandbox_filter_profile(unsigned key, struct sandbox_profile *ret,
	int *ret_abi);
/* The program that the build made; false when it made none for this
 * machine (sandbox_filter.c). */
bool sandbox_filter_find(const struct sandbox_profile *p, int abi,
	const struct sock_filter **ret, unsigned short *ret_len);

/* The filter's program, owned. */
int sandbox_seccomp_build(const struct sandbox_profile *p, int abi,
	struct sock_filter **ret, unsigned short *ret_len, struct err *err);
/* The architecture's name when its filter can be built, else NULL. */
const char *sandbox_seccomp_arch(void);

/* ---- sandbox_prepare.c, sandbox_apply.c -------------------------------- */

struct sandbox {
	unsigned layers;	/* that sandbox_apply() sets */
	int ruleset, line_ruleset;
	bool filled;		/* the ruleset holds its rules */
	struct sandbox_handled handled;
	unsigned restrict_flags;	/* of landlock_restrict_self(2) */
	char *witness;		/* a directory that no command may change */
	char *witness_file;	/* a file in it, if it is there; or NULL */
	size_t n_rules;
	const struct sock_filter *filter;
	struct sock_filter *own_filter;	/* the same, where it is to be freed */
	unsigned short filter_len;
	size_t n_limits;
	struct {
		int resource;
		rlim_t most;
	} limit[SANDBOX_LIMIT_COUNT];
	size_t n_covers;
	struct sandbox_cover covers[SANDBOX_COVERS_MAX];
	/* The directories above them, the highest first: a mount is laid over
	 * each, for the kernel renames no place that one lies on.  The deepest
	 * first, each would take those below it once more. */
	struct strv above;
};

/* What can be had, by asking and without trying. */
unsigned sandbox_layers_asked(int abi);

#endif

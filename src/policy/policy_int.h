/* SPDX-License-Identifier: ISC */
/*
 * What the files of this room share: the compiled form (tables of offsets
 * into one block of bytes, see policy_blob.c) and the view of a line that
 * the rules are matched against.  Nobody else includes it.
 */
#ifndef POLICY_INT_H
#define POLICY_INT_H

#include <stdint.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"
#include "aegsh/policy.h"

#define POL_SOURCE_MAX ((size_t)256 * 1024)	/* bytes of one rule file */
#define POL_SOURCES_MAX 64			/* files of all layers */
#define POL_USER_FILES_MAX 16			/* of a user's */
#define POL_MATCHES_MAX 256			/* match blocks */
#define POL_BLOB_MAX ((size_t)8 * 1024 * 1024)
#define POL_RULES_MAX 4096
#define POL_LIST_MAX 2048			/* elements of one list */
#define POL_SETS_MAX 64				/* path sets: bits of a word */
#define POL_EVIDENCE_MAX 1000u
#define POL_SHAPE_MAX 2048			/* bytes of a "turns" shape */
#define POL_REGEX_LIMIT 20000			/* pcre2 match limit, … */
#define POL_REGEX_LIMIT_BYTE 40			/* and for each byte, … */
#define POL_REGEX_LONG ((size_t)64 * 1024)	/* up to so many */

enum pol_layer { POL_FLOOR = 0, POL_VENDOR, POL_SITE, POL_USER };

enum pol_says {			/* what a rule says when it matches */
	POL_SAYS_BLOCK = 0,
	POL_SAYS_WARN,
	POL_SAYS_EVIDENCE,	/* adds its score */
	POL_SAYS_ALLOW,
};

/* Kinds of arguments that conditions take. */
enum pol_arg {
	POL_ARG_NAMES,		/* command names, "*" at either end; @set */
	POL_ARG_GLOBS,		/* whole words, fnmatch(3) */
	POL_ARG_TEXTS,		/* plain substrings */
	POL_ARG_OPTIONS,	/* "-r|-R|--recursive" */
	POL_ARG_REGEX,		/* pcre2 */
	POL_ARG_SETS,		/* "@secrets" */
	POL_ARG_NUMBERS,
	POL_ARG_KINDS, POL_ARG_UNKNOWNS, POL_ARG_FEATURES, POL_ARG_ORIGINS,
	POL_ARG_TURNS,
	POL_ARG_TIMES,		/* "mon-fri 22:00-06:00" */
};

enum pol_cond_id {
#define POL_COND(id, key, arg, cost) POL_COND_##id,
#include "policy_conds.h"
#undef POL_COND
	POL_COND_COUNT
};
#define POL_COND_NOT 0x8000u	/* in pol_cond.id: must not hold */

struct pol_cond_row {
	const char *key;
	enum pol_arg arg;
	int cost;
};
const struct pol_cond_row *pol_cond_row(unsigned id);
/* Words of an enumerated argument, as a bit; -1 when it is none. */
int pol_arg_bit(enum pol_arg arg, const char *word);

enum pol_feature {
#define POL_FEATURE(id, word, meaning) POL_FEATURE_##id,
#include "policy_features.h"
#undef POL_FEATURE
};
const char *pol_feature_word(unsigned bit);
const char *pol_feature_meaning(unsigned bit);

enum pol_unknown {		/* bits, in the order of the words */
	POL_UNKNOWN_NAME = 1 << 0, POL_UNKNOWN_OPERAND = 1 << 1,
	POL_UNKNOWN_OPTION = 1 << 2, POL_UNKNOWN_CODE = 1 << 3,
	POL_UNKNOWN_REDIR = 1 << 4, POL_UNKNOWN_PREFIX = 1 << 5,
	POL_UNKNOWN_NAME_VARIABLE = 1 << 6, POL_UNKNOWN_NAME_SUBST = 1 << 7,
	POL_UNKNOWN_NAME_GLOB = 1 << 8, POL_UNKNOWN_NAME_INDIRECT = 1 << 9,
	POL_UNKNOWN_NAME_BRACE = 1 << 10, POL_UNKNOWN_NAME_OTHER = 1 << 11,
	POL_UNKNOWN_OPERAND_SUBST = 1 << 12,
	POL_UNKNOWN_OPERAND_GLOB = 1 << 13,
	POL_UNKNOWN_SCRIPT_SUBST = 1 << 14,
	POL_UNKNOWN_EVALUATED = 1 << 15,	/* its value runs: ${x@P} */
	POL_UNKNOWN_OPERAND_BRACE = 1 << 16,
};

enum pol_how {			/* bits: what is done with a path */
	POL_HOW_READ = 1 << 0,
	POL_HOW_WRITE = 1 << 1,
	POL_HOW_DELETE = 1 << 2,
	POL_HOW_CHANGE = 1 << 3,	/* owner, mode, attributes */
	POL_HOW_LIST = 1 << 4,	/* its name or directory, not its bytes */
	POL_HOW_RUN = 1 << 5,
	POL_HOW_MAYBE = 1 << 6,	/* a program that no table knows */
	POL_HOW_REPEAT = 1 << 8,	/* in role patterns only, as … */
	POL_HOW_ANYWHERE = 1 << 10,	/* its beginning is not known */
	POL_HOW_GLOBBED = 1 << 13,	/* unknown by its globs alone */
	POL_HOW_REDIRECTED = 1 << 14,	/* written by a redirection */
	POL_HOW_MADE = 1 << 11,	/* written by a compiler, from a source */
	POL_HOW_FETCHED = 1 << 12,	/* a URL: its end names a file */
	POL_HOW_REMOTE = 1 << 9,	/* … "host:path" is no path of here */
};
/* A span of the week, packed; -1 when it is none. */
int64_t pol_time_parse(const char *text);
bool pol_time_holds(uint32_t span, unsigned weekday, unsigned minute);
/* A word of a role pattern as bits of pol_how, or -1. */
int pol_role(const char *word, size_t len);
/* The role, as bits of pol_how, of one of n operands. */
unsigned pol_role_at(const char *pattern, size_t index, size_t n);

/* ---- the compiled form -------------------------------------------------- */

#define POL_MAGIC "aegshpol"
#define POL_VERSION 14u		/* of the format; raise it with any change */
#define POL_NONE UINT32_MAX	/* no string, no program */

struct pol_section {		/* bytes from the start, elements */
	uint32_t offset, n;
};

enum pol_section_id {
	POL_SEC_STRINGS = 0,	/* bytes; the last is NUL */
	POL_SEC_LISTS,		/* uint32_t */
	POL_SEC_CONDS,
	POL_SEC_RULES,
	POL_SEC_INDEX,		/* pol_name, sorted: rules of a command */
	POL_SEC_PROGRAMS,	/* pol_program */
	POL_SEC_PROGNAMES,	/* pol_name, sorted: program of a command */
	POL_SEC_PATTERNS,
	POL_SEC_SETS,		/* pol_set */
	POL_SEC_PROFILES,
	POL_SEC_REGEXES,	/* uint32_t: string */
	POL_SEC_MATCHES,	/* pol_match, in the order of asking */
	POL_SEC_GATES,		/* pol_gate, one for each rule */
	POL_SEC_COUNT
};

struct pol_header {
	char magic[8];
	uint32_t version;
	uint32_t size;		/* of everything */
	uint8_t hash[32];	/* SHA-256 over the sources */
	struct pol_section sections[POL_SEC_COUNT];
	uint32_t general, n_general;	/* list: rules for any command */
	uint32_t notes, n_notes;	/* list: strings */
};

struct pol_cond {
	uint32_t id;		/* pol_cond_id, perhaps POL_COND_NOT */
	uint32_t list, n;	/* strings, regexes, or the halves of a mask */
};

struct pol_rule {
	uint32_t id, reason, instead, technique;	/* strings */
	uint32_t file, line;
	uint32_t says;		/* pol_says */
	uint32_t layer;		/* pol_layer */
	uint32_t score;
	uint32_t any_words;	/* allow: also with words not known */
	uint32_t conds, n_conds;
	uint32_t what;		/* string: for lists of rules */
};

/* What a command must have for the rule to hold: of each mask a bit, but of
 * needs each; all bits are set, or in the 64 none, where it may have any. */
struct pol_gate {
	uint64_t sets, features;
	uint32_t names;		/* first bytes of names with a wildcard */
	uint32_t unknown;
	uint16_t kinds, origins, turns;
	uint16_t needs;		/* see policy_gate.c */
};

struct pol_name {		/* a command name and its list or row */
	uint32_t name;
	uint32_t first, n;	/* INDEX: list; PROGNAMES: first is the row */
};

struct pol_program {
	uint32_t options;	/* grammar, or POL_NONE */
	uint32_t operands;	/* roles: "read* write" */
	uint32_t when, n_when;	/* list of pairs: option group, roles */
	uint32_t values, n_values;	/* list of pairs: option group, role */
	uint32_t turns, n_turns;	/* list of pairs: shape, into what */
};

struct pol_pattern {
	uint32_t text;
	uint32_t prefix;	/* bytes before the first special character */
	uint32_t set;
	uint32_t flags;		/* POL_PAT_… */
};
#define POL_PAT_HOME 1u		/* below any home directory */
#define POL_PAT_GLOB 2u
#define POL_PAT_EXCEPT 4u	/* takes the path out of the set again */
#define POL_PAT_BELOW 8u	/* all below, and the directory itself */
#define POL_PAT_NAME 16u	/* last component, in any directory */

struct pol_set {
	uint32_t name, why;
	uint32_t not_home;	/* 1: nothing of it is in the account's own
				 * home */
};

struct pol_profile {
	uint32_t name, sandbox, extends;
	uint32_t rank;
	uint32_t unknown;	/* policy_action where nobody answers … */
	uint32_t unknown_evidence;	/* … and with evidence >= ask_at */
	uint32_t ask_at;
	uint32_t enabled;	/* 0: every line is blocked */
	uint32_t jail;		/* paths outside the project are blocked */
	uint32_t rules;		/* list: bitmap over the rules */
	uint32_t search_path;	/* string: PATH of every line, or POL_NONE */
	uint32_t clean;		/* 1: of the environment only … is kept */
	uint32_t keep, n_keep;	/* list: patterns of further names */
	uint32_t project, n_project;	/* list: what marks a project's root */
	uint32_t file, line;	/* where the sandbox is named, or else the
				 * profile begins */
	uint32_t elevate;	/* 1: sudo and its like are brokered; and … */
	uint32_t elevated;	/* … string: what sudo runs is confined by
				 * this, or POL_NONE; and … */
	uint32_t elevated_file, elevated_line;	/* … where that is named, or
				 * else elevate is said */
	uint32_t elevated_shell;	/* 1: its shell is a root aegsh */
	uint32_t elevated_bare, n_elevated_bare;	/* list: names of
				 * programs that are not confined even so */
	uint32_t elevate_keep, n_elevate_keep;	/* list: names, patterns */
	uint32_t vendors;	/* 1: it was shipped so, whoever uses it */
};

enum pol_match_ask { POL_MATCH_USER = 0, POL_MATCH_GROUP, POL_MATCH_HOST,
	POL_MATCH_ORIGIN, POL_MATCH_COUNT };

struct pol_match {
	uint32_t name, profile, file;	/* strings */
	uint32_t line;
	/* Lists of strings; [1]: must not hold.  n 0: not asked.  Of ORIGIN
	 * list is the mask itself, and n tells whether it is asked. */
	struct { uint32_t list, n; } asks[POL_MATCH_COUNT][2];
};

/* What changes when a file does (inode(7)): not even its owner can set the
 * time of the last change of its inode. */
#define POL_FILE_IDENTITY 7

struct stat;
void pol_file_identity(const struct stat *st, int64_t ret[POL_FILE_IDENTITY]);

/* Where the compiled form lies: in memory of ours or, for the short life of
 * one line, in the mapped file. */
struct pol_bytes {
	char *p;
	size_t size;
	bool mapped;
	int64_t file[POL_FILE_IDENTITY];	/* of the cache, if from it */
};

void pol_bytes_done(struct pol_bytes *b);

struct policy {
	char *blob;
	size_t size;
	struct pol_bytes bytes;	/* the blob's, owned */
	const struct pol_header *head;
	const struct pol_profile *profile;
	char hash[65];
	struct pol_regex *regexes;	/* one for each of POL_SEC_REGEXES */
	void *match_data;	/* pcre2's */
	void *match_context;
	struct pol_buckets *buckets;	/* patterns by their first bytes */
	uint64_t jail_open, sinks, programs;	/* sets of these names */
	uint64_t not_home;	/* sets that are elsewhere */
	char *own_left_out;	/* why the user's layer is not in it, or NULL */
	char *not_listed;	/* what is said so, once it was … */
	const struct pol_profile *not_listed_by;	/* … of this one */
	struct buf shown;	/* text of the last verdict's command */
	struct pol_watch *watch;	/* the operator's files, or NULL */
};

static inline const void *
pol_section(const struct policy *p, enum pol_section_id id)
{
	return p->blob + p->head->sections[id].offset;
}

static inline uint32_t
pol_count(const struct policy *p, enum pol_section_id id)
{
	return p->head->sections[id].n;
}

/* NULL for POL_NONE. */
static inline const char *
pol_string(const struct policy *p, uint32_t offset)
{
	return offset == POL_NONE ? NULL :
	    (const char *)pol_section(p, POL_SEC_STRINGS) + offset;
}

static inline const uint32_t *
pol_list(const struct policy *p, uint32_t start)
{
	return (const uint32_t *)pol_section(p, POL_SEC_LISTS) + start;
}

/* What asking for sets needs; the buckets are empty until a path is first
 * looked for, and freed with free(). */
void pol_sets_prepare(struct policy *p);
/* Bytes of one row of each table. */
extern const size_t pol_row_size[POL_SEC_COUNT];
/* Look at size bytes that claim to be a compiled policy.  ERR_SYNTAX when
 * any offset, count or enum in them is out of place. */
int pol_blob_check(const char *blob, size_t size);
/* Its header alone. */
int pol_blob_check_head(const char *blob, size_t size);
enum policy_action pol_action(uint32_t says);
/* The loaded profile lets the rule speak. */
bool pol_speaks(const struct policy *p, uint32_t rule);
const struct pol_name *pol_find_name(const struct policy *p,
	enum pol_section_id id, const char *name, size_t len);

/* ---- sources ------------------------------------------------------------ */

struct pol_source {
	enum pol_layer layer;
	char *path;		/* "(built in)" of the floor */
	char *text;		/* NULL until it is filled in */
	size_t len;
	struct stat seen;	/* the file as it was found and checked */
	uid_t uid;		/* whose it may be, beside the operator's */
};

#define POL_LAYERS (POL_USER + 1)

struct pol_sources {
	struct pol_source *v;
	size_t n;
	int dir[POL_LAYERS];	/* where a layer's files lie, or -1 */
	uint8_t hash[32];	/* of the texts */
	uint8_t identity[32];	/* of the files: what inode(7) tells */
	int64_t newest;		/* seconds: last change of any of them */
};

#define POL_SOURCES_INIT { NULL, 0, { -1, -1, -1, -1 }, { 0 }, { 0 }, 0 }

extern const char pol_floor_text[];
void pol_sources_add_text(struct pol_sources *s, enum pol_layer layer,
	const char *path, const char *text, size_t len);
void pol_sources_hash(struct pol_sources *s);

/* ---- what may change while a session lasts ------------------------------- */

/* policy_load_layers(), to be refreshed or not. */
int pol_load(const char *profile, const char *cache_dir,
	const struct policy_user *user, bool watched, struct policy **ret,
	struct err *err);

/* The directories and files of the operator as they are now. */
struct pol_watch *pol_watch_new(void);
void pol_watch_free(struct pol_watch *w);
bool pol_watch_changed(const struct pol_watch *w);

/* Find and check the files; fill reads and hashes them.  Owner and mode are
 * checked each time; where the identity is new the texts are read, from
 * descriptors that are checked again. */
int pol_sources_find(const struct policy_user *user,
	struct pol_sources *ret, struct err *err);
int pol_sources_fill(struct pol_sources *s, struct err *err);
/* Both. */
int pol_sources_read(const struct policy_user *user,
	struct pol_sources *ret, struct err *err);
void pol_sources_done(struct pol_sources *s);
/* Those of a user's layer, filled; borrowed. */
const struct pol_sources *pol_user_files(const struct policy_user *u);
/* Leave out the site's files: all (name NULL), or the one of that name. */
void pol_sources_drop_site(struct pol_sources *s, const char *name);

/* Parse and compile; the examples are not checked yet.  *ret is owned. */
int pol_compile(const struct pol_sources *sources, char **ret,
	size_t *ret_size, struct err *err);
/* Take the blob over (freed on failure too) and choose the profile. */
int pol_open(char *blob, size_t size, const char *profile,
	struct policy **ret, struct err *err);
int pol_open_bytes(struct pol_bytes bytes, const char *profile,
	struct policy **ret, struct err *err);

/* What is remembered of sources: their hash, and the compiled form's file
 * when that was looked at as a whole (zeros: it was not). */
struct pol_known {
	uint8_t hash[32];
	int64_t checked[POL_FILE_IDENTITY];
};

/* dir: the cache's, open; map: to be mapped, not read. */
int pol_cache_read(int dir, const struct pol_known *known, bool map,
	struct pol_bytes *ret);
/* Of sources of this identity; -ENOENT. */
int pol_cache_known(int dir, const uint8_t identity[32],
	struct pol_known *ret);
/* Remember the hash, unless a file changed so lately that it might change
 * again without its times telling. */
void pol_cache_remember(const char *dir, const struct pol_sources *s);
/* Remember also that these bytes, which came from the cache, are in order;
 * on the same condition. */
void pol_cache_vouch(const char *dir, const struct pol_sources *s,
	const struct pol_bytes *b);
void pol_cache_write(const char *dir, const uint8_t hash[32],
	const char *blob, size_t size);

/* Every example of every rule, against the sources it came from. */
int pol_examples_check(const struct pol_sources *sources, const char *blob,
	size_t size, struct err *err);

/* ---- regular expressions ------------------------------------------------ */

enum pol_regex_answer { POL_REGEX_LIMIT_HIT = 0, POL_REGEX_NO, POL_REGEX_YES };

int pol_regex_check(const char *pattern, struct err *err);
enum pol_regex_answer pol_regex_match(const struct policy *p, uint32_t index,
	const char *text, size_t len);
void pol_regex_free(struct policy *p);
struct pol_regex *pol_regex_new(uint32_t n);

#endif

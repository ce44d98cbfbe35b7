/* SPDX-License-Identifier: ISC */
/*
 * The view: a line as the rules see it.  Built once per line in one arena;
 * each command with its options, operands, paths and features worked out.
 */
#ifndef POLICY_VIEW_INT_H
#define POLICY_VIEW_INT_H

#include "policy_int.h"

#define VIEW_PATHS_MAX 512	/* paths of one command that are looked at */
#define VIEW_CWDS_MAX 3		/* directories that a line's `cd`s may mean */

struct view_path {
	const char *path;	/* absolute, folded; may hold * for unknown */
	size_t len;
	const char *real;	/* where it leads, or NULL: there, or unknown */
	unsigned how;		/* enum pol_how */
	uint64_t sets;
	bool known;
	bool own;		/* below the working directory, a home, /tmp */
	bool own_start;		/* the same, or the working directory */
};

struct view_opt {
	struct resolve_opt opt;
	bool has_value;
};

struct view_assign {		/* NAME=VALUE, wherever it stands */
	const char *name;
	size_t name_len;
	const struct syn_word *value;
	size_t skip;			/* bytes of it that are not value */
	bool prefix;			/* for the command's own environment */
};

struct view_name {
	const char *text;
	size_t len;
};

struct view_link {		/* where a path leads, as far as asked */
	const char *path, *real;
};

struct view_made {		/* another name that the line gives */
	const char *path;
	size_t len;
	const char *to;
	size_t to_len;
	bool copied;
};

struct view_names {		/* policy_names.c: a hash table */
	struct view_name *slots;
	size_t n, cap;
};

#define VIEW_PAIRS 2048	/* a power of two */
struct view_cmd {
	const struct resolved *item;
	const char *name;		/* "" when not known */
	size_t name_len, stem_len;	/* stem: without a version */
	const char *real;		/* name of the file behind a link, or
					 * NULL where it is the same */
	const struct pol_program *program;
	const struct syn_word *argv;	/* the own words only: what a wrapper */
	size_t argc;			/* starts is a command of its own */
	struct view_opt *opts;
	size_t n_opts;
	size_t *operands;		/* indexes in argv */
	size_t n_operands;
	struct view_path *paths;
	size_t n_paths;
	struct view_assign *assigns;
	size_t n_assigns;
	const struct resolve_code **code;
	size_t n_code;
	uint64_t features, all_sets;	/* all_sets: of its paths */
	unsigned unknown;
	uint64_t turns;			/* view_turns(), once known */
	bool turns_known;
	uint16_t has;			/* policy_gate.c: for the gates */
	uint32_t initials;		/* … first bytes of its names */
	const char *args;		/* words joined by blanks; made when
					 * first needed */
	size_t args_len;
	uint32_t args_pairs[VIEW_PAIRS / 32];	/* bits: which two bytes */
};						/* stand together in them */

/* Of a text: which two bytes stand together in it. */
void view_mark_pairs(const char *text, size_t len, uint32_t *bits);
/* A text can only stand in the words when its first two bytes do. */
static inline unsigned
view_pair(const char *two)
{
	return ((unsigned char)two[0] * 37u ^ (unsigned char)two[1]) %
	    VIEW_PAIRS;
}

struct view {
	const struct policy *policy;
	const struct policy_input *in;
	struct arena *arena;
	const char *home, *real_home;	/* of the account, see policy_home */
	size_t home_len, real_home_len;
	const char *env_home;		/* what "~" means in the line */
	size_t env_home_len;
	const char *project;
	const char *cwds[VIEW_CWDS_MAX];	/* the likeliest first */
	size_t n_cwds;
	struct view_cmd *cmds;
	size_t n_cmds;
	struct view_names written;	/* the files that it writes, … */
	struct view_names named;	/* … that code names, which writes, */
	struct view_names fetched;	/* … fetches, by their last name, … */
	struct view_names marked;	/* … whose mode it changes */
	struct view_made *made;		/* policy_made.c */
	size_t n_made;
	unsigned char *lines;	/* by condition on the line: 1 no, 2 yes */
	uint32_t line_pairs[VIEW_PAIRS / 32];	/* filled with lines */
	struct relations *relations;	/* policy_relations.c; when needed */
	struct view_names assigned;	/* the variables that it assigns */
	bool reads_input;		/* a builtin reads into variables */
	bool over_cap;			/* a cap left something unseen */
	bool cwd_open;			/* a cd to who knows where */
	struct view_link *links;	/* answers of policy_links.c */
	size_t n_links;
	const char *real_cwd;		/* of the first of cwds, once known */
	const char *real_project;	/* the same of the project */
	bool touch_disk;		/* follow links of named paths */
	bool at_any_time;		/* examples: whatever the clock says */
	bool time_known;		/* weekday (0: Sunday) and minute are */
	unsigned weekday, minute;
};

void view_build(struct view *v, const struct policy *policy,
	const struct policy_input *in);
const char *view_args(struct view *v, struct view_cmd *cmd, size_t *ret_len);

/* policy_paths.c */
void view_paths(struct view *v, struct view_cmd *cmd);
bool view_is_evaluated(const struct view_cmd *cmd);

/* A path of the command: to it, in a word, and where text holds some; known:
 * no pattern; must_match: only where a set has it, or the line wrote it. */
void view_add_path(struct view *v, struct view_cmd *cmd, const char *text,
	size_t len, unsigned how, bool known, bool must_match);
void view_add_word(struct view *v, struct view_cmd *cmd,
	const struct syn_word *word, size_t skip, unsigned how);
void view_add_embedded(struct view *v, struct view_cmd *cmd, const char *text,
	size_t len, unsigned how);

/* policy_code.c: paths in code, and in variables that name a file to run;
 * whether what is run may be a file that the line wrote: by a pattern, by a
 * name in code that writes, by the variable of a loop. */
void view_add_code(struct view *v, struct view_cmd *cmd, const char *language,
	const struct syn_word *code);
void view_add_variables(struct view *v, struct view_cmd *cmd);
bool view_may_be_written(const struct view *v, const struct view_path *path,
	bool globbed);
bool view_is_looped(const struct view *v, const struct syn_word *word);

/* policy_cd.c */
void view_follow_cd(struct view *v, const struct view_cmd *cmd);

/* policy_made.c: names that a command makes for others; what a path is by
 * them, each in turn; whether the command runs what was written before it, by
 * its name. */
void view_note_made(struct view *v, struct view_cmd *cmd);
#define VIEW_MADE_OF_MAX 8
size_t view_made_of(struct view *v, const char *path, unsigned how,
	const char *ret[VIEW_MADE_OF_MAX]);
void view_runs_written(const struct view *v, struct view_cmd *cmd);

/* policy_own.c: fill own and own_start of a path; the features of a command
 * whose paths are all there; a word that is unknown by its globs alone. */
void view_whose(const struct view *v, struct view_path *path);
void view_own(struct view_cmd *cmd);
bool view_only_globs(const struct syn_word *word);

/* Strictly below the account's own home. */
bool view_in_home(const struct view *v, const char *path);

/* policy_links.c: where an absolute path leads, or NULL: where it says. */
const char *view_behind(struct view *v, const char *path);
/* The word as an absolute path, with its ".." in their places. */
const char *view_unfolded(struct view *v, const char *text, size_t len);

/* policy_sets.c: which sets a path falls into.  exact: no wildcard in it. */
uint64_t view_sets(const struct view *v, const char *path, size_t len,
	bool exact);
/* policy_fold.c: fold "." and "..", and the detours through /proc/PID/root. */
const char *view_fold(struct view *v, const char *dir, const char *text,
	size_t len, size_t *ret_len, bool *ret_bent);

/* policy_features.c */
void view_features(struct view *v);

/* The option of a command, or NULL; group: "-r|-R|--recursive". */
const struct view_opt *view_option(const struct view_cmd *cmd,
	const char *group);

bool view_opt_in(const struct resolve_opt *opt, const char *group);
bool view_is_shell(const struct view_cmd *cmd);

/* policy_explain.c */
void pol_explain_path(const struct policy *p, const struct view_path *path,
	struct buf *out);

/* policy_match.c */
bool view_name_is(const struct view_cmd *cmd, const char *pattern);
/* What is known of the command's name and the rule's already: nothing; that
 * the rule is for that very name; that it could only be for it by a name with
 * a wildcard. */
enum view_found { VIEW_FOUND_BY_NOTHING = 0, VIEW_FOUND_BY_NAME,
	VIEW_FOUND_BY_WILDCARD };
bool rule_matches(struct view *v, struct view_cmd *cmd,
	const struct pol_rule *rule, enum view_found found, bool *ret_limit);

/* policy_gate.c: what the gates ask of each command. */
void view_gates(struct view *v);
/* The gate of the rule leaves it to the conditions.  Its turns are asked
 * there, since finding them costs. */
static inline bool
view_may_match(const struct view *v, const struct view_cmd *cmd,
	const struct pol_gate *g, enum view_found found)
{
	return (g->needs & ~(unsigned)cmd->has) == 0 &&
	    (g->sets == 0 || (g->sets & cmd->all_sets) != 0) &&
	    (g->features == 0 || (g->features & cmd->features) != 0) &&
	    (g->unknown == UINT32_MAX || (g->unknown & cmd->unknown) != 0) &&
	    (g->kinds >> cmd->item->kind & 1) != 0 &&
	    (g->origins >> v->in->origin & 1) != 0 &&
	    (found != VIEW_FOUND_BY_WILDCARD || g->names == UINT32_MAX ||
	    (g->names & cmd->initials) != 0);
}

bool view_any_name(const struct policy *p, const struct pol_cond *c,
	const struct view_cmd *cmd);
/* fnmatch(3), but strcmp(3) where there is nothing to match. */
bool view_glob(const char *pattern, const char *text);

/* policy_turns.c: what the command is made into, as bits of the words of
 * "turns". */
uint64_t view_turns(struct view *v, struct view_cmd *cmd);

/* policy_relations.c: a command of one of the condition's names … */
enum view_relation {
	VIEW_FED_BY,	/* … stands before it in its pipeline, */
	VIEW_FEEDS,	/* … behind it, */
	VIEW_HOLDS,	/* … in a substitution inside of it, */
	VIEW_INSIDE,	/* … around the substitution that it stands in, */
	VIEW_BESIDE,	/* … anywhere in the line */
};
bool view_related(struct view *v, const struct view_cmd *cmd,
	const struct pol_cond *c, enum view_relation how);
/* The sets that other commands of the line read. */
uint64_t view_read_beside(struct view *v, const struct view_cmd *cmd);
bool view_stdin_given(struct view *v, const struct view_cmd *cmd);

/* policy_names.c */
void view_names_add(struct arena *arena, struct view_names *set,
	const char *text, size_t len);
bool view_names_have(const struct view_names *set, const char *text,
	size_t len);

/* Append to an array of the arena. */
#define VIEW_PUSH(arena, field, count, item) \
	do { \
		if (((count) & ((count) - 1)) == 0) \
			(field) = arena_grow((arena), (field), (count), \
			    (count) == 0 ? 1 : (count) * 2, sizeof *(field)); \
		(field)[(count)++] = (item); \
	} while (0)

#endif

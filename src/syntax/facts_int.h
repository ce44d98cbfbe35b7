/* SPDX-License-Identifier: ISC */
/*
 * What the files that find facts share.
 *
 * The tree is walked in the order in which bash would run it, with a table
 * of variables.  What is assigned inside something that may not run, or
 * runs elsewhere, is forgotten (or taken back) at its end; what is assigned
 * inside a loop or a function anywhere in the unit is known only from the
 * assignment to the end of the body.  A first walk, which tells nothing,
 * finds these names.
 *
 * What changes everything (eval, a command whose name is not known) counts
 * inside a loop or function for what stands in front of it, too.  The second
 * walk assumes that there is no such thing; where it meets one all the same,
 * a third one knows.
 *
 * With what functions are called is found out in the same way: a body that
 * looks at its arguments does nothing as long as no call of it was found, and
 * is told once for each list of known words with which it is called.  Where
 * anything may call it (a command or text that is not known, a trap, another
 * shell), it is told once, with arguments that are not known.
 */
#ifndef SYNTAX_FACTS_INT_H
#define SYNTAX_FACTS_INT_H

#include "syntax_int.h"

struct syn_items {		/* elements of an array, from index 0 */
	size_t n;
	struct syn_item {
		const char *s;
		size_t len;
	} v[];
};

/* With which arguments a function of the unit is called, as far as the walks
 * have found. */
#define SYN_CALLS_MAX 8
struct syn_calls {
	bool unknown;		/* with others, too */
	bool used;		/* the body was walked with these, or as one
				 * that is not called */
	size_t n;
	const struct syn_items *v[SYN_CALLS_MAX];
};

/* What bash reads once more when it uses a variable. */
enum syn_reread {
	SYN_REREAD_NO = 0,
	SYN_REREAD_PROMPT,	/* PS4 and its like */
	SYN_REREAD_CODE,
	SYN_REREAD_START,	/* the name of a file that a shell runs */
};

struct syn_slot {		/* a variable */
	const char *name;
	size_t len;
	bool never;		/* bash itself changes it */
	bool given;		/* bash starts with a value of its own … */
	bool given_if_unset;	/* … if it inherits none */
	bool anywhere;		/* assigned, says the first walk */
	bool in_function;	/* … inside one */
	bool in_loop;		/* … inside one, between … */
	size_t loop_first, loop_last;	/* … these offsets in the unit */
	bool tainted;		/* may have attributes: never known */
	bool only_assoc;	/* … but none but that of declare -A */
	bool attributed;	/* … has one of those that are known */
	bool readonly;		/* bash lets nobody assign to it */
	bool effect;		/* … or assigning does more: facts_effect.c */
	bool integer;		/* what is assigned is evaluated, perhaps: it
				 * is an integer or a reference somewhere */
	bool array;		/* it is one somewhere */
	bool texts;		/* assigned something that is no number */
	bool relied;		/* … which was taken for granted before */
	enum syn_reread reread;
	bool read;
	bool busy;		/* its value is being evaluated */
	bool set;		/* below is what an assignment left */
	bool inherited;		/* … or what was there before, perhaps */
	enum syn_var state;
	const char *value;
	size_t value_len;
	const struct syn_items *items;	/* an array; value is its first */
	size_t stamp;
	struct syn_calls *calls;	/* of a function, or NULL */
	bool wants;		/* a function that looks at its arguments */
};

struct syn_undo {
	struct syn_slot *slot;
	bool set, inherited;
	enum syn_var state;
	const char *value;
	size_t value_len, stamp;
	const struct syn_items *items;
};

#define SYN_NO_MARK SIZE_MAX

struct syn_loop {		/* around what is walked */
	size_t first, last;	/* offsets in the unit */
	size_t stamp;		/* when its body began (again) */
	bool numbers;		/* its words are */
	bool left;		/* by break or continue, perhaps */
	struct syn_loop *outer;
};

struct syn_env {
	struct syn_slot **slots;	/* open hash table */
	size_t size, used;
	struct syn_undo *undo;		/* newest last */
	size_t n_undo, cap_undo;
	size_t clock;
	size_t loop_stamp;	/* of the last border of a loop, or call */
	struct syn_loop *loop;
	size_t function_stamp;	/* of the body that is walked, or 0 */
	unsigned loops;		/* bodies of loops and functions around */
	bool later;		/* what is walked is expanded at another time,
				 * with other values */
	bool no_numbers;	/* no more walks to find out what is none */
	bool hostile;		/* anything may have changed */
	bool hostile_somewhere;	/* in a loop or function, says the walk
				 * before */
	bool hostile_anywhere;	/* at all, says it */
	bool ran_code, ran_code_somewhere, ran_code_anywhere;	/* by code in
				 * this shell, not only by arithmetic */
	bool no_braces;		/* brace expansion may be off */
	bool fragile;		/* limits were set: here-documents may fail */
	size_t fails;		/* what stands behind this mark on the present
				 * line may be skipped: an expansion in front
				 * of it may have failed; or SYN_NO_MARK */
};

/* A growing array in the arena of the facts. */
struct syn_vec {
	void *v;
	size_t n, cap;
};

struct syn_place_in {		/* where the walk stands */
	unsigned context;
	const char *function;
	unsigned depth, evals;
	size_t parent;
	unsigned pipeline, pipe_index, pipe_count;
	size_t offset;		/* of the command around */
};

#define SYN_EXPORTS_MAX 32	/* names that are told of */

struct syn_walk {
	struct arena *arena;	/* of the walk; names live in the second */
	struct arena *names;
	const struct syn_tree *tree;
	const struct syn_vars *vars;
	bool first;		/* the walk that only looks at names */
	bool looked;		/* … was there */
	struct syn_env env;
	struct syn_place_in at;
	struct syn_vec commands, functions, reads;
	unsigned pipelines;
	const char *change;	/* command that changes how later lines are
				 * read, on this line or before */
	const char *function_change;	/* the same inside a function */
	bool function_hostile, function_code;	/* as in syn_env */
	bool function_odd, function_fails;
	const char *change_somewhere;	/* in a loop or function, says the
					 * walk before */
	const char *rest_unknown;
	bool changed;		/* the present line is read differently */
	unsigned values;	/* nesting of values read as text */
	bool steers_start;	/* what a shell runs first was named */
	bool any_subst, any_function, any_assoc;
	bool calls_unknown;	/* functions may be called with anything */
	bool calls_used;	/* some body was walked with known ones */
	bool idle;		/* in the body of a function that nothing has
				 * called so far: it does nothing */
	bool lookup_odd;	/* names may mean other programs */
	bool lookup_odd_somewhere;	/* in a loop or function, says the
					 * walk before */
	bool lookup_odd_anywhere;	/* at all, says it */
	struct syn_slot *exported[SYN_EXPORTS_MAX];	/* by the line */
	size_t n_exported;
	bool bodies;		/* something runs later than it is read: a
				 * function, a trap, a prompt */
	bool traps;		/* the present walk has met one */
	bool physical;		/* set -P stands in it: cd follows links */
	bool naming;		/* the word that names a command: what makes
				 * its name is told as it stands there */
	bool keywords;		/* set -k: words of the form of an assignment
				 * are one, wherever they stand */
	bool again;		/* it did not, but it is so */
	struct syn_expander *spare;
	size_t spent, spent_values;
};

/*
 * Values and braces can make much out of little: what they cost in bytes,
 * for one unit.  Beyond it words are unknown.  Both budgets grow with the
 * unit and no faster, so that the whole cost does, too.
 */
#define SYN_SPEND_FREE ((size_t)1024 * 1024)
#define SYN_SPEND_PER_BYTE 16
/* Values that bash reads once more as text, each counted as so many bytes
 * more than it has. */
#define SYN_VALUES_FREE ((size_t)16 * 1024)
#define SYN_VALUES_PER_BYTE 4
#define SYN_VALUE_COST 64
#define SYN_SUBST_COST 64	/* of one that is worked out, each time */
#define SYN_EVALS_MAX 8		/* texts and values inside others */
#define SYN_ROUNDS_MAX 64	/* of one for loop that are told one by one */

static inline bool
syn_spend_from(size_t *spent, size_t bytes, size_t max)
{
	*spent = bytes > max || *spent > max - bytes ? max + 1 : *spent + bytes;
	return *spent <= max;
}

static inline bool
syn_spend(struct syn_walk *w, size_t bytes)
{
	return syn_spend_from(&w->spent, bytes,
	    SYN_SPEND_FREE + SYN_SPEND_PER_BYTE * w->tree->len);
}

static inline bool
syn_word_is(const struct syn_word *word, const char *s)
{
	return word->known && strcmp(word->value, s) == 0;
}

static inline bool
syn_is_ascii(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

enum syn_mode {			/* how a word is expanded */
	SYN_MODE_ARGUMENT = 0,	/* braces, splitting, globbing */
	SYN_MODE_TARGET,	/* of a redirection: the same, one word */
	SYN_MODE_VALUE,		/* no splitting: assignments, here-strings */
	SYN_MODE_BODY,		/* inside a here-document */
};

/* facts_env.c */
struct syn_slot *syn_env_slot(struct syn_walk *w, const char *name,
	size_t len);
/* What is known of a variable besides its value is kept among them, by a name
 * that none of them can have, so that it is doubted and taken back where they
 * are: its attribute ('%'), whether it is exported ('!') or associative
 * ('@'). */
struct syn_slot *syn_env_beside(struct syn_walk *w, const char *name,
	size_t len, char what);
enum syn_var syn_env_get(struct syn_walk *w, const char *name, size_t len,
	const char **ret_value, size_t *ret_len);
void syn_env_set(struct syn_walk *w, const char *name, size_t len,
	enum syn_var state, const char *value, size_t value_len);
void syn_env_set_items(struct syn_walk *w, const char *name, size_t len,
	const struct syn_items *items);
/* The arguments of a function while its body is walked; NULL: any. */
void syn_env_arguments(struct syn_walk *w, const struct syn_items *items);
void syn_env_forget(struct syn_walk *w, const char *name, size_t len);
/* It is given a whole number, which is not known. */
void syn_env_number(struct syn_walk *w, const char *name, size_t len);
/* It is not known any more; nothing is assigned, so nothing is evaluated. */
void syn_env_lose(struct syn_walk *w, const char *name, size_t len);
/* Whatever its value is, it is a whole number or nothing. */
bool syn_env_is_number(struct syn_walk *w, const char *name, size_t len);
/* Which letter is the other case of which is known for all of these. */
bool syn_env_turns_case(struct syn_walk *w, const char *s, size_t len);
void syn_env_declare(struct syn_walk *w, const struct syn_word *word,
	size_t len, const char *letters, bool local);
bool syn_env_is_whole(const char *s, size_t len);
/* Surely an associative array, whose keys are no arithmetic. */
bool syn_env_is_assoc(struct syn_walk *w, const char *name, size_t len);
void syn_env_assoc(struct syn_walk *w, const char *name, size_t len, bool is);
/* From some assignment on it is an integer, or a reference. */
void syn_env_integer(struct syn_walk *w, const char *name, size_t len);
void syn_env_taint(struct syn_walk *w, const char *name, size_t len);
/* From here on: 'u', 'l', 'i' of declare, or 'r': readonly. */
void syn_env_attribute(struct syn_walk *w, const char *name, size_t len,
	char letter);
void syn_env_restart(struct syn_env *env);
size_t syn_env_mark(struct syn_walk *w);
void syn_env_undo(struct syn_walk *w, size_t mark);	/* ran elsewhere */
void syn_env_doubt(struct syn_walk *w, size_t mark);	/* may have run */
void syn_env_border(struct syn_walk *w);		/* of a loop */
/* An expansion that bash may not be able to make: with it the rest of the
 * line is skipped, or of the text of eval. */
void syn_env_may_fail(struct syn_walk *w);
void syn_env_line_end(struct syn_walk *w);
void syn_env_read(struct syn_walk *w, const char *name, size_t len);
/* The characters that split: NULL when not known. */
const char *syn_env_ifs(struct syn_walk *w);

/* What the slot holds is what bash will find there. */
bool syn_env_certain(const struct syn_walk *w, const struct syn_slot *slot);

/* facts_export.c: what programs are given */
void syn_export(struct syn_walk *w, const char *name, size_t len);
void syn_export_not(struct syn_walk *w, const char *name, size_t len);
void syn_export_tell(struct syn_walk *w, struct syn_command *c);

/* facts_hostile.c: what nobody knows was run, or evaluated */
void syn_env_hostile(struct syn_walk *w);
/* Arithmetic that is not known: what it runs, runs elsewhere, but it may
 * give any variable a number. */
void syn_env_evaluated(struct syn_walk *w);
/* No variable, no function is known to be what it was. */
bool syn_env_is_hostile(const struct syn_walk *w);
bool syn_env_ran_code(const struct syn_walk *w);
/* What is walked runs later than it is read. */
bool syn_env_in_body(const struct syn_walk *w);

/* facts_lookup.c: how commands are found, and what changes that */
void syn_lookup_tell(struct syn_walk *w, struct syn_command *c);
void syn_lookup_odd(struct syn_walk *w);
void syn_lookup_cd(struct syn_walk *w, const struct syn_word *words,
	size_t n);
void syn_lookup_forget_dir(struct syn_walk *w);

/* facts_fields.c */
struct syn_draft {		/* a part in the making */
	bool known, quoted, number;
	enum syn_why why;
	size_t from, to;	/* in the bytes of the word */
};

struct syn_expander {
	struct buf bytes;
	struct syn_draft *parts;
	size_t n, cap;
};

/* One word in the making, and where finished ones go. */
struct syn_maker {
	struct syn_walk *w;
	struct syn_expander *x;
	enum syn_mode mode;
	const char *src;
	size_t src_len, offset;
	struct syn_vec *out;
	bool has, quoted, may_split;
	bool alone;		/* what is expanded is all of a string */
	bool vanishes;		/* … and became no word at all */
	unsigned nested;	/* words of operators around */
	unsigned inside;	/* unquoted words of ${x-word} around */
};

void syn_add(struct syn_maker *m, bool known, bool quoted, enum syn_why why,
	const char *s, size_t len);
/* What was added last is a number. */
void syn_add_number(struct syn_maker *m);
void syn_add_unknown(struct syn_maker *m, const struct syn_piece *piece,
	bool quoted, enum syn_why why);
/* Unquoted bytes; more: other pieces follow, which may close a bracket. */
void syn_add_bytes(struct syn_maker *m, const char *s, size_t len, bool more);
bool syn_goes_on(const struct syn_maker *m, const struct syn_piece *piece);
void syn_add_value(struct syn_maker *m, const struct syn_piece *piece,
	const char *s, size_t len, bool quoted);
bool syn_globs(enum syn_mode mode);
void syn_fill(struct syn_maker *m, struct syn_word *word);
void syn_restart(struct syn_maker *m);
void syn_finish(struct syn_maker *m);
struct syn_expander *syn_expander_borrow(struct syn_walk *w);
void syn_expander_return(struct syn_walk *w, struct syn_expander *x);

/* facts_expand.c */
void syn_expand(struct syn_walk *w, const struct syn_piece *pieces,
	const struct syn_text *text, enum syn_mode mode, struct syn_vec *out);
void syn_expand_one(struct syn_walk *w, const struct syn_piece *pieces,
	const char *src, size_t src_len, size_t offset, enum syn_mode mode,
	struct syn_word *ret);
/* ":~" stands in the word of an operator. */
bool syn_has_inner_tilde(const struct syn_piece *piece);
void syn_expander_free(struct syn_expander *x);

/* facts_param.c */
bool syn_param_apply(struct syn_maker *m, const struct syn_param *param,
	const char **value, size_t *len);
/* Which part of len bytes, or items, ${x:from:n} means. */
bool syn_param_range(struct syn_maker *m, const struct syn_param *param,
	size_t len, bool items, size_t *ret_from, size_t *ret_len);

/* facts_array.c: elements, and the positional parameters as those of "@" */
const struct syn_items *syn_array_get(struct syn_walk *w, const char *name,
	size_t len);
/* Items of known words; NULL: one of them is not known. */
const struct syn_items *syn_array_of(struct syn_walk *w,
	const struct syn_word *words, size_t n);
void syn_array_assign(struct syn_walk *w, const struct syn_assignment *a,
	const struct syn_assign *told);
/* false: it is nothing known of an array. */
bool syn_array_expand(struct syn_maker *m, const struct syn_piece *piece,
	bool quoted);
bool syn_array_element(struct syn_walk *w, const struct syn_param *param,
	enum syn_var *ret_state, const char **ret, size_t *ret_len);

/* facts_subst.c: $(echo …); false: not known. */
bool syn_subst_text(struct syn_maker *m, const struct syn_piece *piece,
	const char **ret, size_t *ret_len);

/* facts_brace.c: false: no braces to expand; *ret_words NULL: too many. */
struct syn_alternative {
	struct syn_piece *pieces;
	struct syn_alternative *next;
};
bool syn_brace(struct syn_walk *w, const struct syn_piece *pieces,
	struct syn_alternative **ret_words);

/* facts_arith.c */
void syn_arith_walk(struct syn_walk *w, const struct syn_piece *pieces);
/* The text of an expression in which only whole numbers are put in. */
bool syn_arith_text(struct syn_walk *w, const struct syn_piece *pieces,
	const char **ret, size_t *ret_len);
/* The number that a constant expression gives. */
bool syn_arith_value(struct syn_walk *w, const char *s, size_t len,
	int64_t *ret);

/* facts_effect.c: what a command that bash runs itself does to variables
 * and to reading.  True: bash runs it itself. */
bool syn_effect(struct syn_walk *w, const struct syn_command *c);
/* Assigning to some names changes reading, too, or how names are found. */
bool syn_has_name_effect(const char *name);
void syn_name_effect(struct syn_walk *w, const struct syn_slot *slot);

/* From here on, or from the next line on, bash may read otherwise; name: by
 * what. */
void syn_changes_reading(struct syn_walk *w, const char *name);

/* facts_names.c: builtins that give variables values */
struct syn_call {
	struct syn_walk *w;
	const struct syn_command *command;
	const struct syn_word *words;	/* from the builtin's name on */
	size_t n;
};
/* A function that the shell is born with. */
bool syn_is_inherited(struct syn_walk *w, const struct syn_word *word);

/* facts_options.c */
void syn_do_set(const struct syn_call *c);
void syn_do_shopt(const struct syn_call *c);
void syn_change_mode(const struct syn_call *c);
/* set -a stood in front: what is assigned is exported. */
bool syn_all_exported(struct syn_walk *w);

/* facts_eval.c */
bool syn_eval(const struct syn_call *c);
void syn_walk_code(struct syn_walk *w, const char *text, size_t len);
void syn_do_declare(const struct syn_call *c);
void syn_do_export(const struct syn_call *c);
void syn_do_getopts(const struct syn_call *c);
void syn_do_mapfile(const struct syn_call *c);
bool syn_mapfile_lines(const struct syn_call *c);
/* The word is a name and nothing else. */
bool syn_is_plain(const struct syn_word *word);
void syn_do_printf(const struct syn_call *c);
void syn_do_read(const struct syn_call *c);
void syn_do_shift(const struct syn_call *c);
void syn_do_unset(const struct syn_call *c);
void syn_do_wait(const struct syn_call *c);
void syn_positional(const struct syn_call *c, size_t i);
void syn_forget_word(struct syn_walk *w, const struct syn_word *word);

/* facts_function.c */
void syn_walk_function(struct syn_walk *w, const struct syn_node *node);
void syn_function_called(struct syn_walk *w, const struct syn_word *words,
	size_t n);
/* Something may call any function with any arguments. */
void syn_calls_unknown(struct syn_walk *w);
bool syn_is_function(struct syn_walk *w, const char *name, size_t len);
enum syn_is_function syn_function_now(struct syn_walk *w,
	const struct syn_word *word);
void syn_function_unset(struct syn_walk *w, const char *name, size_t len,
	bool surely);

/* facts_walk.c */
void syn_walk_node(struct syn_walk *w, const struct syn_node *node);
void syn_walk_list(struct syn_walk *w, const struct syn_list *list);
void syn_walk_script(struct syn_walk *w, const struct syn_script *script,
	unsigned context);

/* facts_piece.c: the commands and variables inside words */
void syn_walk_pieces(struct syn_walk *w, const struct syn_piece *pieces);
void syn_walk_texts(struct syn_walk *w, const struct syn_text *t);
void syn_walk_targets(struct syn_walk *w, const struct syn_target *t);
/* One of them may not come about: then the command does not run. */
bool syn_targets_may_fail(const struct syn_walk *w,
	const struct syn_target *t);
void syn_walk_cond(struct syn_walk *w, const struct syn_cond *c);
/* Known text that bash will expand once more. */
void syn_walk_value(struct syn_walk *w, const char *s, size_t len,
	enum syn_place place);

/* facts_evaluate.c: text that bash reads once more */
void syn_walk_evaluated(struct syn_walk *w, const struct syn_word *word);
void syn_walk_reference(struct syn_walk *w, const struct syn_word *word,
	bool assigns);
/* printf: the word, which is not known, may be -v or -vNAME. */
bool syn_may_be_v(const struct syn_word *word, bool last_word);
void syn_walk_prompt(struct syn_walk *w, const struct syn_word *word);
void syn_walk_reread(struct syn_walk *w, const struct syn_piece *piece);
void syn_walk_trace(struct syn_walk *w);
void syn_walk_declared(struct syn_walk *w, const struct syn_word *word,
	size_t name_len, bool array);
void syn_walk_assigned(struct syn_walk *w, const struct syn_slot *slot,
	const struct syn_word *value);
void syn_walk_given(struct syn_walk *w, const struct syn_slot *slot,
	enum syn_var state, const char *value, size_t len);
void syn_name_kind(struct syn_slot *slot);
/* Only digits, signs and parts that are numbers. */
bool syn_is_number(const struct syn_word *word);

/* facts_command.c: what is told of one command */
size_t syn_tell(struct syn_walk *w, const struct syn_node *node,
	unsigned context);
void syn_tell_simple(struct syn_walk *w, const struct syn_node *node);
void syn_tell_targets(struct syn_walk *w, const struct syn_node *node,
	size_t index);
/* Text that is evaluated and not known. */
void syn_tell_evaluated(struct syn_walk *w, const char *s, size_t len,
	enum syn_why why);
void syn_tell_broken(struct syn_walk *w, const char *s, size_t len,
	enum syn_why why);

/* syntax_facts.c */
void *syn_vec_add(struct syn_walk *w, struct syn_vec *vec, size_t size);

#endif

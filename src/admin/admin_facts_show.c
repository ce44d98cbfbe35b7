/* SPDX-License-Identifier: ISC */
/* Facts of a line, for programs and for people. */
#include "admin_facts.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const char *const whys[] = {
	[SYN_WHY_UNSPECIFIED] = "unspecified",
	[SYN_WHY_VARIABLE] = "variable",
	[SYN_WHY_INDIRECT] = "indirect",
	[SYN_WHY_SUBST] = "substitution",
	[SYN_WHY_PROCESS] = "process-substitution",
	[SYN_WHY_ARITH] = "arithmetic",
	[SYN_WHY_GLOB] = "glob",
	[SYN_WHY_BRACE] = "brace",
	[SYN_WHY_TILDE] = "tilde",
	[SYN_WHY_CAP] = "too-much",
	[SYN_WHY_READ_CHANGED] = "reading-changed",
};

static const char *const kinds[] = {
	[RESOLVE_UNKNOWN] = "unknown",
	[RESOLVE_BUILTIN] = "builtin",
	[RESOLVE_FUNCTION] = "function",
	[RESOLVE_FILE] = "file",
	[RESOLVE_NOT_FOUND] = "not-found",
	[RESOLVE_NONE] = "none",
};

static const struct {
	enum syn_context bit;
	const char *name;
} contexts[] = {
	{ SYN_IN_SUBST, "substitution" },
	{ SYN_IN_PROCESS, "process-substitution" },
	{ SYN_IN_SUBSHELL, "subshell" },
	{ SYN_IN_FUNCTION, "function" },
	{ SYN_IN_LOOP, "loop" },
	{ SYN_IN_CONDITION, "condition" },
	{ SYN_IN_BACKGROUND, "background" },
	{ SYN_IN_COPROC, "coproc" },
	{ SYN_NEGATED, "negated" },
	{ SYN_IN_ARITH, "arithmetic" },
	{ SYN_IS_COMPOUND, "compound" },
	{ SYN_IN_HEREDOC, "here-document" },
	{ SYN_IN_EVAL, "eval" },
};

static const char *const lookups[] = {
	[SYN_LOOKUP_UNKNOWN] = "unknown",
	[SYN_LOOKUP_START] = "start",
	[SYN_LOOKUP_PATH] = "path",
	[SYN_LOOKUP_SOME_PATH] = "some-path",
};

static const char *const dirs[] = {
	[SYN_DIR_UNKNOWN] = "unknown",
	[SYN_DIR_START] = "start",
	[SYN_DIR_AT] = "at",
};

static const char *const are_functions[] = {
	[SYN_FUNCTION_MAYBE] = "maybe",
	[SYN_FUNCTION_NO] = "no",
	[SYN_FUNCTION_YES] = "yes",
};

static const char *
name_of(const char *const *names, size_t n, unsigned value)
{
	return value < n && names[value] != NULL ? names[value] : "?";
}
static const char *
redir_of(const struct syn_redir *r)
{
	return r->op == SYN_REDIR_UNKNOWN ? "unknown" : syn_redir_text(r->op);
}

#define NAME(names, value) \
	name_of(names, AEG_NELEM(names), (unsigned)(value))

/* ---- for programs ------------------------------------------------------ */

static void
set(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static json_t *
word_json(const struct syn_word *w)
{
	json_t *o = json_object(), *why;
	size_t i;

	admin_json_bytes(o, "value", w->value, w->len);
	set(o, "known", json_boolean(w->known));
	set(o, "quoted", json_boolean(w->quoted));
	set(o, "may_split", json_boolean(w->may_split));
	if (w->known)
		return o;
	why = json_array();
	for (i = 0; i < w->n_parts; i++) {
		if (!w->parts[i].known)
			json_array_append_new(why,
			    json_string(NAME(whys, w->parts[i].why)));
	}
	set(o, "why", why);
	return o;
}

static json_t *
words_json(const struct syn_word *words, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, word_json(&words[i]));
	return list;
}

static json_t *
context_json(unsigned context)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < AEG_NELEM(contexts); i++) {
		if ((context & (unsigned)contexts[i].bit) != 0)
			json_array_append_new(list,
			    json_string(contexts[i].name));
	}
	return list;
}

static json_t *
assignments_json(const struct syn_command *c)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < c->n_assigns; i++) {
		json_t *one = word_json(&c->assigns[i].value);

		admin_json_text(one, "name", c->assigns[i].name);
		admin_json_text(one, "subscript", c->assigns[i].subscript);
		set(one, "append", json_boolean(c->assigns[i].append));
		set(one, "array", json_boolean(c->assigns[i].array));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *
redirections_json(const struct syn_command *c)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < c->n_redirs; i++) {
		json_t *one = word_json(&c->redirs[i].target);

		admin_json_text(one, "operator",
		    redir_of(&c->redirs[i]));
		set(one, "fd", json_integer(c->redirs[i].fd));
		admin_json_text(one, "fd_name", c->redirs[i].fd_name);
		json_array_append_new(list, one);
	}
	return list;
}

/* By what the name is found; null: there is none. */
static json_t *
lookup_json(const struct syn_command *c)
{
	json_t *o;

	if (c->n_words == 0)
		return json_null();
	o = json_object();
	admin_json_text(o, "by", NAME(lookups, c->lookup));
	admin_json_text(o, "path", c->path);
	admin_json_text(o, "directory", NAME(dirs, c->dir));
	admin_json_text(o, "cwd", c->cwd);
	admin_json_text(o, "function", NAME(are_functions, c->function));
	return o;
}

static json_t *
command_json(const struct admin_facts *f, const struct syn_command *c)
{
	json_t *o = json_object();

	admin_json_bytes(o, "source", f->bytes + c->offset, c->len);
	set(o, "offset", json_integer((json_int_t)c->offset));
	set(o, "words", words_json(c->words, c->n_words));
	set(o, "assignments", assignments_json(c));
	set(o, "redirections", redirections_json(c));
	set(o, "lookup", lookup_json(c));
	set(o, "context", context_json(c->context));
	admin_json_text(o, "in_function", c->in_function);
	set(o, "pipeline", json_integer(c->pipeline));
	set(o, "pipe_index", json_integer(c->pipe_index));
	set(o, "pipe_count", json_integer(c->pipe_count));
	set(o, "depth", json_integer(c->depth));
	/* Its place in the list, from 0; null: none holds it. */
	set(o, "inside", c->parent > 0 ?
	    json_integer((json_int_t)c->parent - 1) : json_null());
	return o;
}

static json_t *
resolved_json(const struct resolved *r)
{
	json_t *o = json_object();

	admin_json_text(o, "kind", NAME(kinds, r->kind));
	admin_json_text(o, "name", r->name);
	admin_json_text(o, "path", r->path);
	admin_json_text(o, "interpreter", r->interpreter);
	admin_json_text(o, "wrapper", r->wrapper);
	set(o, "level", json_integer(r->level));
	set(o, "program", json_integer(r->program));
	set(o, "arguments", words_json(r->argv, r->argc));
	set(o, "more_arguments", json_boolean(r->more_args_unknown));
	return o;
}

json_t *
admin_facts_json(const struct admin_facts *f)
{
	json_t *o = json_object(), *list = json_array();
	size_t i;

	for (i = 0; i < f->facts->n_commands; i++)
		json_array_append_new(list,
		    command_json(f, &f->facts->commands[i]));
	set(o, "commands", list);
	list = json_array();
	for (i = 0; i < f->resolved->n; i++)
		json_array_append_new(list,
		    resolved_json(&f->resolved->items[i]));
	set(o, "runs", list);
	list = json_array();
	for (i = 0; i < f->resolved->n_code; i++) {
		json_t *one = word_json(&f->resolved->code[i].text);

		admin_json_text(one, "language",
		    f->resolved->code[i].language);
		set(one, "by", json_integer(f->resolved->code[i].by -
		    f->resolved->items));
		json_array_append_new(list, one);
	}
	set(o, "code", list);
	list = json_array();
	for (i = 0; i < f->facts->n_functions; i++)
		json_array_append_new(list,
		    admin_json_string(f->facts->functions[i].name));
	set(o, "functions", list);
	list = json_array();
	for (i = 0; i < f->facts->n_reads; i++)
		json_array_append_new(list,
		    admin_json_string(f->facts->reads[i]));
	set(o, "reads", list);
	admin_json_text(o, "rest_unknown_after", f->facts->rest_unknown);
	set(o, "only_simple", json_boolean(f->facts->only_simple));
	set(o, "not_all_followed", json_boolean(f->resolved->incomplete));
	set(o, "too_much", json_boolean(f->resolved->over_cap));
	return o;
}

/* ---- for people -------------------------------------------------------- */

/* Text of the line's or the disk's: it must not begin a line of its own. */
static void
print_text(struct admin *a, const char *text)
{
	admin_put(a, text, strlen(text));
}

static void
print_word(struct admin *a, const struct syn_word *w)
{
	size_t i;

	admin_say(a, " ");
	admin_put(a, w->value, w->len);
	for (i = 0; i < w->n_parts; i++) {
		if (!w->parts[i].known)
			admin_say(a, " (%s)", NAME(whys, w->parts[i].why));
	}
}

static void
print_assignment(struct admin *a, const struct syn_assign *assign)
{
	admin_say(a, "  assigns ");
	print_text(a, assign->name);
	if (assign->subscript != NULL) {
		admin_say(a, "[");
		print_text(a, assign->subscript);
		admin_say(a, "]");
	}
	admin_say(a, assign->append ? " +=" : " =");
	print_word(a, &assign->value);
	admin_say(a, "\n");
}

static void
print_redirection(struct admin *a, const struct syn_redir *r)
{
	admin_say(a, "  redirects ");
	if (r->fd_name != NULL) {
		admin_say(a, "{");
		print_text(a, r->fd_name);
		admin_say(a, "}");
	} else {
		admin_say(a, "%d", r->fd);
	}
	admin_say(a, " %s", redir_of(r));
	print_word(a, &r->target);
	admin_say(a, "\n");
}

static void
print_path(struct admin *a, const struct syn_command *c)
{
	/* A name with a slash is a path itself. */
	if (c->words[0].known && strchr(c->words[0].value, '/') != NULL)
		return;
	switch (c->lookup) {
	case SYN_LOOKUP_UNKNOWN:
		admin_say(a, "  found by what nobody knows\n");
		break;
	case SYN_LOOKUP_START:
		admin_say(a, "  found by PATH as it is\n");
		break;
	case SYN_LOOKUP_PATH:
		admin_say(a, "  found by PATH=");
		print_text(a, c->path);
		admin_say(a, "\n");
		break;
	case SYN_LOOKUP_SOME_PATH:
		admin_say(a, "  found by a PATH that nobody knows\n");
		break;
	}
}

/* By what the command's name is found, and from where. */
static void
print_lookup(struct admin *a, const struct syn_command *c)
{
	if (c->n_words == 0)
		return;
	switch (c->function) {
	case SYN_FUNCTION_YES:
		admin_say(a, "  found as a function\n");
		return;
	case SYN_FUNCTION_MAYBE:
		admin_say(a, "  found perhaps as a function\n");
		break;
	case SYN_FUNCTION_NO:
		break;
	}
	print_path(a, c);
	switch (c->dir) {
	case SYN_DIR_UNKNOWN:
		admin_say(a, "  found from a directory that is not known\n");
		break;
	case SYN_DIR_START:
		break;
	case SYN_DIR_AT:
		admin_say(a, "  found from the directory ");
		print_text(a, c->cwd);
		admin_say(a, "\n");
		break;
	}
}

static void
print_command(struct admin *a, const struct admin_facts *f,
    const struct syn_command *c)
{
	size_t i;

	admin_say(a, "command   ");
	admin_put(a, f->bytes + c->offset, c->len);
	admin_say(a, "\n");
	for (i = 0; i < c->n_words; i++) {
		admin_say(a, "  word   ");
		print_word(a, &c->words[i]);
		admin_say(a, "\n");
	}
	print_lookup(a, c);
	for (i = 0; i < c->n_assigns; i++)
		print_assignment(a, &c->assigns[i]);
	for (i = 0; i < c->n_redirs; i++)
		print_redirection(a, &c->redirs[i]);
	for (i = 0; i < AEG_NELEM(contexts); i++) {
		if ((c->context & (unsigned)contexts[i].bit) != 0)
			admin_say(a, "  stands in %s\n", contexts[i].name);
	}
	if (c->in_function != NULL) {
		admin_say(a, "  stands in the function ");
		print_text(a, c->in_function);
		admin_say(a, "\n");
	}
	if (c->pipe_count > 1)
		admin_say(a, "  part %u of %u of a pipeline\n",
		    c->pipe_index + 1, c->pipe_count);
}

static void
print_resolved(struct admin *a, const struct resolved *r)
{
	size_t i;

	if (r->kind == RESOLVE_NONE) {
		admin_say(a, "runs      nothing\n");
		return;
	}
	admin_say(a, "runs      %s: ", NAME(kinds, r->kind));
	print_text(a, r->path != NULL ? r->path :
	    r->name != NULL ? r->name : "?");
	if (r->interpreter != NULL) {
		admin_say(a, " by ");
		print_text(a, r->interpreter);
	}
	if (r->wrapper != NULL) {
		admin_say(a, ", started by ");
		print_text(a, r->wrapper);
	}
	admin_say(a, "\n");
	for (i = 1; i < r->argc; i++) {
		admin_say(a, "  argument");
		print_word(a, &r->argv[i]);
		admin_say(a, "\n");
	}
	if (r->more_args_unknown)
		admin_say(a, "  and more that only running would tell\n");
}

void
admin_facts_print(struct admin *a, const struct admin_facts *f)
{
	size_t i;

	for (i = 0; i < f->facts->n_commands; i++)
		print_command(a, f, &f->facts->commands[i]);
	for (i = 0; i < f->resolved->n; i++)
		print_resolved(a, &f->resolved->items[i]);
	for (i = 0; i < f->resolved->n_code; i++) {
		admin_say(a, "code      %s:", f->resolved->code[i].language);
		print_word(a, &f->resolved->code[i].text);
		admin_say(a, "\n");
	}
	for (i = 0; i < f->facts->n_functions; i++) {
		admin_say(a, "defines   ");
		print_text(a, f->facts->functions[i].name);
		admin_say(a, "\n");
	}
	for (i = 0; i < f->facts->n_reads; i++)
		admin_say(a, "reads     $%s\n", f->facts->reads[i]);
	if (f->facts->rest_unknown != NULL)
		admin_say(a, "after %s the rest may mean something else\n",
		    f->facts->rest_unknown);
	if (f->resolved->over_cap)
		admin_say(a, "it is too much to follow all of it\n");
	else if (f->resolved->incomplete)
		admin_say(a, "not everything could be followed\n");
}

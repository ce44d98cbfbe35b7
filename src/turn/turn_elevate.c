/* SPDX-License-Identifier: ISC */
/*
 * What sudo and its like are called with.  Their options are known by a list
 * of those that are harmless in themselves: whatever else there is, now or in
 * a later version, is refused by its name.
 */
#include "turn/turn_elevate.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/rootenv.h"
#include "aegsh/conf.h"
#include "aegsh/base/text.h"

#define SERVICE_UID_MAX 999	/* no person has one, on any distribution */

/* ---- its words ---------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3)))
refuse(struct elevate_call *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (c->refusal[0] == '\0')
		vsnprintf(c->refusal, sizeof c->refusal, fmt, ap);
	va_end(ap);
}

/* A list of names, as --preserve-env takes it. */
static void
check_names(const struct policy *p, struct elevate_call *c, const char *list)
{
	size_t n;

	for (; *list != '\0'; list += n + (list[n] == ',')) {
		AEG_AUTOFREE char *name = NULL;

		n = strcspn(list, ",");
		name = xmemdup0(list, n);
		if (n > 0 && !policy_elevate_keeps(p, name))
			refuse(c, "the profile %s does not hand the variable "
			    "%.100s on (elevate_variables)",
			    policy_profile(p), name);
	}
}

struct options {
	const struct policy *p;
	struct elevate_call *c;
	bool alone, tells, to_user, groups, shell;
	size_t value;			/* the last value's word */
};

static void
check_option(struct options *s, const struct strv *argv,
    const struct resolve_opt *o)
{
	struct elevate_call *c = s->c;
	const struct elevate_program *g = c->program;

	s->value = o->value_word;
	s->to_user |= resolve_opt_is(o, "u user") ||
	    resolve_opt_is(o, "g group");
	s->groups |= resolve_opt_is(o, "P preserve-groups");
	if (g->login != NULL && resolve_opt_is(o, g->shell) &&
	    policy_elevates_shell(s->p)) {
		s->shell = true;
		c->login |= resolve_opt_is(o, g->login);
	} else if (g->shell != NULL && resolve_opt_is(o, g->shell)) {
		refuse(c, "%s would start a shell, and what is typed there "
		    "would not be judged: give it the command", g->name);
	} else if (!resolve_opt_is(o, g->plain)) {
		refuse(c, "the option %.*s of %s is none that aegsh hands on",
		    (int)(o->name_len < 40 ? o->name_len : 40), o->name,
		    g->name);
	} else {
		s->alone |= (g->alone != NULL && resolve_opt_is(o, g->alone));
		c->edits |= g->edit != NULL && resolve_opt_is(o, g->edit);
		s->tells |= (g->tells != NULL && resolve_opt_is(o, g->tells));
		if (o->value_word > 0 && resolve_opt_is(o, "preserve-env"))
			check_names(s->p, c, argv->v[o->value_word] +
			    o->value_skip);
	}
}

/* The word of the command, or 0.  With the first operand its options end, as
 * with "--"; behind a variable sudo would read more of them. */
static size_t
skip_variables(const struct policy *p, struct elevate_call *c,
    const struct strv *argv, size_t at, bool ended)
{
	const struct elevate_program *g = c->program;

	for (; at < argv->n && !ended && g->assigns && argv->v[at][0] != '/';
	    at++) {
		const char *word = argv->v[at], *eq = strchr(word, '=');
		AEG_AUTOFREE char *name = NULL;

		if (eq == NULL)
			break;
		name = xmemdup0(word, (size_t)(eq - word));
		check_names(p, c, name[0] != '\0' ? name : "=");
		if (at + 1 < argv->n && argv->v[at + 1][0] == '-')
			refuse(c, "options of %s stand before its variables",
			    g->name);
	}
	if (at < argv->n && argv->v[at][0] == '-')
		refuse(c, "%.60s is no command", argv->v[at]);
	return at < argv->n ? at : 0;
}

static const char *
grammar_of(const struct elevate_program *g)
{
	return g->self ? g->grammar : resolve_wrapper_grammar(
	    g->real != NULL ? g->real : g->name);
}

static struct syn_word *
known_words(const struct strv *argv)
{
	struct syn_word *words = xcalloc(argv->n, sizeof *words);
	size_t i;

	for (i = 0; i < argv->n; i++)
		words[i] = (struct syn_word){ .value = argv->v[i],
			.len = strlen(argv->v[i]), .known = true };
	return words;
}

/* What it reads it would read with rights that the line has not. */
static void
check_operand(struct elevate_call *c, const char *word)
{
	if (c->program->no_files && strcmp(word, "-") != 0)
		refuse(c, "%s would read the file outside of the line's "
		    "sandbox: give it by standard input, as \"-\"",
		    c->program->name);
}

static size_t
read_options(struct options *s, const struct strv *argv)
{
	AEG_AUTOFREE struct syn_word *words = known_words(argv);
	struct elevate_call *c = s->c;
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	size_t command = 0, operands = 0;

	resolve_opts_init(&o, grammar_of(c->program), words, argv->n);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_OPERAND) {
			check_option(s, argv, &opt);
			continue;
		}
		if (c->program->self) {
			check_operand(c, argv->v[opt.word]);
			continue;
		}
		if (!c->program->by_shell) {
			c->variables = opt.word;
			command = skip_variables(s->p, c, argv, opt.word,
			    opt.word - 1 > s->value &&
			    strcmp(argv->v[opt.word - 1], "--") == 0);
			break;
		}
		operands += strcmp(argv->v[opt.word], "-") != 0;
	}
	if (operands > 1)
		refuse(c, "words behind the user of %s would go to a shell",
		    c->program->name);
	return command;
}

void
elevate_options(const struct elevate_program *g, const struct strv *argv,
    size_t command, elevate_option_fn *fn, void *ctx)
{
	AEG_AUTOFREE struct syn_word *words = known_words(argv);
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	resolve_opts_init(&o, grammar_of(g), words,
	    command > 0 ? command : argv->n);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND)
			return;
		fn(ctx, argv, &opt);
	}
}

/* ---- files -------------------------------------------------------------- */

/* As at(1) is of daemon on Debian: it becomes who owns it, who could change
 * it, and serves all users as that. */
static bool
is_services(const char *name, const struct stat *st, uid_t uid)
{
	const struct elevate_program *g = elevate_program_of(name);

	return g != NULL && g->self && (st->st_mode & S_ISUID) != 0 &&
	    st->st_uid <= SERVICE_UID_MAX && st->st_uid != uid;
}

char *
elevate_real(const char *name, uid_t uid)
{
	AEG_AUTOFREE char *path = rootenv_find(name, rootenv_runs);
	struct stat st;

	if (path == NULL || stat(path, &st) < 0 ||
	    (uid != 0 && !rootenv_gains(path, &st)) ||
	    (st.st_uid != 0 && !is_services(name, &st, uid)) ||
	    !conf_trust_is_owners(path, st.st_uid))
		return NULL;
	return AEG_STEAL(path);
}

/* The command's word becomes an absolute name; is it found in the fixed
 * places? */
static bool
find_command(struct elevate_call *c, struct strv *argv)
{
	AEG_AUTOFREE char *found = rootenv_find(
	    path_base(argv->v[c->command]), rootenv_runs);

	if (found == NULL)
		return false;
	if (strchr(argv->v[c->command], '/') != NULL)
		return strcmp(argv->v[c->command], found) == 0;
	free(argv->v[c->command]);
	argv->v[c->command] = AEG_STEAL(found);
	return true;
}

/* Which sandbox what it runs is in, and whether it can be. */
static void
choose_sandbox(const struct options *s, const struct strv *argv, bool found)
{
	struct elevate_call *c = s->c;

	c->in = s->tells ? NULL : policy_elevated_in(s->p, found ?
	    argv->v[c->command] : NULL);
	if (c->in == NULL)
		return;
	if (c->program->bare != NULL)
		refuse(c, "the profile has what runs so confined (elevated, "
		    "aegsh-policy(5)), and %s: use sudo", c->program->bare);
	if (c->command > 0 && s->to_user && s->groups)
		refuse(c, "what sudo runs in a sandbox has the groups of its "
		    "user: leave out -P");
}

/* One of the words has one of those in it. */
static bool
has_any(const struct strv *argv, const char *list)
{
	size_t i, n;

	for (; *list != '\0'; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		for (i = 1; i < argv->n; i++)
			if (memmem(argv->v[i], strlen(argv->v[i]), list, n) !=
			    NULL)
				return true;
	}
	return false;
}

static void
parse_self(struct options *s, struct strv *argv)
{
	struct elevate_call *c = s->c;
	const struct elevate_program *g = c->program;

	if (g->never != NULL)
		refuse(c, "%s", g->never);
	(void)read_options(s, argv);
	if (!s->tells && (g->asks_of == NULL || has_any(argv, g->asks_of)))
		c->asks = g->asks;
}

/* An aegsh of root's own, whose lines are judged, confined and recorded as
 * any others. */
static void
choose_shell(struct options *s)
{
	struct elevate_call *c = s->c;
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (c->command > 0)
		refuse(c, "%s would start a shell for it, and what that makes "
		    "of it would not be judged: leave out -i and -s",
		    c->program->name);
	if (s->to_user)
		refuse(c, "the shell that %s starts here is root's aegsh, and "
		    "no other user's: give it the command",
		    c->program->name);
	self[n > 0 ? n : 0] = '\0';
	if (!conf_trust_is_roots(self)) {
		refuse(c, "this aegsh is not root's alone, and cannot be "
		    "root's shell");
		return;
	}
	c->shell = true;
	c->own_shell = xstrdup(self);
}

static void
put_other(void *ctx, const struct strv *argv, const struct resolve_opt *o)
{
	if (!resolve_opt_is(o, "e edit"))
		elevate_put_option(ctx, argv, o);
}

/* By the name under which rules know it.  Its operands are files, and nothing
 * runs but our editor. */
static void
name_edit(struct elevate_call *c, struct strv *argv)
{
	struct strv named = STRV_INIT;
	size_t i;

	if (c->command == 0) {
		refuse(c, "%s is given no file to edit", c->program->name);
		return;
	}
	strv_add(&named, "sudoedit");
	elevate_options(c->program, argv, c->command, put_other, &named);
	for (i = c->variables; i < argv->n; i++)
		strv_add(&named, argv->v[i]);
	strv_done(argv);
	*argv = named;
	c->command = 0;
}

static bool
starts_editor(const char *path)
{
	static const char *const names[] = { "visudo", "vipw", "vigr" };

	return TEXT_AMONG(path_base(path), names);
}

static void
parse_command(struct options *s, struct strv *argv)
{
	struct elevate_call *c = s->c;
	bool found = false;

	c->command = read_options(s, argv);
	c->shell = c->program->by_shell;
	if (s->shell) {
		choose_shell(s);
		return;
	}
	c->edits |= c->program->real != NULL && !s->tells;
	if (c->edits) {
		name_edit(c, argv);
		return;
	}
	if (c->command == 0 && !s->alone)
		refuse(c, "%s would start a shell, and what is typed there "
		    "would not be judged: give it the command",
		    c->program->name);
	if (c->command > 0 && c->program->absolute)
		found = find_command(c, argv);
	c->edits = found && starts_editor(argv->v[c->command]);
	choose_sandbox(s, argv, found);
}

void
elevate_parse(const struct policy *p, uid_t uid, struct strv *argv,
    struct elevate_call *ret)
{
	struct elevate_call *c = ret;
	struct options s = { .p = p, .c = c };

	*c = (struct elevate_call){ .command = 0 };
	c->program = argv->n > 0 ? elevate_program_of(argv->v[0]) : NULL;
	if (c->program == NULL) {
		refuse(c, "that is no program by which one becomes another "
		    "user");
		return;
	}
	if (uid == 0 && !c->program->roots)
		refuse(c, "root needs no other's leave for that");
	free(argv->v[0]);
	argv->v[0] = xstrdup(c->program->name);
	c->path = elevate_real(c->program->real != NULL ? c->program->real :
	    c->program->name, uid);
	if (c->path == NULL)
		refuse(c, "there is no %s of root's that gains rights",
		    c->program->name);
	if (c->program->self)
		parse_self(&s, argv);
	else
		parse_command(&s, argv);
}

void
elevate_call_done(struct elevate_call *c)
{
	free(c->path);
	free(c->own_shell);
	c->path = c->own_shell = NULL;
}

/* ---- whether it needs a person ------------------------------------------ */

static const char *
unsure_item(const struct resolved *r)
{
	struct resolve_files f;
	size_t i;

	for (i = 0; i < r->argc; i++)
		if (!r->argv[i].known)
			return "not all of its words are known";
	if (r->more_args_unknown)
		return "not all of its words are known";
	switch (r->kind) {
	case RESOLVE_FILE:
		break;
	case RESOLVE_UNKNOWN:
	case RESOLVE_NOT_FOUND:
	case RESOLVE_NONE:
		return "what it would start is not known";
	case RESOLVE_BUILTIN:
	case RESOLVE_FUNCTION:
		return "what it would start is no program";
	}
	if (r->path == NULL || !conf_trust_is_roots(r->path))
		return "others than root could change what it would start";
	if (resolve_is_shell(r->name) || policy_is_multicall(r->name) ||
	    turn_gives_shells(r->path) || resolve_files(r, &f))
		return "what it would start runs whatever it is told";
	return NULL;
}

const char *
elevate_unsure(const struct elevate_call *c, const struct strv *argv,
    const struct resolve_set *resolved)
{
	const char *why = NULL;
	size_t i, inner = 0;

	if (c->shell)
		return "a shell of another user would start";
	if (c->asks != NULL)
		return c->asks;
	if (c->command == 0)
		return NULL;
	if (argv->v[c->command][0] != '/')
		return "what it would start is not known";
	if (c->edits)
		return NULL;
	if (resolved == NULL || resolved->incomplete || resolved->n_code > 0)
		return "what it would start runs whatever it is told";
	for (i = 0; i < resolved->n && why == NULL; i++) {
		if (resolved->items[i].wrapper == NULL)
			continue;
		inner++;
		why = unsure_item(&resolved->items[i]);
	}
	return why != NULL || inner > 0 ? why :
	    "what it would start is not known";
}

/* ---- its environment ---------------------------------------------------- */

void
elevate_envp(const struct turn *t, const struct elevate_call *c,
    const struct strv *env, struct strv *ret)
{
	size_t i;

	if (c->edits)
		rootenv_put_editor(ret);
	strv_add(ret, "PATH=" ROOTENV_PATH);
	if (t->opts.home != NULL)
		strv_addf(ret, "HOME=%s", t->opts.home);
	if (t->opts.user != NULL) {
		strv_addf(ret, "USER=%s", t->opts.user);
		strv_addf(ret, "LOGNAME=%s", t->opts.user);
	}
	for (i = 0; i < env->n; i++) {
		const char *eq = strchr(env->v[i], '=');
		AEG_AUTOFREE char *name = NULL;

		if (eq == NULL)
			continue;
		name = xmemdup0(env->v[i], (size_t)(eq - env->v[i]));
		if (text_is_name(name, strlen(name)) &&
		    (rootenv_is_of_terminal(name) ?
		    rootenv_is_harmless(eq + 1) :
		    policy_elevate_keeps(t->policy, name)))
			strv_add(ret, env->v[i]);
	}
}

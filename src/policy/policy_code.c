/* SPDX-License-Identifier: ISC */
/*
 * Paths that are no words of a command: in the text of sed and awk, in code
 * of other languages, and in variables that name a file to run.
 */
#include "policy_view_int.h"

#include <fnmatch.h>
#include <string.h>

#include "aegsh/base/text.h"

/* ---- sed and awk -------------------------------------------------------- */

/* 1r/etc/x: no blank is needed, but s/w/x/ is none. */
static unsigned
sed_role(const char *text, const char *p)
{
	bool reads = *p == 'r' || *p == 'R';

	if (!reads && *p != 'w' && *p != 'W')
		return 0;
	if (p > text && strchr("0123456789;{}$!\n \t", p[-1]) == NULL &&
	    !(reads && p[-1] == '/'))
		return 0;
	return reads ? POL_HOW_READ : POL_HOW_WRITE;
}

/* Behind `w` and `r` of sed, `>` and `<` of awk stands a file. */
static unsigned
role_in_code(const char *text, const char *path, bool awk)
{
	const char *p = path;

	while (p > text && strchr(" \t\"", p[-1]) != NULL)
		p--;
	if (p == text)
		return 0;
	p--;
	if (!awk && p + 1 == path)
		return sed_role(text, p);
	if (p + 1 == path)
		return 0;
	if (awk)
		return *p == '>' ? POL_HOW_WRITE : *p == '<' ?
		    POL_HOW_READ : 0;
	if (strchr("wWrR", *p) == NULL || strchr(" \t", p[1]) == NULL)
		return 0;
	return *p == 'w' || *p == 'W' ? POL_HOW_WRITE : POL_HOW_READ;
}

/* sed's w behind an address or the flags of s: `w q`, `s/a/b/gw q`. */
static bool
is_sed_write(const char *text, const char *p)
{
	const char *before = p;

	if (strchr("wW", *p) == NULL || strchr(" \t", p[1]) == NULL)
		return false;
	while (before > text && strchr(" \tgpIiMme0123456789",
	    before[-1]) != NULL)
		before--;
	return before == text || strchr(";{}$!/\n", before[-1]) != NULL;
}

/* awk's print > "q", print >> "q": a comparison stands behind no print. */
static bool
is_awk_write(const char *text, const char *p)
{
	const char *start = p;

	if (*p != '"')
		return false;
	while (p > text && strchr(" \t", p[-1]) != NULL)
		p--;
	if (p == text || p[-1] != '>')
		return false;
	for (start = p; start > text &&
	    strchr(";{}\n", start[-1]) == NULL;)
		start--;
	return memmem(start, (size_t)(p - start), "print", 5) != NULL;
}

/* Names of files in no directory, or below the one where it runs: others are
 * found by their slash. */
static void
add_written(struct view *v, struct view_cmd *cmd, const struct syn_word *code,
	bool awk)
{
	const char *text = code->value, *end = text + code->len, *p, *name;
	size_t n;

	for (p = text; p < end; p++) {
		if (!(awk ? is_awk_write(text, p) : is_sed_write(text, p)))
			continue;
		name = p + 1;
		if (!awk)
			name += strspn(name, " \t");
		n = strcspn(name, awk ? "\"" : "\n");
		if (n > 0 && name + n <= end && strchr("/~", name[0]) == NULL)
			view_add_path(v, cmd, name, n, POL_HOW_WRITE,
			    code->known, false);
		p = name + n;
	}
}

/* ---- other languages ---------------------------------------------------- */

#define NAME_MAX_LEN 100

static bool
writes(const struct syn_word *code)
{
	static const char *const signs[] = { "write", "Write", "'w", "\"w",
		"'a'", "\"a\"", ">", "dump", "save", "spurt", "output" };
	size_t i;

	for (i = 0; i < AEG_NELEM(signs); i++)
		if (memmem(code->value, code->len, signs[i],
		    strlen(signs[i])) != NULL)
			return true;
	return false;
}

/* The strings in it that may name a file: perl's ">q", too. */
static void
note_named(struct view *v, const struct syn_word *code)
{
	const char *p = code->value, *end = p + code->len, *name, *path;
	bool bent = false;
	size_t n, len;

	if (!writes(code))
		return;
	for (; p < end; p++) {
		if (*p != '\'' && *p != '"')
			continue;
		name = p + 1 + strspn(p + 1, "> ");
		n = strcspn(name, "'\" \t\n(){}<>|;&*?$%\\");
		if (n == 0 || n > NAME_MAX_LEN || name[n] != *p)
			continue;
		path = view_fold(v, v->cwds[0], name, n, &len, &bent);
		view_names_add(v->arena, &v->named, path, len);
	}
}

void
view_add_code(struct view *v, struct view_cmd *cmd, const char *language,
	const struct syn_word *code)
{
	const char *text = code->value, *end = text + code->len, *p;
	bool awk = strcmp(language, "awk") == 0;
	unsigned how;
	size_t n;

	if (!awk && strcmp(language, "sed") != 0) {
		view_add_embedded(v, cmd, text, code->len, POL_HOW_MAYBE);
		note_named(v, code);
		return;
	}
	add_written(v, cmd, code, awk);
	for (p = text; p < end; p++) {
		if (*p != '/' && *p != '~')
			continue;
		/* Most of what looks like a path in sed and awk is a
		 * pattern. */
		how = role_in_code(text, p, awk);
		if (how == 0)
			continue;
		for (n = 0; p + n < end && strchr("\";} \t\n", p[n]) == NULL;)
			n++;
		view_add_path(v, cmd, p, n, how, true, true);
		p += n > 0 ? n - 1 : 0;
	}
}

/* ---- what is run of it -------------------------------------------------- */

bool
view_may_be_written(const struct view *v, const struct view_path *path,
	bool globbed)
{
	size_t i;

	if (path->known)
		return view_names_have(&v->named, path->path,
		    strlen(path->path));
	for (i = 0; globbed && i < v->written.cap; i++)
		if (v->written.slots[i].text != NULL && fnmatch(path->path,
		    v->written.slots[i].text, FNM_PATHNAME) == 0)
			return true;
	return false;
}

/* for i in *; do sh $i; done */
bool
view_is_looped(const struct view *v, const struct syn_word *word)
{
	const struct syn_facts *facts = v->in->facts;
	const char *text = word->value, *name;
	size_t i, n;

	if (v->written.n == 0 || word->n_parts != 1 || text[0] != '$')
		return false;
	text += text[1] == '{' ? 2 : 1;
	for (i = 0; i < facts->n_commands; i++) {
		name = facts->commands[i].variable;
		n = name != NULL ? strlen(name) : 0;
		if (n > 0 && strncmp(text, name, n) == 0 &&
		    strchr("}", text[n]) != NULL)
			return true;
	}
	return false;
}

/* ---- variables ---------------------------------------------------------- */

/* A program that is started reads and runs the file that they name. */
static const char *const run_files[] = { "BASH_ENV", "ENV", "GIT_CONFIG",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "INPUTRC", "MAKEFILES",
	"PYTHONSTARTUP", "WGETRC" };

static bool
names_file(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(run_files); i++)
		if (strlen(run_files[i]) == len &&
		    memcmp(run_files[i], name, len) == 0)
			return true;
	return false;
}

/* MAKEFILES holds several. */
static void
add_files(struct view *v, struct view_cmd *cmd, const char *text)
{
	size_t n;

	for (; *text != '\0'; text += n) {
		text += strspn(text, " \t");
		n = strcspn(text, " \t");
		if (n > 0)
			view_add_path(v, cmd, text, n, POL_HOW_RUN, true,
			    true);
	}
}

/* parallel without a command: the lines of its input are commands. */
static void
add_command_lists(struct view *v, struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	const struct view_opt *file = view_option(cmd, "-a|--arg-file");
	size_t i;

	if (strcmp(cmd->name, "parallel") != 0 || cmd->n_operands > 0)
		return;
	if (file != NULL && file->has_value)
		view_add_word(v, cmd, &cmd->argv[file->opt.value_word],
		    file->opt.value_skip, POL_HOW_RUN);
	for (i = 0; i < c->n_redirs; i++)
		if (c->redirs[i].op == SYN_REDIR_IN && c->redirs[i].fd == 0)
			view_add_word(v, cmd, &c->redirs[i].target, 0,
			    POL_HOW_RUN);
}

void
view_add_variables(struct view *v, struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	const struct view_assign *a;
	size_t i;

	add_command_lists(v, cmd);
	if (v->written.n == 0 && v->named.n == 0)
		return;
	for (i = 0; i < cmd->n_assigns; i++) {
		a = &cmd->assigns[i];
		if (a->value->known && a->skip <= a->value->len &&
		    names_file(a->name, a->name_len))
			add_files(v, cmd, a->value->value + a->skip);
	}
	for (i = 0; i < c->n_exports; i++)
		if (names_file(c->exports[i].name, strlen(c->exports[i].name)))
			add_files(v, cmd, c->exports[i].value);
}

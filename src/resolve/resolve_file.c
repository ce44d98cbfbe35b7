/* SPDX-License-Identifier: ISC */
/* Which files a shell, an interpreter or make reads its program from. */
#include "resolve_int.h"

#include <string.h>

#include "aegsh/base/text.h"

/* What an interpreter's options and first operand are, by its language. */
static const struct {
	const char *language;
	const char *options;	/* that name a file of program text, or NULL */
	bool operand;		/* so does the first operand */
} reads[] = {
	{ "awk", "f file E exec i include", false },
	{ "bc", NULL, true },
	{ "dc", "f file", true },
	{ "elisp", "l load script", false },
	{ "elixir", "r require", true },
	{ "gdb", "x command ix init-command", false },
	{ "gnuplot", NULL, true },
	{ "haskell", NULL, true },
	{ "java", "f", true },
	{ "javascript", "r require import loader", true },
	{ "julia", "L load", true },
	{ "lisp", NULL, true },
	{ "lua", NULL, true },
	{ "ocaml", NULL, true },
	{ "octave", NULL, true },
	{ "perl", NULL, true },
	{ "php", "f file process-file", true },
	{ "puppet", NULL, true },
	{ "python", NULL, true },
	{ "r", "f file", true },
	{ "ruby", NULL, true },
	{ "scheme", "s l f load", true },
	{ "sed", "f file", false },
	{ "sql", "f file init", false },
	{ "tcl", "f", true },
	{ "tex", NULL, true },
	{ "vim", "S s u", false },
};

#define MAKE_GRAMMAR "f:C:I:j::l::o:W:E: file: makefile: directory: " \
	"include-dir: jobs:: load-average:: old-file: assume-old: " \
	"what-if: new-file: assume-new: eval:"

/* Run what files of the directory say, though no word names them. */
static const char *const builders[] = { "ant", "ansible-playbook", "bazel",
	"bundle", "cargo", "cmake", "composer", "docker-compose", "go",
	"gradle", "just", "make", "meson", "mvn", "ninja", "nox", "npm", "npx",
	"pip", "pip3", "pipx", "pnpm", "poetry", "pytest", "rake", "sbt",
	"scons", "task", "terraform", "tox", "vagrant", "yarn" };

static void
add(struct resolve_files *f, const struct syn_word *argv, size_t word,
	size_t skip)
{
	if (f->n == RESOLVE_FILES_MAX || !argv[word].known) {
		f->more = true;
		return;
	}
	f->at[f->n].word = word;
	f->at[f->n++].skip = skip;
}

/* Its start-up file counts, too. */
static void
of_shell(const struct resolved *item, const struct wrap_row *row,
	struct resolve_files *ret)
{
	struct shell_call call;

	resolve_shell_call(row, item->argv, item->argc, &call);
	if (call.startup != 0)
		add(ret, item->argv, call.startup, 0);
	if (!call.command && !call.input)
		add(ret, item->argv, call.operand, 0);
	ret->input = call.input;
	ret->idle = call.idle;
}

static void
of_language(const struct resolved *item, const struct code_row *row,
	const char *options, bool operand, struct resolve_files *ret)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	bool dash = false;

	resolve_opts_init(&o, row->grammar, item->argv, item->argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND) {
			if (operand && strcmp(item->argv[opt.word].value,
			    "-") == 0)
				dash = true;
			else if (operand)
				add(ret, item->argv, opt.word, 0);
			operand = false;
			continue;
		}
		/* The program stands in the line; or is a module's name. */
		if (resolve_opt_is(&opt, row->option) ||
		    (strcmp(row->language, "python") == 0 &&
		    resolve_opt_is(&opt, "m")))
			operand = false;
		if (kind != RESOLVE_OPT_VALUE || !resolve_opt_is(&opt, options))
			continue;
		add(ret, item->argv, opt.value_word, opt.value_skip);
		/* php -f FILE: what follows are its arguments. */
		if (resolve_opt_is(&opt, "f file"))
			operand = false;
	}
	/* python3 <FILE, python3 - <FILE */
	ret->input = operand || dash;
}

static void
of_make(const struct resolved *item, struct resolve_files *ret)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	ret->make = true;
	resolve_opts_init(&o, MAKE_GRAMMAR, item->argv, item->argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_VALUE)
			continue;
		if (resolve_opt_is(&opt, "f file makefile"))
			add(ret, item->argv, opt.value_word, opt.value_skip);
		else if (!resolve_opt_is(&opt, "C directory"))
			continue;
		else if (ret->directory.word != 0)	/* the sum of several */
			ret->more = true;
		else
			ret->directory = (struct resolve_file){
			    opt.value_word, opt.value_skip };
	}
	if (ret->directory.word != 0 &&
	    !item->argv[ret->directory.word].known)
		ret->more = true;
}

static bool
is_builder(const char *name)
{
	return TEXT_AMONG(name, builders);
}

bool
resolve_is_shell(const char *name)
{
	const struct wrap_row *row = resolve_wrap_row(name);

	return row != NULL && row->kind == WRAP_SHELL;
}

bool
resolve_files(const struct resolved *item, struct resolve_files *ret)
{
	const struct wrap_row *wrap;
	const struct code_row *code;
	size_t i;

	*ret = (struct resolve_files){ .n = 0 };
	if (item->name == NULL || (item->kind != RESOLVE_FILE &&
	    item->kind != RESOLVE_BUILTIN))
		return false;
	wrap = resolve_wrap_row(item->name);
	if (wrap != NULL && wrap->kind == WRAP_SHELL) {
		of_shell(item, wrap, ret);
		return true;
	}
	if (wrap != NULL && wrap->kind == WRAP_SOURCE) {
		i = item->argc > 1 && strcmp(item->argv[1].value, "--") == 0 ?
		    2 : 1;
		if (i < item->argc)
			add(ret, item->argv, i, 0);
		return true;
	}
	if (strcmp(item->name, "make") == 0 ||
	    strcmp(item->name, "gmake") == 0) {
		of_make(item, ret);
		return true;
	}
	code = resolve_code_row(item->name);
	if (code == NULL)
		return is_builder(item->name);
	for (i = 0; i < AEG_NELEM(reads); i++)
		if (strcmp(reads[i].language, code->language) == 0)
			of_language(item, code, reads[i].options,
			    reads[i].operand, ret);
	return true;
}

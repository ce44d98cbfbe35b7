/* SPDX-License-Identifier: ISC */
/*
 * git: programs that its options name, that a setting given with -c names, or
 * `git config` would set, and that an address of the kind ext:: is.
 */
#include "resolve_int.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

/* Settings whose value is a program for the shell; git-config(1).  Names are
 * compared without case. */
static const char *const settings[] = { "browser.*.cmd", "browser.*.path",
	"core.alternaterefscommand", "core.askpass", "core.editor",
	"core.fsmonitor", "core.gitproxy", "core.pager", "core.sshcommand",
	"credential.*.helper", "credential.helper", "diff.*.command",
	"diff.*.textconv", "diff.external", "difftool.*.cmd",
	"difftool.*.path", "filter.*.clean", "filter.*.process",
	"filter.*.smudge", "gpg.*.program", "gpg.program",
	"gpg.ssh.defaultkeycommand", "guitool.*.cmd", "init.templatedir",
	"interactive.difffilter", "man.*.cmd", "man.*.path", "merge.*.driver",
	"mergetool.*.cmd", "mergetool.*.path", "pager.*",
	"remote.*.receivepack", "remote.*.uploadpack", "sendemail.*cmd",
	"sendemail.smtpserver", "sequence.editor", "tar.*.command",
	"trailer.*.cmd", "trailer.*.command", "uploadpack.packobjectshook" };

/* Here only what stands behind "!". */
static const char *const banged[] = { "alias.*", "credential.*.helper",
	"credential.helper", "submodule.*.update" };

/* What a subcommand takes for programs. */
struct git_row {
	const char *name;
	const char *grammar;
	const char *option;	/* their values are programs */
	const char *settings;	/* their values are NAME=value */
	bool runs;		/* the operands are a program */
	const char *after;	/* … behind this one */
	bool as_it_is;		/* nothing is added to the programs */
};

#define FILTER_GRAMMAR "+d:f setup: subdirectory-filter: env-filter: " \
	"tree-filter: index-filter: parent-filter: msg-filter: " \
	"commit-filter: tag-name-filter: original: state-branch:"

static const struct git_row rows[] = {
	{ "archive", "o: format: prefix: output: remote: exec: add-file:",
	    "exec", NULL },
	{ "bisect", "+", NULL, NULL, true, "run" },
	{ "clone", "b:c:j:o:u: template: branch: config: depth: origin: "
	    "reference: separate-git-dir: upload-pack: filter: jobs: "
	    "server-option: shallow-since: shallow-exclude: bundle-uri:",
	    "u upload-pack", "c config" },
	{ "daemon", " access-hook:", "access-hook", NULL },
	{ "difftool", "t:x:g extcmd: tool:", "x extcmd", NULL },
	{ "fetch", "j:o: upload-pack: depth: deepen: jobs: refmap: filter: "
	    "server-option: shallow-since: shallow-exclude:", "upload-pack",
	    NULL },
	{ "fetch-pack", " upload-pack: exec: depth:", "upload-pack exec",
	    NULL },
	{ "filter-branch", FILTER_GRAMMAR, "setup env-filter tree-filter "
	    "index-filter parent-filter msg-filter commit-filter "
	    "tag-name-filter", NULL, .as_it_is = true },
	{ "grep", "A:B:C:O::e:f:m: open-files-in-pager:: threads: "
	    "max-depth: max-count:", "O open-files-in-pager", NULL },
	{ "ls-remote", "o: upload-pack: exec: server-option: sort:",
	    "upload-pack exec", NULL },
	{ "pull", "s:X:j:o: upload-pack: strategy: depth: refmap:",
	    "upload-pack", NULL },
	{ "push", "o: exec: receive-pack: repo: push-option:",
	    "exec receive-pack", NULL },
	{ "rebase", "C:s:x:X: exec: onto: strategy: strategy-option:",
	    "x exec", NULL, .as_it_is = true },
	{ "send-email", " to-cmd: cc-cmd: header-cmd: sendmail-cmd: "
	    "smtp-server: to: cc: bcc: from: subject: smtp-user: "
	    "smtp-pass: smtp-encryption: smtp-server-port: suppress-cc: "
	    "in-reply-to: confirm:",
	    "to-cmd cc-cmd header-cmd sendmail-cmd", NULL },
	{ "send-pack", " receive-pack: exec: remote:", "receive-pack exec",
	    NULL },
	{ "shell", "c:", "c", NULL, .as_it_is = true },
	{ "submodule", "+", NULL, NULL, true, "foreach" },
};

static bool
matches(const char *const *patterns, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (fnmatch(patterns[i], name, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

/* A value that git gives to the shell, with arguments of its own. */
static void
follow_value(struct walk *w, const struct spot *at, const char *name,
	struct syn_word value)
{
	bool bang = value.len > 0 && value.value[0] == '!';

	if (!matches(settings, AEG_NELEM(settings), name) &&
	    !(bang && matches(banged, AEG_NELEM(banged), name)))
		return;
	/* store, cache: git's own helper of that name. */
	if (!bang && strstr(name, "helper") != NULL &&
	    memchr(value.value, '/', value.len) == NULL)
		return;
	if (bang)
		value = resolve_word_tail(w, &value, 1);
	value = resolve_word_more(w, &value);
	resolve_program(w, at, &value);
}

/* NAME=value */
static void
follow_setting(struct walk *w, const struct spot *at,
	const struct syn_word *word, size_t skip)
{
	struct syn_word text = resolve_word_tail(w, word, skip);
	const char *equal = memchr(text.value, '=', text.len);
	char *name;

	if (equal == NULL)
		return;
	name = arena_memdup0(w->arena, text.value,
	    (size_t)(equal - text.value));
	follow_value(w, at, name, resolve_word_tail(w, &text,
	    (size_t)(equal + 1 - text.value)));
}

/* NAME=VARIABLE, whose value it is. */
static void
follow_config_env(struct walk *w, const struct spot *at,
	const struct syn_word *word, size_t skip)
{
	struct syn_word text = resolve_word_tail(w, word, skip);
	const char *equal = memrchr(text.value, '=', text.len), *value;
	char *name;

	if (equal == NULL || resolve_spot_get(at, equal + 1, &value) !=
	    SYN_VAR_SET)
		return;
	name = arena_memdup0(w->arena, text.value,
	    (size_t)(equal - text.value));
	follow_value(w, at, name, resolve_word_new(w, value, strlen(value),
	    true));
}

/* git config [set] [options] NAME VALUE */
static void
follow_config(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	const struct syn_word *name = NULL;

	resolve_opts_init(&o, "f: file: blob: type: default: comment: value:",
	    argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_OPERAND)
			continue;
		if (name != NULL) {
			follow_value(w, at, name->value, argv[opt.word]);
			return;
		}
		if (memchr(argv[opt.word].value, '.', argv[opt.word].len) !=
		    NULL)
			name = &argv[opt.word];
	}
}

/* ext::sh -c … stands for a program, with % for what git puts in. */
static void
follow_address(struct walk *w, const struct spot *at,
	const struct syn_word *word)
{
	static const char scheme[] = "ext::";
	struct syn_word text;

	if (strncmp(word->value, scheme, strlen(scheme)) != 0)
		return;
	text = resolve_word_tail(w, word, strlen(scheme));
	text = resolve_word_marks(w, &text);
	resolve_program(w, at, &text);
}

static void
follow_operands(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct spot inner = *at;
	struct syn_word text;

	/* A single word is the shell's. */
	if (argc == 1) {
		resolve_program(w, at, argv);
		return;
	}
	text = resolve_word_join(w, argv, argc);
	if (strpbrk(text.value, "|&;<>$`") != NULL) {
		resolve_program(w, at, &text);
		return;
	}
	inner.by_exec = true;
	resolve_follow(w, &inner, argv, argc);
}

static void
follow_row(struct walk *w, const struct spot *at, const struct git_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word text;
	bool behind = false;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND) {
			if (behind) {
				follow_operands(w, at, argv + opt.word,
				    argc - opt.word);
				return;
			}
			behind = row->runs && strcmp(argv[opt.word].value,
			    row->after) == 0;
			o.ended &= !behind;
			continue;
		}
		if (kind != RESOLVE_OPT_VALUE)
			continue;
		if (resolve_opt_is(&opt, row->settings))
			follow_setting(w, at, &argv[opt.value_word],
			    opt.value_skip);
		if (!resolve_opt_is(&opt, row->option))
			continue;
		text = resolve_word_tail(w, &argv[opt.value_word],
		    opt.value_skip);
		if (!row->as_it_is)
			text = resolve_word_more(w, &text);
		resolve_program(w, at, &text);
	}
}

void
resolve_unwrap_git(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	size_t i, from;

	resolve_opts_init(&o, "+C:c: git-dir: work-tree: namespace: "
	    "config-env: super-prefix: attr-source: list-cmds:", argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND)
			break;
		if (kind == RESOLVE_OPT_VALUE && resolve_opt_is(&opt, "c"))
			follow_setting(w, at, &argv[opt.value_word],
			    opt.value_skip);
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, "config-env"))
			follow_config_env(w, at, &argv[opt.value_word],
			    opt.value_skip);
	}
	if (kind == RESOLVE_OPT_END)
		return;
	from = opt.word;
	for (i = from + 1; i < argc; i++)
		follow_address(w, at, &argv[i]);
	if (strcmp(argv[from].value, "config") == 0)
		follow_config(w, at, argv + from, argc - from);
	for (i = 0; i < AEG_NELEM(rows); i++)
		if (strcmp(argv[from].value, rows[i].name) == 0)
			follow_row(w, at, &rows[i], argv + from, argc - from);
}

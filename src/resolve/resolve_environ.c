/* SPDX-License-Identifier: ISC */
/*
 * Variables whose value the program that is started runs, or takes for
 * options or code: from the manual pages of those that read them.  What the
 * line does not say itself is not looked at.
 */
#include "resolve_int.h"

#include <string.h>

enum environ_kind {
	ENVIRON_PROGRAM = 0,	/* for the shell, with arguments behind it */
	ENVIRON_OPTIONS,	/* words that stand in front of its own */
	ENVIRON_EXPANDED,	/* expanded as a word of a shell is */
	ENVIRON_CODE,
};

struct environ_row {
	const char *readers;	/* names, without their versions */
	enum environ_kind kind;
	const char *names;	/* of variables */
	const char *language;	/* CODE */
};

static const struct environ_row rows[] = {
	{ "git gitk tig", ENVIRON_PROGRAM, "GIT_SSH_COMMAND GIT_SSH GIT_PAGER "
	    "PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR VISUAL EDITOR "
	    "GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS",
	    NULL },
	{ "man apropos whatis", ENVIRON_PROGRAM, "MANPAGER PAGER BROWSER",
	    NULL },
	{ "man", ENVIRON_OPTIONS, "MANOPT", NULL },
	{ "psql mysql mariadb pgcli mycli sqlite ftp", ENVIRON_PROGRAM,
	    "PSQL_PAGER PSQL_EDITOR PAGER VISUAL EDITOR", NULL },
	{ "crontab visudo vipw vigr edquota sudoedit sudo less zless mutt "
	    "neomutt mail mailx mg top htop ranger kubectl oc hg svn cvs jj "
	    "gh glab ansible-vault chezmoi pass dpkg-source debconf",
	    ENVIRON_PROGRAM,
	    "SUDO_EDITOR VISUAL EDITOR", NULL },
	{ "sudo", ENVIRON_PROGRAM, "SUDO_ASKPASS", NULL },
	{ "less zless lessopen lesspipe", ENVIRON_PROGRAM,
	    "LESSOPEN LESSCLOSE LESSEDIT", NULL },
	{ "less man git systemctl journalctl", ENVIRON_OPTIONS, "LESS", NULL },
	{ "more", ENVIRON_OPTIONS, "MORE", NULL },
	{ "systemctl journalctl loginctl machinectl networkctl timedatectl "
	    "coredumpctl systemd-analyze", ENVIRON_PROGRAM,
	    "SYSTEMD_PAGER SYSTEMD_EDITOR PAGER VISUAL EDITOR", NULL },
	{ "systemctl journalctl", ENVIRON_OPTIONS, "SYSTEMD_LESS", NULL },
	{ "bat batcat", ENVIRON_PROGRAM, "BAT_PAGER PAGER", NULL },
	{ "delta", ENVIRON_PROGRAM, "DELTA_PAGER PAGER", NULL },
	{ "fc", ENVIRON_PROGRAM, "FCEDIT EDITOR", NULL },
	{ "rsync", ENVIRON_PROGRAM, "RSYNC_RSH RSYNC_CONNECT_PROG", NULL },
	{ "cvs", ENVIRON_PROGRAM, "CVS_RSH CVSEDITOR", NULL },
	{ "svn", ENVIRON_PROGRAM, "SVN_SSH SVN_EDITOR", NULL },
	{ "hg", ENVIRON_PROGRAM, "HGEDITOR PAGER", NULL },
	{ "ssh ssh-add scp sftp", ENVIRON_PROGRAM, "SSH_ASKPASS", NULL },
	{ "gh glab", ENVIRON_PROGRAM, "GH_PAGER GH_EDITOR GH_BROWSER PAGER "
	    "BROWSER GLAB_PAGER", NULL },
	{ "aws", ENVIRON_PROGRAM, "AWS_PAGER PAGER", NULL },
	{ "kubectl oc", ENVIRON_PROGRAM, "KUBE_EDITOR KUBECTL_EXTERNAL_DIFF",
	    NULL },
	{ "borg", ENVIRON_PROGRAM, "BORG_RSH BORG_PASSCOMMAND", NULL },
	{ "restic", ENVIRON_PROGRAM, "RESTIC_PASSWORD_COMMAND", NULL },
	{ "rclone", ENVIRON_PROGRAM, "RCLONE_PASSWORD_COMMAND", NULL },
	{ "fzf", ENVIRON_PROGRAM, "FZF_DEFAULT_COMMAND", NULL },
	{ "fzf", ENVIRON_OPTIONS, "FZF_DEFAULT_OPTS", NULL },
	{ "xdg-open python python3 sensible-browser", ENVIRON_PROGRAM,
	    "BROWSER", NULL },
	{ "sensible-pager pager", ENVIRON_PROGRAM, "PAGER", NULL },
	{ "sensible-editor editor", ENVIRON_PROGRAM, "VISUAL EDITOR", NULL },
	{ "make gmake cmake ninja configure", ENVIRON_PROGRAM,
	    "CC CXX LD AR CPP FC", NULL },
	{ "make gmake", ENVIRON_OPTIONS, "MAKEFLAGS GNUMAKEFLAGS", NULL },
	{ "cargo rustc", ENVIRON_PROGRAM, "RUSTC RUSTC_WRAPPER "
	    "RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER", NULL },
	{ "go", ENVIRON_OPTIONS, "GOFLAGS", NULL },
	{ "java javac", ENVIRON_OPTIONS, "JAVA_TOOL_OPTIONS _JAVA_OPTIONS "
	    "JDK_JAVA_OPTIONS", NULL },
	{ "node nodejs", ENVIRON_OPTIONS, "NODE_OPTIONS", NULL },
	{ "perl", ENVIRON_OPTIONS, "PERL5OPT", NULL },
	{ "perl", ENVIRON_CODE, "PERL5DB", "perl" },
	{ "ruby", ENVIRON_OPTIONS, "RUBYOPT", NULL },
	{ "tar", ENVIRON_OPTIONS, "TAR_OPTIONS", NULL },
	{ "zip", ENVIRON_OPTIONS, "ZIPOPT", NULL },
	{ "lua luajit", ENVIRON_CODE, "LUA_INIT LUA_INIT_5_1 LUA_INIT_5_2 "
	    "LUA_INIT_5_3 LUA_INIT_5_4", "lua" },
	{ "vim vi ex view nvim gvim vimdiff rvim rview", ENVIRON_CODE,
	    "VIMINIT GVIMINIT EXINIT NEXINIT", "vim" },
	{ "bash sh dash ksh mksh rbash zsh", ENVIRON_EXPANDED,
	    "BASH_ENV ENV PS0 PS1 PS2 PS4", NULL },
	{ "bash rbash", ENVIRON_PROGRAM, "PROMPT_COMMAND", NULL },
};

/* The name is in the list, its version taken off or not. */
static bool
is_reader(const char *list, const char *name)
{
	struct syn_word word = { .value = name, .len = strlen(name) };

	if (resolve_in_list(list, &word))
		return true;
	while (word.len > 0 && strchr("0123456789.-",
	    word.value[word.len - 1]) != NULL)
		word.len--;
	return resolve_in_list(list, &word);
}

bool
resolve_is_program_variable(const char *name)
{
	const struct syn_word word = { .value = name, .len = strlen(name) };
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++)
		if (resolve_in_list(rows[i].names, &word))
			return true;
	return false;
}

/* less opens what LESSOPEN says, behind "|", "|-", "||", "-". */
static struct syn_word
without_bars(struct walk *w, const struct syn_word *value)
{
	return resolve_word_tail(w, value, strspn(value->value, "|-"));
}

/* They cut such a value at blanks, whatever quotes stand in it. */
static const char unquoted[] = "perl ruby tar go zip";

static void
follow_options(struct walk *w, const struct spot *at,
	const struct resolved *item, const struct syn_word *value)
{
	struct syn_word *words, *all;
	struct spot inner = *at;
	const char *runs = strstr(value->value, "+!");
	struct syn_word text;
	size_t n = 0;

	/* LESS='+!cmd' */
	if (runs != NULL) {
		text = resolve_word_tail(w, value,
		    (size_t)(runs + 2 - value->value));
		resolve_program(w, at, &text);
	}
	words = is_reader(unquoted, item->name) ?
	    resolve_word_split(w, value, " \t\n", &n) :
	    resolve_word_args(w, value, &n);
	/* rubyopt and makeflags may leave out the dash: those are letters. */
	if (n == 0 || words[0].value[0] != '-')
		return;
	all = arena_alloc(w->arena, (item->argc + n) * sizeof *all);
	all[0] = item->argv[0];
	memcpy(all + 1, words, n * sizeof *all);
	memcpy(all + 1 + n, item->argv + 1, (item->argc - 1) * sizeof *all);
	inner.own = false;
	inner.given = NULL;
	inner.depth++;
	resolve_follow(w, &inner, all, item->argc + n);
}

static void
follow_variable(struct walk *w, const struct spot *at, size_t by,
	const struct environ_row *row, const struct syn_word *value)
{
	struct resolved item = w->items[by];
	struct spot inner = *at;
	struct syn_word text, words[2];

	inner.wrapper = item.name;
	inner.given = NULL;
	inner.own = inner.has_args = false;
	inner.zero = NULL;
	switch (row->kind) {
	case ENVIRON_PROGRAM:
		text = without_bars(w, value);
		text = resolve_word_marks(w, &text);
		text = resolve_word_more(w, &text);
		resolve_program(w, &inner, &text);
		return;
	case ENVIRON_OPTIONS:
		follow_options(w, at, &item, value);
		return;
	case ENVIRON_EXPANDED:
		if (strpbrk(value->value, "`(") == NULL)
			return;
		words[0] = resolve_word_new(w, ":", 1, true);
		words[1] = *value;
		text = resolve_word_join(w, words, 2);
		resolve_program(w, &inner, &text);
		return;
	case ENVIRON_CODE:
		resolve_add_code(w, row->language, value, by);
		resolve_calls(w, &inner, row->language, value);
		return;
	}
}

/* One of the names in a list, where the line says its value. */
static void
look_up_names(struct walk *w, const struct spot *at, size_t by,
	const struct environ_row *row, const struct resolve_given *given)
{
	const char *p = row->names, *name, *value;
	struct syn_word word;
	size_t n;

	for (; *p != '\0'; p += n) {
		p += strspn(p, " ");
		n = strcspn(p, " ");
		name = arena_memdup0(w->arena, p, n);
		if (resolve_given_get(given, name, &value) != SYN_VAR_SET)
			continue;
		word = resolve_word_new(w, value, strlen(value), true);
		if (word.len > 0)
			follow_variable(w, at, by, row, &word);
	}
}

void
resolve_follow_environ(struct walk *w, const struct spot *at, size_t by)
{
	const struct resolve_given own = { .command = at->command },
	    *given = at->own ? &own : at->given;
	const char *name = w->items[by].name;
	size_t i;

	if (given == NULL || at->depth >= RESOLVE_DEPTH_MAX ||
	    (at->own && at->command->n_assigns == 0 &&
	    at->command->n_exports == 0))
		return;
	for (i = 0; i < AEG_NELEM(rows); i++)
		if (is_reader(rows[i].readers, name))
			look_up_names(w, at, by, &rows[i], given);
}

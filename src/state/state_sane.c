/* SPDX-License-Identifier: ISC */
/*
 * The table of variables: what may not be carried from one line to the
 * next, nor be taken from the environment aegsh was started in, and what
 * alone is taken where a profile wants a clean environment.
 *
 * A line that sets one of these for itself is judged with it, for it stands
 * there to be read.  A carried one would act on later lines that do not
 * show it.  Each row therefore names something that makes other programs
 * run code, load code, or understand a line otherwise than it was judged;
 * a row with a check lets the harmless values pass.
 */
#include "state/state_int.h"

#include <fnmatch.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

typedef bool value_ok_fn(const char *value);

struct sane_row {
	const char *name;	/* a last * stands for any rest */
	value_ok_fn *ok;	/* NULL: no value passes */
	const char *why;
};

/* A program's name or absolute path, and nothing a shell would act on:
 * "vim", "/usr/bin/less". */
static bool
is_program(const char *value)
{
	const char *p = value;

	if (*p == '\0' || *p == '-')
		return false;
	if (*p != '/' && strchr(p, '/') != NULL)
		return false;
	for (; *p != '\0'; p++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
		    "uvwxyz0123456789/._+-", *p) == NULL)
			return false;
	return true;
}

/* Programs that run nothing of what they are given but what a person then
 * types: patterns of fnmatch(3). */
static const char *const editors[] = { "vi", "view", "ex", "vim", "vim.*",
	"rvim", "nvim", "nano", "rnano", "pico", "ed", "red", "emacs",
	"emacs-*", "emacsclient", "mg", "joe", "jed", "jmacs", "micro", "kak",
	"hx", "helix", "ne", "mcedit", "tilde", "code", "codium", "subl",
	"gedit", "kate", "kwrite", "mousepad", "gvim", "gvim.*", "editor",
	"sensible-editor", "select-editor", NULL };
static const char *const pagers[] = { "less", "more", "most", "cat", "pager",
	"sensible-pager", "bat", "batcat", "lv", "w3m", "delta", NULL };
static const char *const shells[] = { "ssh", "plink", "dbclient", "rsh",
	NULL };		/* to other machines */
static const char *const askers[] = { "ssh-askpass", "*-askpass",
	"*--askpass", "*sshaskpass", "lxqt-openssh-askpass",
	"ssh-askpass-*", "systemd-ask-password", NULL };
static const char *const browsers[] = { "firefox", "firefox-*", "chromium",
	"chromium-*", "google-chrome", "google-chrome-*", "brave-browser",
	"epiphany", "epiphany-*", "konqueror", "falkon", "lynx", "links",
	"links2", "elinks", "w3m", "www-browser", "x-www-browser",
	"sensible-browser", "xdg-open", NULL };
static const char *const differs[] = { "diff", "colordiff", "icdiff",
	"difft", "difftastic", "delta", "meld", "kdiff3", "vimdiff", NULL };
static const char *const filters[] = { "lesspipe", "lesspipe.sh",
	"lessfile", "batpipe", "lessclose.sh", "highlight",
	"src-hilite-lesspipe.sh", NULL };
/* Where only root puts programs. */
static const char *const program_dirs[] = { "/bin", "/usr/bin",
	"/usr/local/bin", "/snap/bin", "/usr/share/source-highlight",
	"/usr/lib/ssh", "/usr/lib/openssh", "/usr/libexec/openssh",
	"/usr/lib/git-core", "/usr/libexec/git-core", NULL };

/* One plain program that is on the list, by its name or by its path in a
 * directory of the system's. */
static bool
is_approved(const char *value, const char *const *names)
{
	const char *slash = strrchr(value, '/');
	const char *const *dir;

	if (!is_program(value))
		return false;
	for (dir = program_dirs; slash != NULL && *dir != NULL; dir++)
		if (strlen(*dir) == (size_t)(slash - value) &&
		    memcmp(*dir, value, (size_t)(slash - value)) == 0)
			break;
	if (slash != NULL && *dir == NULL)
		return false;
	for (value = slash != NULL ? slash + 1 : value; *names != NULL;
	    names++)
		if (fnmatch(*names, value, 0) == 0)
			return true;
	return false;
}

/* Empty values mean "none" to the programs that read these. */
#define APPROVES(function, list) \
	static bool \
	function(const char *value) \
	{ \
		return *value == '\0' || is_approved(value, list); \
	}
APPROVES(is_editor, editors)
APPROVES(is_pager, pagers)
APPROVES(is_shell, shells)
APPROVES(is_asker, askers)
APPROVES(is_browser, browsers)
APPROVES(is_differ, differs)

/* Prompts are expanded when they are shown. */
static bool
has_no_substitution(const char *value)
{
	return strstr(value, "$(") == NULL && strchr(value, '`') == NULL &&
	    strstr(value, "${") == NULL && strstr(value, "$[") == NULL;
}

/* less(1): "|program %s", perhaps "||" or "|-" and a blank first. */
static bool
is_lessopen(const char *value)
{
	AEG_AUTOFREE char *program = NULL;
	const char *p = value;

	if (*p == '\0')
		return true;
	if (*p++ != '|')
		return false;
	if (*p == '|' || *p == '-')
		p++;
	p += *p == ' ';
	if (!text_ends(p, " %s"))
		return false;
	program = xmemdup0(p, strlen(p) - 3);
	return is_approved(program, filters);
}

/* less(1): "%s %s" after a program. */
static bool
is_lessclose(const char *value)
{
	AEG_AUTOFREE char *program = NULL;

	if (*value == '\0')
		return true;
	if (!text_ends(value, " %s %s"))
		return false;
	program = xmemdup0(value, strlen(value) - 6);
	return is_approved(program, filters);
}

/* less(1) runs commands that stand behind "!", "#" and "|"; -o, -O, -k, -K
 * and --log-file, --lesskey… name files. */
static bool
is_less_options(const char *value)
{
	static const char letters[] = "ABCDEFGHIJLMNPQRSTUVWXYZ"
	    "abcdefghijlmnpqrstuwxyz0123456789-+=,.";
	static const char words[] = "abcdefghijklmnopqrstuvwxyz0123456789-=.";
	const char *p = value;

	for (p += strspn(p, " "); *p != '\0'; p += strspn(p, " ")) {
		const bool word = text_starts(p, "--");
		size_t len = strcspn(p, " ");

		if (strspn(p, word ? words : letters) < len)
			return false;
		if (word && (text_starts(p, "--lo") || text_starts(p, "--le")))
			return false;
		p += len;
	}
	return true;
}

/* make(1): only what says how many and how loud. */
static bool
is_make_flags(const char *value)
{
	const char *p = value;

	while (*p != '\0') {
		size_t len = strcspn(p, " ");

		if (len > 0 && !(len < 12 && (text_starts(p, "-j") ||
		    text_starts(p, "-l")) &&
		    strspn(p + 2, "0123456789.") == len - 2) &&
		    strspn(p, "-ksBwiS") != len)
			return false;
		p += len;
		p += strspn(p, " ");
	}
	return true;
}

/* malloc(3) and others read single numbers here. */
static bool
is_number(const char *value)
{
	return strspn(value, "0123456789") == strlen(value);
}

#define WHY_STARTUP "names a file or command that every shell runs first"
#define WHY_LINKER "makes the dynamic linker load or write files"
#define WHY_LIBC "makes the C library load or write files, or change names"
#define WHY_PARSING "changes how bash reads or runs lines"
#define WHY_PROGRAM "names a program that others start, and no known one"
#define WHY_HOOK "makes every run of an interpreter execute code first"
#define WHY_MODULE "makes programs load code"
#define WHY_EXPANDED "is expanded, with its commands, when it is shown"
#define WHY_OPTIONS "gives options that can run commands or write files"
#define WHY_OURS "belongs to aegsh"

/* In the order of strcmp(); the patterns stand at the end. */
static const struct sane_row rows[] = {
	{ "AEGSH_LA", NULL, WHY_OURS },
	{ "AEGSH_ST", NULL, WHY_OURS },
	{ "BASHOPTS", NULL, WHY_PARSING },
	{ "BASH_COMPAT", NULL, WHY_PARSING },
	{ "BASH_ENV", NULL, WHY_STARTUP },
	{ "BASH_LOADABLES_PATH", NULL, WHY_MODULE },
	{ "BASH_XTRACEFD", NULL, WHY_PARSING },
	{ "BROWSER", is_browser, WHY_PROGRAM },
	{ "CDPATH", NULL, "makes cd go where the line does not say" },
	{ "CVS_RSH", is_shell, WHY_PROGRAM },
	{ "EDITOR", is_editor, WHY_PROGRAM },
	{ "EMACSLOADPATH", NULL, WHY_HOOK },
	{ "ENV", NULL, WHY_STARTUP },
	{ "EXECIGNORE", NULL, WHY_PARSING },
	{ "EXINIT", NULL, WHY_HOOK },
	{ "FCEDIT", is_editor, WHY_PROGRAM },
	{ "FPATH", NULL, "names where shells find functions" },
	{ "GCONV_PATH", NULL, WHY_LIBC },
	{ "GETCONF_DIR", NULL, WHY_LIBC },
	{ "GIO_EXTRA_MODULES", NULL, WHY_MODULE },
	{ "GIO_MODULE_DIR", NULL, WHY_MODULE },
	{ "GIT_ASKPASS", is_asker, WHY_PROGRAM },
	{ "GIT_EDITOR", is_editor, WHY_PROGRAM },
	{ "GIT_EXEC_PATH", NULL, WHY_PROGRAM },
	{ "GIT_EXTERNAL_DIFF", is_differ, WHY_PROGRAM },
	{ "GIT_PAGER", is_pager, WHY_PROGRAM },
	{ "GIT_PROXY_COMMAND", NULL, WHY_PROGRAM },
	{ "GIT_SEQUENCE_EDITOR", is_editor, WHY_PROGRAM },
	{ "GIT_SSH", is_shell, WHY_PROGRAM },
	{ "GIT_SSH_COMMAND", is_shell, WHY_PROGRAM },
	{ "GIT_TEMPLATE_DIR", NULL, "plants hooks in new repositories" },
	{ "GLIBC_TUNABLES", NULL, WHY_LIBC },
	{ "GLOBIGNORE", NULL, "changes what a pattern stands for" },
	{ "GNUMAKEFLAGS", is_make_flags, WHY_OPTIONS },
	{ "GVIMINIT", NULL, WHY_HOOK },
	{ "HGEDITOR", is_editor, WHY_PROGRAM },
	{ "HOSTALIASES", NULL, "gives host names another meaning" },
	{ "IFS", NULL, "changes where shells split words" },
	{ "INPUTRC", NULL, "names a file of keys that type commands" },
	{ "JAVA_TOOL_OPTIONS", NULL, WHY_HOOK },
	{ "JDK_JAVA_OPTIONS", NULL, WHY_HOOK },
	{ "LESS", is_less_options, WHY_OPTIONS },
	{ "LESSCLOSE", is_lessclose, WHY_PROGRAM },
	{ "LESSEDIT", NULL, WHY_PROGRAM },
	{ "LESSKEY", NULL, "names keys that run commands" },
	{ "LESSKEYIN", NULL, "names keys that run commands" },
	{ "LESSKEY_CONTENT", NULL, "names keys that run commands" },
	{ "LESSOPEN", is_lessopen, WHY_PROGRAM },
	{ "LOCALDOMAIN", NULL, "gives host names another meaning" },
	{ "LOCPATH", NULL, WHY_LIBC },
	{ "MAKEFILES", NULL, "names files that make runs first" },
	{ "MAKEFLAGS", is_make_flags, WHY_OPTIONS },
	{ "MALLOC_TRACE", NULL, WHY_LIBC },
	{ "MANOPT", NULL, WHY_OPTIONS },
	{ "MANPAGER", is_pager, WHY_PROGRAM },
	{ "MANROFFOPT", NULL, WHY_OPTIONS },
	{ "MFLAGS", is_make_flags, WHY_OPTIONS },
	{ "MORE", is_less_options, WHY_OPTIONS },
	{ "NIS_PATH", NULL, "gives names another meaning" },
	{ "NLSPATH", NULL, WHY_LIBC },
	{ "NODE_OPTIONS", NULL, WHY_HOOK },
	{ "OPENSSL_CONF", NULL, WHY_MODULE },
	{ "OPENSSL_ENGINES", NULL, WHY_MODULE },
	{ "OPENSSL_MODULES", NULL, WHY_MODULE },
	{ "PAGER", is_pager, WHY_PROGRAM },
	{ "PERL5DB", NULL, WHY_HOOK },
	{ "PERL5OPT", NULL, WHY_HOOK },
	{ "POSIXLY_CORRECT", NULL, WHY_PARSING },
	{ "PROMPT_COMMAND", NULL, "is run before every prompt" },
	{ "PS0", has_no_substitution, WHY_EXPANDED },
	{ "PS1", has_no_substitution, WHY_EXPANDED },
	{ "PS2", has_no_substitution, WHY_EXPANDED },
	{ "PS4", has_no_substitution, WHY_EXPANDED },
	{ "PYTHONBREAKPOINT", NULL, WHY_HOOK },
	{ "PYTHONHOME", NULL, WHY_HOOK },
	{ "PYTHONINSPECT", NULL, WHY_HOOK },
	{ "PYTHONSTARTUP", NULL, WHY_HOOK },
	{ "PYTHONWARNINGS", NULL, WHY_HOOK },
	{ "RESOLV_HOST_CONF", NULL, "gives host names another meaning" },
	{ "RES_OPTIONS", NULL, "gives host names another meaning" },
	{ "RSYNC_CONNECT_PROG", NULL, WHY_PROGRAM },
	{ "RSYNC_RSH", is_shell, WHY_PROGRAM },
	{ "RUBYOPT", NULL, WHY_HOOK },
	{ "SHELLOPTS", NULL, WHY_PARSING },
	{ "SSH_ASKPASS", is_asker, WHY_PROGRAM },
	{ "SUDO_ASKPASS", is_asker, WHY_PROGRAM },
	{ "SUDO_EDITOR", is_editor, WHY_PROGRAM },
	{ "SVN_EDITOR", is_editor, WHY_PROGRAM },
	{ "SVN_SSH", is_shell, WHY_PROGRAM },
	{ "SYSTEMD_EDITOR", is_editor, WHY_PROGRAM },
	{ "SYSTEMD_PAGER", is_pager, WHY_PROGRAM },
	{ "TAR_OPTIONS", NULL, WHY_OPTIONS },
	{ "VIMINIT", NULL, WHY_HOOK },
	{ "VISUAL", is_editor, WHY_PROGRAM },
	{ "ZDOTDIR", NULL, WHY_STARTUP },
	{ "_JAVA_OPTIONS", NULL, WHY_HOOK },
};

static const struct sane_row patterns[] = {
	{ "BASH_FUNC_*", NULL, "defines a function in every bash" },
	{ "GIT_CONFIG*", NULL, "sets git options that run commands" },
	{ "LD_*", NULL, WHY_LINKER },
	{ "MALLOC_*", is_number, WHY_LIBC },
};

static const struct sane_row *
find_row(const char *name)
{
	size_t i, low = 0, high = AEG_NELEM(rows);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int r = strcmp(name, rows[mid].name);

		if (r == 0)
			return &rows[mid];
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	for (i = 0; i < AEG_NELEM(patterns); i++)
		if (strncmp(name, patterns[i].name,
		    strlen(patterns[i].name) - 1) == 0)
			return &patterns[i];
	return NULL;
}

const char *
state_refuses(const char *name, const char *value)
{
	const struct sane_row *row = find_row(name);

	if (row == NULL || (row->ok != NULL && row->ok(value)))
		return NULL;
	return row->why;
}

/* ---- a clean environment ------------------------------------------------- */

/* What programs need to work at all.  The checks above hold for them too. */
static const struct sane_row kept[] = {
	{ "COLORTERM", NULL, "what the terminal can do" },
	{ "COLUMNS", NULL, "size of the terminal" },
	{ "DOTNET_ROOT", NULL, "where a tool chain is installed" },
	{ "EDITOR", NULL, "a known editor" },
	{ "HOME", NULL, "where the user's files are" },
	{ "LANG", NULL, "language of messages" },
	{ "LANGUAGE", NULL, "language of messages" },
	{ "LC_*", NULL, "language and forms of numbers and dates" },
	{ "LINES", NULL, "size of the terminal" },
	{ "LOGNAME", NULL, "who the user is" },
	{ "NO_COLOR", NULL, "what the user can read" },
	{ "OLDPWD", NULL, "the shell's own" },
	{ "PAGER", NULL, "a known pager" },
	{ "PATH", NULL, "where programs are; profiles may fix it" },
	{ "PWD", NULL, "the shell's own" },
	{ "SHELL", NULL, "the user's login shell" },
	{ "SHLVL", NULL, "the shell's own" },
	{ "TERM", NULL, "what the terminal can do" },
	{ "TMPDIR", NULL, "where temporary files go" },
	{ "TZ", NULL, "the user's time zone" },
	{ "USER", NULL, "who the user is" },
	{ "VISUAL", NULL, "a known editor" },
};

const char *
state_keeps(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(kept); i++)
		if (fnmatch(kept[i].name, name, 0) == 0)
			return kept[i].why;
	return NULL;
}

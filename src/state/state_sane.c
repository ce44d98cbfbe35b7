/* SPDX-License-Identifier: ISC */
/*
 * The sanitising table: what may not be carried from one line to the next,
 * nor be taken from the environment aegsh was started in.
 *
 * A line that sets one of these for itself is judged with it, for it stands
 * there to be read.  A carried one would act on later lines that do not
 * show it.  Each row therefore names something that makes other programs
 * run code, load code, or understand a line otherwise than it was judged;
 * a row with a check lets the harmless values pass.
 */
#include "state/state_int.h"

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

/* Empty values mean "none" to the programs that read these. */
static bool
is_program_or_empty(const char *value)
{
	return *value == '\0' || is_program(value);
}

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
	return is_program(program);
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
	return is_program(program);
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
#define WHY_PROGRAM "names a program that others start"
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
	{ "BROWSER", is_program_or_empty, WHY_PROGRAM },
	{ "CDPATH", NULL, "makes cd go where the line does not say" },
	{ "CVS_RSH", is_program_or_empty, WHY_PROGRAM },
	{ "EDITOR", is_program_or_empty, WHY_PROGRAM },
	{ "EMACSLOADPATH", NULL, WHY_HOOK },
	{ "ENV", NULL, WHY_STARTUP },
	{ "EXECIGNORE", NULL, WHY_PARSING },
	{ "EXINIT", NULL, WHY_HOOK },
	{ "FCEDIT", is_program_or_empty, WHY_PROGRAM },
	{ "FPATH", NULL, "names where shells find functions" },
	{ "GCONV_PATH", NULL, WHY_LIBC },
	{ "GETCONF_DIR", NULL, WHY_LIBC },
	{ "GIO_EXTRA_MODULES", NULL, WHY_MODULE },
	{ "GIO_MODULE_DIR", NULL, WHY_MODULE },
	{ "GIT_ASKPASS", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_EDITOR", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_EXEC_PATH", NULL, WHY_PROGRAM },
	{ "GIT_EXTERNAL_DIFF", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_PAGER", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_PROXY_COMMAND", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_SEQUENCE_EDITOR", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_SSH", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_SSH_COMMAND", is_program_or_empty, WHY_PROGRAM },
	{ "GIT_TEMPLATE_DIR", NULL, "plants hooks in new repositories" },
	{ "GLIBC_TUNABLES", NULL, WHY_LIBC },
	{ "GLOBIGNORE", NULL, "changes what a pattern stands for" },
	{ "GNUMAKEFLAGS", is_make_flags, WHY_OPTIONS },
	{ "GVIMINIT", NULL, WHY_HOOK },
	{ "HGEDITOR", is_program_or_empty, WHY_PROGRAM },
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
	{ "MANPAGER", is_program_or_empty, WHY_PROGRAM },
	{ "MANROFFOPT", NULL, WHY_OPTIONS },
	{ "MFLAGS", is_make_flags, WHY_OPTIONS },
	{ "MORE", is_less_options, WHY_OPTIONS },
	{ "NIS_PATH", NULL, "gives names another meaning" },
	{ "NLSPATH", NULL, WHY_LIBC },
	{ "NODE_OPTIONS", NULL, WHY_HOOK },
	{ "OPENSSL_CONF", NULL, WHY_MODULE },
	{ "OPENSSL_ENGINES", NULL, WHY_MODULE },
	{ "OPENSSL_MODULES", NULL, WHY_MODULE },
	{ "PAGER", is_program_or_empty, WHY_PROGRAM },
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
	{ "RSYNC_RSH", is_program_or_empty, WHY_PROGRAM },
	{ "RUBYOPT", NULL, WHY_HOOK },
	{ "SHELLOPTS", NULL, WHY_PARSING },
	{ "SSH_ASKPASS", is_program_or_empty, WHY_PROGRAM },
	{ "SUDO_ASKPASS", is_program_or_empty, WHY_PROGRAM },
	{ "SUDO_EDITOR", is_program_or_empty, WHY_PROGRAM },
	{ "SVN_EDITOR", is_program_or_empty, WHY_PROGRAM },
	{ "SVN_SSH", is_program_or_empty, WHY_PROGRAM },
	{ "SYSTEMD_EDITOR", is_program_or_empty, WHY_PROGRAM },
	{ "SYSTEMD_PAGER", is_program_or_empty, WHY_PROGRAM },
	{ "TAR_OPTIONS", NULL, WHY_OPTIONS },
	{ "VIMINIT", NULL, WHY_HOOK },
	{ "VISUAL", is_program_or_empty, WHY_PROGRAM },
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

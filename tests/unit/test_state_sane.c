/* SPDX-License-Identifier: ISC */
/* Which names may be carried, with which values. */
#include "aegsh/state.h"

#include "aegsh/base/mem.h"
#include "tap.h"

/* No value of these passes. */
static const char *const never[] = {
	"BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS",
	"CDPATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_",
	"LD_DEBUG", "LD_ANYTHING_NEW", "BASH_FUNC_ls%%", "BASH_FUNC_x()",
	"BASH_FUNC_", "POSIXLY_CORRECT", "BASH_COMPAT", "BASH_XTRACEFD",
	"BASH_LOADABLES_PATH", "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES",
	"LOCPATH", "NLSPATH", "MALLOC_TRACE", "HOSTALIASES", "RES_OPTIONS",
	"RESOLV_HOST_CONF", "LOCALDOMAIN", "NIS_PATH", "PERL5OPT", "PERL5DB",
	"RUBYOPT", "NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONHOME",
	"PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
	"OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES",
	"GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "TAR_OPTIONS", "MAKEFILES",
	"MANOPT", "MANROFFOPT", "VIMINIT", "EXINIT", "GVIMINIT", "INPUTRC",
	"LESSKEY", "LESSKEYIN", "LESSKEY_CONTENT", "LESSEDIT", "GLOBIGNORE",
	"EXECIGNORE", "IFS", "FPATH", "ZDOTDIR", "EMACSLOADPATH",
	"GIT_EXEC_PATH", "GIT_CONFIG", "GIT_CONFIG_COUNT",
	"GIT_CONFIG_KEY_0", "GIT_CONFIG_PARAMETERS", "GIT_TEMPLATE_DIR",
	"RSYNC_CONNECT_PROG", "AEGSH_ST", "AEGSH_LA",
};

/* A known program passes, in whatever directory of the system. */
static const struct {
	const char *name, *good, *wrong;
} programs[] = {
	{ "EDITOR", "vim", "less" }, { "VISUAL", "emacs-nox", "sh" },
	{ "EDITOR", "/usr/bin/vim.basic", "/home/u/bin/vim" },
	{ "VISUAL", "/bin/ed", "/tmp/ed" },
	{ "EDITOR", "nano", "/usr/bin/python3" },
	{ "FCEDIT", "vi", "frob" }, { "GIT_EDITOR", "nvim", "nvimx" },
	{ "GIT_SEQUENCE_EDITOR", "micro", "/usr/bin/env" },
	{ "SUDO_EDITOR", "rnano", "bash" }, { "SVN_EDITOR", "joe", "g++" },
	{ "HGEDITOR", "mg", "x_y" }, { "SYSTEMD_EDITOR", "ne", "perl" },
	{ "PAGER", "/usr/bin/less", "vi" }, { "GIT_PAGER", "delta", "tee" },
	{ "MANPAGER", "most", "xargs" }, { "SYSTEMD_PAGER", "cat", "sh" },
	{ "GIT_SSH", "/usr/bin/ssh", "nc" }, { "CVS_RSH", "ssh", "sh" },
	{ "GIT_SSH_COMMAND", "plink", "socat" }, { "SVN_SSH", "ssh", "bash" },
	{ "RSYNC_RSH", "ssh", "/tmp/ssh" },
	{ "SSH_ASKPASS", "/usr/bin/ksshaskpass", "cat" },
	{ "GIT_ASKPASS", "/usr/lib/git-core/git-gui--askpass",
	    "/tmp/x-askpass" },
	{ "SUDO_ASKPASS", "ssh-askpass", "echo" },
	{ "BROWSER", "/usr/bin/firefox", "bash" },
	{ "GIT_EXTERNAL_DIFF", "difft", "sh" },
};

static const char *const no_program_values[] = {
	"vi -x", " vi", "vi ", "sh -c id", "./vi", "bin/vi", "../vi", "-vi",
	"vi;id", "$(id)", "`id`", "|less", "a&b", "a>b", "~/vi", "vi\nid",
	"vi\t", "a*", "'vi'", "\"vi\"", "\\vi", "a=b", "\303\251", "vi#",
	"{vi,}",
	"vi\x01",
};

/* Ordinary life. */
static const char *const always[] = {
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL",
	"PWD", "OLDPWD", "SHLVL", "TZ", "TMPDIR", "DISPLAY", "SSH_AUTH_SOCK",
	"SSH_CONNECTION", "XDG_RUNTIME_DIR", "LS_COLORS", "COLUMNS", "LINES",
	"http_proxy", "MAIL", "HISTSIZE", "KUBECONFIG", "GOPATH", "LD",
	"LDFLAGS",
	"BASH", "BASH_VERSION", "ENVIRONMENT", "env", "ld_preload", "EDITOR2",
	"PAGERX", "GIT_AUTHOR_NAME", "GIT_DIR", "PS3", "MALLOC", "A", "_x",
};

static const char *const kept[] = { "PATH", "HOME", "LC_ALL", "LC_TIME",
	"TERM", "USER", "DOTNET_ROOT", "EDITOR" };
static const char *const not_kept[] = { "SSH_AUTH_SOCK",
	"AWS_SECRET_ACCESS_KEY", "KUBECONFIG", "http_proxy", "GIT_SSH",
	"LD_PRELOAD", "home", "PATHS",
	"DOCKER_HOST", "GITHUB_TOKEN", "DISPLAY", "XLC_ALL", "" };

static void
row(const char *name, const char *value, bool passes)
{
	const char *why = state_refuses(name, value);

	OKF(passes == (why == NULL), "%s=%s %s", name, value,
	    passes ? "passes" : "does not");
	if (why != NULL && strlen(why) < 10)
		OKF(false, "%s is refused with a reason", name);
}

int
main(void)
{
	size_t i, j;

	for (i = 0; i < AEG_NELEM(never); i++) {
		row(never[i], "", false);
		row(never[i], "1", false);
		row(never[i], "/usr/bin/vi", false);
	}
	for (i = 0; i < AEG_NELEM(always); i++)
		row(always[i], "$(any) `value` | at all", true);
	for (i = 0; i < AEG_NELEM(programs); i++) {
		row(programs[i].name, programs[i].good, true);
		row(programs[i].name, programs[i].wrong, false);
		row(programs[i].name, "", true);
		for (j = 0; j < AEG_NELEM(no_program_values); j++)
			row(programs[i].name, no_program_values[j], false);
	}
	row("GIT_PROXY_COMMAND", "nc", false);
	for (i = 0; i < AEG_NELEM(kept); i++)
		OKF(state_keeps(kept[i]) != NULL &&
		    strlen(state_keeps(kept[i])) > 5,
		    "a clean environment has %s", kept[i]);
	for (i = 0; i < AEG_NELEM(not_kept); i++)
		OKF(state_keeps(not_kept[i]) == NULL,
		    "a clean environment has no %s", not_kept[i]);
	for (i = 0; i < 4; i++) {
		static const char *const prompts[] = { "PS0", "PS1", "PS2",
			"PS4" };

		row(prompts[i], "\\u@\\h:\\w\\$ ", true);
		row(prompts[i], "$(id)", false);
		row(prompts[i], "`id`", false);
		row(prompts[i], "${x@P}", false);
		row(prompts[i], "$[a[0]]", false);
	}
	row("LESS", "-R -F -X", true);
	row("LESS", "FRX", true);
	row("LESS", "--RAW-CONTROL-CHARS", false);
	row("LESS", "--mouse --wheel-lines=3 +G", true);
	row("LESS", "+!id", false);
	row("LESS", "-ologfile", false);
	row("LESS", "-R -kfile", false);
	row("LESS", "--lesskey-src=f", false);
	row("LESS", "--log-file=f", false);
	row("LESS", "+s x", true);
	row("LESSOPEN", "| /usr/bin/lesspipe %s", true);
	row("LESSOPEN", "||/usr/bin/lesspipe %s", true);
	row("LESSOPEN", "|-/usr/bin/lesspipe %s", true);
	row("LESSOPEN", "", true);
	row("LESSOPEN", "/usr/bin/lesspipe %s", false);
	row("LESSOPEN", "| sh -c id %s", false);
	row("LESSOPEN", "| ./x %s", false);
	row("LESSOPEN", "|id;x %s", false);
	row("LESSOPEN", "| %s", false);
	row("LESSCLOSE", "/usr/bin/lesspipe %s %s", true);
	row("LESSCLOSE", "id; %s %s", false);
	row("LESSCLOSE", "id", false);
	row("MAKEFLAGS", "-j8", true);
	row("MAKEFLAGS", "-j -k -s", true);
	row("MAKEFLAGS", "ks", true);
	row("MAKEFLAGS", "", true);
	row("MAKEFLAGS", "--eval=$(shell id)", false);
	row("MAKEFLAGS", "-f x", false);
	row("MAKEFLAGS", "SHELL=x", false);
	row("MFLAGS", "-I/x", false);
	row("GNUMAKEFLAGS", "-j2x", false);
	row("MALLOC_ARENA_MAX", "2", true);
	row("MALLOC_CHECK_", "x", false);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* Exports put before a command: the text, and what bash makes of it. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/shellenv_mend.h"

static const struct {
	const char *exports, *argv[4], *want;	/* want NULL: refused */
} table[] = {
	{ "export PATH=\"$HOME/.cargo/bin:$PATH\"",
	    { "cargo", "install", "cargo-audit" },
	    "export PATH=\"$HOME/.cargo/bin:$PATH\" && "
	    "cargo install cargo-audit" },
	{ NULL, { "ls", "-l" }, "ls -l" },
	{ "A=1; export A", { "env" }, "A=1; export A && env" },
	{ "export A=1 && export B=2", { "env" },
	    "export A=1 && export B=2 && env" },
	{ "export A=1\nexport B=2", { "env" },
	    "export A=1\nexport B=2 && env" },
	{ ". ~/.nvm/nvm.sh >/dev/null 2>&1", { "node", "-v" },
	    ". ~/.nvm/nvm.sh >/dev/null 2>&1 && node -v" },
	{ "eval \"$(brew shellenv)\"", { "brew" },
	    "eval \"$(brew shellenv)\" && brew" },
	{ "if true; then export A=1; fi", { "env" },
	    "if true; then export A=1; fi && env" },
	{ "export A=1  ", { "env" }, "export A=1   && env" },
	{ "export A=\\\\", { "env" }, "export A=\\\\ && env" },
	{ "export A=1", { "printf", "%s", "it's $x `y` \"z\"" },
	    "export A=1 && printf %s 'it'\\''s $x `y` \"z\"'" },
	{ "export A=1", { "A=b" }, "export A=1 && 'A=b'" },
	{ "export A=1", { "if" }, "export A=1 && 'if'" },
	{ "export A=1", { "time" }, "export A=1 && 'time'" },
	{ "export A=1", { "my prog", "" }, "export A=1 && 'my prog' ''" },
	{ "export A=1 # note", { "env" }, NULL },
	{ "# note", { "env" }, NULL },
	{ "", { "env" }, NULL },
	{ "  ", { "env" }, NULL },
	{ "export A=1;", { "env" }, NULL },
	{ "export A=1 &", { "env" }, NULL },
	{ "export A=1 &&", { "env" }, NULL },
	{ "export A=1 ||", { "env" }, NULL },
	{ "export A=1 |", { "env" }, NULL },
	{ "export A=1\n", { "env" }, NULL },
	{ "export A=1\\", { "env" }, NULL },
	{ "export A=\\\\\\", { "env" }, NULL },
	{ "export A='1", { "env" }, NULL },
	{ "export A=\"1", { "env" }, NULL },
	{ "export A=$(x", { "env" }, NULL },
	{ "cat <<E\nx\nE", { "env" }, NULL },
	{ "cat <<E", { "env" }, NULL },
	{ "if true; then export A=1", { "env" }, NULL },
	{ "export A=1; }", { "env" }, NULL },
	{ "export A=1", { "" }, NULL },
	{ "export A=1", { NULL }, NULL },
};

static void
check_table(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(table); i++) {
		AEG_AUTO(buf_done) struct buf out = BUF_INIT;
		struct err err = ERR_INIT;
		int r = shellenv_wrap(table[i].exports,
		    (char *const *)(uintptr_t)table[i].argv, &out, &err);

		if (table[i].want == NULL)
			OKF(r < 0 && err.text[0] != '\0' && out.len == 0,
			    "refused: %s", err.text);
		else
			IS_STRN(out.data, table[i].want, table[i].want);
	}
}

/* What bash -c runs has exactly the words given. */
static void
check_bash(void)
{
	static const char *const odd[] = { "plain", "", " ", "a b", "it's",
	    "\"", "$HOME", "`id`", "$(id)", "\\", "\\n", "a\nb", "*", "?",
	    "[a]", "{a,b}", "~", "#x", "!x", "&", ";", "|", "<", ">", "(",
	    "a=b", "\xff\xfe", "-n", "\t", "\x01\x1b[31m" };
	static const char script[] = "for a; do printf '%s|' \"$a\"; done";
	AEG_AUTO(buf_done) struct buf out = BUF_INIT, want = BUF_INIT;
	const char *argv[AEG_NELEM(odd) + 5] = { "sh", "-c", script, "x" };
	char got[4096];
	size_t i, n = 0;
	int p[2];
	ssize_t k;
	pid_t pid;

	for (i = 0; i < AEG_NELEM(odd); i++) {
		argv[i + 4] = odd[i];
		buf_putf(&want, "%s|", odd[i]);
	}
	OK(shellenv_wrap("export A=1", (char *const *)(uintptr_t)argv, &out,
	    NULL) == 0);
	if (pipe(p) < 0)
		exit(99);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(p[1], 1);
		execl("/bin/bash", "bash", "-c", out.data, (char *)NULL);
		_exit(127);
	}
	close(p[1]);
	while ((k = read(p[0], got + n, sizeof got - 1 - n)) > 0)
		n += (size_t)k;
	got[n] = '\0';
	close(p[0]);
	waitpid(pid, NULL, 0);
	OKF(n == want.len && memcmp(got, want.data, n) == 0,
	    "%zu odd words reach the program as they are", AEG_NELEM(odd));
}

int
main(void)
{
	check_table();
	check_bash();
	return tap_done();
}

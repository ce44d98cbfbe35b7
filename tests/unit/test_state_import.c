/* SPDX-License-Identifier: ISC */
/* Frames by hand: what is taken over, and what is refused whole. */
#include "aegsh/state.h"

#include <stdint.h>
#include <sys/resource.h>

#include "aegsh/base/mem.h"
#include "scratch.h"
#include "tap.h"

#define HEAD "\0AEGSH1\0_last\0"
#define TAIL "\0END\n"
/* Bytes with their length, without the literal's own NUL. */
#define BYTES(s) (s), sizeof(s) - 1

static struct state *
start(void)
{
	static const char *const env[] = { "OLD=old", "KEEP=kept", "HOME=/",
		NULL };

	if (chdir(scratch_dir) < 0)
		scratch_die("chdir");
	return state_new((char *const *)(uintptr_t)env);
}

static int
import(struct state *s, const char *bytes, size_t len,
    struct state_report *report)
{
	struct err err = ERR_INIT;
	/* Exactly as long, for the sanitizer to watch. */
	char *copy = malloc(len > 0 ? len : 1);
	int r;

	memcpy(copy, bytes, len);
	memset(report, 0, sizeof(*report));
	r = state_import(s, copy, len, report, &err);
	free(copy);
	return r;
}

static void
refused(const char *what, const char *bytes, size_t len)
{
	struct state *s = start();
	struct state_report report;

	OKF(import(s, bytes, len, &report) < 0, "refused: %s", what);
	OKF(strcmp(state_get(s, "OLD"), "old") == 0 &&
	    strcmp(state_cwd(s), scratch_dir) == 0 &&
	    state_get(s, "A") == NULL && report.stripped.n == 0,
	    "and nothing changed");
	state_free(s);
}

static void
test_whole(void)
{
	static const char frame[] = HEAD "D/usr\0D/one\0D\0Dtwo\0"
	    "0077\n"
	    "export A=\"1\"\n"
	    "declare -x B=$'2\\n'\n"
	    "export C\n"
	    "export -i D=\"4\"\n"
	    "declare -ax E=([0]=\"x)\" [1]=$'y\\n')\n"
	    "export F=([0]=\"x\")\n"
	    "export EDITOR=\"sh -c id\"\n"
	    "export LD_PRELOAD=\"/x\"\n"
	    "export _=\"x\"\n"
	    "export POSIXLY_CORRECT=\"y\"\n"
	    "export OLDPWD=\"/tmp\"\n"
	    "export PWD=\"/elsewhere\"\n"
	    "export SHLVL=\"7\"\n"
	    "declare -f f\n"
	    "declare -fx a-b\n" TAIL;
	struct state *s = start();
	struct state_report report;
	char *const *dirs;

	IS_INT(import(s, BYTES(frame), &report), 0);
	IS_STR(state_get(s, "A"), "1");
	IS_STR(state_get(s, "B"), "2\n");
	OK(state_get(s, "C") == NULL);
	IS_STR(state_get(s, "D"), "4");
	OK(state_get(s, "E") == NULL && state_get(s, "F") == NULL);
	OK(state_get(s, "OLD") == NULL);
	OK(state_get(s, "_") == NULL);
	OK(state_get(s, "POSIXLY_CORRECT") == NULL);
	OK(state_get(s, "EDITOR") == NULL);
	IS_INT((intmax_t)report.stripped.n, 2);
	IS_STR(report.stripped.v[0], "EDITOR");
	IS_STR(report.stripped.v[1], "LD_PRELOAD");
	OK(report.lost_functions && !report.cwd_failed);
	IS_STR(state_cwd(s), "/usr");
	IS_STR(state_get(s, "PWD"), "/usr");
	IS_STR(state_get(s, "OLDPWD"), "/tmp");
	IS_STR(state_get(s, "SHLVL"), "7");
	IS_INT(state_umask(s), 077);
	IS_STR(state_last_arg(s), "last");
	dirs = state_dirstack(s);
	OK(strcmp(dirs[0], "/one") == 0 && strcmp(dirs[1], "") == 0 &&
	    strcmp(dirs[2], "two") == 0 && dirs[3] == NULL);
	state_report_done(&report);
	state_free(s);
}

static void
test_cwd(void)
{
	static const char gone[] = HEAD "D/no/such/place\0" "0022\n" TAIL;
	static const char unnamed[] = HEAD "D<no current directory>\0"
	    "0022\nexport OLDPWD\n" TAIL;
	static const char no_stack[] = HEAD "0022\nexport PWD=\"/usr\"\n" TAIL;
	static const char nothing[] = HEAD "0022\n" TAIL;
	struct state_report report;
	struct state *s = start();
	struct err err = ERR_INIT;

	IS_INT(import(s, BYTES(gone), &report), 0);
	OKF(report.cwd_failed, "a directory that is gone is said");
	IS_STR(state_cwd(s), scratch_dir);
	IS_STR(state_get(s, "PWD"), scratch_dir);
	state_report_done(&report);
	IS_INT(state_set(s, "OLDPWD", "/old", &err), 0);
	IS_INT(import(s, BYTES(unnamed), &report), 0);
	OKF(!report.cwd_failed, "no name, no move");
	IS_STR(state_cwd(s), scratch_dir);
	IS_STRN(state_get(s, "OLDPWD"), "/old",
	    "OLDPWD without value is one that bash would not take");
	state_report_done(&report);
	IS_INT(import(s, BYTES(no_stack), &report), 0);
	IS_STRN(state_cwd(s), "/usr", "PWD serves without a stack");
	state_report_done(&report);
	IS_INT(import(s, BYTES(nothing), &report), 0);
	IS_STR(state_cwd(s), "/usr");
	OK(state_get(s, "OLDPWD") == NULL && state_get(s, "KEEP") == NULL);
	state_report_done(&report);
	state_free(s);
}

static void
put_var(struct buf *b, const char *name, size_t len)
{
	size_t i;

	buf_putf(b, "export %s=\"", name);
	for (i = 0; i < len; i++)
		buf_putc(b, 'x');
	buf_puts(b, "\"\n");
}

static void
test_sizes(void)
{
	struct buf b = BUF_INIT;
	struct state_report report;
	struct state *s = start();
	struct rlimit lim, old;
	size_t i;

	buf_put(&b, BYTES(HEAD "0022\n"));
	put_var(&b, "A", STATE_VAR_MAX - 3);
	put_var(&b, "B", STATE_VAR_MAX - 2);
	put_var(&b, "C", 2);
	buf_put(&b, BYTES(TAIL));
	IS_INT(import(s, b.data, b.len, &report), 0);
	OKF(strlen(state_get(s, "A")) == STATE_VAR_MAX - 3,
	    "the largest variable that execve takes");
	OKF(state_get(s, "B") == NULL, "a byte more is dropped");
	OK(report.too_large.n == 1 && strcmp(report.too_large.v[0], "B") == 0);
	IS_STR(state_get(s, "C"), "xx");
	state_report_done(&report);
	buf_reset(&b);

	/* With the usual stack of 8 MiB, half of a quarter is 1 MiB. */
	getrlimit(RLIMIT_STACK, &old);
	lim = old;
	lim.rlim_cur = 8 * 1024 * 1024;
	setrlimit(RLIMIT_STACK, &lim);
	buf_put(&b, BYTES(HEAD "0022\n"));
	put_var(&b, "A", 5);
	for (i = 0; i < 12; i++) {
		char name[16];

		snprintf(name, sizeof(name), "V%02zu", i);
		put_var(&b, name, 100000 + i);
	}
	buf_put(&b, BYTES(TAIL));
	IS_INT(import(s, b.data, b.len, &report), 0);
	setrlimit(RLIMIT_STACK, &old);
	OKF(report.too_large.n == 2 &&
	    strcmp(report.too_large.v[0], "V11") == 0 &&
	    strcmp(report.too_large.v[1], "V10") == 0,
	    "the largest go until the rest fits in execve");
	OK(state_get(s, "A") != NULL && state_get(s, "V09") != NULL);
	state_report_done(&report);
	buf_done(&b);
	state_free(s);
}

static void
test_stack_cap(void)
{
	struct buf b = BUF_INIT;
	struct state_report report;
	struct state *s = start();
	char *const *dirs;
	size_t i, n = 0, bytes = 0;

	buf_put(&b, BYTES(HEAD "D/usr\0"));
	for (i = 0; i < 20000; i++) {
		buf_puts(&b, "D/usr");
		buf_putc(&b, '\0');
	}
	buf_put(&b, BYTES("0022\n" TAIL));
	IS_INT(import(s, b.data, b.len, &report), 0);
	for (dirs = state_dirstack(s); dirs[n] != NULL; n++)
		bytes += strlen(dirs[n]) + 1;
	OKF(n > 100 && n <= STATE_DIRS_MAX && bytes <= STATE_DIRS_BYTES_MAX,
	    "a stack beyond the cap is cut (%zu)", n);
	state_report_done(&report);
	buf_done(&b);
	state_free(s);
}

static void
test_refused(void)
{
	static const char good[] = HEAD "D/usr\0" "0022\nexport A=\"1\"\n"
	    "export B=$'x'\ndeclare -f f\n" TAIL;
	size_t n;

	refused("nothing", "", 0);
	refused("another start", BYTES("\0AEGSH2\0_\0" "0022\n" TAIL));
	refused("no end", BYTES(HEAD "0022\n"));
	refused("bytes after the end", BYTES(HEAD "0022\n" TAIL "x"));
	refused("no fields", BYTES("\0AEGSH1\0_x" TAIL));
	refused("no umask", BYTES(HEAD TAIL));
	refused("a word for umask", BYTES(HEAD "rwx\n" TAIL));
	refused("a large umask", BYTES(HEAD "7777\n" TAIL));
	refused("a long umask", BYTES(HEAD "00022\n" TAIL));
	refused("an entry without letter", BYTES(HEAD "/usr\0" "0022\n" TAIL));
	refused("a bad name", BYTES(HEAD "0022\nexport 1=\"x\"\n" TAIL));
	refused("an empty name", BYTES(HEAD "0022\nexport =\"x\"\n" TAIL));
	refused("unquoted", BYTES(HEAD "0022\nexport A=x\n" TAIL));
	refused("unfinished", BYTES(HEAD "0022\nexport A=\"x\n" TAIL));
	refused("two values", BYTES(HEAD "0022\nexport A=\"x\"\"y\"\n" TAIL));
	refused("a substitution", BYTES(HEAD "0022\n"
	    "export A=\"$(id)\"\n" TAIL));
	refused("a command", BYTES(HEAD "0022\nid\n" TAIL));
	refused("a command after", BYTES(HEAD "0022\n"
	    "export A=\"x\";id\n" TAIL));
	refused("no newline", BYTES(HEAD "0022\nexport A=\"x\"" TAIL));
	refused("an open array", BYTES(HEAD "0022\nexport A=(\"x\"\n" TAIL));
	refused("a good one, then not", BYTES(HEAD "D/usr\0" "0022\n"
	    "export LD_PRELOAD=\"x\"\nexport A=\"1\"\nbad\n" TAIL));
	/* No prefix of a frame is a frame. */
	for (n = 0; n + 1 < sizeof(good); n++) {
		struct state *s = start();
		struct state_report report;

		if (import(s, good, n, &report) == 0)
			OKF(false, "%zu bytes of a frame", n);
		state_free(s);
	}
	OKF(n == sizeof(good) - 1, "all prefixes are refused");
}

/* More than exports: quoted anew, bash's own left out. */
static void
test_keeps(void)
{
	static const char frame[] = HEAD "D/usr\0" "0022\n"
	    "declare -x A=\"x\"\ndeclare -- p=\"it's \\$(id) \\`x\\`\"\n"
	    "declare -- q=$'a\\nb\\'c'\ndeclare -r r=\"1\"\n"
	    "declare -a a=([0]=\"x\" [5]=$'y\\n')\n"
	    "declare -A h=([\"k'l\"]=\"v\" [m]=\"w\" )\n"
	    "declare -n n=\"A\"\ndeclare -- IFS=\"x\"\n"
	    "declare -- LD_PRELOAD=\"y\"\ndeclare -a BASH_ARGV=()\n"
	    "declare -i i=\"7\"\ndeclare -a empty=()\ndeclare -- bare\n"
	    "\0F" "f () \n{ \n    :\n}\n" TAIL;
	static const char *const want[] = { "p='it'\\''s $(id) `x`'",
	    "q='a\nb'\\''c'", "r='1'", "declare -a a=(['0']='x' ['5']='y\n' )",
	    "declare -A h=(['k'\\''l']='v' ['m']='w' )", "i='7'",
	    "declare -a empty=()" };
	struct state *s = start();
	struct state_report report;
	size_t i;

	state_set_keeps(s, true);
	IS_INT(import(s, BYTES(frame), &report), 0);
	state_report_done(&report);
	IS_STR(state_get(s, "A"), "x");
	OK(state_get(s, "p") == NULL && state_get(s, "IFS") == NULL);
	IS_INT(state_plain(s)->n, AEG_NELEM(want));
	for (i = 0; i < AEG_NELEM(want) && i < state_plain(s)->n; i++)
		IS_STR(state_plain(s)->v[i], want[i]);
	IS_STR(state_functions(s), "f () \n{ \n    :\n}\n");
	/* Without the mark of functions the same text is no frame of exports
	 * alone. */
	state_set_keeps(s, false);
	OK(import(s, BYTES(frame), &report) < 0);
	IS_INTN(state_plain(s)->n, AEG_NELEM(want), "and nothing changed");
	state_set_keeps(s, true);
	OK(import(s, BYTES(HEAD "D/usr\0" "0022\ndeclare -a a=([0]=\"x\" "
	    "$(id))\n\0F" TAIL), &report) < 0);
	OK(import(s, BYTES(HEAD "D/usr\0" "0022\ndeclare -A a=([$(id)]="
	    "\"x\")\n\0F" TAIL), &report) < 0);
	OK(import(s, BYTES(HEAD "D/usr\0" "0022\ndeclare -A a=([\"\\$(id)\"]="
	    "\"x\")\n\0F" TAIL), &report) == 0);
	state_report_done(&report);
	IS_STRN(state_plain(s)->v[0], "declare -A a=(['$(id)']='x' )",
	    "a key is data");
	state_free(s);
}

int
main(void)
{
	scratch_new();
	test_whole();
	test_cwd();
	test_sizes();
	test_stack_cap();
	test_refused();
	test_keeps();
	if (chdir("/") < 0)
		scratch_die("/");
	return tap_done();
}

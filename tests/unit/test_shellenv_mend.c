/* SPDX-License-Identifier: ISC */
/*
 * Properties of edits, over start-up files made from pieces: adding twice
 * is adding once, taking out what was added gives the bytes back (a file
 * that was not there is gone again), in any order, for every shell.
 */
#include <errno.h>
#include <stdlib.h>

#include "scratch.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/shellenv_mend.h"

#define ROUNDS 240		/* or a part, see main() */

static uint32_t seed = 20260807;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Each a whole piece of a file of the Bourne family. */
static const char *const pieces[] = {
	"# a comment\n", "\n", "\n\n", "alias ll='ls -l'\n",
	"export EDITOR=vi\n", "PATH=\"$HOME/some:$PATH\"\n",
	"if [ -d /usr ]; then\n\texport A=1\nfi\n",
	"case $- in *i*) ;; *) return;; esac\n",
	"f() {\n\tcat <<E\nexport PATH=/no\nE\n}\n",
	"cat <<'# >>> x' >/dev/null\nexit\n# >>> x\n",
	"export Q='it is\na quote' # more\n", "x=`echo \\`echo a\\``\n",
	"y=$(echo $(( 1 + 2 )) \")\" # )\n)\n", "z=\"${A:-${B-}} $(true)\"\n",
	"for i in a b; do : \"$i\"; done\n", "umask 022; :\n",
	"[ -n \"$X\" ] && echo x || :\n", "\texport TABBED=1\n",
	"export LONG=a\\\nb\n", ": \xc3\xa9\xff\n", "export SP='a b'  \n",
	"# >>> somebody else >>>\nexport S=1\n# <<< somebody else <<<\n",
};
/* The same for fish. */
static const char *const fish_pieces[] = {
	"# a comment\n", "\n", "set -gx EDITOR vi\n",
	"if status is-interactive\n    set -gx A 1\nend\n",
	"function f\n  echo 'end'\nend\n", "set -gx PATH $HOME/some $PATH\n",
	"set x (echo (echo a) \")\")\n", "alias ll 'ls -l'\n",
	"switch a\ncase b\n  exit\nend\n", "set -gx LONG a\\\nb\n",
	"for i in a b; true; end\n", "true; and true\n",
};

static const struct {
	const char *shell, *files[4];
} shells[] = {
	{ "bash", { ".bashrc", ".bash_profile", ".profile", NULL } },
	{ "bash", { ".bashrc", ".profile", NULL } },
	{ "bash", { ".bashrc", NULL } },
	{ "bash", { ".bash_login", NULL } },
	{ "bash", { NULL } },
	{ "zsh", { ".zshrc", ".zprofile", ".zshenv", NULL } },
	{ "zsh", { NULL } },
	{ "fish", { ".config/fish/config.fish", ".config/fish/conf.d/a.fish",
	    NULL } },
	{ "fish", { NULL } },
	{ "sh", { ".profile", NULL } },
	{ "dash", { NULL } },
	{ "ksh93", { ".kshrc", ".profile", NULL } },
	{ "mksh", { ".mkshrc", NULL } },
	{ "yash", { ".yashrc", ".yash_profile", NULL } },
	{ "aegsh", { ".profile", NULL } },
};

static const char *const watched[] = { ".bashrc", ".bash_profile",
	".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv", ".kshrc",
	".mkshrc", ".yashrc", ".yash_profile", ".config/fish/config.fish",
	".config/fish/conf.d/a.fish" };

struct snapshot { char *text[AEG_NELEM(watched)]; size_t len[32]; };

static char home[256];

static void
read_all(struct snapshot *s)
{
	size_t i;

	memset(s, 0, sizeof *s);
	for (i = 0; i < AEG_NELEM(watched); i++) {
		AEG_AUTOFREE char *path = xasprintf("%s/%s", home, watched[i]);
		FILE *f = fopen(path, "r");

		if (f == NULL)
			continue;
		s->text[i] = xcalloc(1, 65536);
		s->len[i] = fread(s->text[i], 1, 65535, f);
		fclose(f);
	}
}

static void
snapshot_done(struct snapshot *s)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(watched); i++)
		free(s->text[i]);
}

static const char *
differs(const struct snapshot *a, const struct snapshot *b)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(watched); i++)
		if ((a->text[i] == NULL) != (b->text[i] == NULL) ||
		    a->len[i] != b->len[i] || (a->text[i] != NULL &&
		    memcmp(a->text[i], b->text[i], a->len[i]) != 0))
			return watched[i];
	return NULL;
}

static void
make_file(const char *name, bool fish)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", home, name);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	uint32_t n = rnd(9);
	FILE *f;
	char *p;

	while (n-- > 0)
		buf_puts(&text, fish ?
		    fish_pieces[rnd(AEG_NELEM(fish_pieces))] :
		    pieces[rnd(AEG_NELEM(pieces))]);
	/* Sometimes the last line has no end. */
	if (text.len > 0 && rnd(3) == 0)
		text.len--;
	for (p = strchr(path + strlen(home) + 1, '/'); p != NULL;
	    p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	if (f == NULL)
		scratch_die(path);
	fwrite(text.data != NULL ? text.data : "", 1, text.len, f);
	fclose(f);
}

/* One wish; the number of edits, or negative. */
static int
change(const char *shell, enum shellenv_op op, const char *arg)
{
	AEG_AUTOFREE char *h = xasprintf("HOME=%s", home);
	char *env[] = { h, (char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL };
	struct shellenv_opts opts = { .home = home, .shell = shell,
		.env = env };
	struct shellenv_want w = { op, arg };
	const struct shellenv_plan *plan;
	struct err err = ERR_INIT;
	struct shellenv *se;
	int r;

	if (shellenv_open(&opts, &se, &err) < 0)
		return -1;
	r = shellenv_plan(se, &w, 1, NULL, &plan, &err);
	if (r == 0)
		r = shellenv_apply(se, plan, NULL, &err);
	if (r == 0)
		r = (int)plan->n_edits;
	else
		printf("# %s %s: %s\n", shell, arg, err.text);
	shellenv_free(se);
	return r;
}

static void
one_round(int round)
{
	static const char *const dirs[] = { "$HOME/.cargo/bin", "~/go/bin",
	    "/opt/a b/$x'\"`", "$HOME/\\$odd/{a}" };
	size_t k = rnd(AEG_NELEM(shells)), i;
	const char *shell = shells[k].shell;
	const char *one = dirs[rnd(AEG_NELEM(dirs))], *two = "/opt/two/bin";
	struct snapshot before, once, again, after;
	int r1, r2, r3;

	scratch_remove_in(AT_FDCWD, home);
	if (mkdir(home, 0755) < 0)
		scratch_die(home);
	for (i = 0; shells[k].files[i] != NULL; i++)
		make_file(shells[k].files[i], strcmp(shell, "fish") == 0);
	read_all(&before);
	r1 = change(shell, SHELLENV_PATH_ADD, one);
	read_all(&once);
	r2 = change(shell, SHELLENV_PATH_ADD, one);
	read_all(&again);
	OKF(r1 > 0 && r2 == 0 && differs(&once, &again) == NULL,
	    "round %d, %s: twice is once (%d, %d, %s)", round, shell, r1, r2,
	    one);
	r1 = change(shell, SHELLENV_PATH_ADD, two);
	r2 = change(shell, SHELLENV_VAR_SET, "AEG_T=$HOME/x \"y\" `z` \\$w");
	/* What came first goes first or last. */
	if (round % 2 == 0) {
		r3 = change(shell, SHELLENV_PATH_REMOVE, one);
		r3 |= change(shell, SHELLENV_PATH_REMOVE, two);
		r3 |= change(shell, SHELLENV_VAR_UNSET, "AEG_T");
	} else {
		r3 = change(shell, SHELLENV_VAR_UNSET, "AEG_T");
		r3 |= change(shell, SHELLENV_PATH_REMOVE, two);
		r3 |= change(shell, SHELLENV_PATH_REMOVE, one);
	}
	read_all(&after);
	OKF(r1 > 0 && r2 > 0 && r3 > 0 && differs(&before, &after) == NULL,
	    "round %d, %s: taken out, the bytes are back (%s)", round, shell,
	    differs(&before, &after) != NULL ? differs(&before, &after) :
	    "all");
	snapshot_done(&before);
	snapshot_done(&once);
	snapshot_done(&again);
	snapshot_done(&after);
}

int
main(void)
{
	int i, rounds = ROUNDS / tap_share("the rounds");

	scratch_new();
	snprintf(home, sizeof home, "%s/home", scratch_dir);
	mkdir(home, 0755);
	for (i = 0; i < rounds; i++)
		one_round(i);
	return tap_done();
}

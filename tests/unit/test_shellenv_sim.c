/* SPDX-License-Identifier: ISC */
/*
 * Start-up files understood without running them.  A table of texts and
 * what follows from each; and files made from pieces, followed here and run
 * by the real shells, which have to come to the same PATH.
 */
#include <stdlib.h>

#include "scratch.h"
#include "shellenv/sim_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static char home[256];

static struct shellenv *
open_home(const char *shell)
{
	AEG_AUTOFREE char *h = xasprintf("HOME=%s", home);
	char *env[] = { h, (char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL };
	struct shellenv_opts opts = { .home = home, .shell = shell,
		.env = env };
	struct shellenv *se;

	if (shellenv_open(&opts, &se, NULL) < 0)
		scratch_die("shellenv_open");
	return se;
}

/* The entries that a file set, "?" behind one that is not sure, and the
 * line of each. */
static char *
entries(const struct sim *s, bool lines)
{
	struct buf b = BUF_INIT;
	size_t i;

	for (i = 0; i < s->n_path; i++) {
		const struct sim_entry *e = &s->path[i];
		const char *p;

		if (e->file == NULL)
			continue;
		if (b.len > 0)
			buf_putc(&b, ' ');
		for (p = e->text; *p != '\0'; p++)
			buf_putc(&b, *p == SIM_UNKNOWN ? '%' : *p);
		if (lines)
			buf_putf(&b, "@%d", e->line);
		if (e->maybe)
			buf_putc(&b, '?');
	}
	return buf_take(&b);
}

static const struct {
	enum shell_kind kind;
	enum shellenv_session session;
	const char *text, *want;
	int bad_line;
	bool open;
} table[] = {
#define B SHELL_BASH, SHELLENV_INTERACTIVE
#define C SHELL_BASH, SHELLENV_COMMAND
#define Z SHELL_ZSH, SHELLENV_INTERACTIVE
#define F SHELL_FISH, SHELLENV_INTERACTIVE
	{ B, "PATH=/a:$PATH\n", "/a@1" },
	{ B, "\n\nexport PATH=\"/a:/b:$PATH\" # c\n", "/a@3 /b@3" },
	{ B, "PATH=$PATH:/a; PATH=/b:$PATH", "/b@1 /a@1" },
	{ B, "PATH=/a:$PATH\nPATH=/b\n", "/b@2" },
	{ B, "# PATH=/a:$PATH\n: PATH=/b\necho PATH=/c\n", "" },
	{ B, "cat <<E\nPATH=/a\nE\nPATH=/b:$PATH\n", "/b@4" },
	{ B, "cat <<-'E' <<F\n\tE\nPATH=/a\nF\nPATH=/b:$PATH\n", "/b@5" },
	{ B, "x='\nPATH=/a\n'\nPATH=/b:$PATH\n", "/b@4" },
	{ B, "x=$(\nPATH=/a\n)\nPATH=/b:$PATH\n", "/b@4" },
	{ B, "(PATH=/a:$PATH)\nPATH=/b:$PATH\n", "/b@2" },
	{ B, "{ PATH=/a:$PATH; }\n", "/a@1" },
	{ B, "if true; then PATH=/a:$PATH; else PATH=/b:$PATH; fi\n",
	    "/a@1" },
	{ B, "if false\nthen\nPATH=/a:$PATH\nelif true; then\n"
	    "PATH=/b:$PATH\nfi\n", "/b@5" },
	{ B, "if who; then PATH=/a:$PATH; else PATH=/b:$PATH; fi\n",
	    "/b@1? /a@1?" },
	{ B, "who && PATH=/a:$PATH\nfalse && PATH=/b:$PATH\n"
	    "true || PATH=/c:$PATH\nfalse || PATH=/d:$PATH\n",
	    "/d@4 /a@1?" },
	{ B, "! false && PATH=/a:$PATH\n! true && PATH=/b:$PATH\n",
	    "/a@1" },
	{ B, "[ -z \"$PS1\" ] && return\nPATH=/a:$PATH\n", "/a@2" },
	{ C, "[ -z \"$PS1\" ] && return\nPATH=/a:$PATH\n", "" },
	{ C, "case $- in\n*i*) ;;\n*) return;;\nesac\nPATH=/a:$PATH\n", "" },
	{ B, "case $- in (*i*) PATH=/a:$PATH ;; esac\n", "/a@1" },
	{ B, "[[ $- == *i* && -n $HOME ]] && PATH=/a:$PATH\n", "/a@1" },
	{ B, "[[ $- != *i* ]] && return\nPATH=/a:$PATH\n", "/a@2" },
	{ C, "[[ $- != *i* ]] && return\nPATH=/a:$PATH\n", "" },
	{ B, "[[ -n $X ||\n -d /usr ]] && PATH=/a:$PATH\n", "/a@2" },
	{ B, "PATH=/a:$PATH\ncase \":$PATH:\" in *:/a:*) ;; *) "
	    "PATH=/a:$PATH;; esac\n", "/a@1" },
	{ B, "[[ \":$PATH:\" != *\":/a:\"* ]] && PATH=\"/a:$PATH\"\n",
	    "/a@1" },
	{ B, "add() { PATH=$1:$PATH; }\nadd /a\nadd /b\n",
	    "/b@3 /a@2" },
	{ B, "function add { case $2 in after) PATH=$PATH:$1;; *) "
	    "PATH=$1:$PATH;; esac; }\nadd /a after\nadd /b\n",
	    "/b@3 /a@2" },
	{ B, "f() { return; PATH=/a:$PATH; }\nf; PATH=/b:$PATH\n", "/b@2" },
	{ B, "f() { f; }\nf\nPATH=/a:$PATH\n", "" },
	{ B, "for d in /a /b; do PATH=$PATH:$d; done\n", "/a@1 /b@1" },
	{ B, "for d in /a/{x,y} /{b,c{1,2}}; do PATH=$PATH:$d; done\n",
	    "/a/x@1 /a/y@1 /b@1 /c1@1 /c2@1" },
	{ B, "for d in '/{a,b}' /\\{c,d} ${HOME:+/{e} \"{f,g}\"; do "
	    "PATH=$PATH:$d; done\n", "/{a,b}@1 /{c,d}@1 /{e@1 {f,g}@1" },
	{ B, "for d in /a{1..3} /{b}; do PATH=$PATH:$d; done\n",
	    "%@1 /{b}@1" },
	{ Z, "path=(/a/{x,y} $path)\n", "/a/x@1 /a/y@1" },
	{ SHELL_DASH, SHELLENV_LOGIN, "for d in /{a,b}; do PATH=$PATH:$d; "
	    "done\n", "/{a,b}@1" },
	{ B, "for d in $(ls); do PATH=$PATH:$d; done\n", "%@1" },
	{ B, "while true; do PATH=/a:$PATH; done\n", "/a@1?" },
	{ B, "G=/g; export PATH=$PATH:$G/bin\n", "/g/bin@1" },
	{ B, "PATH=$PATH:$(go env GOPATH)/bin\n", "%/bin@1" },
	{ B, "PATH=`brew --prefix`/bin:$PATH\n", "%/bin@1" },
	{ B, "PATH=$(echo $PATH | tr a b):/x\n", "/x@1" },
	{ B, "PATH=/opt${PATH:+:${PATH}}\n", "/opt@1" },
	{ B, "PATH=${NO:-/a}:${NO:+/b:}${NO-/c}:$PATH\n", "/a@1 /c@1" },
	{ B, "A=/x/y; PATH=${A%/*}:${A##*/}:${A#/x}:$PATH\n",
	    "/x@1 y@1 /y@1" },
	{ B, "PATH=${A[0]}/b:${#A}/c:$PATH\n", "/b@1 %/c@1" },
	{ B, "PATH='/a b':\"/c\\\"d\":/e\\ f:$PATH\n",
	    "/a b@1 /c\"d@1 /e f@1" },
	{ B, "PATH=$'/a\\tb':$PATH\n", "/a\tb@1" },
	{ B, "PATH=\"~/a\":$PATH\n", "~/a@1" },
	{ B, "A=\"PATH=/a:\\$PATH\"; eval \"$A\"\n", "/a@1" },
	{ B, "eval \"$(ssh-agent)\"; PATH=/a:$PATH\n", "/a@1" },
	{ B, "exec zsh\nPATH=/a:$PATH\n", "" },
	{ B, "exec 3>/dev/null\nPATH=/a:$PATH\n", "/a@2" },
	{ B, "[ \"$(id -u)\" -lt 0 ] || PATH=/a:$PATH\n", "/a@1" },
	{ B, "test -d /usr -a ! -d /nowhere && PATH=/a:$PATH\n", "/a@1" },
	{ B, "test -d /nowhere -o -n x && PATH=/a:$PATH\n", "/a@1" },
	{ B, "echo x | PATH=/a:$PATH\nPATH=/b:$PATH\n", "/b@2" },
	{ B, "A+=/a; A+=/b; PATH+=:$A\n", "/a/b@1" },
	{ B, "declare -x PATH=/a:$PATH\ntypeset -x PATH=/b:$PATH\n",
	    "/b@2 /a@1" },
	{ B, "x=(a b)\nPATH=/a:$PATH\n", "/a@2" },
	{ B, "shopt -s extglob\ncase a in @(a|b)) PATH=/a:$PATH;; esac\n",
	    "/a@2" },
	{ B, "ls *(x) && :\nPATH=/a:$PATH\n", "/a@2" },
	{ B, "((x++)) || true\nPATH=/a:$PATH\n", "/a@2" },
	{ B, "for ((i=0;i<2;i++)); do :; done\nPATH=/a:$PATH\n", "/a@2" },
	{ B, "if true; then\nPATH=/a:$PATH\n", "/a@2", 3, true },
	{ B, "PATH=/a:$PATH\nx='abc\n", "/a@1", 3, true },
	{ B, "PATH=/a:$PATH\ncat <<E\nabc\n", "/a@1", 4, true },
	{ B, "PATH=/a:$PATH\nx=$(abc\n", "/a@1", 3, true },
	{ B, "PATH=/a:$PATH\n)\nPATH=/b:$PATH\n", "/a@1", 2, false },
	{ B, "PATH=/b:/a\r\n", "/b@1 /a\r@1" },
	{ B, "a=b c=d PATH=/a:$PATH cmd\nPATH=/b:$PATH\n", "/b@2" },
	{ B, "2>/dev/null PATH=/a:$PATH >x 2>&1 </y\n", "/a@1" },
	{ B, "true && { true; } && PATH=/a:$PATH &\n", "/a@1" },
	{ Z, "path=(/a /b $path)\n", "/a@1 /b@1" },
	{ Z, "path+=(/a ~/b)\n", "/a@1 %H/b@1" },
	{ Z, "path=(\n  /a # one\n  $path\n)\n", "/a@1" },
	{ Z, "typeset -U path PATH\nexport PATH=/a:$PATH\n", "/a@2" },
	{ Z, "[[ -o interactive ]] && PATH=/a:$PATH\n", "/a@1" },
	{ Z, "emulate sh -c 'PATH=/a:$PATH'\n", "/a@1" },
	{ Z, "for f (/x /y) { path+=($f) }\nPATH=/a:$PATH\n",
	    "/a@2 /x@1 /y@1" },
	{ Z, "for f (/x /y) path+=($f)\nPATH=/a:$PATH\n",
	    "/a@2 /x@1 /y@1" },
	{ Z, "repeat 2 { : }; f ( x ) { : }\nPATH=/a:$PATH\n", "", 1,
	    false },
	{ F, "set -gx PATH /a $PATH\n", "/a@1" },
	{ F, "set PATH $PATH /a; set -x PATH /b $PATH\n", "/b@1 /a@1" },
	{ F, "set -gxp PATH /a\nset --append PATH /b\n", "/a@1 /b@2" },
	{ F, "if status is-interactive; and test -d /usr\n"
	    "set -gx PATH /a $PATH\nend\n", "/a@2" },
	{ F, "if status is-login\nset -gx PATH /a $PATH\nelse if true\n"
	    "set -gx PATH /b $PATH\nend\n", "/b@4" },
	{ F, "contains /a $PATH; or set -gx PATH /a $PATH\n"
	    "contains /a $PATH; or set -gx PATH /a $PATH\n", "/a@1" },
	{ F, "if not contains -- $HOME/x $PATH\nset -gx PATH $HOME/x $PATH\n"
	    "end\n", "%H/x@2" },
	{ F, "fish_add_path /usr /nowhere ~/none\n", "/usr@1" },
	{ F, "function f\nset -gx PATH /f $PATH\nend\nf\n", "/f@4" },
	{ F, "switch x\ncase y\nset -gx PATH /a $PATH\ncase '*'\n"
	    "set -gx PATH /b $PATH\nend\n", "/b@5" },
	{ F, "set x (cat 'a)b')\nset -gx PATH \"/q q\" '/it\\'s' $PATH\n",
	    "/q q@2 /it's@2" },
	{ F, "set -gx PATH (brew --prefix)/bin $PATH\n", "%@1" },
	{ F, "begin; set -gx PATH /a $PATH; end; exit; set PATH /b\n",
	    "/a@1" },
	{ F, "if true\n", "", 2, true },
	{ F, "set -gx PATH /a $PATH\nend\n", "/a@1", 2, false },
};

static void
check_table(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(table); i++) {
		const struct shell_row *row = se_shell_row(table[i].kind);
		struct shellenv *se = open_home(row->name);
		AEG_AUTO(buf_done) struct buf want = BUF_INIT;
		AEG_AUTOFREE char *got = NULL;
		struct sim *s;
		struct prof *p;
		const char *w;

		scratch_write("home/file", table[i].text,
		    strlen(table[i].text), 0644);
		s = se_sim_new(se, row, table[i].session, NULL, 0);
		se_sim_file(s, se_printf(se, "%s/file", home));
		got = entries(s, true);
		for (w = table[i].want; *w != '\0'; w++)
			if (w[0] == '%' && w[1] == 'H')
				buf_puts(&want, home), w++;
			else
				buf_putc(&want, *w);
		IS_STRN(got, want.data != NULL ? want.data : "",
		    table[i].want[0] != '\0' ? table[i].want : "nothing");
		p = se_prof_parse(se->arena, "x", table[i].text,
		    strlen(table[i].text), row->dialect);
		OKF(p->bad_line == table[i].bad_line &&
		    p->open_end == table[i].open,
		    "%zu: understood to the end (%d %s)", i, p->bad_line,
		    p->bad != NULL ? p->bad : "");
		shellenv_free(se);
	}
}

/* ---- the real shells -------------------------------------------------- */

static uint32_t seed = 4711;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static const char *const pieces[] = {
	"PATH=\"$HOME/zz/a:$PATH\"\n", "export PATH=$PATH:~/zz/b\n",
	"PATH=~/zz/c:$PATH:~/zz/d\n",
	"if [ -d /usr ]; then PATH=/zz/1:$PATH; else PATH=/zz/2:$PATH; fi\n",
	"case \":$PATH:\" in *:/zz/1:*) ;; *) PATH=$PATH:/zz/3;; esac\n",
	"f() { PATH=$1:$PATH; }; f /zz/f\n",
	"for d in /zz/x /zz/y; do PATH=$PATH:$d; done\n",
	"[ -n \"$NOPE\" ] && PATH=/zz/no:$PATH\n",
	"[ -z \"${NOPE:-}\" ] && PATH=/zz/yes:$PATH\n",
	"X=/zz/v; Y=$X/w; PATH=$Y:$PATH\n", "PATH=${PATH}:/zz/b2\n",
	"PATH=/zz/one:/zz/two${PATH:+:$PATH}\n", ". \"$HOME/other\"\n",
	"eval \"PATH=/zz/ev:\\$PATH\"\n",
	"unset FOO; PATH=${FOO-/zz/def}:$PATH\n",
	"test -f /etc/passwd && test ! -d /nowhere && PATH=/zz/t:$PATH\n",
	"PATH=\"/zz/q q:$PATH\"\n", "PATH='/zz/single':$PATH\n",
	"PATH=/zz/esc\\ aped:$PATH\n", "PATH=/zz/glob*:$PATH\n",
	"[ \"$(id -u)\" -ge 0 ] && PATH=/zz/uid:$PATH\n",
	"A=/zz/p/q; PATH=${A%/*}:${A##*/zz}:$PATH\n",
	"cat <<E >/dev/null\nPATH=/zz/never:$PATH\nE\n",
	"(PATH=/zz/sub:$PATH)\n", "case $- in *i*) PATH=/zz/int:$PATH;; esac\n",
	"case x in y|x) PATH=/zz/case:$PATH;; esac\n",
	("g() { case $2 in after) PATH=$PATH:$1;; *) PATH=$1:$PATH;; esac; }\n"
	"g /zz/g1 after\ng /zz/g2\n"),
	"false || { PATH=/zz/or:$PATH; }\n", "! true || PATH=/zz/not:$PATH\n",
	"PATH=\"/zz/dq\\\"x\":$PATH\n", "PATH=/zz/./dot/../x:$PATH\n",
	"export A=/zz/exp; export PATH=\"$A:$PATH\"\n",
	"if false; then :; elif [ 1 -lt 2 ]; then PATH=/zz/elif:$PATH; fi\n",
	"PATH=/zz/reset:/usr/bin:/bin\n",
};
static const char *const fish_pieces[] = {
	"set -gx PATH /zz/a $PATH\n", "set -gx PATH $PATH /zz/b\n",
	"contains /zz/a $PATH; or set -gx PATH /zz/c $PATH\n",
	"if test -d /usr\n set -gx PATH /zz/d $PATH\nend\n",
	("if test -d /nowhere\n set -gx PATH /zz/n $PATH\nelse\n"
	" set -gx PATH /zz/e $PATH\nend\n"),
	"for d in /zz/x /zz/y\n set -gx PATH $PATH $d\nend\n",
	("switch a\ncase b\n set -gx PATH /zz/no $PATH\ncase a\n"
	" set -gx PATH /zz/sw $PATH\nend\n"),
	"not test -d /usr; and set -gx PATH /zz/not $PATH\n",
	"set -l d /zz/loc; set -gx PATH $d $PATH\n",
	"set -gx PATH '/zz/q q' \"/zz/d q\" /zz/e\\ f $PATH\n",
	"status is-login; and set -gx PATH /zz/login $PATH\n",
	"status is-interactive; or set -gx PATH /zz/batch $PATH\n",
	"function f\n set -gx PATH /zz/f $PATH\nend\nf\n",
	"set -gx PATH $HOME/zz/h ~/zz/t $PATH\n",
	"begin\n set -gx PATH /zz/beg $PATH\nend\n",
	"test -d /usr; and test -d /nowhere; or set -gx PATH /zz/ao $PATH\n",
	"set -q NOPE; or set -gx PATH /zz/unset $PATH\n",
	"set -gx A /zz/var; set -gx PATH $A $PATH\n",
};

static const struct {
	const char *shell, *file;
	bool tab;		/* an interactive session, else a login */
} real[] = {
	{ "bash", ".bash_profile", false }, { "zsh", ".zprofile", false },
	{ "dash", ".profile", false }, { "mksh", ".profile", false },
	{ "ksh93", ".profile", false }, { "yash", ".yash_profile", false },
	{ "ash", ".profile", false },
	{ "fish", ".config/fish/config.fish", false },
	{ "bash", ".bashrc", true }, { "zsh", ".zshrc", true },
	{ "mksh", ".mkshrc", true }, { "ksh93", ".kshrc", true },
	{ "yash", ".yashrc", true },
	{ "fish", ".config/fish/config.fish", true },
};

/* Only what the pieces put there; the system's files are not ours. */
static char *
ours(const char *path)
{
	struct buf b = BUF_INIT;

	for (; *path != '\0'; path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (memmem(path, n, "/zz/", 4) != NULL) {
			buf_putf(&b, "%s%.*s", b.len > 0 ? " " : "", (int)n,
			    path);
		}
		path += n;
	}
	return buf_take(&b);
}

/* What is left out is made up as well: what comes after stays the same. */
static void
one_real(size_t k, int round, bool left_out)
{
	struct shellenv *se = open_home(real[k].shell);
	bool fish = strcmp(real[k].shell, "fish") == 0;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTOFREE char *name = NULL, *path = NULL;
	AEG_AUTOFREE char *got = NULL, *want = NULL;
	AEG_AUTOFREE char *all = NULL;
	struct probe_path p;
	struct sim *s;
	uint32_t n = 1 + rnd(8);
	size_t i;

	if (se->shell_real == NULL) {
		SKIP(1, real[k].shell);
		shellenv_free(se);
		return;
	}
	while (n-- > 0)
		buf_puts(&text, fish ?
		    fish_pieces[rnd(AEG_NELEM(fish_pieces))] :
		    pieces[rnd(AEG_NELEM(pieces))]);
	if (left_out) {
		shellenv_free(se);
		return;
	}
	name = xasprintf("home/%s", real[k].file);
	scratch_write(name, text.data, text.len, 0644);
	path = scratch_path(name);
	s = se_session_follow(se, se->row, real[k].tab ?
	    SHELLENV_INTERACTIVE : SHELLENV_LOGIN_CMD, NULL, 0, NULL, NULL);
	{
		struct buf joined = BUF_INIT;

		for (i = 0; i < s->n_path; i++)
			buf_putf(&joined, "%s%s", i > 0 ? ":" : "",
			    s->path[i].text);
		all = buf_take(&joined);
	}
	got = ours(all);
	se_probe_path(se, real[k].tab ? PROBE_INTERACTIVE : PROBE_LOGIN, &p);
	want = ours(p.path != NULL ? p.path : "");
	if (!tap_ok(p.path != NULL && strcmp(got, want) == 0, __FILE__,
	    __LINE__, "%s runs file %d as it was followed", real[k].shell,
	    round))
		printf("# followed: %s\n# real: %s %s\n# of:\n%s\n", got,
		    want, p.why != NULL ? p.why : "", text.data);
	scratch_remove_in(AT_FDCWD, path);
	shellenv_free(se);
}

static void
check_real(void)
{
	static const char other[] = "PATH=/zz/other:$PATH\n";
	int i, step = tap_share("the files at random");
	size_t k;

	scratch_write("home/other", other, sizeof other - 1, 0644);
	scratch_mkdir("home/.config", 0755);
	scratch_mkdir("home/.config/fish", 0755);
	for (k = 0; k < AEG_NELEM(real); k++)
		for (i = 0; i < 25; i++)
			one_real(k, i, i % step != 0);
}

/* Each text of the table has its NUL. */
static void
check_rows(void)
{
	const struct startup_row *r = se_startup_rows;
	size_t i;

	for (i = 0; i < se_startup_n_rows; i++, r++)
		OKF(strnlen(r->path, sizeof r->path) < sizeof r->path &&
		    strnlen(r->mark, sizeof r->mark) < sizeof r->mark &&
		    strnlen(r->when, sizeof r->when) < sizeof r->when,
		    "row %zu fits", i);
}

int
main(void)
{
	scratch_new();
	check_rows();
	scratch_mkdir("home", 0755);
	snprintf(home, sizeof home, "%s/home", scratch_dir);
	check_table();
	check_real();
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* Which files a command's program stands in, as its words say. */
#include "aegsh/resolve.h"
#include "aegsh/base/mem.h"
#include "tap.h"

#include <string.h>

#include "aegsh/base/buf.h"

#define WORDS_MAX 12

/* want: the files; "-": reads programs, and none is named; "": does not;
 * "…" behind them: some are not known; @DIR: a makefile of there.  A word "?"
 * of the line is one that is not known. */
static const struct {
	const char *line, *want;
} cases[] = {
	{ "ls x.sh", "" },
	{ "tar -xf x.sh", "" },
	{ "bash x.sh", "x.sh" },
	{ "bash -x x.sh y", "x.sh" },
	{ "bash -o pipefail x.sh", "x.sh" },
	{ "bash -euo pipefail x.sh", "x.sh" },
	{ "bash +O extglob x.sh", "x.sh" },
	{ "bash -- x.sh", "x.sh" },
	{ "bash --posix x.sh", "x.sh" },
	{ "bash --rcfile r -i", "r<" },
	{ "bash --rcfile r -i x.sh", "r x.sh" },
	{ "bash -c x.sh y", "-" },
	{ "bash -ec x.sh y", "-" },
	{ "bash -s x.sh", "<" },
	{ "bash -sc x.sh", "<" },
	{ "bash", "<" },
	{ "bash -", "<" },
	{ "bash -norc", "<" },
	{ "bash -norc -c x", "-" },
	{ "bash -O extglob", "<" },
	{ "bash -o noclobber", "<" },
	{ "bash --noprofile --init-file f -O dotglob -x", "f<" },
	{ "rbash", "<" },
	{ "bash-5.2", "<" },
	{ "bash-static -e", "<" },
	{ "sh -ec x", "-" },
	{ "bsd-csh -f", "<" },
	{ "tcsh -fc x", "-" },
	{ "fish", "<" },
	{ "fish --no-config", "<" },
	{ "fish -c x", "-" },
	{ "fish x.fish", "x.fish" },
	{ "zsh -o nomatch", "<" },
	{ "zsh -fc x", "-" },
	{ "zsh-static x", "x" },
	{ "mksh -", "<" },
	{ "bash ?", "…" },
	{ "dash -e x.sh", "x.sh" },
	{ ". x", "x" },
	{ ". -- x", "x" },
	{ "source x y", "x" },
	{ "python3 x.py", "x.py" },
	{ "python3.11 -W ignore x.py a", "x.py" },
	{ "python3 -Xdev -W ignore x.py", "x.py" },
	{ "python3 -B x.py -c y", "x.py" },
	{ "python3 -c x y.py", "-" },
	{ "python3 -m http.server", "-" },
	{ "python3 -", "<" },
	{ "python3 - x", "<" },
	{ "python3 -B", "<" },
	{ "perl -I lib x.pl", "x.pl" },
	{ "perl -w -Mstrict x.pl", "x.pl" },
	{ "perl -ne x y", "-" },
	{ "perl -w", "<" },
	{ "ruby -I lib -r set x.rb", "x.rb" },
	{ "node -r ./pre.js x.js", "./pre.js x.js" },
	{ "node --require=pre.js x.js", "pre.js x.js" },
	{ "node -e x y.js", "-" },
	{ "php -d a=b x.php", "x.php" },
	{ "php -f x.php y", "x.php" },
	{ "awk -v a=b -f p.awk data", "p.awk" },
	{ "awk -fp.awk -F : -f q.awk data", "p.awk q.awk" },
	{ "awk {print} data", "-" },
	{ "sed -n -f p.sed data", "p.sed" },
	{ "sed s/a/b/ data", "-" },
	{ "psql -f x.sql db", "x.sql" },
	{ "lua -l lib x.lua", "x.lua" },
	{ "Rscript x.R", "x.R" },
	{ "tclsh x.tcl", "x.tcl" },
	{ "make", "@" },
	{ "make -j4 all", "@" },
	{ "make -C sub all", "@sub" },
	{ "make -f x.mk all", "x.mk" },
	{ "make --makefile=x.mk", "x.mk" },
	{ "make -C a -C b", "@a…" },
	{ "make -C ?", "@?…" },
	{ "npm run build", "-" },
	{ "cargo build", "-" },
};

static void
show(const struct resolved *r, struct buf *out)
{
	struct resolve_files f;
	size_t i;

	if (!resolve_files(r, &f))
		return;
	for (i = 0; i < f.n; i++)
		buf_putf(out, "%s%s", i > 0 ? " " : "",
		    r->argv[f.at[i].word].value + f.at[i].skip);
	if (f.make && f.n == 0)
		buf_putf(out, "@%s", f.directory.word > 0 ?
		    r->argv[f.directory.word].value + f.directory.skip : "");
	if (f.more)
		buf_puts(out, "…");
	if (f.input)
		buf_putc(out, '<');
	if (out->len == 0)
		buf_putc(out, '-');
}

int
main(void)
{
	struct syn_word words[WORDS_MAX];
	struct resolved r = { .kind = RESOLVE_FILE, .argv = words };
	struct resolve_files f;
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct buf out = BUF_INIT;
		char copy[256], *word;

		snprintf(copy, sizeof copy, "%s", cases[i].line);
		r.argc = 0;
		for (word = strtok(copy, " "); word != NULL;
		    word = strtok(NULL, " "))
			words[r.argc++] = (struct syn_word){
				.known = strcmp(word, "?") != 0,
				.value = word, .len = strlen(word) };
		r.name = words[0].value;
		show(&r, &out);
		IS_STRN(out.data != NULL ? out.data : "", cases[i].want,
		    cases[i].line);
		buf_done(&out);
	}
	/* More than are kept: said, and nothing is overrun. */
	words[0] = (struct syn_word){ .known = true, .value = "awk",
		.len = 3 };
	for (i = 1; i < WORDS_MAX; i++)
		words[i] = (struct syn_word){ .known = true, .value = "-fx",
			.len = 3 };
	r.name = "awk";
	r.argc = WORDS_MAX;
	OK(resolve_files(&r, &f) && f.n == RESOLVE_FILES_MAX && f.more);
	r.name = NULL;
	OK(!resolve_files(&r, &f) && f.n == 0);
	r.name = "bash";
	r.kind = RESOLVE_FUNCTION;
	OK(!resolve_files(&r, &f));
	return tap_done();
}

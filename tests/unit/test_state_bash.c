/* SPDX-License-Identifier: ISC */
/*
 * cd, pushd, popd and dirs against bash itself: made-up sequences of
 * commands, each run by one bash and by state_cd() and its sisters.  After
 * every command output, complaint, $?, PWD, OLDPWD and the stack must agree.
 */
#include "aegsh/state.h"

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "launch.h"
#include "scratch.h"
#include "tap.h"

#define SEQUENCES 500
#define COMMANDS 14
#define WORDS_MAX 4

static const char long_name[] =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

static const char *const places[] = {
	".", "..", "../..", "a", "a/b", "a/b/c", "b", "c", "l", "l/..", "l/c",
	"abs", "abs/b", "abs/../a", "dots", "dots/b", "./a/", "a//b///c/",
	"a/./b/../b/.", "/", "//", "///", "/..", "//..", "/tmp/", "//tmp",
	"/usr/../usr/./lib", "sp ace", "nl\nx", "\303\251", "gone", "gone/x",
	"../gone", "-", "-", "-",
};

static const char *const odd[] = {
	"", "f", "f/..", "f/.", "nope", "nope/..", "a/nope/..", "loop",
	"loop/..", "n", "n/..", "n/x", "~", "~root", "+1", "-dash", "+x",
	"nl\nnope", "\001\377", "\303\251\n", "\302\205", "a\377", "'", "\\",
	long_name, "a b", "*", "$HOME",
};

static const char *const indices[] = {
	"+0", "+1", "+2", "+3", "-0", "-1", "-2", "-3", "+9", "-9", "+x",
	"-x", "+", "+ 1", "+1 ", "+-1", "-+1", "--1", "+01", "+1x",
	"+99999999999999999999", "-9223372036854775808",
	"+4294967296", "+9223372036854775807",
};

static const char *const options[] = {
	"--", "-L", "-P", "-e", "-Pe", "-LP", "-PL", "-@", "-x", "-Px", "--foo",
	"-n", "-l", "-p", "-v", "-c", "-lp", "-vn", "-",
};

enum verb { CD, PUSHD, POPD, DIRS, RMDIR, MKDIR, VERBS };

static const char *const verbs[] = {
	"cd", "pushd", "popd", "dirs", "rmdir", "mkdir",
};

struct command {
	enum verb verb;
	const char *word[WORDS_MAX + 1];
	size_t n;
};

static unsigned int seed;

/* Its own, so that every machine makes up the same sequences. */
static unsigned int
pick(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

#define ONE_OF(list) ((list)[pick((unsigned int)AEG_NELEM(list))])

static const char *
make_word(enum verb verb)
{
	unsigned int roll = pick(100);

	switch (verb) {
	case CD:
		if (roll < 70)
			return ONE_OF(places);
		return roll < 85 ? ONE_OF(odd) : ONE_OF(options);
	case PUSHD:
		if (roll < 45)
			return ONE_OF(places);
		if (roll < 75)
			return ONE_OF(indices);
		return roll < 85 ? ONE_OF(odd) : ONE_OF(options);
	case POPD:
	case DIRS:
		if (roll < 50)
			return ONE_OF(indices);
		return roll < 55 ? ONE_OF(odd) : ONE_OF(options);
	case RMDIR:
	case MKDIR:
	case VERBS:
		break;
	}
	return roll < 50 ? "gone/x" : "gone";
}

static void
make_command(struct command *c)
{
	static const enum verb weight[] = { CD, CD, CD, CD, PUSHD, PUSHD,
		PUSHD, PUSHD, PUSHD, POPD, POPD, DIRS, DIRS, RMDIR, MKDIR };
	static const size_t words[] = { 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3 };
	size_t i;

	memset(c, 0, sizeof(*c));
	c->verb = ONE_OF(weight);
	c->n = c->verb >= RMDIR ? 1 : ONE_OF(words);
	/* Most pushd should give the others something to work on. */
	if (c->verb == PUSHD && pick(2) == 0)
		c->n = 1;
	for (i = 0; i < c->n; i++)
		c->word[i] = make_word(c->verb);
}

static void
build_tree(void)
{
	AEG_AUTOFREE char *abs = scratch_path("t/a");
	AEG_AUTOFREE char *top = scratch_path("t");

	scratch_mkdir("t", 0755);
	scratch_mkdir("t/a", 0755);
	scratch_mkdir("t/a/b", 0755);
	scratch_mkdir("t/a/b/c", 0755);
	scratch_mkdir("t/sp ace", 0755);
	scratch_mkdir("t/nl\nx", 0755);
	scratch_mkdir("t/\303\251", 0755);
	scratch_mkdir("t/-dash", 0755);
	scratch_mkdir("t/+1", 0755);
	scratch_mkdir("t/~", 0755);
	scratch_mkdir("t/n", 0755);
	scratch_mkdir("t/n/x", 0755);
	scratch_puts("t/f", "");
	if (chdir(top) < 0 || symlink("a/b", "l") < 0 ||
	    symlink(abs, "abs") < 0 || symlink("loop", "loop") < 0 ||
	    symlink("./a/../a", "dots") < 0 || chmod("n", 0) < 0)
		scratch_die("tree");
}

/* What rmdir and mkdir of the sequence may have changed. */
static void
reset_tree(void)
{
	AEG_AUTOFREE char *top = scratch_path("t");

	if (chdir(top) < 0)
		scratch_die(top);
	mkdir("gone", 0755);
	mkdir("gone/x", 0755);
}

static void
put_command(struct buf *b, const struct command *c)
{
	size_t i;

	buf_puts(b, verbs[c->verb]);
	for (i = 0; i < c->n; i++) {
		buf_putc(b, ' ');
		if (c->verb >= RMDIR)
			buf_putf(b, "%s/t/", scratch_dir);
		text_quote(b, c->word[i], strlen(c->word[i]));
	}
}

/* All of it in one bash; each command's results stand between \036. */
static void
run_bash(const struct command *c, char *const *envp, struct launched *ret)
{
	struct buf script = BUF_INIT;
	struct launch l = { .envp = envp, .umask = 022 };
	AEG_AUTOFREE char *text = NULL;
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		put_command(&script, &c[i]);
		buf_puts(&script, c[i].verb >= RMDIR ? " 2>/dev/null; r=0" :
		    "; r=$?");
		buf_puts(&script, "; printf '\\036'; "
		    "printf '%s\\037' $r \"$PWD\" "
		    "\"${OLDPWD-none}\" \"${DIRSTACK[@]}\"; "
		    "printf '\\036'; printf '\\036' >&2\n");
	}
	text = buf_take(&script);
	l.line = text;
	launch_run(&l, NULL, ret);
}

static int
run_ours(struct state *s, const struct command *c, struct buf *out,
    struct buf *complaint)
{
	static int (*const fn[])(struct state *, char *const *, struct buf *,
	    struct buf *) = { state_cd, state_pushd, state_popd, state_dirs };
	struct strv argv = STRV_INIT;
	size_t i;
	int r;

	if (c->verb >= RMDIR) {
		AEG_AUTOFREE char *path = xasprintf("%s/t/%s", scratch_dir,
		    c->word[0]);

		r = c->verb == RMDIR ? rmdir(path) : mkdir(path, 0755);
		return 0;
	}
	for (i = 0; i < c->n; i++)
		strv_add(&argv, c->word[i]);
	r = fn[c->verb](s, strv_peek(&argv), out, complaint);
	strv_done(&argv);
	return r;
}

/* In the shape in which bash's are printed. */
static void
put_result(struct state *s, int r, struct buf *b)
{
	char *const *dir = state_dirstack(s);
	const char *pwd = state_get(s, "PWD"), *old = state_get(s, "OLDPWD");

	buf_putf(b, "\036%d\037%s\037%s\037%s\037", r, pwd,
	    old != NULL ? old : "none", state_cwd(s));
	for (; *dir != NULL; dir++)
		buf_putf(b, "%s\037", *dir);
	buf_putc(b, '\036');
}

/* bash's complaints without "aegsh: line N: ", in place. */
static void
strip_prefixes(struct buf *b)
{
	struct buf to = BUF_INIT;
	const char *p = b->data, *end = p + b->len;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((eol != NULL ? eol + 1 : end) - p);
		const char *colon;
		size_t marks = strspn(p, "\036");

		buf_put(&to, p, marks);
		p += marks;
		len -= marks;
		if (text_starts(p, "aegsh: line ") &&
		    (colon = strstr(p + 12, ": ")) != NULL) {
			len -= (size_t)(colon + 2 - p);
			p = colon + 2;
		}
		buf_put(&to, p, len);
		p += len;
	}
	buf_done(b);
	*b = to;
}

static void
show(const struct buf *b, const char *who)
{
	struct buf safe = BUF_INIT;

	text_inert(&safe, b->len > 0 ? b->data : "", b->len, 0);
	printf("# %s %s\n", who, safe.data != NULL ? safe.data : "");
	buf_done(&safe);
}

static void
run_sequence(unsigned int number, const char *home)
{
	struct command commands[COMMANDS];
	struct launched bash;
	struct buf out = BUF_INIT, complaint = BUF_INIT;
	struct strv env = STRV_INIT;
	struct state *s;
	bool same;
	size_t i;

	seed = number * 7919u + 1;
	for (i = 0; i < COMMANDS; i++)
		make_command(&commands[i]);
	strv_add(&env, "PATH=/usr/bin:/bin");
	strv_add(&env, "LC_ALL=C.UTF-8");
	if (home != NULL)
		strv_addf(&env, "HOME=%s", home);
	if (number % 3 == 0)
		strv_addf(&env, "OLDPWD=%s", scratch_dir);

	reset_tree();
	run_bash(commands, strv_peek(&env), &bash);
	strip_prefixes(&bash.err);
	reset_tree();
	s = state_new(strv_peek(&env));
	for (i = 0; i < COMMANDS; i++) {
		int r = run_ours(s, &commands[i], &out, &complaint);

		put_result(s, r, &out);
		buf_putc(&complaint, '\036');
	}
	state_free(s);
	same = out.len == bash.out.len && complaint.len == bash.err.len &&
	    memcmp(out.data, bash.out.data, out.len) == 0 &&
	    memcmp(complaint.data, bash.err.data, complaint.len) == 0;
	OKF(same, "sequence %u", number);
	if (!same) {
		struct buf text = BUF_INIT;

		for (i = 0; i < COMMANDS; i++) {
			put_command(&text, &commands[i]);
			buf_puts(&text, "; ");
		}
		show(&text, "ran: ");
		show(&out, "ours:");
		show(&bash.out, "bash:");
		show(&complaint, "ours:");
		show(&bash.err, "bash:");
		buf_done(&text);
	}
	launched_done(&bash);
	buf_done(&out);
	buf_done(&complaint);
	strv_done(&env);
}

int
main(int argc, char **argv)
{
	AEG_AUTOFREE char *home = NULL, *deep = NULL;
	unsigned int i;

	scratch_new();
	build_tree();
	home = scratch_path("t/a");
	deep = scratch_path("t/a/b/");
	for (i = 0; i < SEQUENCES; i++) {
		const char *const homes[] = { home, home, home, home, NULL, "",
			"/", deep, "/nonexistent" };

		if (argc < 2 || (unsigned int)atoi(argv[1]) == i)
			run_sequence(i, homes[i % AEG_NELEM(homes)]);
	}
	if (chdir("/") < 0)
		scratch_die("/");
	return tap_done();
}

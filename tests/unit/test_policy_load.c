/* SPDX-License-Identifier: ISC */
/*
 * Loading: what a rule file may say and what is an error with file and
 * line, layers that only tighten, the cache that is checked and never
 * believed, and what the accessors tell.
 */
#include <glob.h>

#include "judge.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

/* A rule file, and a piece of the complaint. */
static const struct {
	const char *text, *complaint;
} bad[] = {
	{ "rule x { \"\" = 1 }\n", "10-x.conf: can't be read" },
	{ "rule \"x\" {", "10-x.conf:1: " },
	{ "rule \"x\" {\n\tcommand = { ls }\n\treason = r\n}",
	    "10-x.conf:1: no decision in rule 'x'" },
	{ "\n\nrule \"x\" {\n\tdecision = alow\n"
	    "\tcommand = { ls }\n\treason = r\n}",
	    "10-x.conf:3: unknown decision 'alow'" },
	{ "rule \"x\" {\n\tdecision = block\n\tcommand = { ls }\n}",
	    "10-x.conf:1: no reason in rule 'x'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n}",
	    "10-x.conf:1: no condition in rule 'x'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n"
	    "\tcomand = { ls }\n}",
	    "10-x.conf:4: no such option 'comand'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\targs = { '(' }\n}",
	    "10-x.conf:1: rule 'x': bad regular expression '('" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\tcommand = { ls }\n"
	    "\texample = { cat }\n}",
	    "10-x.conf:1: rule 'x' does not match its example: cat" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\tcommand = { ls }\n"
	    "\tcounterexample = { 'ls -l' }\n}",
	    "10-x.conf:1: rule 'x' matches its counterexample: ls -l" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\tcommand = { ls }\n"
	    "\texample = { 'ls (' }\n}",
	    "an example that bash does not read: ls (" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n"
	    "\treads = { '@none' }\n}",
	    "10-x.conf:1: rule 'x': no paths '@none'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n"
	    "\treads = { secrets }\n}",
	    "rule 'x': no paths 'secrets'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n"
	    "\tcommand = { '@no' }\n}",
	    "10-x.conf:1: no names '@no'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n"
	    "\tfeature = { odd }\n}",
	    "rule 'x': unknown word 'odd'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\toption = { r }\n}",
	    "rule 'x': not an option 'r'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\tuid = { me }\n}",
	    "rule 'x': not a number 'me'" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = r\n\tscore = 5\n"
	    "\tcommand = { ls }\n}", "a score from 1 to 1000 belongs to" },
	{ "rule \"x\" {\n\tdecision = evidence\n\treason = r\n"
	    "\tcommand = { ls }\n}", "a score from 1 to 1000 belongs to" },
	{ "rule \"harm.preload\" {\n\tdecision = block\n\treason = r\n"
	    "\tcommand = { ls }\n}", "rule 'harm.preload' stands already in" },
	{ "rule \"x\" {\n\tdecision = block\n\treason = \"a ${HOME}\"\n"
	    "\tcommand = { ls }\n}",
	    "10-x.conf:3: ${\xe2\x80\xa6} would be replaced" },
	{ "rule \"x\" {\n\treason = \"a",
	    "10-x.conf:2: a quote is not closed" },
	{ "paths \"p\" {\n\tpath = { 'x/y' }\n}",
	    "10-x.conf:1: path 'x/y' starts with none of" },
	{ "program \"cat\" {\n\toperands = \"read*\"\n}",
	    "program 'cat' stands twice" },
	{ "program \"frob\" {\n\toperands = \"red*\"\n}",
	    "10-x.conf:1: program 'frob': unknown role" },
	{ "program \"frob\" {\n\tvalues = { '-x' }\n}",
	    "program 'frob': '-x' is not" },
	{ "program \"frob\" {\n\tturns = { '-x: pumpkin' }\n}",
	    "program 'frob': nothing is turned into 'pumpkin'" },
	{ "program \"frob\" {\n\tturns = { '-x: shell' }\n"
	    "\texample = { 'frob -y' }\n}",
	    "program 'frob' does not match its example: frob -y" },
	{ "program \"frob\" {\n\tturns = { '-x: shell', '-l: looks' }\n"
	    "\texample = { 'frob -x' }\n}",
	    "has no example of being turned into: looks" },
	{ "program \"frob\" {\n\tturns = { '-x: shell' }\n"
	    "\texample = { 'frob -x' }\n\tcounterexample = { 'frob -ax' }\n}",
	    "matches its counterexample: frob -ax" },
	{ "# a\n// b\n/* c\n */\nrule \"x\" {\n\tbogus = 1 # d\n}",
	    "10-x.conf:6: no such option 'bogus'" },
	{ "# a\nprofile \"p\" {\n\trank = x # b\n}",
	    "10-x.conf:3: invalid integer value" },
	{ "rule \"x\" {\n\tdecision = warn\n\treason = 'x'\n"
	    "\tlanguage = { pyton }\n}", "10-x.conf:1: rule 'x': no language "
	    "'pyton'" },
	{ "rule \"x\" {\n\tdecision = warn\n\treason = ''\n"
	    "\tcommand = { x }\n}", "no reason in rule 'x'" },
	{ "rule \"\" {\n\tdecision = warn\n\treason = 'x'\n"
	    "\tcommand = { x }\n}", "a rule without a name" },
	{ "rule \"x\" {\n\tdecision = warn\n\treason = 'x'\n"
	    "\tset = comon\n\tcommand = { x }\n}",
	    "10-x.conf:1: rule 'x': no profile uses its set 'comon'" },
	{ "profile \"p\" {\n\textends = admin\n\tuse = { comon, admin }\n}",
	    "10-x.conf:1: profile 'p': uses a set that no rule is of: "
	    "'comon'" },
	{ "profile \"p\" {\n\tenabled = true\n}", "no rank from 0 to 1000" },
	{ "profile \"p\" {\n\textends = none\n}",
	    "profile 'p': no such profile 'none'" },
	{ "profile \"p\" {\n\textends = p\n\trank = 1\n}",
	    "profile 'p': extends itself" },
	{ "profile \"admin\" {\n\trank = 1\n}",
	    "this profile stands already: 'admin'" },
	{ "profile \"p\" {\n\textends = admin\n\toverride = { nothing }\n}",
	    "profile 'p': overrides no rule 'nothing'" },
	{ "profile \"p\" {\n\textends = admin\n"
	    "\toverride = { floor.wipe-disk }\n}",
	    "the floor can't be overridden: 'floor.wipe-disk'" },
	{ "profile \"p\" {\n\textends = safe\n\tunknown_evidence = allow\n}",
	    "evidence would loosen the answer" },
	{ "profile \"p\" {\n\textends = safe\n\tunknown = maybe\n}",
	    "profile 'p': unknown answer 'maybe'" },
};

static void
test_bad(void)
{
	struct policy *p = NULL;
	struct err err;
	char *path = scratch_path("etc/policy.d/10-x.conf");
	size_t i;

	for (i = 0; i < AEG_NELEM(bad); i++) {
		err = (struct err)ERR_INIT;
		scratch_rules("etc/policy.d/10-x.conf", bad[i].text);
		OKF(policy_load("admin", NULL, &p, &err) < 0 &&
		    strstr(err.text, bad[i].complaint) != NULL,
		    "%s", bad[i].complaint);
		if (strstr(err.text, bad[i].complaint) == NULL)
			printf("#  got: %s\n", err.text);
		OK(policy_check_file(path, NULL, &err) < 0);
	}
	OK(p == NULL);
	scratch_unlink("etc/policy.d/10-x.conf");
	free(path);
}

static void
test_trust(void)
{
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	char *path = scratch_path("etc/policy.d/10-x.conf");
	char *other = scratch_path("etc/other");

	scratch_rules("etc/policy.d/10-x.conf", "");
	chmod(path, 0666);
	IS_INTN(policy_load("admin", NULL, &p, &err), ERR_TRUST,
	    "a file that others can write is not read");
	unlink(path);
	scratch_rules("etc/other", "");
	if (symlink(other, path) < 0)
		scratch_die(path);
	OKF(policy_load("admin", NULL, &p, &err) < 0, "a link is not read");
	unlink(path);
	IS_INT(policy_load("nosuch", NULL, &p, &err), ERR_UNKNOWN_NAME);
	IS_STR(err.text, "no policy profile 'nosuch'; "
	    "aegshctl profile list shows them");
	free(path);
	free(other);
}

/* ---- layers -------------------------------------------------------------- */

static int
note(void *ctx, const char *text)
{
	snprintf(ctx, 512, "%s", text);
	return 0;
}

static enum policy_action
action_of(struct policy *p, struct state *s, const char *line)
{
	struct judge j = { .policy = p, .state = s, .uid = 1000 };

	return judge_line(&j, line, NULL).action;
}

/* Read the user's layer in dir and load everything with it. */
static struct policy *
with_user(const char *dir)
{
	struct policy_user *u = NULL;
	struct policy *p = NULL;
	struct err err = ERR_INIT;

	IS_INTN(policy_user_read(dir, geteuid(), &u, &err), 0, err.text);
	IS_INTN(policy_load_layers("admin", NULL, u, &p, &err), 0, err.text);
	policy_user_free(u);
	return p;
}

static const struct {
	const char *text, *vain;
} loosening[] = {
	{ "rule \"loose\" {\n\tdecision = allow\n\treason = r\n"
	    "\tcommand = { rm }\n\tany_words = true\n}\n",
	    "own.conf:1: rule that allows, 'loose' is left out" },
	{ "profile \"admin\" {\n\trank = 0\n}\n",
	    "own.conf:1: profile 'admin' is left out" },
	{ "profile \"p\" {\n\textends = admin\n\toverride = "
	    "{ ask.rm-recursive }\n}\n",
	    "own.conf:1: profile 'p' is left out" },
	{ "\npaths \"jail-open\" {\n\tpath = { '/**' }\n}\n",
	    "own.conf:2: addition to the paths 'jail-open' is left out" },
	{ "paths \"secrets\" {\n\texcept = { '/etc/shadow' }\n}\n",
	    "addition to the paths 'secrets' is left out" },
	{ "program \"frob\" {\n\toperands = \"text*\"\n}\n",
	    "own.conf:1: program 'frob' is left out" },
	{ "match \"me\" {\n\tuser = { '*' }\n\tprofile = \"admin\"\n}\n",
	    "own.conf:1: match 'me' is left out" },
};

struct seen_files {
	unsigned n, vendor;
	struct policy_file user;
	char path[256];
};

static int
see_file(void *ctx, const struct policy_file *f)
{
	struct seen_files *seen = ctx;

	OKF(f->built_in == (seen->n == 0) && strlen(f->hash) == 64,
	    "%s, %s", f->layer, f->path);
	seen->n++;
	seen->vendor += strcmp(f->layer, "vendor") == 0;
	if (strcmp(f->layer, "user") == 0) {
		seen->user = *f;
		snprintf(seen->path, sizeof seen->path, "%s", f->path);
	}
	return 0;
}

static int
stop_at_once(void *ctx, const struct policy_file *f)
{
	(void)f;
	++*(unsigned *)ctx;
	return 7;
}

/* What is in force, file by file. */
static void
test_files(void)
{
	char *dir = scratch_path("files");
	struct seen_files seen = { 0 };
	struct err err = ERR_INIT;
	unsigned calls = 0;

	scratch_mkdir("files", 0755);
	scratch_rules("files/mine.conf", "# nothing\n");
	IS_INTN(policy_each_file(dir, geteuid(), see_file, &seen, &err), 0,
	    err.text);
	OK(seen.vendor >= 12 && seen.n == seen.vendor + 2);
	OK(seen.user.uid == geteuid() && seen.user.mode == 0644 &&
	    seen.user.len == 10);
	OK(path_under(seen.path, dir));
	IS_STR(seen.user.hash, "5e49ea838dc30f3eeacf6ca7815f6e3a"
	    "dcf77f467a970d978676790fd90377e1");
	IS_INT(policy_each_file(NULL, geteuid(), stop_at_once, &calls, &err),
	    7);
	IS_INT(calls, 1);
	scratch_unlink("files/mine.conf");
	seen = (struct seen_files){ 0 };
	IS_INT(policy_each_file(dir, geteuid(), see_file, &seen, &err), 0);
	OK(seen.n == seen.vendor + 1);
	free(dir);
}

static void
test_user_layer(struct state *s)
{
	char *dir = scratch_path("home"), seen[512];
	static const char mine[] = "rule \"mine\" {\n\tdecision = block\n"
	    "\treason = r\n\tcommand = { cat }\n}\n";
	struct policy_user *u = NULL;
	struct err err = ERR_INIT;
	struct policy *p;
	size_t i;

	scratch_mkdir("home", 0755);
	IS_INT(policy_user_read("/none/such", geteuid(), &u, &err), 0);
	OKF(u == NULL, "no directory, no layer");
	IS_INT(policy_user_read(dir, geteuid(), &u, &err), 0);
	OKF(u == NULL, "no file, no layer");
	scratch_rules("home/mine.conf", mine);
	for (i = 0; i < AEG_NELEM(loosening); i++) {
		scratch_rules("home/own.conf", loosening[i].text);
		p = with_user(dir);
		seen[0] = '\0';
		policy_each_note(p, note, seen);
		OKF(strstr(seen, loosening[i].vain) != NULL, "told: %s",
		    loosening[i].vain);
		if (strstr(seen, loosening[i].vain) == NULL)
			printf("#  got: %s\n", seen);
		OKF(action_of(p, s, "cat x") == POLICY_BLOCK,
		    "and the rest of the layer holds");
		OKF(action_of(p, s, "rm -r /srv/x") == POLICY_WARN &&
		    action_of(p, s, "frob /etc/shadow") != POLICY_ALLOW &&
		    action_of(p, s, "less /etc/shadow") != POLICY_ALLOW,
		    "and nothing is looser");
		policy_free(p);
	}
	scratch_unlink("home/own.conf");
	chmod(dir, 0777);
	IS_INTN(policy_user_read(dir, geteuid(), &u, &err), ERR_TRUST,
	    "a directory that others can write is no layer");
	chmod(dir, 0755);
	scratch_unlink("home/mine.conf");
	free(dir);
}

static void
test_layers(struct state *s)
{
	struct policy *p = NULL;
	struct err err = ERR_INIT;

	scratch_rules("etc/policy.d/20-site.conf",
	    "profile \"site\" {\n\textends = admin\n\trank = 30\n"
	    "\toverride = { ask.rm-recursive }\n}\n"
	    "paths \"secrets\" {\n\tpath = { '/srv/vault/**' }\n}\n"
	    "rule \"site.ok\" {\n\tdecision = allow\n\tset = admin\n"
	    "\treason = r\n\tcommand = { frob }\n\texample = { 'frob x' }\n}\n"
	    "rule \"site.lift\" {\n\tdecision = allow\n\tset = admin\n"
	    "\treason = r\n\tcommand = { rm }\n\tany_words = true\n}\n");
	IS_INTN(policy_load("site", NULL, &p, &err), 0, err.text);
	IS_STR(policy_profile(p), "site");
	IS_STR(policy_sandbox(p), "admin");
	IS_INT(policy_rank(p), 30);
	IS_INTN(action_of(p, s, "cat /srv/vault/x"), POLICY_WARN,
	    "a site adds to a path set");
	IS_INTN(action_of(p, s, "frob x"), POLICY_ALLOW, "a site allows");
	IS_INTN(action_of(p, s, "rm -r /srv/x"), POLICY_ALLOW,
	    "a site's profile overrides a rule by name");
	IS_INTN(action_of(p, s, "rm -rf /"), POLICY_BLOCK,
	    "nobody lifts the floor");
	policy_free(p);
	p = NULL;
	IS_INTN(policy_load("admin", NULL, &p, &err), 0, err.text);
	IS_INTN(action_of(p, s, "rm -r /srv/x"), POLICY_WARN,
	    "an allow beside a warn leaves the warn");
	policy_free(p);
	scratch_unlink("etc/policy.d/20-site.conf");
}

/* ---- the cache ----------------------------------------------------------- */

static char *
cache_file(const char *dir)
{
	char *pattern, *found = NULL;
	glob_t g;

	if (asprintf(&pattern, "%s/policy-*", dir) < 0)
		scratch_die("asprintf");
	if (glob(pattern, 0, NULL, &g) == 0 && g.gl_pathc == 1)
		found = xstrdup(g.gl_pathv[0]);
	globfree(&g);
	free(pattern);
	return found;
}

/* Write n bytes at an offset. */
static void
scribble(const char *path, off_t at, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, n, at) != (ssize_t)n)
		scratch_die(path);
	close(fd);
}

static void
test_cache(struct state *s)
{
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	char *dir = scratch_path("cache"), *file, *again, hash[65];
	struct stat st;
	static const char ff[] = "\xff\xff\xff\xff";
	int step = 4 * tap_share("the words of the header");
	off_t at;
	int bad_loads = 0;

	scratch_mkdir("cache", 0700);
	IS_INTN(policy_load("admin", dir, &p, &err), 0, err.text);
	snprintf(hash, sizeof hash, "%s", policy_hash(p));
	policy_free(p);
	p = NULL;
	file = cache_file(dir);
	OK(file != NULL && strstr(file, hash) != NULL);
	OK(stat(file, &st) == 0 && (st.st_mode & 07777) == 0600);
	IS_INT(policy_load("dev", dir, &p, &err), 0);
	IS_STRN(policy_profile(p), "dev", "one compiled form holds them all");
	policy_free(p);
	p = NULL;
	/* Whatever is wrong with the file, the rules are those of the
	 * sources, and the file is right again afterwards. */
	for (at = 0; at < 200; at += step) {
		scribble(file, at, ff, 4);
		if (policy_load("admin", dir, &p, &err) < 0 ||
		    action_of(p, s, "rm -rf /") != POLICY_BLOCK ||
		    strcmp(policy_hash(p), hash) != 0)
			bad_loads++;
		policy_free(p);
		p = NULL;
	}
	IS_INTN(bad_loads, 0, "a header that was written over is rebuilt");
	if (truncate(file, st.st_size / 2) < 0)
		scratch_die(file);
	IS_INTN(policy_load("admin", dir, &p, &err), 0, "half a file");
	policy_free(p);
	p = NULL;
	OK(stat(file, &st) == 0 && st.st_size > 1000);
	chmod(file, 0644);
	IS_INTN(policy_load("admin", dir, &p, &err), 0, "a file for all");
	policy_free(p);
	p = NULL;
	OKF(stat(file, &st) == 0 && (st.st_mode & 07777) == 0600,
	    "is replaced by one of our own");
	scratch_rules("etc/policy.d/20-site.conf", "# changed\n");
	IS_INT(policy_load("admin", dir, &p, &err), 0);
	OK(strcmp(policy_hash(p), hash) != 0);
	policy_free(p);
	p = NULL;
	again = cache_file(dir);
	OKF(again != NULL && strcmp(again, file) != 0,
	    "other sources have another file, and the old one is gone");
	scratch_unlink("etc/policy.d/20-site.conf");
	IS_INTN(policy_load("admin", "/nonexistent/cache", &p, &err), 0,
	    "no cache, no harm");
	policy_free(p);
	free(file);
	free(again);
	free(dir);
}

/* ---- lists --------------------------------------------------------------- */

struct listed {
	unsigned n, without;
	bool npm, curl;
};

static int
list(void *ctx, const char *id, const char *what, const char *reason,
	const char *where)
{
	struct listed *l = ctx;

	l->n++;
	l->without += id[0] == '\0' || what[0] == '\0' || reason[0] == '\0' ||
	    strchr(where, ':') == NULL;
	l->npm |= strcmp(id, "seed.allow.npm") == 0;
	l->curl |= strcmp(id, "seed.block.fetch") == 0;
	return 0;
}

static int
profiles(void *ctx, const char *name, const char *extends, int rank)
{
	struct listed *l = ctx;

	l->n++;
	l->npm |= strcmp(name, "build") == 0 && extends != NULL &&
	    strcmp(extends, "dev") == 0 && rank == 50;
	return 0;
}

static void
test_lists(void)
{
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	struct listed l = { 0 };

	IS_INT(policy_load("dev", NULL, &p, &err), 0);
	policy_each(p, POLICY_ALLOW, list, &l);
	OK(l.n > 5 && l.npm && !l.curl && l.without == 0);
	l = (struct listed){ 0 };
	policy_each(p, POLICY_BLOCK, list, &l);
	OK(l.n > 30 && l.curl && !l.npm && l.without == 0);
	l = (struct listed){ 0 };
	policy_each_profile(p, profiles, &l);
	OK(l.n >= 6 && l.npm);
	IS_INT(policy_unknown(p, 0), POLICY_WARN);
	policy_free(p);
	IS_INT(policy_load("admin", NULL, &p, &err), 0);
	l = (struct listed){ 0 };
	policy_each(p, POLICY_BLOCK, list, &l);
	OK(l.n > 30 && !l.curl);
	IS_INT(policy_unknown(p, 0), POLICY_ALLOW);
	IS_INT(policy_unknown(p, 1000), POLICY_WARN);
	policy_free(p);
	IS_INT(policy_load("safe", NULL, &p, &err), 0);
	IS_INT(policy_unknown(p, 0), POLICY_BLOCK);
	policy_free(p);
	policy_free(NULL);
	IS_STR(policy_action_name(POLICY_BLOCK), "block");
	IS_STR(policy_action_name(POLICY_WARN), "warn");
	IS_STR(policy_action_name(POLICY_UNKNOWN), "unknown");
	IS_STR(policy_action_name(POLICY_ALLOW), "allow");
	IS_STR(policy_action_name((enum policy_action)9), "block");
}

int
main(void)
{
	struct state *s;

	judge_places();
	scratch_mkdir("etc", 0755);
	scratch_mkdir("etc/policy.d", 0755);
	s = judge_state();
	test_bad();
	test_trust();
	test_layers(s);
	test_user_layer(s);
	test_files();
	test_cache(s);
	test_lists();
	state_free(s);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* aegshctl: finds the verb, gives up rights it was not meant to have. */
#include <errno.h>
#include <locale.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

/* Whether word begins the verb's name; *ret_words is how many words of the
 * name argv holds. */
static bool
names(const struct admin_verb *verb, int argc, char **argv, int *ret_words)
{
	const char *space = strchr(verb->name, ' ');
	size_t len = space != NULL ? (size_t)(space - verb->name) :
	    strlen(verb->name);

	if (argc < 1 || strlen(argv[0]) != len ||
	    memcmp(argv[0], verb->name, len) != 0)
		return false;
	*ret_words = 1;
	if (space != NULL && argc > 1 && strcmp(argv[1], space + 1) == 0)
		*ret_words = 2;
	return true;
}

/* The verb that argv begins with.  A first word that only begins some
 * verbs ("config") leaves *ret_group true. */
static const struct admin_verb *
find(int argc, char **argv, int *ret_words, bool *ret_group)
{
	const struct admin_verb *const *v;

	*ret_group = false;
	for (v = admin_verbs; *v != NULL; v++) {
		int need = strchr((*v)->name, ' ') != NULL ? 2 : 1;

		if (!names(*v, argc, argv, ret_words))
			continue;
		if (*ret_words == need)
			return *v;
		*ret_group = true;
	}
	return NULL;
}

static void
list_verbs(FILE *f, const char *group)
{
	const struct admin_verb *const *v;
	int words;

	for (v = admin_verbs; *v != NULL; v++) {
		AEG_AUTOFREE char *text = NULL;

		if ((*v)->hidden || (group != NULL && !names(*v, 1,
		    (char **)(uintptr_t)&group, &words)))
			continue;
		text = xasprintf("  %-16s %s", (*v)->name, (*v)->summary);
		admin_fold(f, ADMIN_HELP_WIDTH, 19, text);
	}
}

/* How many letters were left out, put in or changed, up to 3. */
static unsigned
letters_off(const char *a, const char *b, unsigned most)
{
	unsigned off, other;

	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b || most == 0)
		return *a == *b ? 0 : 1;
	off = *a != '\0' ? letters_off(a + 1, b, most - 1) : most;
	other = *b != '\0' ? letters_off(a, b + 1, most - 1) : most;
	off = other < off ? other : off;
	other = *a != '\0' && *b != '\0' ?
	    letters_off(a + 1, b + 1, most - 1) : most;
	return 1 + (other < off ? other : off);
}

/* How far a verb is from what was typed; next is the word behind it, or "". */
static unsigned
verb_off(const char *name, const char *group, const char *typed,
    const char *next)
{
	AEG_AUTOFREE char *both = xasprintf("%s %s", typed, next);
	const char *space = strrchr(name, ' ');
	unsigned off = letters_off(typed, name, 3), other;

	other = group[0] == '\0' ? letters_off(both, name, 3) : off;
	off = other < off ? other : off;
	if (off == 0)
		return 0;
	/* Its beginning, or its second word alone. */
	if (strlen(typed) >= 3 && text_starts(name, typed))
		return 1;
	if (space != NULL && strcmp(typed, space + 1) == 0)
		return off < 2 ? off : 2;
	return off;
}

/* One line: what was typed, and the verb that it comes nearest to. */
static int
no_such_verb(struct admin *a, const char *group, const char *word,
    const char *next)
{
	AEG_AUTOFREE char *typed = xasprintf("%s%s%s", group, group[0] != '\0' ?
	    " " : "", word);
	const struct admin_verb *const *v, *near = NULL;
	unsigned least = 3, off;

	for (v = admin_verbs; *v != NULL; v++) {
		if ((*v)->hidden)
			continue;
		off = verb_off((*v)->name, group, typed, next);
		if (off < least) {
			least = off;
			near = *v;
		}
	}
	admin_complain(a, "%s: no such verb%s%s%s; \"aegshctl %s%s\" lists "
	    "them", typed, near != NULL ? " (near: " : "",
	    near != NULL ? near->name : "", near != NULL ? ")" : "",
	    group[0] != '\0' ? "help " : "--help", group);
	return ADMIN_USAGE;
}

static void
help_verb(const struct admin_verb *verb)
{
	const struct admin_option *o;
	bool any = verb->options != NULL && verb->options->name != NULL;

	printf("usage: aegshctl %s%s%s%s\n%s.\n", verb->name,
	    any ? " [OPTION]..." : "", verb->usage[0] != '\0' ? " " : "",
	    verb->usage, verb->summary);
	for (o = verb->options; any && o->name != NULL; o++) {
		AEG_AUTOFREE char *word = xasprintf("--%s%s%s", o->name,
		    o->argument != NULL ? " " : "",
		    o->argument != NULL ? o->argument : "");
		const char letter[] = { '-', o->letter, ',', ' ', '\0' };
		AEG_AUTOFREE char *text = NULL;

		text = xasprintf("  %4s%-22s %s", o->letter != 0 ? letter : "",
		    word, o->help);
		admin_fold(stdout, ADMIN_HELP_WIDTH, 29, text);
	}
}

static int
help(int argc, char **argv)
{
	const struct admin_verb *verb;
	bool group;
	int words;

	if (argc == 0) {
		printf("usage: aegshctl VERB [OPTION]... [OPERAND]...\n"
		    "Looks at what aegsh records, enforces and is set to, and "
		    "mends a user's\nPATH and start-up files (env).\n\n");
		list_verbs(stdout, NULL);
		printf("\n`aegshctl help VERB' tells more; so does "
		    "aegshctl(8).\n");
		return ADMIN_OK;
	}
	verb = find(argc, argv, &words, &group);
	if (verb != NULL && words == argc) {
		help_verb(verb);
		return ADMIN_OK;
	}
	if (group && argc == 1) {
		list_verbs(stdout, argv[0]);
		return ADMIN_OK;
	}
	fprintf(stderr, "aegshctl: no such verb; `aegshctl help' lists them\n");
	return ADMIN_USAGE;
}

static int
run_verb(struct admin *a, int argc, char **argv)
{
	bool group;
	int words;

	a->verb = find(argc, argv, &words, &group);
	if (a->verb == NULL && group && argc == 1) {
		admin_complain(a, "%s: which verb?", argv[0]);
		list_verbs(stderr, argv[0]);
		return ADMIN_USAGE;
	}
	if (a->verb == NULL) {
		return no_such_verb(a, group ? argv[0] : "",
		    argv[group ? 1 : 0], argc > 1 ? argv[1] : "");
	}
	if (argc > words && strcmp(argv[words], "--help") == 0) {
		help_verb(a->verb);
		return ADMIN_OK;
	}
	return a->verb->run(a, argc - words, argv + words);
}

static int
dispatch(struct admin *a, int argc, char **argv)
{
	const char *word = argc > 0 ? argv[0] : "";

	if (strcmp(word, "--version") == 0) {
		printf("aegshctl %s\n", PACKAGE_VERSION);
		return ADMIN_OK;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "help") == 0)
		return help(argc - 1, argv + 1);
	if (argc == 0) {
		fprintf(stderr, "usage: aegshctl VERB [OPTION]...\n");
		list_verbs(stderr, NULL);
		return ADMIN_USAGE;
	}
	return run_verb(a, argc, argv);
}

/* It is not meant to be set-id: such rights go first, and none come. */
static int
fix_rights(struct err *err)
{
	if (setresgid(getgid(), getgid(), getgid()) < 0 ||
	    setresuid(getuid(), getuid(), getuid()) < 0)
		return err_sys(err, errno, "giving up rights");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, errno, "no_new_privs");
	return 0;
}

int
main(int argc, char **argv)
{
	struct admin a = { .uid = getuid(), .caller = getuid(),
		.words = argv, .out = stdout };
	struct err err = ERR_INIT;
	struct passwd *pw;
	int status;

	signal(SIGPIPE, SIG_DFL);
	/* Ignored, as a parent may leave it, it leaves no child to wait
	 * for. */
	signal(SIGCHLD, SIG_DFL);
	if (io_fill_std() < 0)
		return ADMIN_SYSTEM;
	if (fix_rights(&err) < 0)
		return admin_fail(&a, &err);
	setlocale(LC_CTYPE, "");
	pw = getpwuid(a.uid);
	a.user = pw != NULL ? xstrdup(pw->pw_name) :
	    xasprintf("%lu", (unsigned long)a.uid);
	a.home = pw != NULL ? xstrdup(pw->pw_dir) : NULL;
	status = dispatch(&a, argc > 0 ? argc - 1 : 0, argv + 1);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		err_sys(&err, errno, "standard output");
		status = admin_fail(&a, &err);
	}
	conf_free(a.conf);
	free(a.user);
	free(a.home);
	return status;
}

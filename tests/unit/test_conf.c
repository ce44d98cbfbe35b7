/* SPDX-License-Identifier: ISC */
#include "aegsh/conf.h"
#include "scratch.h"
#include "tap.h"

#include "aegsh/base/mem.h"

static char *user_file;
static uid_t uid;		/* as whose settings are loaded: never 0 */

/* Write both files (NULL: there is none) and load. */
static int
load(const char *operator, const char *user, struct conf **ret,
    struct err *err)
{
	char *path = scratch_path("etc/aegsh.conf");

	unlink(path);
	unlink(user_file);
	free(path);
	if (operator != NULL)
		scratch_puts("etc/aegsh.conf", operator);
	if (user != NULL)
		scratch_puts("user.conf", user);
	*err = (struct err)ERR_INIT;
	*ret = NULL;
	return conf_load(uid, NULL, user_file, ret, err);
}

static bool
noted(const struct conf *c, const char *text)
{
	const struct strv *notes = conf_notes(c);
	size_t i;

	for (i = 0; i < notes->n; i++) {
		if (strstr(notes->v[i], text) != NULL)
			return true;
	}
	return false;
}

static const struct {
	const char *operator, *user, *cmdline;
	enum conf_id id;
	const char *value;
	enum conf_layer origin;
	const char *note;	/* part of the only note, or NULL: none */
} cases[] = {
	{ NULL, NULL, NULL, CONF_ASK_TIMEOUT, "8000", CONF_DEFAULT, NULL },
	{ "ask-timeout = 5000", NULL, NULL, CONF_ASK_TIMEOUT, "5000",
	    CONF_OPERATOR, NULL },
	/* personal, not set by the operator: the user may do as they like */
	{ "", "ask-timeout = 9000", NULL, CONF_ASK_TIMEOUT, "9000",
	    CONF_USER, NULL },
	{ "", "ask-timeout = 9000", "ask-timeout=10000", CONF_ASK_TIMEOUT,
	    "10000", CONF_CMDLINE, NULL },
	{ NULL, "profile = dev", NULL, CONF_PROFILE, "dev", CONF_USER, NULL },
	{ NULL, NULL, "debug=on", CONF_DEBUG, "yes", CONF_CMDLINE, NULL },
	/* … set by the operator: only tighter */
	{ "ask-timeout = 5000", "ask-timeout = 9000", NULL, CONF_ASK_TIMEOUT,
	    "5000", CONF_OPERATOR, "user.conf:1: ask-timeout = 9000 would not "
	    "tighten operator's '5000'" },
	{ "ask-timeout = 5000", "ask-timeout = 4000", NULL, CONF_ASK_TIMEOUT,
	    "4000", CONF_USER, NULL },
	{ "ask-timeout = 5000", "ask-timeout = 5000", NULL, CONF_ASK_TIMEOUT,
	    "5000", CONF_OPERATOR, NULL },
	{ "profile = dev", "profile = admin", NULL, CONF_PROFILE, "dev",
	    CONF_OPERATOR, "profile = admin" },
	{ "fail = policy", NULL, "fail=ask", CONF_FAIL, "ask", CONF_CMDLINE,
	    NULL },
	/* managed: only tighter, whoever set it */
	{ "mode = managed", "ask-timeout = 9000", NULL, CONF_ASK_TIMEOUT,
	    "8000", CONF_DEFAULT, "would not tighten default's '8000'" },
	{ "mode = managed", "ask-timeout = 7000", NULL, CONF_ASK_TIMEOUT,
	    "7000", CONF_USER, NULL },
	{ "mode = managed", "ask-timeout = 6000", "ask-timeout=7000",
	    CONF_ASK_TIMEOUT, "6000", CONF_USER, "-o ask-timeout=7000" },
	{ "mode = managed", NULL, "fail=ask", CONF_FAIL, "default",
	    CONF_DEFAULT, "-o fail=ask" },
	{ "mode = managed", NULL, "profile=full-auto", CONF_PROFILE, "admin",
	    CONF_DEFAULT, "-o profile=full-auto" },
	{ "mode = managed", "endpoint = \"https://evil/\"", NULL,
	    CONF_ENDPOINT, "", CONF_DEFAULT, "endpoint" },
	/* the operator's alone */
	{ NULL, "mode = managed", NULL, CONF_MODE, "personal", CONF_DEFAULT,
	    "user.conf:1: mode is the operator's alone" },
	{ "mode = managed", "mode = personal", NULL, CONF_MODE, "managed",
	    CONF_OPERATOR, "mode is the operator's alone" },
	{ "mode = managed", NULL, "mode=personal", CONF_MODE, "managed",
	    CONF_OPERATOR, "-o mode=personal: mode is the operator's alone" },
	/* a user file that cannot be read, personal */
	{ "debug = yes", "bad = 1\ndebug = no", NULL, CONF_DEBUG, "yes",
	    CONF_OPERATOR, "user.conf:1: no such option 'bad': this file was" },
	{ NULL, "debug = yes\nask-timeout = 1", NULL, CONF_DEBUG, "no",
	    CONF_DEFAULT, "user.conf:2: ask-timeout is a number" },
};

static void
run_cases(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct conf *c;
		struct err err;
		const char *note = cases[i].note;
		bool good;
		int rc = load(cases[i].operator, cases[i].user, &c, &err);

		if (rc == 0 && cases[i].cmdline != NULL)
			rc = conf_override(c, cases[i].cmdline, &err);
		if (cases[i].cmdline != NULL && note != NULL) {
			/* The command line is told at once. */
			OKF(rc == ERR_RANGE && strstr(err.text, note) != NULL,
			    "case %zu: %s is refused", i, cases[i].cmdline);
			note = NULL;
			rc = 0;
		}
		good = rc == 0 &&
		    strcmp(conf_str(c, cases[i].id), cases[i].value) == 0 &&
		    conf_origin(c, cases[i].id) == cases[i].origin;
		OKF(good, "case %zu: %s is '%s' by %s", i,
		    conf_row(cases[i].id)->name, cases[i].value,
		    conf_layer_name(cases[i].origin));
		if (!good)
			printf("# rc %d %s\n", rc, err.text);
		OKF(rc == 0 && conf_notes(c)->n == (note != NULL) &&
		    (note == NULL || noted(c, note)), "case %zu: %s", i,
		    note != NULL ? note : "no note");
		conf_free(c);
	}
}

static void
failures(void)
{
	struct conf *c;
	struct err err;
	char *path = scratch_path("etc/aegsh.conf");

	IS_INT(load("debug = yes\nbad = 1", NULL, &c, &err), ERR_UNKNOWN_NAME);
	OK(strstr(err.text, "etc/aegsh.conf:2: no such option 'bad'") != NULL);
	OK(c == NULL);
	IS_INT(load("mode = managed", "bad = 1", &c, &err), ERR_UNKNOWN_NAME);
	OK(strstr(err.text, "user.conf:1: no such option") != NULL);

	IS_INT(load("mode = managed", NULL, &c, &err), 0);
	OK(conf_managed(c));
	IS_STR(conf_origin_file(c, CONF_MODE), path);
	IS_STR(conf_layer_file(c, CONF_OPERATOR), path);
	IS_STR(conf_layer_file(c, CONF_USER), user_file);
	OK(conf_layer_file(c, CONF_CMDLINE) == NULL);
	OK(conf_origin_file(c, CONF_FAIL) == NULL);
	conf_free(c);
	chmod(path, 0622);
	c = NULL;
	IS_INT(conf_load(uid, NULL, user_file, &c, &err), ERR_TRUST);
	OK(c == NULL);

	IS_INT(load("mode = managed", "debug = yes", &c, &err), 0);
	conf_free(c);
	chmod(user_file, 0666);
	IS_INT(conf_load(uid, NULL, user_file, &c, &err), ERR_TRUST);
	chmod(path, 0600);
	scratch_puts("etc/aegsh.conf", "");
	IS_INT(conf_load(uid, NULL, user_file, &c, &err), 0);
	OK(noted(c, "this file was left out") && !conf_bool(c, CONF_DEBUG));

	IS_INT(conf_override(c, "debug", &err), ERR_SYNTAX);
	IS_INT(conf_override(c, "bad=1", &err), ERR_UNKNOWN_NAME);
	IS_INT(conf_override(c, "=1", &err), ERR_UNKNOWN_NAME);
	IS_INT(conf_override(c, "debug=maybe", &err), ERR_RANGE);
	IS_STR(err.text, "-o debug=maybe: debug is yes or no, not 'maybe'");
	IS_INT(conf_override(c, "model=a=b", &err), 0);
	IS_STR(conf_str(c, CONF_MODEL), "a=b");
	conf_free(c);
	free(path);
}

static void
places(void)
{
	struct conf *c;
	struct err err;
	char *home = scratch_path("home"), *xdg = scratch_path("xdg");

	scratch_mkdir("home", 0755);
	scratch_mkdir("home/.config", 0755);
	scratch_mkdir("home/.config/aegsh", 0755);
	scratch_puts("home/.config/aegsh/aegsh.conf", "model = home");
	scratch_mkdir("xdg", 0755);
	scratch_mkdir("xdg/aegsh", 0755);
	scratch_puts("xdg/aegsh/aegsh.conf", "model = xdg");
	unsetenv("XDG_CONFIG_HOME");
	IS_INT(conf_load(uid, home, NULL, &c, &err), 0);
	IS_STR(conf_str(c, CONF_MODEL), "home");
	conf_free(c);
	setenv("XDG_CONFIG_HOME", xdg, 1);
	IS_INT(conf_load(uid, home, NULL, &c, &err), 0);
	IS_STR(conf_str(c, CONF_MODEL), uid == getuid() ? "xdg" : "home");
	conf_free(c);
	setenv("XDG_CONFIG_HOME", "xdg", 1);
	IS_INT(conf_load(uid, home, NULL, &c, &err), 0);
	IS_STR(conf_str(c, CONF_MODEL), "home");
	conf_free(c);
	IS_INT(conf_load(0, home, NULL, &c, &err), 0);
	OK(conf_layer_file(c, CONF_USER) == NULL);
	IS_STR(conf_str(c, CONF_MODEL), "");
	conf_free(c);
	free(home);
	free(xdg);
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	uid = getuid() != 0 ? getuid() : 4321;
	scratch_mkdir("etc", 0755);
	user_file = scratch_path("user.conf");
	run_cases();
	failures();
	places();
	free(user_file);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/*
 * What is an account's own home, wherever that lies, and what is not, by
 * whatever $HOME says; and what follows for lines that write there.
 */
#include "judge.h"
#include "tap.h"

#include <limits.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"

/* ---- which home counts --------------------------------------------------- */

static void
found(const char *home, const char *path, const char *real)
{
	struct policy_home h = POLICY_HOME_INIT;

	policy_home_find(home, &h);
	IS_STRN(h.path, path, home != NULL ? home : "(none)");
	IS_STR(h.real, real);
	policy_home_done(&h);
}

static void
test_find(void)
{
	static const char *const nobodys[] = { "/", "/usr/sbin", "/bin",
		"/dev", "/etc", "/opt", "/srv", "/var/lib", "/tmp", "/usr",
		"/nonexistent", "/usr/bin/../bin", "relative", "" };
	char *home = scratch_path("svc"), *link = scratch_path("link");
	char *away = scratch_path("away"), *dangling = scratch_path("gone");
	char real[PATH_MAX];
	size_t i;

	scratch_mkdir("svc", 0755);
	if (symlink(home, link) < 0 || symlink("/usr/bin", away) < 0 ||
	    realpath(home, real) == NULL)
		scratch_die(link);
	found(home, home, real);
	found(link, link, real);
	found(away, "", "");	/* a link does not make it one's own */
	found(dangling, "", "");
	found(NULL, "", "");
	for (i = 0; i < AEG_NELEM(nobodys); i++)
		found(nobodys[i], "", "");
	free(home);
	free(link);
	free(away);
	free(dangling);
}

/* ---- what is said of lines ----------------------------------------------- */

struct row {
	const char *home, *real;	/* of the account */
	const char *env;		/* HOME */
	const char *line, *rule;
};

#define OPT "/opt/svc", "/opt/svc", "/opt/svc"
#define OPT_NO_ENV "/opt/svc", "/opt/svc", "/"
#define LINK "/home/svc", "/opt/svc", "/home/svc"
#define LINK_BACK "/opt/svc", "/data/svc", "/opt/svc"
#define WEB "/srv/www/site", "/srv/www/site", "/srv/www/site"
#define LIB "/var/lib/svc", "/var/lib/svc", "/var/lib/svc"
#define DATA "/data/u", "/data/u", "/data/u"
#define ROOT "/root", "/root", "/root"
#define NONE "", "", "/usr"

static const struct row rows[] = {
	/* Its own. */
	{ OPT, "cp a /opt/svc/etc/app.conf", "-" },
	{ OPT, "mv a /opt/svc/bin/tool", "-" },
	{ OPT, "echo x >/opt/svc/x", "-" },
	{ OPT, "tee /opt/svc/log", "-" },
	{ OPT, "rm -rf /opt/svc/cache", "-" },
	{ OPT, "rm -rf ~/cache", "-" },
	{ OPT, "chmod -R u+w /opt/svc/cache", "-" },
	{ OPT_NO_ENV, "cp a /opt/svc/etc/app.conf", "-" },
	{ OPT_NO_ENV, "rm -rf /opt/svc/cache", "-" },
	{ LINK, "cp a /home/svc/x", "-" },
	{ LINK, "cp a /opt/svc/x", "-" },
	{ LINK, "rm -rf /opt/svc/cache", "-" },
	{ LINK_BACK, "cp a /opt/svc/x", "-" },
	{ LINK_BACK, "rm -rf /data/svc/cache", "-" },
	{ WEB, "cp a /srv/www/site/index.html", "-" },
	{ LIB, "cp a /var/lib/svc/x", "-" },
	{ LIB, "rm -rf /var/lib/svc/cache", "-" },
	{ DATA, "rm -rf /data/u/cache", "-" },
	{ ROOT, "cp a /root/x", "-" },
	{ ROOT, "rm -rf /root/cache", "-" },
	/* Not its own. */
	{ OPT, "cp a /opt/svc2/x", "ask.move-system" },
	{ OPT, "cp a /opt/x", "ask.move-system" },
	{ OPT, "cp a /opt/svc/../x", "ask.move-system" },
	{ OPT, "rm -rf /opt/other", "ask.rm-recursive" },
	{ OPT, "rm -rf /opt/svc", "*" },
	{ OPT, "cp a /usr/bin/x", "*" },
	{ WEB, "cp a /srv/www/other/x.php", "ask.move-system" },
	{ DATA, "cp a /opt/svc/x", "ask.move-system" },
	{ DATA, "rm -rf /data/v", "*" },
	{ ROOT, "cp a /opt/svc/x", "ask.move-system" },
	/* $HOME makes nothing one's own, … */
	{ NONE, "rm -rf /usr/share/doc", "*" },
	{ NONE, "rm -rf ~/share/doc", "*" },
	{ NONE, "cp a /usr/share/x", "ask.move-system" },
	{ "/opt/svc", "/opt/svc", "/opt", "cp a /opt/x", "ask.move-system" },
	/* … and what is guarded in a home is so in each. */
	{ OPT, "echo x >>/opt/svc/.bashrc", "ask.own-starts" },
	{ OPT_NO_ENV, "echo x >>/opt/svc/.bashrc", "ask.own-starts" },
	{ LINK, "echo x >>/opt/svc/.bashrc", "ask.own-starts" },
	{ OPT, "cat /opt/svc/.ssh/id_rsa", "*" },
	{ "/opt/svc", "/opt/svc", "/opt/svc/sub",
	    "echo x >>/opt/svc/.bashrc", "ask.own-starts" },
	{ "/opt/svc", "/opt/svc", "/opt/svc/sub",
	    "echo x >>/opt/svc/sub/.bashrc", "ask.own-starts" },
	{ "/opt/svc", "/opt/svc", "/data/x",
	    "echo x >>/data/x/.bashrc", "ask.own-starts" },
};

static void
test_lines(struct judge *j)
{
	struct policy_home h;
	struct judged got;
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		const struct row *r = &rows[i];

		h.path = xstrdup(r->home);
		h.real = xstrdup(r->real);
		j->home = &h;
		state_set(j->state, "HOME", r->env, NULL);
		got = judge_line(j, r->line, NULL);
		if (strcmp(r->rule, "-") == 0)
			OKF(got.action >= POLICY_UNKNOWN, "%s: %s is its own "
			    "(%s)", r->home, r->line, got.rule);
		else
			OKF(got.action <= POLICY_WARN && (r->rule[0] == '*' ||
			    strcmp(got.rule, r->rule) == 0), "%s, HOME=%s: "
			    "%s is asked about (%s)", r->home, r->env,
			    r->line, got.rule);
		policy_home_done(&h);
	}
}

int
main(void)
{
	struct judge j = { .uid = 1000, .origin = POLICY_ORIGIN_PROMPT };
	struct err err = ERR_INIT;

	judge_places();
	j.state = judge_state();
	IS_INTN(policy_load("admin", scratch_dir, &j.policy, &err), 0,
	    err.text);
	test_find();
	test_lines(&j);
	policy_free(j.policy);
	state_free(j.state);
	return tap_done();
}

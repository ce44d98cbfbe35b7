/* SPDX-License-Identifier: ISC */
/*
 * The doctor on systems made for it: each has files of its own below a
 * root, and a list of what is to be found in them, with the evidence.
 */
#include "aegsh/doctor.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static char root[] = "/var/tmp/t-doctor-XXXXXX";

/* A shell command about $F, the file below the root. */
static void
command(const char *text, const char *path)
{
	AEG_AUTOFREE char *file = xasprintf("%s%s", root, path);

	setenv("F", file, 1);
	if (system(text) != 0) {
		printf("Bail out! %s: %s\n", text, file);
		exit(99);
	}
}

static void
put(const char *path, const char *text, mode_t mode)
{
	AEG_AUTOFREE char *file = xasprintf("%s%s", root, path);
	AEG_AUTOFREE char *dir = xasprintf("%s", path);
	FILE *f;

	*strrchr(dir, '/') = '\0';
	command("mkdir -p \"$F\"", dir);
	f = fopen(file, "w");
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0 ||
	    chmod(file, mode) < 0) {
		printf("Bail out! %s\n", file);
		exit(99);
	}
}

#define PASSWD_OURS "root:x:0:0::/root:/bin/bash\n" \
	"daemon:x:1:1::/:/usr/sbin/nologin\n" \
	"alice:x:1000:1000::/home/alice:/usr/local/bin/aegsh\n" \
	"bob:x:1001:1001::/home/bob:/bin/bash\n"

static void
fresh(void)
{
	/* Links first: nothing is followed out of the root. */
	command("find \"$F\" -mindepth 1 -delete", "");
	put("/usr/local/bin/aegsh", "#!\n", 0755);
	put("/usr/lib/openssh/sftp-server", "#!\n", 0755);
	put("/etc/passwd", PASSWD_OURS, 0644);
	put("/etc/shells", "/bin/sh\n/usr/local/bin/aegsh\n", 0644);
}

static struct doctor *
run(bool managed)
{
	struct doctor_opts opts = { .root = root, .managed = managed };
	struct doctor *d = NULL;
	struct err err = ERR_INIT;

	OK(doctor_run(&opts, &d, &err) == 0);
	return d;
}

static const struct doctor_finding *
find(const struct doctor *d, const char *id)
{
	const struct doctor_finding *f;
	size_t n, i;

	f = doctor_findings(d, &n);
	for (i = 0; i < n; i++)
		if (strcmp(f[i].id, id) == 0)
			return &f[i];
	return NULL;
}

struct want {
	const char *id;		/* "-id": must not be found */
	const char *file;
	unsigned line;
	const char *text;	/* part of it */
};

static void
expect(bool managed, const struct want *w, size_t n)
{
	struct doctor *d = run(managed);
	const struct doctor_finding *f;
	size_t i, k;
	bool hit;

	for (i = 0; i < n; i++) {
		f = find(d, w[i].id + (w[i].id[0] == '-'));
		if (w[i].id[0] == '-') {
			OKF(f == NULL, "%s is not found", w[i].id + 1);
			continue;
		}
		OKF(f != NULL && f->what[0] != '\0' && f->remedy[0] != '\0',
		    "%s is found", w[i].id);
		hit = w[i].file == NULL;
		for (k = 0; f != NULL && k < f->n_evidence; k++)
			hit = hit || (strcmp(f->evidence[k].file,
			    w[i].file) == 0 && f->evidence[k].line ==
			    w[i].line && (w[i].text == NULL ||
			    (f->evidence[k].text != NULL &&
			    strstr(f->evidence[k].text, w[i].text) != NULL)));
		OKF(hit, "%s: evidence in %s:%u", w[i].id,
		    w[i].file != NULL ? w[i].file : "", w[i].line);
		for (k = 0; !hit && f != NULL && k < f->n_evidence; k++)
			printf("#  got: %s:%u: %s\n", f->evidence[k].file,
			    f->evidence[k].line, f->evidence[k].text);
	}
	doctor_free(d);
}
#define EXPECT(managed, ...) do { \
	const struct want want_[] = { __VA_ARGS__ }; \
	expect(managed, want_, AEG_NELEM(want_)); \
} while (0)

#define CONFIG "/etc/ssh/sshd_config"

static void
test_sshd(void)
{
	fresh();
	put(CONFIG, "Subsystem sftp internal-sftp\n", 0644);
	EXPECT(false, { "sshd.internal-sftp", CONFIG, 1, "internal-sftp" },
	    { "sshd.user-rc", CONFIG, 0, "nothing is said" },
	    { "sshd.forwarding", CONFIG, 0, NULL },
	    { "-sshd.no-sftp", NULL, 0, NULL },
	    { "-sshd.accept-env", NULL, 0, NULL },
	    { "-sshd.user-environment", NULL, 0, NULL },
	    { "-sshd.no-force-command", NULL, 0, NULL });
	put(CONFIG, "# all well\n  subSystem\tsftp = /usr/lib/openssh/"
	    "sftp-server -l INFO # c\nPermitUserRC no\nAllowTcpForwarding=no\n"
	    "AcceptEnv LANG LC_*\nPermitUserEnvironment no\n", 0644);
	EXPECT(false, { "-sshd.internal-sftp", NULL, 0, NULL },
	    { "-sshd.sftp-server", NULL, 0, NULL },
	    { "-sshd.no-sftp", NULL, 0, NULL },
	    { "-sshd.user-rc", NULL, 0, NULL },
	    { "-sshd.forwarding", NULL, 0, NULL },
	    { "-sshd.accept-env", NULL, 0, NULL },
	    { "-sshd.user-environment", NULL, 0, NULL });
	put(CONFIG, "Subsystem sftp \"/usr/lib/none/sftp-server\"\n"
	    "AcceptEnv LANG *\nAcceptEnv LD_*\nAcceptEnv FOO\n"
	    "PermitUserEnvironment LANG\nPermitUserRC yes\n", 0644);
	EXPECT(false, { "sshd.sftp-server", CONFIG, 1, "none" },
	    { "sshd.accept-env", CONFIG, 2, "lets in LD_PRELOAD" },
	    { "sshd.accept-env", CONFIG, 3, "LD_" },
	    { "sshd.user-environment", CONFIG, 5, NULL },
	    { "sshd.user-rc", CONFIG, 6, NULL });
	put(CONFIG, "Port 22\n", 0644);
	EXPECT(false, { "sshd.no-sftp", CONFIG, 0, NULL });
}

static void
test_match(void)
{
	fresh();
	put(CONFIG, "PermitUserRC no\nInclude sshd_config.d/*.conf\n"
	    "Match Group files\n  ForceCommand internal-sftp -R\n"
	    "Match User x\n  PermitUserRC yes\n  ForceCommand \"/opt/own "
	    "thing\"\nMatch all\n  AllowTcpForwarding no\n", 0644);
	put("/etc/ssh/sshd_config.d/10-a.conf",
	    "Subsystem sftp internal-sftp\nMatch User y\nAcceptEnv *\n", 0644);
	put("/etc/ssh/sshd_config.d/.hidden.conf", "AcceptEnv *\n", 0644);
	EXPECT(false, { "sshd.internal-sftp", CONFIG, 4, "Match Group files" },
	    { "sshd.internal-sftp", "/etc/ssh/sshd_config.d/10-a.conf", 1,
	    NULL }, { "sshd.user-rc", CONFIG, 6, "Match User x" },
	    { "sshd.force-command", CONFIG, 7, "own thing" },
	    { "sshd.accept-env", "/etc/ssh/sshd_config.d/10-a.conf", 3,
	    "Match User y" }, { "-sshd.forwarding", NULL, 0, NULL });
	/* Includes without an end, and a line that no one closes. */
	put(CONFIG, "Include /etc/ssh/sshd_config\nSubsystem sftp \"open\n",
	    0644);
	EXPECT(false, { "sshd.user-rc", NULL, 0, NULL });
}

static void
test_force(void)
{
	fresh();
	put(CONFIG, "Subsystem sftp internal-sftp\n", 0644);
	put("/etc/passwd", "root:x:0:0::/root:/bin/bash\n"
	    "bob:x:1001:1001::/home/bob:/bin/zsh\n"
	    "www:x:33:33::/var/www:/bin/sh\n", 0644);
	EXPECT(false, { "-sshd.internal-sftp", NULL, 0, NULL });
	EXPECT(true, { "sshd.internal-sftp", NULL, 0, NULL },
	    { "sshd.no-force-command", "/etc/passwd", 2, "bob has /bin/zsh" });
	put(CONFIG, "ForceCommand /usr/local/bin/aegsh --profile transfer\n"
	    "Subsystem sftp internal-sftp\n", 0644);
	EXPECT(true, { "sshd.internal-sftp", NULL, 0, NULL },
	    { "-sshd.no-force-command", NULL, 0, NULL },
	    { "-sshd.force-command", NULL, 0, NULL });
}

static void
test_accounts(void)
{
	fresh();
	EXPECT(false, { "-shells.entry", NULL, 0, NULL },
	    { "-account.shell-missing", NULL, 0, NULL },
	    { "-root.shell", NULL, 0, NULL },
	    { "account.store", NULL, 0, NULL });
	put("/etc/shells", "/bin/sh\n/usr/local/bin/aegsh-not\n"
	    "# /usr/local/bin/aegsh\n", 0644);
	put("/etc/passwd", PASSWD_OURS "toor:x:0:0::/root:/opt/aegsh\n"
	    "short:x:12\n+nis\n::::::\n", 0644);
	EXPECT(false, { "shells.entry", "/etc/shells", 0, "alice" },
	    { "root.shell", "/etc/passwd", 5, "toor" },
	    { "account.shell-missing", "/etc/passwd", 5, "/opt/aegsh" });
	put("/usr/local/bin/aegsh", "#!\n", 0775);
	EXPECT(false, { "account.shell-writable", "/etc/passwd", 3, "0775" });
	put("/usr/local/bin/aegsh", "#!\n", 0644);
	EXPECT(false, { "account.shell-missing", "/etc/passwd", 3, "alice" });
}

#define KEY "ssh-ed25519 AAAA someone\n"

static void
test_keys(void)
{
	static const char file[] = "/home/bob/.ssh/authorized_keys";
	bool root_owns = getuid() == 0;

	fresh();
	put(file, KEY "command=\"/usr/local/bin/aegsh\" " KEY
	    "restrict,command=\"/usr/local/bin/aegsh --profile transfer\" " KEY
	    "from=\"10.0.0.1,command=\\\"aegsh\\\"\",pty " KEY
	    "no-user-rc,no-port-forwarding,command=\"aegsh\" " KEY
	    "command=\"echo \\\"aegsh\\\"\" " KEY
	    "# command=\"aegsh\" x\ncommand=\"aegsh", 0600);
	EXPECT(false, { "keys.restrict", file, 2, "bob" });
	{
		struct doctor *d = run(false);
		const struct doctor_finding *f = find(d, "keys.restrict");

		/* The one that its line does not close as well. */
		OKF(f != NULL && f->n_evidence == 2, "and no other line");
		OKF((find(d, "keys.command") == NULL) == root_owns,
		    "a file of root's is beyond its user");
		doctor_free(d);
	}
	if (root_owns) {
		command("chown 1001 \"$F\"", file);
		EXPECT(false, { "keys.command", file, 2, "bob" },
		    { "keys.command", file, 3, "transfer" });
		put(file, "restrict,command=\"aegsh --profile transfer-fetch\" "
		    KEY, 0600);
		command("chown 1001 \"$F\"", file);
		EXPECT(false, { "-keys.command", NULL, 0, NULL },
		    { "-keys.restrict", NULL, 0, NULL });
	} else {
		SKIP(2, "only root can give files away");
	}
}

static void
test_hostile(void)
{
	struct doctor_opts opts = { .root = "/no/such/root" };
	struct doctor *d = NULL;
	struct err err = ERR_INIT;

	OKF(doctor_run(&opts, &d, &err) == -ENOENT && d == NULL,
	    "a root that is not there");
	fresh();
	/* Absolute links stay inside, and pipes hold nobody up. */
	put("/etc/ssh/real", "Subsystem sftp internal-sftp\n", 0644);
	command("ln -s /etc/ssh/real \"$F\"", CONFIG);
	EXPECT(false, { "sshd.internal-sftp", CONFIG, 1, NULL });
	command("ln -sf /../../../../../../etc/hostname \"$F\"", CONFIG);
	EXPECT(false, { "-sshd.internal-sftp", NULL, 0, NULL },
	    { "-sshd.no-sftp", NULL, 0, NULL });
	command("rm \"$F\"", CONFIG);
	command("mkfifo \"$F\"", CONFIG);
	EXPECT(false, { "file.unreadable", CONFIG, 0, NULL });
	command("rm \"$F\"", CONFIG);
	command("head -c 2000000 /dev/zero >\"$F\"", CONFIG);
	EXPECT(false, { "file.unreadable", CONFIG, 0, "1 MiB" });
	put(CONFIG, "Subsystem sftp internal-sftp\n", 0644);
	command("rm \"$F\"", "/etc/passwd");
	EXPECT(true, { "sshd.internal-sftp", NULL, 0, NULL });
}

static int
check_row(void *ctx, const char *id, enum doctor_severity severity)
{
	(*(int *)ctx)++;
	OKF(id[0] != '\0' && doctor_severity_name(severity)[0] != '\0',
	    "%s: %s", id, doctor_severity_name(severity));
	return 0;
}

int
main(void)
{
	int rows = 0;

	if (mkdtemp(root) == NULL)
		return 99;
	chmod(root, 0755);
	setenv("AEGSH_TEST_ROOT", root, 1);
	test_sshd();
	test_match();
	test_force();
	test_accounts();
	test_keys();
	test_hostile();
	doctor_each_check(check_row, &rows);
	OK(rows > 10);
	command("rm -r \"$F\"", "");
	return tap_done();
}

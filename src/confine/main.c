/* SPDX-License-Identifier: ISC */
/*
 * aegsh-confine: what sudo starts when a line of aegsh had a command run as
 * another user, and the policy has it confined.
 *
 * It is root, and whoever may start it could ask for any command; so it runs
 * none that sudoers would not let the same person run without it.
 */
#include "confine_int.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"
#include "aegsh/sandbox.h"

#define EXIT_USAGE 100
#define REFUSED 126
#define NOT_FOUND 127
#define KEEP_MAX 64		/* variables */

extern char **environ;

static int
usage(FILE *to)
{
	fputs("usage: aegsh-confine [-e VARIABLE] [-g GROUP] [-u USER] "
	    "[--edit] PROFILE --\n"
	    "                     COMMAND [ARGUMENT ...]\n"
	    "Runs, in a sandbox, what sudo lets its caller run; see "
	    "aegsh-confine(8).\n", to);
	return EXIT_USAGE;
}

/* Once, and inert: it names what the caller named. */
static int
refuse(const struct confine *c, const struct err *err, int status)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_puts(&out, "aegsh-confine: ");
	if (c->argv != NULL && c->argv[0] != NULL) {
		text_inert(&out, c->argv[0], strlen(c->argv[0]), 0);
		buf_puts(&out, ": ");
	}
	buf_puts(&out, "not run: ");
	text_inert(&out, err->text, strlen(err->text), 0);
	buf_putc(&out, '\n');
	(void)io_write_full(STDERR_FILENO, out.data, out.len);
	return status;
}

/* ---- its words ---------------------------------------------------------- */

static bool
is_name(const char *word)
{
	return word[0] != '\0' && word[0] != '-' && strlen(word) < 256;
}

/* What the loader takes from it, before any program can look; and what is
 * made anew. */
static bool
is_of_loader(const char *name)
{
	return text_starts(name, "LD_") || text_starts(name, "GLIBC_") ||
	    text_starts(name, "SUDO_") ||
	    strcmp(name, "GCONV_PATH") == 0 || strcmp(name, "PATH") == 0 ||
	    strcmp(name, "HOME") == 0 || strcmp(name, "SHELL") == 0 ||
	    strcmp(name, "USER") == 0 || strcmp(name, "LOGNAME") == 0;
}

static bool
take_option(struct confine *c, int opt)
{
	switch (opt) {
	case 'e':
		if (!text_is_name(optarg, strlen(optarg)) ||
		    is_of_loader(optarg) || c->keep.n == KEEP_MAX)
			return false;
		strv_add(&c->keep, optarg);
		return true;
	case 'g':
		c->group = optarg;
		return is_name(optarg);
	case 'u':
		c->user = optarg;
		return is_name(optarg);
	case 'E':
		c->edits = true;
		return true;
	default:
		return false;
	}
}

/* 0; a status: it ends here. */
static int
read_words(struct confine *c, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "edit", no_argument, NULL, 'E' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "+e:g:u:", longs, NULL)) != -1) {
		if (opt == 'h')
			return usage(stdout) - EXIT_USAGE - 1;
		if (opt == 'V') {
			puts("aegsh-confine " AEGSH_VERSION);
			return -1;
		}
		if (!take_option(c, opt))
			return usage(stderr);
	}
	/* The command stands behind "--" whatever it looks like. */
	if (argc - optind < 3 || strcmp(argv[optind + 1], "--") != 0)
		return usage(stderr);
	c->profile = argv[optind];
	c->argv = argv + optind + 2;
	return 0;
}

/* ---- confining ---------------------------------------------------------- */

/* Where a store of the caller's own lies, beside those of the system. */
static char *
own_store(const struct confine *c)
{
	AEG_AUTOFREE char *path = xasprintf("%s/aegsh-%lu",
	    sysdirs()->state_own, (unsigned long)c->caller.uid);
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != c->caller.uid)
		return NULL;
	return AEG_STEAL(path);
}

/* The operator's list, or all there are.  Of no user's settings. */
static int
may_choose(const char *profile, struct err *err)
{
	struct conf *conf = NULL;
	const char *p, *list;
	int rc = conf_load(0, NULL, NULL, &conf, err);
	bool listed;
	size_t n;

	if (rc < 0)
		return rc;
	p = list = conf_str(conf, CONF_CONFINE_PROFILES);
	listed = list[strspn(list, " \t")] == '\0';
	for (; !listed && *(p += strspn(p, " \t")) != '\0'; p += n) {
		n = strcspn(p, " \t");
		listed = strlen(profile) == n && memcmp(profile, p, n) == 0;
	}
	if (!listed)
		err_set(err, ERR_REFUSED, "the sandbox profile %s is none of "
		    "those that the operator lets callers choose: %s "
		    "(confine-profiles, aegsh.conf(5))", profile, list);
	conf_free(conf);
	return listed ? 0 : ERR_REFUSED;
}

static int
confine(const struct confine *c, struct err *err)
{
	AEG_AUTOFREE char *store = own_store(c);
	const struct sandbox_vars vars = {
		.uid = 0,
		.home = c->target.home[0] == '/' ? c->target.home : NULL,
		.tmpdir = "/tmp",
		.store = store,
		.once = true,
	};
	enum sandbox_layer layer = SANDBOX_LANDLOCK_FS;
	struct sandbox_profile *p = NULL;
	struct sandbox *s = NULL;
	int rc = sandbox_load(c->profile, &vars, &p, err);

	if (rc == 0)
		rc = sandbox_prepare(p, &s, err);
	if (rc == 0) {
		rc = sandbox_apply(s, &layer);
		if (rc < 0)
			err_sys(err, -rc, "sandbox profile %s: layer %s",
			    c->profile, sandbox_layer_name(layer));
	}
	sandbox_free(s);
	sandbox_profile_free(p);
	return rc;
}

static int
run(struct confine *c)
{
	AEG_AUTO(strv_done) struct strv envp = STRV_INIT;
	struct err err = ERR_INIT;
	int rc;

	if (getuid() != 0 || geteuid() != 0) {
		err_set(&err, ERR_REFUSED, "it must be started by sudo, "
		    "as root");
		return refuse(c, &err, REFUSED);
	}
	if (c->argv[0][0] != '/') {
		err_set(&err, ERR_CALLER, "the command must be an absolute "
		    "path");
		return refuse(c, &err, REFUSED);
	}
	rc = confine_find_caller(&c->caller, &err);
	if (rc == 0)
		rc = may_choose(c->profile, &err);
	if (rc == 0)
		rc = confine_find_target(c, &err);
	if (rc == 0)
		rc = confine_ask_sudo(c, &err);
	if (rc == 0) {
		confine_envp(c, environ, &envp);
		rc = confine(c, &err);
	}
	if (rc == 0)
		rc = confine_become_target(c, &err);
	if (rc < 0)
		return refuse(c, &err, REFUSED);
	syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
	execve(c->argv[0], c->argv, strv_peek(&envp));
	rc = errno;
	err_sys(&err, rc, "starting it in the sandbox %s", c->profile);
	return refuse(c, &err, rc == ENOENT ? NOT_FOUND : REFUSED);
}

int
main(int argc, char **argv)
{
	struct confine c = { .keep = STRV_INIT };
	int status;

	if (io_fill_std() < 0)
		return REFUSED;
	status = read_words(&c, argc, argv);
	if (status == 0)
		status = run(&c);
	else if (status < 0)
		status = 0;
	strv_done(&c.keep);
	names_user_done(&c.caller);
	names_user_done(&c.target);
	free(c.groups);
	return status;
}

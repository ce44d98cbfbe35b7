/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl policy install` and `policy edit`: the operator's way to change
 * the site's rules.  What does not pass its check is never in place, and
 * what is, is recorded.  These verbs alone write, and are never confined.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/scratch.h"
#include "aegsh/sandbox.h"
#include "aegsh/state.h"

#define PREFIX "aegshctl-policy."	/* of directories for copies */

/* What has happened, in the operator's own record. */
static int
record(struct admin *a, const char *verb, const char *name, const char *hash,
    struct err *err)
{
	AEG_AUTOFREE char *place = NULL, *text = NULL, *cwd = NULL;
	struct audit_session s = {
		.user = a->user, .origin = "command", .host = "",
		.version = PACKAGE_VERSION, .profile = "", .policy_hash = hash,
		.uid = a->uid, .loginuid = (uid_t)-1, .pid = getpid(),
	};
	struct audit_event ev = { .origin = "command", .decision = "allow",
		.source = "person", .rule = "policy-change",
		.reason = "the operator changes the policy",
		.confidence = -1, .ran = true };
	struct audit_outcome o = { .status = 0 };
	struct audit *store = NULL;
	int rc = audit_place(a->uid, true, &place, err);

	text = xasprintf("aegshctl policy %s %s", verb, name);
	cwd = getcwd(NULL, 0);
	ev.line = text;
	ev.len = strlen(text);
	ev.cwd = cwd;
	o.note = hash;
	if (rc == 0)
		rc = audit_open(place, false, &store, err);
	if (rc == 0)
		rc = audit_session_begin(store, &s, err);
	if (rc == 0)
		rc = audit_intent(store, &ev, err);
	if (rc == 0) {
		audit_note(store, "policy-install", hash);
		audit_outcome(store, ev.id, &o);
		rc = audit_flush(store, err);
	}
	audit_close(store);
	return rc;
}

static int
put_in_place(struct admin *a, const char *verb, const char *path)
{
	struct err err = ERR_INIT;
	char hash[65];

	if (policy_install(path, sandbox_there, hash, &err) < 0) {
		int status = admin_fail(a, &err);

		if (err.code == -EROFS || err.code == -EACCES)
			admin_complain(a, "inside a line of aegsh nothing "
			    "writes there; type it as a line of its own, as "
			    "the operator");
		return admin_content_is_wrong(err.code) ? ADMIN_NO : status;
	}
	admin_say(a, "%s: installed; sources %s\n", path_base(path), hash);
	if (record(a, verb, path_base(path), hash, &err) < 0) {
		admin_complain(a, "not recorded: %s", err.text);
		return ADMIN_SYSTEM;
	}
	return ADMIN_OK;
}

static bool
is_operator(struct admin *a)
{
	if (a->uid == 0 || a->uid == sysdirs()->operator_uid)
		return true;
	admin_complain(a, "the rules of the site are the operator's");
	return false;
}

static int
install(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);

	if (admin_json_operands(a, &args, 1, 1, NULL) < 0)
		return ADMIN_USAGE;
	return is_operator(a) ? put_in_place(a, "install", argv[args.at]) :
	    ADMIN_USAGE;
}

/* ---- edit ---------------------------------------------------------------- */

static const char *
editor(void)
{
	static const char *const names[] = { "VISUAL", "EDITOR" };
	const char *value;
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++) {
		value = getenv(names[i]);
		if (value != NULL && value[0] != '\0' &&
		    state_refuses(names[i], value) == NULL)
			return value;
	}
	return "vi";
}

/* What is typed at the editor, Ctrl-C too, is the editor's. */
static int
start_and_wait(const char *name, const char *path, int *ret_status)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction was_int, was_quit;
	pid_t pid, got = -1;
	int error;

	sigaction(SIGINT, &ignored, &was_int);
	sigaction(SIGQUIT, &ignored, &was_quit);
	pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &was_int, NULL);
		sigaction(SIGQUIT, &was_quit, NULL);
		execlp(name, name, "--", path, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && (got = waitpid(pid, ret_status, 0)) < 0 &&
	    errno == EINTR)
		continue;
	error = errno;
	sigaction(SIGINT, &was_int, NULL);
	sigaction(SIGQUIT, &was_quit, NULL);
	return got < 0 ? -error : 0;
}

static int
run_editor(const char *path, struct err *err)
{
	const char *name = editor();
	int status, rc = start_and_wait(name, path, &status);

	if (rc < 0)
		return err_sys(err, -rc, "%s", name);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(err, ERR_CANCELLED, "%s did not end well; "
		    "nothing is changed", name);
	return 0;
}

/* The file as it is, or an empty one, in a directory of our own. */
static int
copy_out(const char *name, const char *path, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(CONF_FILE_MAX);
	AEG_AUTOFREE char *from = xasprintf("%s/policy.d/%s", sysdirs()->conf,
	    name);
	AEG_AUTOFD int fd = -1;
	int rc = conf_trust_read(from, (uid_t)-1, CONF_FILE_MAX, &text, err);

	if (rc < 0 && rc != -ENOENT)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	rc = io_write_full(fd, text.data, text.len);
	return rc < 0 ? err_sys(err, -rc, "%s", path) : 0;
}

static bool
again(void)
{
	char line[16];

	fprintf(stderr, "Edit it again? [Y/n] ");
	return fgets(line, sizeof line, stdin) != NULL && line[0] != 'n' &&
	    line[0] != 'N';
}

static int
edit_copy(struct admin *a, const char *path)
{
	struct err err;

	do {
		err = (struct err)ERR_INIT;
		if (run_editor(path, &err) < 0)
			return admin_fail(a, &err);
		if (policy_check_file(path, sandbox_there, &err) == 0)
			return put_in_place(a, "edit", path);
		admin_complain(a, "%s", err.text);
	} while (again());
	admin_complain(a, "nothing is changed");
	return ADMIN_NO;
}

static int
edit(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTOFREE char *dir = NULL;
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFD int place = -1;
	struct err err = ERR_INIT;
	int status;

	if (admin_json_operands(a, &args, 1, 1, NULL) < 0)
		return ADMIN_USAGE;
	if (strchr(argv[args.at], '/') != NULL) {
		admin_complain(a, "%s: the name alone, without a directory",
		    argv[args.at]);
		return admin_usage(a);
	}
	if (!is_operator(a))
		return ADMIN_USAGE;
	/* Of one that was killed. */
	scratch_sweep("/tmp", PREFIX);
	place = scratch_make("/tmp", PREFIX, &dir);
	if (place < 0) {
		err_sys(&err, -place, "/tmp/" PREFIX "*");
		return admin_fail(a, &err);
	}
	path = xasprintf("%s/%s", dir, argv[args.at]);
	status = copy_out(argv[args.at], path, &err) < 0 ?
	    admin_fail(a, &err) : edit_copy(a, path);
	/* With the copies and notes that editors leave beside a file. */
	scratch_remove(place, AT_FDCWD, dir);
	return status;
}

static const struct admin_option options[] = { { NULL } };

const struct admin_verb cmd_policy_install = {
	.name = "policy install",
	.usage = "FILE",
	.summary = "check a rule file and put it among the site's",
	.run = install,
	.options = options,
	.words = ADMIN_WORDS_FILE,
};

const struct admin_verb cmd_policy_edit = {
	.name = "policy edit",
	.usage = "NAME",
	.summary = "edit one of the site's rule files, safely",
	.run = edit,
	.options = options,
};

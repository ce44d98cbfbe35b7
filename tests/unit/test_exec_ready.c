/* SPDX-License-Identifier: ISC */
/* What is asked while the child is on its way: it waits, confined, and runs
 * nothing before the answer, nor after a no. */
#include "aegsh/exec.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "aegsh/base/mem.h"

static struct exec_session *session;
static struct exec_spec spec;
static struct {
	int settled, settle_says;
	int asked, says;
	bool kills;
	pid_t killed;
	int synced, sync_error;
} hold;

/* ---- the child, as proc(5) tells --------------------------------------- */

/* 0 where the kernel keeps no list of children. */
static pid_t
only_child(void)
{
	char path[64];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/children",
	    (int)getpid());
	f = fopen(path, "re");
	if (f != NULL && fscanf(f, "%d", &pid) != 1)
		pid = 0;
	if (f != NULL)
		fclose(f);
	return pid;
}

static bool
is_confined(pid_t pid)
{
	char path[64], line[256];
	bool yes = false;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && !yes && fgets(line, sizeof line, f) != NULL)
		yes = strcmp(line, "Seccomp:\t2\n") == 0;
	if (f != NULL)
		fclose(f);
	return yes;
}

/* What the child's calls that are refused leave in errno is not seen: it goes
 * on meanwhile. */
static int
on_settle(void *ctx, struct err *err)
{
	(void)ctx;
	hold.settled++;
	OKF(access("ran", F_OK) < 0, "nothing has run at first");
	return hold.settle_says < 0 ? err_set(err, hold.settle_says,
	    "not at all") : 0;
}

static void
on_synced(void *ctx, int error)
{
	(void)ctx;
	IS_INTN(hold.settled, 0, "who synced says so before that is asked");
	hold.synced++;
	hold.sync_error = hold.settle_says = error;
}

static int
on_ready(void *ctx, struct err *err)
{
	pid_t pid = only_child();

	(void)ctx;
	IS_INT(hold.settled, 1);
	hold.asked++;
	if (pid > 0)
		OKF(is_confined(pid), "the child waits in its sandbox");
	OKF(access("ran", F_OK) < 0, "nothing has run yet");
	if (hold.kills && pid > 0 && kill(pid, SIGKILL) == 0)
		hold.killed = pid;
	return hold.says < 0 ? err_set(err, hold.says, "not now") : 0;
}

/* ---- lines ------------------------------------------------------------- */

/* Its status, or a negative code. */
static int
run(const char *line, struct err *err)
{
	const struct policy_verdict verdict = {
		.action = POLICY_ALLOW, .rule = "test", .reason = "test",
	};
	const struct decision_input in = {
		.line = line, .len = strlen(line), .policy = &verdict,
	};
	struct decision *d = decision_make(&in);
	struct job *j = NULL;
	int rc = exec_start(session, d, &spec, &j, err);

	decision_free(d);
	if (rc == 0) {
		rc = exec_wait(session, j, err);
		if (rc == 0)
			rc = job_status(j);
		job_free(session, j);
	}
	return rc;
}

static bool
has_run(void)
{
	return unlink("ran") == 0;
}

static void
test_yes(void)
{
	struct err err = ERR_INIT;

	memset(&hold, 0, sizeof hold);
	IS_INTN(run(">ran", &err), 0, err.text);
	IS_INT(hold.asked, 1);
	OKF(has_run(), "after a yes the line runs");
}

static void
test_no(void)
{
	struct err err = ERR_INIT;

	memset(&hold, 0, sizeof hold);
	hold.says = -EIO;
	IS_INT(run(">ran", &err), -EIO);
	IS_STR(err.text, "not now");
	IS_INT(hold.asked, 1);
	OKF(!has_run(), "after a no it does not");
	memset(&hold, 0, sizeof hold);
	err = (struct err)ERR_INIT;
	hold.settle_says = -ENOSPC;
	IS_INT(run(">ran", &err), -ENOSPC);
	IS_STR(err.text, "not at all");
	IS_INTN(hold.asked, 0, "the second is not asked then");
	OKF(!has_run(), "nor does it run");
	OKF(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	    "and nothing of it is left");
}

/* Where nothing is looked at last of all, the word is there before the child
 * asks for it; it is none as long as it is not settled. */
static void
test_unasked(void)
{
	struct err err = ERR_INIT;
	int i, ran = 0;

	memset(&hold, 0, sizeof hold);
	spec.ready = NULL;
	for (i = 0; i < 20; i++)
		ran += run(">ran; exit 3", &err) == 3 && has_run();
	IS_INTN(ran, 20, err.text);
	IS_INTN(hold.settled, 20, "each was settled before it ran");
	hold.settle_says = -ENOSPC;
	for (i = 0; i < 20; i++)
		ran += run(">ran", &err) != -ENOSPC || has_run();
	IS_INTN(ran, 20, "and none ran that was not");
	spec.ready = on_ready;
	OKF(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	    "nor is anything of them left");
}

static void
test_killed(void)
{
	struct err err = ERR_INIT;
	int rc;

	memset(&hold, 0, sizeof hold);
	hold.kills = true;
	rc = run(">ran", &err);
	if (hold.killed == 0) {
		SKIP(2, "no child to be seen while this is asked: a build "
		    "with sanitizers, or a kernel without lists of children");
		has_run();
		return;
	}
	IS_INT(rc, 128 + SIGKILL);
	OKF(!has_run(), "who was killed meanwhile runs no more");
}

/* The pipe by which it gets the answer leaves alone what the line is given,
 * and is gone from it. */
static void
test_descriptors(void)
{
	struct err err = ERR_INIT;

	memset(&hold, 0, sizeof hold);
	IS_INTN(run("[ \"$(ls /proc/self/fd | tr '\\n' ' ')\" = "
	    "'0 1 2 3 ' ]", &err), 0, err.text);
	hold.settled = 0;
	spec.bring_back = true;
	IS_INTN(run(": ; exit 7", &err), 7, err.text);
	spec.bring_back = false;
}

/* Rules that cannot be made while the child is on its way: it ends there. */
static void
test_rules(struct sandbox_vars *vars)
{
	struct exec_session_opts opts = { .tty = -1, .state_max = 65536 };
	struct exec_session *fine = session;
	struct sandbox_profile *profile = NULL;
	struct err err = ERR_INIT;
	char *many AEG_AUTOFREE = scratch_path("many");
	char *text AEG_AUTOFREE = xasprintf("read = {\"/\"}\n"
	    "execute = {\"/usr\"}\nhide = {\"%s/0\"}\n"
	    "write = {\"$PROJECT\"}\nmake = {\"$PROJECT\"}\n"
	    "require = {landlock, seccomp}\n", many);
	char name[64];
	int i;

	scratch_mkdir("many", 0755);
	for (i = 0; i <= SANDBOX_RULES_MAX; i++) {
		snprintf(name, sizeof name, "many/%d", i);
		scratch_puts(name, "");
	}
	scratch_puts("share/sandbox/many.conf", text);
	IS_INTN(sandbox_load("many", vars, &profile, &err), 0, err.text);
	opts.profile = profile;
	IS_INTN(exec_session_new(&opts, &session, &err), 0, err.text);
	memset(&hold, 0, sizeof hold);
	for (i = 0; i < 2; i++) {
		IS_INTN(run(">ran", &err), ERR_RANGE, err.text);
		OKF(!has_run(), "without its rules nothing runs");
	}
	IS_INTN(hold.settled + hold.asked, 0, "nor is anybody asked");
	OKF(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	    "and nothing of it is left");
	exec_session_free(session);
	sandbox_profile_free(profile);
	session = fine;
}

/* One line in a session of its own, whose rules take so long to make that
 * the child has time. */
static int
run_slowly(const struct sandbox_profile *profile, int fd, struct err *err)
{
	struct exec_session_opts opts = { .tty = -1, .state_max = 65536,
		.profile = profile };
	struct exec_session *fine = session;
	int rc = exec_session_new(&opts, &session, err);

	memset(&hold, 0, sizeof hold);
	spec.sync_fd = fd;
	spec.synced = on_synced;
	if (rc == 0) {
		rc = run(">ran", err);
		exec_session_free(session);
	}
	spec.synced = NULL;
	session = fine;
	IS_INTN(hold.settled, 1, "it is settled once");
	return rc;
}

/* 1 + what the child got for the descriptor, or 0 where it never was first. */
static int
sync_there(const struct sandbox_profile *profile, int fd, int *ret_rc)
{
	struct err err = ERR_INIT;
	int i;

	for (i = 0; i < 50; i++) {
		*ret_rc = run_slowly(profile, fd, &err);
		if (hold.synced != 0)
			return 1 - hold.sync_error;
		has_run();
	}
	return 0;
}

/* What settling waits for, the child may wait for: once, told before, and
 * what came of it counts. */
static void
test_sync(struct sandbox_vars *vars)
{
	struct sandbox_profile *profile = NULL;
	struct err err = ERR_INIT;
	char *slow AEG_AUTOFREE = scratch_path("slow");
	char *text AEG_AUTOFREE = xasprintf("read = {\"/\"}\n"
	    "execute = {\"/usr\", \"/bin\", \"/lib\", \"/lib64\"}\n"
	    "hide = {\"%s/0\"}\nwrite = {\"$PROJECT\"}\n"
	    "make = {\"$PROJECT\"}\nrequire = {landlock, seccomp}\n", slow);
	int ends[2] = { -1, -1 }, fd, i, rc, said;
	char name[64];

	scratch_mkdir("slow", 0755);
	for (i = 0; i < SANDBOX_RULES_MAX / 2; i++) {
		snprintf(name, sizeof name, "slow/%d", i);
		scratch_puts(name, "");
	}
	scratch_puts("share/sandbox/slow.conf", text);
	IS_INTN(sandbox_load("slow", vars, &profile, &err), 0, err.text);
	fd = open("record", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || pipe(ends) < 0)
		scratch_die("record");
	said = sync_there(profile, fd, &rc);
	if (said == 0) {
		SKIP(5, "the child never had time first: a build with "
		    "sanitizers, or one processor");
	} else {
		IS_INT(said, 1);
		IS_INT(rc, 0);
		OKF(has_run(), "synced by the child, the line runs");
		said = sync_there(profile, ends[0], &rc);
		OKF(said == 0 || (said == 1 + EINVAL && rc == -EINVAL),
		    "what cannot be synced is told (%d, %d)", said, rc);
		OKF(!has_run(), "and then nothing runs");
	}
	/* Its numbers 0, 1 and 2 are the line's. */
	said = sync_there(profile, STDERR_FILENO, &rc);
	IS_INTN(said, 0, "a number that the line is given is not synced");
	has_run();
	close(fd);
	close(ends[0]);
	close(ends[1]);
	sandbox_profile_free(profile);
}

int
main(void)
{
	struct sandbox_vars vars = { .uid = getuid() };
	struct exec_session_opts opts = { .tty = -1, .state_max = 65536 };
	struct sandbox_profile *profile = NULL;
	char *work AEG_AUTOFREE = NULL;
	char *env[] = { (char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL };
	struct sandbox_caps caps;
	struct err err = ERR_INIT;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	sandbox_probe(&caps);
	if ((caps.layers & SANDBOX_LANDLOCK_FS) == 0 ||
	    (caps.layers & SANDBOX_SECCOMP) == 0) {
		SKIP(1, "no Landlock or no seccomp here: nothing may run");
		return tap_done();
	}
	scratch_mkdir("share", 0755);
	scratch_mkdir("share/sandbox", 0755);
	scratch_mkdir("work", 0755);
	scratch_puts("share/sandbox/t.conf",
	    "read = {\"/\"}\nexecute = {\"/usr\", \"/bin\", \"/lib\", "
	    "\"/lib64\"}\ndevice = {\"/dev/null\"}\nwrite = {\"$PROJECT\"}\n"
	    "make = {\"$PROJECT\"}\nrequire = {landlock, seccomp}\n");
	vars.project = work = scratch_path("work");
	if (chdir(work) < 0)
		scratch_die(work);
	spec = (struct exec_spec){ .argv0 = "name", .envp = env,
		.foreground = true, .settle = on_settle, .ready = on_ready };
	IS_INTN(sandbox_load("t", &vars, &profile, &err), 0, err.text);
	opts.profile = profile;
	IS_INTN(exec_session_new(&opts, &session, &err), 0, err.text);
	test_yes();
	test_no();
	test_unasked();
	test_killed();
	test_descriptors();
	test_sync(&vars);
	test_rules(&vars);
	exec_session_free(session);
	sandbox_profile_free(profile);
	return tap_done();
}

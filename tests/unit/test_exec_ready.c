/* SPDX-License-Identifier: ISC */
/* What is asked while the child is on its way: it waits, confined, and runs
 * nothing before the answer, nor after a no; cloned by us or by a launcher. */
#include "exec/exec_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/redact.h"
#include "aegsh/relay.h"

#define PATIENCE_NS ((int64_t)60 * 1000000000)

static struct exec_session *session;
static struct exec_spec spec;
static struct {
	int settled, settle_says;
	int asked, says;
	bool kills;
	pid_t killed;
	int launcher_gets;	/* this signal while it is asked; or 0 */
} hold;

/* ---- the child, as proc(5) tells --------------------------------------- */

/* But for the launcher; 0: none, -1: the kernel keeps no list of children. */
static pid_t
only_child(void)
{
	pid_t found = 0;
	char path[64];
	int pid;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/children",
	    (int)getpid());
	f = fopen(path, "re");
	if (f == NULL)
		return -1;
	while (fscanf(f, "%d", &pid) == 1)
		if (pid != exec_launch_pid(session))
			found = pid;
	fclose(f);
	return found;
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

/* It still goes by our name. */
static bool
is_bash(pid_t pid)
{
	char path[64], comm[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (f != NULL && fgets(comm, sizeof comm, f) == NULL)
		comm[0] = '\0';
	if (f != NULL)
		fclose(f);
	return strcmp(comm, "bash\n") == 0;
}

/* The one that a launcher makes is there soon, and soon in its sandbox.  As
 * only_child(). */
static pid_t
held_child(void)
{
	int64_t end = clock_mono_ns() + PATIENCE_NS;
	pid_t pid;

	for (;;) {
		pid = only_child();
		if (pid < 0 || exec_launch_pid(session) == 0 ||
		    (pid > 0 && is_confined(pid)) || clock_mono_ns() > end)
			return pid;
		poll(NULL, 0, 1);
	}
}

static bool
nothing_is_left(void)
{
	if (exec_launch_pid(session) == 0)
		return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
	return waitpid(-1, NULL, WNOHANG) == 0 && only_child() <= 0;
}

/* Of a launcher that was lost nobody has learned whom it made. */
static bool
all_has_ended(void)
{
	int64_t end = clock_mono_ns() + PATIENCE_NS;
	pid_t pid;

	while ((pid = only_child()) > 0 && clock_mono_ns() < end)
		if (waitpid(pid, NULL, WNOHANG) == 0)
			poll(NULL, 0, 1);
	return pid <= 0;
}

/* What the child's calls that are refused leave in errno is not seen: it goes
 * on meanwhile. */
static int
on_settle(void *ctx, struct err *err)
{
	(void)ctx;
	hold.settled++;
	OKF(access("ran", F_OK) < 0, "nothing has run at first");
	if (hold.launcher_gets != 0) {
		OKF(held_child() != 0, "a child of the launcher's is there");
		kill(exec_launch_pid(session), hold.launcher_gets);
	}
	return hold.settle_says < 0 ? err_set(err, hold.settle_says,
	    "not at all") : 0;
}

static int
on_ready(void *ctx, struct err *err)
{
	pid_t pid = hold.launcher_gets != 0 ? 0 : held_child();

	(void)ctx;
	IS_INT(hold.settled, 1);
	hold.asked++;
	if (pid > 0) {
		OKF(is_confined(pid), "the child waits in its sandbox");
		OKF(!is_bash(pid), "and is not bash");
	}
	OKF(access("ran", F_OK) < 0, "nothing has run yet");
	if (hold.kills && pid > 0 && kill(pid, SIGKILL) == 0)
		hold.killed = pid;
	return hold.says < 0 ? err_set(err, hold.says, "not now") : 0;
}

/* ---- lines ------------------------------------------------------------- */

static int
start(const char *line, struct job **ret, struct err *err)
{
	const struct policy_verdict verdict = {
		.action = POLICY_ALLOW, .rule = "test", .reason = "test",
	};
	const struct decision_input in = {
		.line = line, .len = strlen(line), .policy = &verdict,
	};
	struct decision *d = decision_make(&in);
	int rc = exec_start(session, d, &spec, ret, err);

	decision_free(d);
	return rc;
}

/* Its status, or a negative code. */
static int
run(const char *line, struct err *err)
{
	struct job *j = NULL;
	int rc = start(line, &j, err);

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
	OKF(nothing_is_left(), "and nothing of it is left");
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
	OKF(nothing_is_left(), "nor is anything of them left");
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

static long
count_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

/* Whoever it was that could not go on: asked once, run once or not at all. */
static void
test_launcher_lost(void)
{
	static const int signals[] = { SIGKILL, SIGSTOP };
	struct err err;
	size_t i;

	for (i = 0; i < AEG_NELEM(signals); i++) {
		memset(&hold, 0, sizeof hold);
		hold.launcher_gets = signals[i];
		hold.settle_says = -ENOSPC;
		err = (struct err)ERR_INIT;
		IS_INTN(run(">ran", &err), -ENOSPC, err.text);
		OKF(!has_run(), "a no holds without the launcher");
		memset(&hold, 0, sizeof hold);
		err = (struct err)ERR_INIT;
		IS_INTN(run(">ran", &err), 0, err.text);
		OKF(has_run(), "the next line has another");
		OKF(all_has_ended(), "and what the first made has ended");
	}
	(void)all_has_ended();
	for (i = 0; i < AEG_NELEM(signals); i++) {
		int rc;

		memset(&hold, 0, sizeof hold);
		hold.launcher_gets = signals[i];
		err = (struct err)ERR_INIT;
		rc = run("echo >>ran", &err);
		IS_INTN(hold.settled, 1, "asked once");
		OKF(rc == ERR_LAYER || (rc == 0 && count_bytes("ran") == 1),
		    "run once, or refused: %d %s", rc, err.text);
		has_run();
		OKF(all_has_ended(), "and nothing of it is left");
	}
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
	OKF(nothing_is_left(), "and nothing of it is left");
	exec_session_free(session);
	sandbox_profile_free(profile);
	session = fine;
}

/* What others say of themselves would go where the line writes. */
static int
on_quiet(void *ctx, struct err *err)
{
	(void)ctx;
	(void)err;
	return 0;
}

/* Whoever carries the output stops before anybody waits for the line, when a
 * signal of that is heard by nobody: the line ends all the same. */
static void
test_output_stopped(void)
{
	struct redact *redact = redact_new();
	const struct relay_opts relay = { .cast = { .dir = "",
		.redact = redact }, .most = 1 };
	struct err err = ERR_INIT;
	int ends[2] = { -1, -1 }, out = dup(STDOUT_FILENO), rc;
	struct job *j = NULL;
	siginfo_t info;

	fflush(stdout);
	if (out < 0 || pipe2(ends, O_CLOEXEC) < 0)
		scratch_die("pipe");
	memset(&hold, 0, sizeof hold);
	spec.relay = &relay;
	spec.settle = spec.ready = on_quiet;
	dup2(ends[1], STDOUT_FILENO);
	rc = start("sleep 1000", &j, &err);
	dup2(out, STDOUT_FILENO);
	spec.relay = NULL;
	spec.settle = on_settle;
	spec.ready = on_ready;
	IS_INTN(rc, 0, err.text);
	kill(relay_pid(job_relay(j)), SIGSTOP);
	waitid(P_PID, (id_t)relay_pid(job_relay(j)), &info, WSTOPPED |
	    WNOWAIT);
	IS_INTN(exec_wait(session, j, &err), 0, err.text);
	OKF(job_state(j) == JOB_DONE && relay_lost(job_relay(j)),
	    "a line ends with whoever carries its output");
	job_free(session, j);
	close(out);
	close(ends[0]);
	close(ends[1]);
	redact_free(redact);
}

static void
test_start(void)
{
	test_yes();
	test_no();
	test_unasked();
	test_killed();
	test_descriptors();
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
	opts.launcher = true;
	IS_INTN(exec_session_new(&opts, &session, &err), 0, err.text);
	test_start();
	if (only_child() < 0)
		SKIP(1, "this kernel keeps no list of children");
	else
		test_launcher_lost();
	exec_session_free(session);
	opts.launcher = false;
	IS_INTN(exec_session_new(&opts, &session, &err), 0, err.text);
	test_start();
	test_rules(&vars);
	test_output_stopped();
	exec_session_free(session);
	sandbox_profile_free(profile);
	return tap_done();
}

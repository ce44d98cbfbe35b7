/* SPDX-License-Identifier: ISC */
/* Lines through a session, confined, by both ways of starting: what they
 * find, what comes back, what is refused. */
#include "aegsh/exec.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "aegsh/base/mem.h"
#include "exec/exec_int.h"

static struct sandbox_profile *profile;
static struct exec_session *session;
static struct exec_spec spec;
static struct err err;
static const char *way;
static char got[65536];

static struct decision *
decide(const char *line, size_t len, enum policy_action action)
{
	const struct policy_verdict verdict = {
		.action = action, .rule = "test", .reason = "test",
	};
	const struct decision_input in = {
		.line = line, .len = len, .policy = &verdict,
	};

	return decision_make(&in);
}

static int
start(const char *line, struct job **ret)
{
	struct decision *d = decide(line, strlen(line), POLICY_ALLOW);
	int rc;

	err = (struct err)ERR_INIT;
	rc = exec_start(session, d, &spec, ret, &err);
	decision_free(d);
	return rc;
}

/* Run a line; its status, or a negative code. */
static int
run(const char *line)
{
	struct job *j;
	int rc = start(line, &j);

	if (rc == 0) {
		rc = exec_wait(session, j, &err);
		if (rc == 0)
			rc = job_status(j);
		job_free(session, j);
	}
	return rc;
}

/* What the file "out" in the scratch directory holds. */
static const char *
out(void)
{
	FILE *f = fopen("out", "re");
	size_t n = f != NULL ? fread(got, 1, sizeof got - 1, f) : 0;

	got[n] = '\0';
	if (f != NULL)
		fclose(f);
	unlink("out");
	return got;
}

static void
is_out(const char *line, const char *want)
{
	int rc = run(line);

	if (!OKF(rc == 0, "%s: %s", way, line))
		printf("# %d %s\n", rc, err.text);
	IS_STRN(out(), want, "what it says");
}

static void
test_basics(void)
{
	char *args[] = { (char *)(uintptr_t)"one",
		(char *)(uintptr_t)"two words", NULL };

	IS_INTN(run(":"), 0, way);
	IS_INT(run("exit 41"), 41);
	IS_INT(run("kill -TERM $$"), 128 + SIGTERM);
	IS_INT(run("no-such-command 2>/dev/null"), 127);
	spec.args = args;
	is_out("printf '%s|' \"$0\" $# \"$@\" $- $LINENO \"$BASH\" >out",
	    "name|2|one|two words|hBc|1|/bin/bash|");
	spec.args = NULL;
	is_out("echo \"$X$HOME\" >out # no newline\n#", "valuehome\n");
	is_out("ls /proc/self/fd >out", "0\n1\n2\n3\n");
	is_out("cat /proc/self/status | grep -E 'Sig(Blk|Ign|Cgt)|NoNew|Secc"
	    "omp:' | tr -d '\\n\\t ' >out", "SigBlk:0000000000000000"
	    "SigIgn:0000000000000000SigCgt:0000000000000000"
	    "NoNewPrivs:1Seccomp:2");
	spec.set_umask = true;
	spec.umask = 027;
	is_out("umask >out", "0027\n");
	spec.set_umask = false;
	IS_INTN(run("echo x >../outside 2>/dev/null"), 1,
	    "the profile holds");
	is_out("[ $$ = $(ps -o pgid= $$) ] || echo shared >out", "shared\n");
}

static void
test_signals_kept(void)
{
	struct exec_session_opts opts = {
		.profile = profile, .tty = -1, .state_max = 65536,
		.launcher = strcmp(way, "launcher") == 0,
		.ignored = 1ULL << (SIGHUP - 1),
	};
	struct exec_session *was = session;

	IS_INT(exec_session_new(&opts, &session, &err), 0);
	is_out("grep SigIgn /proc/self/status | tr -d '\\t' >out",
	    "SigIgn:0000000000000001\n");
	exec_session_free(session);
	session = was;
}

static void
test_refused(void)
{
	static const enum policy_action not[] = { POLICY_BLOCK, POLICY_WARN,
		POLICY_UNKNOWN };
	struct job *j = NULL;
	size_t i;

	for (i = 0; i < AEG_NELEM(not); i++) {
		struct decision *d = decide("echo ran >out", 13, not[i]);

		IS_INTN(exec_start(session, d, &spec, &j, &err), ERR_REFUSED,
		    "only what is allowed runs");
		decision_free(d);
	}
	{
		struct decision *d = decide("echo a\0b >out", 13,
		    POLICY_ALLOW);

		IS_INTN(exec_start(session, d, &spec, &j, &err), ERR_REFUSED,
		    "a NUL would hide the rest");
		decision_free(d);
	}
	IS_STR(out(), "");
	OK(j == NULL);
}

static void
kill_from(const char *name)
{
	FILE *f = fopen(name, "re");
	int pid;

	if (OKF(f != NULL && fscanf(f, "%d", &pid) == 1 && pid > 1, "%s",
	    name))
		kill(pid, SIGKILL);
	if (f != NULL)
		fclose(f);
}

static void
test_frame(void)
{
	const char *bytes = NULL;
	size_t len = 0;
	struct job *j;

	spec.bring_back = true;
	spec.status = 7;
	spec.last_arg = "before";
	if (OKF(start("echo $? $_ >out; export NEW=here; cd /; exit 9", &j) ==
	    0, "%s: a line that brings back: %s", way, err.text)) {
		IS_INT(exec_wait(session, j, &err), 0);
		IS_INT(job_status(j), 9);
		IS_INT(capture_frame(job_capture(j), &bytes, &len),
		    CAPTURE_VALID);
		OK(bytes != NULL && memmem(bytes, len, "NEW=\"here\"", 10) !=
		    NULL);
		OK(capture_maxrss_kib(job_capture(j)) > 0);
		job_free(session, j);
	}
	IS_STR(out(), "7 before\n");
	if (OKF(start("kill -9 $$", &j) == 0, "%s: killed", way)) {
		IS_INT(exec_wait(session, j, &err), 0);
		IS_INT(job_signal(j), SIGKILL);
		IS_INT(capture_frame(job_capture(j), &bytes, &len),
		    CAPTURE_MISSING);
		job_free(session, j);
	}
	/* A background process holds everything open; nobody waits for it. */
	if (OKF(start("sleep 600 & echo $! >pid", &j) == 0, "background")) {
		IS_INT(exec_wait(session, j, &err), 0);
		IS_INT(capture_frame(job_capture(j), &bytes, &len),
		    CAPTURE_VALID);
		job_free(session, j);
	}
	spec.bring_back = false;
	spec.status = 0;
	spec.last_arg = NULL;
	/* Without a launcher each line is a domain of its own. */
	if (exec_launch_pid(session) != 0)
		IS_INTN(run("kill $(cat pid)"), 0, "killed by a later line");
	else
		kill_from("pid");
	unlink("pid");
}

/* Longer than an argument may be: the same to a script. */
static void
test_long_line(void)
{
	struct buf line = BUF_INIT;
	int i;

	buf_puts(&line, "x=1 # ");
	while (line.len < 200000)
		buf_puts(&line, "long ");
	buf_puts(&line, "\necho \"$LINENO $# $1 $- ${#x}\" >out\n"
	    "ls /proc/self/fd >>out; cat <<E >>out\nhere $LINENO\nE\nexit 5");
	{
		char *args[] = { (char *)(uintptr_t)"one", NULL };

		spec.args = args;
		IS_INTN(run(line.data), 5, "a line of 200,000 bytes");
		IS_STR(out(), "2 1 one hBc 1\n0\n1\n2\n3\nhere 3\n");
		spec.args = NULL;
	}
	buf_reset(&line);
	buf_puts(&line, "echo $?$0 >out; : ");
	while (line.len < EXEC_ARG_MAX)
		buf_puts(&line, "y");
	for (i = -2; i < 2; i++) {
		struct buf cut = BUF_INIT;

		buf_put(&cut, line.data, EXEC_ARG_MAX + (size_t)i > line.len ?
		    line.len : EXEC_ARG_MAX + (size_t)i);
		IS_INTN(run(cut.data), 0, "around the limit");
		IS_STR(out(), "0name\n");
		buf_done(&cut);
	}
	buf_done(&line);
}

static void
test_large_environment(void)
{
	char *const *was = spec.envp;
	struct strv env = STRV_INIT;
	struct rlimit stack;
	char *big = xmalloc(100000);
	size_t i;

	memset(big, 'v', 99999);
	big[99999] = '\0';
	strv_add(&env, "PATH=/usr/bin:/bin");
	for (i = 0; i < 15; i++)
		strv_addf(&env, "V%zu=%s", i, big);
	spec.envp = strv_peek(&env);
	getrlimit(RLIMIT_STACK, &stack);
	if (stack.rlim_cur < 8 << 20)
		SKIP(2, "the stack limit is below 8 MiB");
	else
		is_out("echo ${#V0} ${#V14} >out", "99999 99999\n");
	for (i = 15; i < 120; i++)
		strv_addf(&env, "V%zu=%s", i, big);
	spec.envp = strv_peek(&env);
	IS_INTN(run(":"), -E2BIG, "more than execve(2) takes");
	OKF(strstr(err.text, "too long") != NULL, "says: %s", err.text);
	spec.envp = was;
	IS_INTN(run(":"), 0, "and the session goes on");
	strv_done(&env);
	free(big);
}

static void
test_low_limit(void)
{
	struct rlimit was, low;

	getrlimit(RLIMIT_NOFILE, &was);
	low = was;
	low.rlim_cur = 100;
	if (strcmp(way, "launcher") == 0)
		return;		/* its limits are those of its start */
	setrlimit(RLIMIT_NOFILE, &low);
	spec.bring_back = true;
	is_out("ulimit -Sn >out", "100\n");
	spec.bring_back = false;
	setrlimit(RLIMIT_NOFILE, &was);
}

static void
test_cwd(void)
{
	char *sub = scratch_path("work/sub"), *want;

	mkdir(sub, 0755);
	if (chdir(sub) < 0)
		scratch_die(sub);
	want = xasprintf("%s\n", sub);
	is_out("pwd >out; cd /", want);
	IS_INTN(run("rmdir ../sub"), 0, "a directory that goes away");
	is_out("pwd -P 2>/dev/null || echo gone >../out", "");
	if (chdir("..") < 0)
		scratch_die("..");
	free(want);
	free(sub);
}

static int
count(void *ctx, struct job *j, char mark)
{
	char **p = ctx;

	*p += sprintf(*p, "%u%c%d ", job_number(j), mark, job_state(j));
	return 0;
}

static const char *
table(void)
{
	char *p = got;

	*p = '\0';
	exec_each_job(session, count, &p);
	return got;
}

static bool doubt;

static struct job *
job_of(const char *name)
{
	return exec_job(session, name, &doubt);
}

static void
test_jobs(void)
{
	struct job *a, *b, *c;

	spec.foreground = false;
	if (start("read x <fifo; exit 4", &a) < 0 ||
	    start("sleep 600", &b) < 0 || start("sleep 601", &c) < 0) {
		OKF(false, "%s: background: %s", way, err.text);
		return;
	}
	spec.foreground = true;
	IS_STR(table(), "1 0 2-0 3+0 ");
	OK(job_of(NULL) == c && job_of("%%") == c);
	OK(job_of("%-") == b && job_of("%1") == a);
	OK(job_of("%read") == a && job_of("%?601") == c);
	OK(job_of("%sleep") == NULL && doubt);
	OK(job_of("%9") == NULL && !doubt && job_of("2") == b);
	OK(exec_job_of(session, job_pid(b)) == b);
	OK(exec_job_of(session, getpid()) == NULL);
	IS_STR(job_text(b), "sleep 600");
	IS_INTN(run("echo go >fifo"), 0, "lets the first one end");
	IS_INT(exec_wait(session, a, &err), 0);
	IS_INT(job_status(a), 4);
	IS_INT(job_continue(session, a, false, &err), -ESRCH);
	job_free(session, a);
	kill(job_pid(c), SIGKILL);
	IS_INT(exec_wait(session, c, &err), 0);
	job_free(session, c);
	kill(job_pid(b), SIGTERM);
	while (job_state(b) != JOB_DONE) {
		exec_poll_jobs(session);
		usleep(1000);
	}
	IS_INT(job_signal(b), SIGTERM);
	IS_STR(table(), "2+2 ");
	job_free(session, b);
	IS_STR(table(), "");
}

static void
test_launcher_lost(void)
{
	pid_t first = exec_launch_pid(session);

	if (first == 0)
		return;
	IS_INTN(run("kill -9 $PPID 2>/dev/null"), 1, "aegsh is out of reach");
	kill(first, SIGKILL);
	is_out("echo again >out", "again\n");
	OK(exec_launch_pid(session) != first && exec_launch_pid(session) > 0);
	first = exec_launch_pid(session);
	kill(first, SIGSTOP);
	is_out("echo stopped >out", "stopped\n");
	OK(exec_launch_pid(session) != first);
}

/* In a process of its own: kills whatever of ours is not (yet) a bash. */
static void
hunt(pid_t prey)
{
	char path[64], comm[32];
	unsigned seed = 1;
	int pid;

	for (;;) {
		FILE *f, *c;

		snprintf(path, sizeof path, "/proc/%d/task/%d/children",
		    (int)prey, (int)prey);
		f = fopen(path, "re");
		if (f == NULL)
			_exit(0);
		while (fscanf(f, "%d", &pid) == 1) {
			snprintf(path, sizeof path, "/proc/%d/comm", pid);
			c = pid != getpid() ? fopen(path, "re") : NULL;
			if (c != NULL && fgets(comm, sizeof comm, c) != NULL &&
			    strcmp(comm, "prey\n") == 0)
				kill(pid, SIGKILL);
			if (c != NULL)
				fclose(c);
		}
		fclose(f);
		seed = seed * 1103515245 + 12345;
		usleep(seed >> 16 & 0xfff);
	}
}

/* A line runs once or is refused, and nothing hangs, whenever the launcher
 * or a child on its way is killed. */
static void
test_hunted(void)
{
	unsigned ran = 0, refused = 0, killed = 0, other = 0, lines = 0;
	pid_t self = getpid(), first = exec_launch_pid(session), hunter;
	int i, ch;
	FILE *f;

	if (first == 0)
		return;
	hunter = fork();
	if (hunter == 0) {
		prctl(PR_SET_NAME, "hunter");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hunt(self);
	}
	for (i = 0; i < 200; i++) {
		int rc = run("echo x >>marks");

		ran += rc == 0;
		refused += rc == ERR_LAYER;
		killed += rc == 128 + SIGKILL;
		other += rc != 0 && rc != ERR_LAYER && rc != 128 + SIGKILL;
	}
	kill(hunter, SIGKILL);
	waitpid(hunter, NULL, 0);
	f = fopen("marks", "re");
	while (f != NULL && (ch = getc(f)) != EOF)
		lines += ch == '\n';
	if (f != NULL)
		fclose(f);
	unlink("marks");
	printf("# %u ran, %u refused, %u killed, %u marks\n", ran, refused,
	    killed, lines);
	IS_INT(other, 0);
	OKF(refused + killed > 0 || exec_launch_pid(session) != first,
	    "the hunter hunted");
	OK(ran > 0 && lines >= ran && lines <= ran + refused + killed);
	IS_INTN(run(":"), 0, "and afterwards all is well");
}

static void
test_all(const char *name, bool launcher)
{
	struct exec_session_opts opts = {
		.profile = profile, .launcher = launcher, .tty = -1,
		.state_max = 1 << 20,
	};

	way = name;
	err = (struct err)ERR_INIT;
	if (!OKF(exec_session_new(&opts, &session, &err) == 0,
	    "%s: session %s", way, err.text))
		return;
	test_basics();
	test_signals_kept();
	test_refused();
	test_frame();
	test_long_line();
	test_large_environment();
	test_low_limit();
	test_cwd();
	test_jobs();
	test_launcher_lost();
	test_hunted();
	exec_session_free(session);
}

int
main(void)
{
	struct sandbox_vars vars = { .uid = getuid() };
	struct sandbox_caps caps;
	char *work, *env[] = {
		(char *)(uintptr_t)"PATH=/usr/bin:/bin",
		(char *)(uintptr_t)"X=value", (char *)(uintptr_t)"HOME=home",
		(char *)(uintptr_t)"LC_ALL=C", NULL
	};

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	prctl(PR_SET_NAME, "prey");	/* see hunt() */
	sandbox_probe(&caps);
	if ((caps.layers & SANDBOX_LANDLOCK_FS) == 0) {
		SKIP(1, "no Landlock here: nothing may run");
		return tap_done();
	}
	scratch_mkdir("share", 0755);
	scratch_mkdir("share/sandbox", 0755);
	scratch_mkdir("work", 0755);
	scratch_puts("share/sandbox/t.conf",
	    "read = {\"/\"}\nexecute = {\"/usr\", \"/bin\", \"/lib\", "
	    "\"/lib64\"}\ndevice = {\"/dev/null\", \"/dev/tty\"}\n"
	    "write = {\"$PROJECT\"}\nmake = {\"$PROJECT\"}\n"
	    "tcp-connect = {all}\ntcp-bind = {all}\nudp = all\n"
	    "require = {landlock, seccomp}\nseccomp = default\n");
	vars.project = work = scratch_path("work");
	if (chdir(work) < 0 || mkfifo("fifo", 0600) < 0)
		scratch_die(work);
	spec.argv0 = "name";
	spec.envp = env;
	spec.foreground = true;
	if (OKF(sandbox_load("t", &vars, &profile, &err) == 0, "profile %s",
	    err.text)) {
		test_all("direct", false);
		test_all("launcher", true);
	}
	sandbox_profile_free(profile);
	free(work);
	return tap_done();
}

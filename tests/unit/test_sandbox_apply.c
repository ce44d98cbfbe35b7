/* SPDX-License-Identifier: ISC */
/* Entering a sandbox for real, in children: which layers hold, what a
 * failure is called. */
#include "sandbox/sandbox_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "aegsh/base/mem.h"

static struct sandbox_vars vars;
static struct sandbox_caps caps;
static struct sandbox_profile *p;
static struct sandbox *s;

static void
prepare(const char *text)
{
	struct err err = ERR_INIT;

	sandbox_free(s);
	sandbox_profile_free(p);
	s = NULL;
	p = NULL;
	scratch_puts("share/sandbox/t.conf", text);
	if (sandbox_load("t", &vars, &p, &err) < 0 ||
	    sandbox_prepare(p, &s, &err) < 0) {
		OKF(false, "%s", err.text);
		exit(tap_done());
	}
}

/* What a child's function returned, 99 if it died. */
static int
in_child(int (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(fn());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int
apply(void)
{
	enum sandbox_layer layer = 0;

	return sandbox_apply(s, &layer) == 0 ? 0 : 1;
}

static int
files(void)
{
	if (apply() != 0)
		return 1;
	if (open("readable", O_RDONLY | O_CLOEXEC) < 0)
		return 2;
	if (open("readable", O_WRONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return 3;
	if (open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return 4;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 5;
	return 0;
}

/* Twice, and a line's domain on top: rights are what all of them grant. */
static int
stacked(void)
{
	enum sandbox_layer layer = 0;

	if (apply() != 0 || sandbox_apply_line(s, &layer) != 0 ||
	    sandbox_apply_line(s, &layer) != 0 || files() != 0)
		return 1;
	return 0;
}

static int
limits(void)
{
	struct rlimit files_before = { 50, 60 }, got;

	if (setrlimit(RLIMIT_NOFILE, &files_before) < 0 || apply() != 0)
		return 1;
	if (getrlimit(RLIMIT_NOFILE, &got) < 0 || got.rlim_cur != 50 ||
	    got.rlim_max != 60)
		return 2;	/* 100 was asked for: never upwards */
	if (getrlimit(RLIMIT_CORE, &got) < 0 || got.rlim_max != 0)
		return 3;
	if (getrlimit(RLIMIT_FSIZE, &got) < 0 || got.rlim_max != 1024 * 1024)
		return 4;
	/* The count over the whole line comes first and tells why. */
	if (getrlimit(RLIMIT_CPU, &got) < 0 || got.rlim_cur != 78)
		return 5;
	return 0;
}

/* Too many domains: the failure has a name. */
static int
too_deep(void)
{
	enum sandbox_layer layer = 0;
	int i, rc = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 1;
	for (i = 0; rc == 0 && i < 20; i++)
		rc = sandbox_apply_line(s, &layer);
	return rc == -E2BIG && layer == SANDBOX_LANDLOCK_FS ? 0 : 2;
}

static int
no_cover(void)
{
	enum sandbox_layer layer = 0;
	struct sandbox bare = { .layers = SANDBOX_COVER, .ruleset = -1,
		.line_ruleset = -1, .n_covers = 1 };

	bare.covers[0].path = (char *)(uintptr_t)"/proc";
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
		return 1;
	return sandbox_apply(&bare, &layer) == -EPERM &&
	    layer == SANDBOX_COVER ? 0 : 2;
}

/* A kernel that takes a layer and does not hold it. */
static int
lie(const struct sandbox *told, enum sandbox_layer want)
{
	enum sandbox_layer layer = 0;

	return sandbox_apply(told, &layer) == -ENOSYS && layer == want ?
	    0 : 2;
}

/* What is not finished lets nobody in. */
static int
unfinished(void)
{
	enum sandbox_layer layer = 0;
	struct sandbox *begun = NULL;

	if (sandbox_begin(p, &begun, NULL) != 0)
		return 1;
	return sandbox_apply(begun, &layer) == -EINVAL &&
	    layer == SANDBOX_LANDLOCK_FS ? 0 : 2;
}

/* One that was not made for lines has no domain for them; one without
 * Landlock needs none. */
static int
no_line(void)
{
	const struct sandbox bare = { .layers = SANDBOX_NNP, .ruleset = -1,
		.line_ruleset = -1 };
	enum sandbox_layer layer = 0;
	struct sandbox *begun = NULL;

	if (sandbox_begin(p, &begun, NULL) != 0 ||
	    sandbox_finish(p, begun, NULL) != 0 ||
	    sandbox_apply(begun, &layer) != 0)
		return 1;
	if (sandbox_apply_line(begun, &layer) != -EINVAL ||
	    layer != SANDBOX_LANDLOCK_FS)
		return 2;
	return sandbox_apply_line(&bare, &layer) == 0 ? 0 : 3;
}

static int
lie_calls(void)
{
	static const struct sock_filter allow =
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sandbox told = { .layers = SANDBOX_NNP | SANDBOX_SECCOMP,
		.ruleset = -1, .line_ruleset = -1, .filter = &allow,
		.filter_len = 1 };

	return lie(&told, SANDBOX_SECCOMP);
}

static int
lie_scope(void)
{
	const struct sandbox told = {
		.layers = SANDBOX_NNP | SANDBOX_LANDLOCK_SCOPE,
		.ruleset = -1, .line_ruleset = -1 };

	return lie(&told, SANDBOX_LANDLOCK_SCOPE);
}

static int
lie_files(void)
{
	const struct sandbox told = {
		.layers = SANDBOX_NNP | SANDBOX_LANDLOCK_FS, .ruleset = -1,
		.line_ruleset = -1, .witness = scratch_dir };

	return lie(&told, SANDBOX_LANDLOCK_FS);
}

/* With a file that lies there already, and one that is gone. */
static int
lie_named_files(void)
{
	const struct sandbox told = {
		.layers = SANDBOX_NNP | SANDBOX_LANDLOCK_FS, .ruleset = -1,
		.line_ruleset = -1, .witness = scratch_dir,
		.witness_file = (char *)(uintptr_t)vars.project };

	return lie(&told, SANDBOX_LANDLOCK_FS);
}

static int
lie_gone_file(void)
{
	const struct sandbox told = {
		.layers = SANDBOX_NNP | SANDBOX_LANDLOCK_FS, .ruleset = -1,
		.line_ruleset = -1, .witness = scratch_dir,
		.witness_file = (char *)(uintptr_t)"/nonexistent" };

	return lie(&told, SANDBOX_LANDLOCK_FS);
}

static void
test_probe(void)
{
	OK((caps.layers & SANDBOX_NNP) != 0);
	OK((caps.layers & SANDBOX_RLIMITS) != 0);
	IS_INTN(caps.landlock_abi > 0,
	    (caps.layers & SANDBOX_LANDLOCK_FS) != 0,
	    "an ABI and the layer go together");
	if (geteuid() != 0)
		OK((caps.layers & SANDBOX_COVER) == 0);
	else
		OKF(true, "root: covers %s",
		    caps.layers & SANDBOX_COVER ? "hold" : "can't be had");
	if (caps.landlock_abi < 6)
		OK((caps.layers & SANDBOX_LANDLOCK_SCOPE) == 0);
	else
		OK((caps.layers & SANDBOX_LANDLOCK_SCOPE) != 0);
}

static void
yama_is(const char *text, int want)
{
	char path[] = "/var/tmp/t-aegsh-yama-XXXXXX";
	int fd = mkstemp(path);

	OK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	IS_INTN(sandbox_yama(path), want, text);
	unlink(path);
}

static void
test_yama(void)
{
	IS_INT(sandbox_yama("/nonexistent"), 0);
	yama_is("0\n", 0);
	yama_is("1\n", 1);
	yama_is("3\n", 3);
	yama_is("", 1);
	yama_is("words\n", 1);
	yama_is("99999999999\n", 1);
}

static void
test_abi(void)
{
	IS_INT((intmax_t)sandbox_landlock_fs(1), (1 << 13) - 1);
	IS_INT((intmax_t)sandbox_landlock_fs(2), (1 << 14) - 1);
	IS_INT((intmax_t)sandbox_landlock_fs(3), (1 << 15) - 1);
	IS_INT((intmax_t)sandbox_landlock_fs(4), (1 << 15) - 1);
	IS_INT((intmax_t)sandbox_landlock_fs(7), (1 << 16) - 1);
	IS_INT((intmax_t)sandbox_landlock_fs(9), (1 << 17) - 1);
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	if (chdir(scratch_dir) < 0)
		scratch_die(scratch_dir);
	scratch_mkdir("share", 0755);
	scratch_mkdir("share/sandbox", 0755);
	scratch_puts("readable", "x");
	vars.uid = getuid();
	vars.project = scratch_path("readable");
	sandbox_probe(&caps);
	test_probe();
	test_yama();
	test_abi();
	if ((caps.layers & SANDBOX_LANDLOCK_FS) == 0) {
		SKIP(1, "no Landlock");
		return tap_done();
	}
	prepare("read = {\"$PROJECT\"}\nrequire = {landlock}\n"
	    "seccomp = default\n");
	IS_INT(in_child(files), 0);
	IS_INT(in_child(stacked), 0);
	IS_INT(in_child(too_deep), 0);
	IS_INT(in_child(no_cover), 0);
	IS_INT(in_child(lie_calls), 0);
	IS_INT(in_child(lie_scope), 0);
	IS_INT(in_child(lie_files), 0);
	IS_INT(in_child(lie_named_files), 0);
	IS_INT(in_child(lie_gone_file), 0);
	IS_INT(in_child(unfinished), 0);
	IS_INT(in_child(no_line), 0);
	prepare("read = {\"/\"}\nrequire = {landlock}\nlimit-files = 100\n"
	    "limit-core = 0\nlimit-file-size = 1\nlimit-cpu = 77\n");
	IS_INT(in_child(limits), 0);
	sandbox_free(s);
	sandbox_profile_free(p);
	free((char *)(uintptr_t)vars.project);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* The text that bash reads first: nobody writes or runs it, and Landlock
 * does not come between. */
#include "aegsh/capture.h"

#include <linux/landlock.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "aegsh/base/mem.h"
#include "launch.h"
#include "tap.h"

static void
test_sealed(void)
{
	int fd = capture_script_fd();
	AEG_AUTOFREE char *path = xasprintf("/proc/self/fd/%d", fd);
	char text[16];
	struct stat st;
	int seals;

	OK(fd > 2);
	IS_INTN(capture_script_fd(), fd, "one for the session");
	OK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	seals = fcntl(fd, F_GET_SEALS);
	OK((seals & F_SEAL_WRITE) != 0 && (seals & F_SEAL_GROW) != 0 &&
	    (seals & F_SEAL_SHRINK) != 0 && (seals & F_SEAL_SEAL) != 0);
	OK(write(fd, "x", 1) < 0);
	OK(pwrite(fd, "x", 1, 0) < 0);
	OK(ftruncate(fd, 0) < 0);
	OK(mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	    MAP_FAILED);
	OK(fstat(fd, &st) == 0 && (st.st_mode & 0333) == 0);
	OK(pread(fd, text, 9, 0) == 9 && memcmp(text, "__aegsh()", 9) == 0);
#ifdef F_SEAL_EXEC
	if ((seals & F_SEAL_EXEC) != 0)
		OKF(fchmod(fd, 0755) < 0, "nor can it be made executable");
	else
		SKIP(1, "kernel without MFD_NOEXEC_SEAL");
#endif
	OK(access(path, X_OK) < 0);
}

static void
test_env(void)
{
	struct strv env = STRV_INIT;
	AEG_AUTOFREE char *big = xmalloc(200000);

	capture_env(&env, 259, "a\nb");
	IS_INT((intmax_t)env.n, CAPTURE_ENV_MAX);
	IS_STR(env.v[0], "BASH_ENV=/proc/self/fd/199");
	IS_STR(env.v[1], "AEGSH_ST=3");
	IS_STR(env.v[2], "AEGSH_LA=a\nb");
	strv_done(&env);
	memset(big, 'x', 199999);
	big[199999] = '\0';
	capture_env(&env, 0, big);
	IS_STRN(env.v[2], "AEGSH_LA=", "a word that execve would not take");
	strv_done(&env);
	capture_env(&env, 0, NULL);
	IS_STR(env.v[2], "AEGSH_LA=");
	strv_done(&env);
}

/* May read and run below these, and do nothing else anywhere. */
static void
confine(void *ctx)
{
	static const char *const trees[] = { "/usr", "/bin", "/lib", "/lib64" };
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1,
	};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attr,
	    sizeof(attr), 0);
	size_t i;

	for (i = 0; i < AEG_NELEM(trees); i++) {
		struct landlock_path_beneath_attr beneath = {
			.allowed_access = LANDLOCK_ACCESS_FS_EXECUTE |
			    LANDLOCK_ACCESS_FS_READ_FILE |
			    LANDLOCK_ACCESS_FS_READ_DIR,
			.parent_fd = open(trees[i], O_PATH | O_CLOEXEC),
		};

		if (beneath.parent_fd < 0)
			continue;
		if (syscall(SYS_landlock_add_rule, rules,
		    LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) < 0)
			_exit(112);
		close(beneath.parent_fd);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_landlock_restrict_self, rules, 0) < 0)
		_exit(112);
	close(rules);
}

static void
test_landlock(void)
{
	struct launch l = { .umask = 022, .before = confine,
		.line = "export A=1; if read -r x </proc/self/stat; then "
		    "exit 7; fi 2>/dev/null; cd /usr" };
	struct strv env = STRV_INIT;
	struct capture *c = NULL;
	struct launched r;
	const char *bytes = NULL;
	size_t len = 0;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION) < 1) {
		SKIP(3, "kernel without Landlock");
		return;
	}
	strv_add(&env, "PATH=/usr/bin:/bin");
	capture_env(&env, 0, "");
	l.envp = strv_peek(&env);
	IS_INT(capture_new(LAUNCH_FRAME_MAX, &c, NULL), 0);
	launch_run(&l, c, &r);
	IS_INTN(r.status, 0, "bash runs confined, and cannot read in /proc");
	IS_INTN(capture_frame(c, &bytes, &len), CAPTURE_VALID,
	    "yet it reads its text there, for a descriptor is no path");
	if (bytes == NULL)
		printf("# %s\n", capture_why(c));
	launched_done(&r);
	capture_free(c);
	strv_done(&env);
}

int
main(void)
{
	test_sealed();
	test_env();
	test_landlock();
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
#include "aegsh/shebang.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>

#include "scratch.h"

#include "aegsh/base/mem.h"

static void
touch(const char *name)
{
	scratch_write(name, "#!/bin/sh\n", 10, 0755);
}

/* The library's answers hang on what it is told, never on the process. */
static void
test_isolation(void)
{
	char home[] = "HOME=/nowhere", probe[] = "AUTO_SHEBANG_PROBE_DIRS=lib";
	char *const given[] = { home, probe, NULL };
	struct shebang_result r = SHEBANG_RESULT_INIT;
	char *sub = scratch_path("sub"), *want = scratch_path("sub/lib/n"),
	    *bin = scratch_path("sub/bin/n");
	int fd = open(sub, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct shebang_query q = { .name = "n", .script = "x", .cwd_fd = fd,
	    .envp = given };

	setenv("AUTO_SHEBANG_PROBE_DIRS", "elsewhere", 1);
	setenv("AUTO_SHEBANG_OVERRIDE_EXE", "/bin/true", 1);
	IS_INT(shebang_resolve(&q, &r, NULL), 0);
	IS_STRN(r.path, want, "relative to cwd_fd, by the given environment");
	IS_INT(r.from, SHEBANG_WALK);
	IS_INT(r.format, SHEBANG_SCRIPT);
	OK((fcntl(r.fd, F_GETFD) & FD_CLOEXEC) != 0);
	shebang_result_done(&r);
	IS_INT(r.fd, -1);
	q.envp = NULL;
	IS_INT(shebang_resolve(&q, &r, NULL), 0);
	IS_STRN(r.path, bin, "no environment at all");
	shebang_result_done(&r);
	unsetenv("AUTO_SHEBANG_PROBE_DIRS");
	unsetenv("AUTO_SHEBANG_OVERRIDE_EXE");
	close(fd);
	free(bin);
	free(want);
	free(sub);
}

/* A relative override is one below cwd_fd. */
static void
test_given(void)
{
	char over[] = "AUTO_SHEBANG_OVERRIDE_EXE=bin/n";
	char fall[] = "AUTO_SHEBANG_FALLBACK_EXE=./lib/n";
	char *const first[] = { over, NULL }, *const last[] = { fall, NULL };
	struct shebang_result r = SHEBANG_RESULT_INIT;
	char *sub = scratch_path("sub"), *bin = scratch_path("sub/bin/n"),
	    *lib = scratch_path("sub/./lib/n");
	int fd = open(sub, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct shebang_query q = { .name = "other", .script = "x",
	    .cwd_fd = fd, .envp = first };

	IS_INT(shebang_resolve(&q, &r, NULL), 0);
	IS_STR(r.path, bin);
	IS_INT(r.from, SHEBANG_OVERRIDE);
	shebang_result_done(&r);
	q.envp = last;
	IS_INT(shebang_resolve(&q, &r, NULL), 0);
	IS_STR(r.path, lib);
	IS_INT(r.from, SHEBANG_FALLBACK);
	shebang_result_done(&r);
	close(fd);
	free(lib);
	free(bin);
	free(sub);
}

static void
test_failures(void)
{
	static const struct {
		const char *name, *script;
		int rc, exit;
	} rows[] = {
		{ "none", "x", -ESRCH, 127 },
		{ "n", "nowhere", -ENOENT, 127 },
		{ "n", "lib", -EACCES, 126 },
		{ "n", "bad", ERR_SYNTAX, 2 },
		{ "", "x", ERR_SYNTAX, 2 },
		{ "a/b", "x", ERR_SYNTAX, 2 },
		{ "..", "x", ERR_SYNTAX, 2 },
		{ "n", "loop", -ELOOP, 126 },
	};
	char *sub = scratch_path("sub");
	int fd = open(sub, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;

	scratch_puts("sub/bad", "auto-shebang-trust-env=x");
	if (symlinkat("loop", fd, "loop") < 0)
		scratch_die("loop");
	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct shebang_query q = { .name = rows[i].name,
		    .script = rows[i].script, .cwd_fd = fd };
		struct shebang_result r = { .path = sub, .fd = 77 };
		struct err err = ERR_INIT;
		int rc = shebang_resolve(&q, &r, &err);

		IS_INTN(rc, rows[i].rc, rows[i].script);
		IS_INTN(shebang_exit_status(rc), rows[i].exit, rows[i].script);
		OKF(r.path == sub && r.fd == 77, "%s: result untouched",
		    rows[i].script);
		OKF(err.code == rc && err.text[0] != '\0', "%s: %s",
		    rows[i].script, err.text);
	}
	close(fd);
	free(sub);
}

static int
open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	if (d == NULL)
		return -1;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static void
test_no_leak(void)
{
	char *sub = scratch_path("sub");
	int fd = open(sub, O_PATH | O_DIRECTORY | O_CLOEXEC), before, i;
	static const char *const scripts[] = { "x", "bad", "nowhere", "lib",
	    "follow", "to-follow", "loop" };

	scratch_puts("sub/follow", "auto-shebang-follow-symlinks=yes");
	if (symlinkat("follow", fd, "to-follow") < 0)
		scratch_die("to-follow");
	before = open_fds();
	if (before < 0) {
		SKIP(1, "no /proc");
		close(fd);
		free(sub);
		return;
	}
	for (i = 0; i < (int)AEG_NELEM(scripts) * 4; i++) {
		struct shebang_query q = { .script = scripts[i / 4],
		    .name = i % 2 > 0 ? "n" : "none", .cwd_fd = fd,
		    .explain = i % 4 < 2 };
		struct shebang_result r = SHEBANG_RESULT_INIT;

		if (shebang_resolve(&q, &r, NULL) == 0)
			shebang_result_done(&r);
	}
	IS_INTN(open_fds(), before, "no descriptor stays open");
	close(fd);
	free(sub);
}

static void
test_first_line(void)
{
	static const struct {
		const char *text, *want;
		size_t len;
	} rows[] = {
		{ "#!/bin/sh\nx", "#!/bin/sh", 9 },
		{ "", "", 0 },
		{ "\n", "", 0 },
		{ "no newline", "no newline", 10 },
		{ "cr\r\n", "cr\r", 3 },
	};
	char *path = scratch_path("line"), *line;
	size_t i, len;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		scratch_puts("line", rows[i].text);
		IS_INT(shebang_first_line(AT_FDCWD, path, &line, &len, NULL),
		    0);
		IS_STR(line, rows[i].want);
		IS_INT(len, rows[i].len);
		free(line);
	}
	IS_INT(shebang_first_line(AT_FDCWD, scratch_dir, &line, &len, NULL),
	    -EACCES);
	free(path);
}

static void
test_exit_status(void)
{
	static const struct {
		int rc, exit;
	} rows[] = {
		{ 0, 0 }, { ERR_SYNTAX, 2 }, { ERR_TOO_LONG, 2 },
		{ -ESRCH, 127 }, { -ENOENT, 127 }, { -EACCES, 126 },
		{ -EMFILE, 126 }, { -EIO, 126 }, { -ESTALE, 126 },
		{ ERR_REFUSED, 126 },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++)
		IS_INT(shebang_exit_status(rows[i].rc), rows[i].exit);
}

int
main(void)
{
	static const char *const dirs[] = { "sub", "sub/bin", "sub/lib" };
	size_t i;

	scratch_new();
	for (i = 0; i < AEG_NELEM(dirs); i++)
		scratch_mkdir(dirs[i], 0755);
	touch("sub/bin/n");
	touch("sub/lib/n");
	scratch_puts("sub/x", "x\n");
	test_isolation();
	test_given();
	test_failures();
	test_no_leak();
	test_first_line();
	test_exit_status();
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* One bash, started and captured: the ordinary ways. */
#include "aegsh/capture.h"

#include "launch.h"
#include "tap.h"

/* Runs line; true when its frame is valid.  what: text to be in it. */
static void
run(const char *line, char *const *dirs, int want_wait, enum capture_frame
    want, const char *what)
{
	struct strv env = STRV_INIT;
	struct capture *c = NULL;
	struct err err = ERR_INIT;
	struct launch l = { .line = line, .umask = 022 };
	struct launched r;
	const char *bytes = NULL;
	size_t len = 0;

	if (capture_new(LAUNCH_FRAME_MAX, &c, &err) < 0) {
		OKF(false, "%s", err.text);
		return;
	}
	if (dirs != NULL)
		IS_INT(capture_dirs(c, dirs), 0);
	strv_add(&env, "PATH=/usr/bin:/bin");
	strv_add(&env, "LC_ALL=C");
	capture_env(&env, 42, "last word");
	l.envp = strv_peek(&env);
	launch_run(&l, c, &r);
	OKF(!r.timed_out, "%s: ends", line);
	IS_INTN(r.status, want_wait, "its wait status");
	IS_INTN(capture_frame(c, &bytes, &len), want, "its frame");
	OK(capture_duration_ns(c) > 0);
	OK(capture_cpu_ns(c) > 0);
	OK(capture_maxrss_kib(c) > 100);
	if (what != NULL)
		OKF(bytes != NULL && memmem(bytes, len, what, strlen(what)) !=
		    NULL, "the frame holds it");
	if (bytes != NULL)
		OKF(memmem(bytes, len, "AEGSH_", 6) == NULL &&
		    memmem(bytes, len, "BASH_ENV", 8) == NULL,
		    "and nothing of ours");
	launched_done(&r);
	strv_done(&env);
	capture_free(c);
}

static void
test_not_asked(void)
{
	struct capture *c = NULL;
	struct err err = ERR_INIT;
	const char *bytes = NULL;
	size_t len = 0;

	IS_INT(capture_new(0, &c, &err), 0);
	IS_INT(capture_child_fd(c), -1);
	IS_INT(capture_poll_fd(c), -1);
	capture_begin(c, getpid());
	capture_end(c, 0x300, NULL);
	IS_INT(capture_frame(c, &bytes, &len), CAPTURE_NOT_ASKED);
	OK(bytes == NULL);
	capture_free(c);
	capture_free(NULL);
}

static void
test_dirs(void)
{
	char a[] = "/a b\n\\\001\377", b[] = "", d[] = "-n";
	char *dirs[] = { a, b, d, NULL };
	char *many[400];
	char big[300];
	struct capture *c = NULL;
	size_t i;

	run("printf '<%s>' \"${DIRSTACK[@]:1}\" | od -An -c >/dev/null; "
	    "export D=\"${#DIRSTACK[@]}\"", dirs, 0, CAPTURE_VALID,
	    "export D=\"4\"");
	run("[[ ${DIRSTACK[1]} = $'/a b\\n\\\\\\001\\377' && "
	    "! ${DIRSTACK[2]} && ${DIRSTACK[3]} = -n ]]", dirs, 0,
	    CAPTURE_VALID, NULL);
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (i = 0; i < 399; i++)
		many[i] = big;
	many[399] = NULL;
	IS_INT(capture_new(1000, &c, NULL), 0);
	IS_INTN(capture_dirs(c, many), ERR_TOO_LONG, "a stack over the cap");
	many[200] = NULL;
	IS_INTN(capture_dirs(c, many), 0, "a large one");
	capture_free(c);
	run("export D=${#DIRSTACK[@]} E=${#DIRSTACK[200]}", many, 0,
	    CAPTURE_VALID, "export D=\"201\"\nexport E=\"299\"\n");
}

int
main(void)
{
	run(":", NULL, 0, CAPTURE_VALID, "0022\nexport LC_ALL=\"C\"\n");
	run("exit 3", NULL, 0x300, CAPTURE_VALID, "END");
	run("[[ $? = 42 && $_ = 'last word' ]]", NULL, 0, CAPTURE_VALID, NULL);
	run("export A=1; cd /usr", NULL, 0, CAPTURE_VALID, "export A=\"1\"\n");
	run("exec true", NULL, 0, CAPTURE_MISSING, NULL);
	run("kill -9 $$", NULL, 9, CAPTURE_MISSING, NULL);
	run("kill -TERM $$", NULL, 15, CAPTURE_VALID, NULL);
	test_not_asked();
	test_dirs();
	return tap_done();
}

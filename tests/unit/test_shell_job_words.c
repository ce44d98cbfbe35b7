/* SPDX-License-Identifier: ISC */
#include "shell/job_words.h"
#include "tap.h"

static struct job_words words;

static void
becomes(const char *line, const char *want)
{
	struct buf text = BUF_INIT;

	buf_puts(&text, line);
	job_words_put(&words, &text);
	IS_STRN(text.data, want, line);
	buf_done(&text);
}

static void
test_last(void)
{
	words.last = 0;
	becomes("echo $!", "echo $!");
	words.last = 4711;
	becomes("echo $!", "echo 4711");
	becomes("echo ${!} \"a $! b\" $!x$! $$!", "echo 4711 \"a 4711 b\" "
	    "4711x4711 $4711");
	becomes("x=$! y=\"$!\" cmd >$!", "x=4711 y=\"4711\" cmd >4711");
	becomes("echo '$!' \\$! $'$!\\'$!' a'$!'b # $!",
	    "echo '$!' \\$! $'$!\\'$!' a'$!'b # $!");
	becomes("echo a#$! \"'$!'\" '\"$!\"'", "echo a#4711 \"'4711'\" "
	    "'\"$!\"'");
	becomes("echo # it's\necho $!", "echo # it's\necho 4711");
	becomes("echo ${!x} ${!x*} !$ $\\!", "echo ${!x} ${!x*} !$ $\\!");
	becomes("tail --pid=$! f &", "tail --pid=4711 f &");
}

static void
test_left_alone(void)
{
	/* What it starts in the background itself is its $!. */
	becomes("sleep 1 & echo $!", "sleep 1 & echo $!");
	becomes("{ sleep 1 & }; echo $!", "{ sleep 1 & }; echo $!");
	becomes("cat <<E\n$!\nE", "cat <<E\n$!\nE");
	becomes("echo \"$(echo '$!')\" $!", "echo \"$(echo '$!')\" $!");
	becomes("echo $! )", "echo $! )");
	/* These know it themselves. */
	becomes("kill -9 $!", "kill -9 $!");
	becomes("wait $!", "wait $!");
	becomes("kill $! | cat", "kill 4711 | cat");
}

static void
test_lists(void)
{
	becomes("kill $(jobs -p)", "kill ");
	becomes("kill `jobs -p` $(jobs -rp) \"$(jobs -ps)\"", "kill   \"\"");
	becomes("echo '$(jobs -p)' \\$(jobs -p", "echo '$(jobs -p)' "
	    "\\$(jobs -p");
	becomes("echo $(jobs -pl)", "echo $(jobs -pl)");
}

static void
runs(const char *line, const char *want)
{
	struct buf text = BUF_INIT;

	buf_puts(&text, line);
	job_words_run_with(&words, &text);
	IS_STRN(text.data, want, line);
	buf_done(&text);
}

static void
test_run_with(void)
{
	runs("jobs -x ps -p %1", "ps -p %1");
	runs("  jobs -x  echo  a b\n", " echo  a b\n");
	runs("jobs -l", "jobs -l");
	runs("jobs -x", "jobs -x");
	runs("jobs -xp cmd", "jobs -xp cmd");
	runs("echo jobs -x y", "echo jobs -x y");
}

static void
cut(const char *line, const char *first, const char *rest,
    enum job_then then)
{
	enum job_then got = JOB_THEN_ALWAYS;
	size_t at = 0, n = job_words_first(&words, line, strlen(line), &at,
	    &got);

	OKF(n == strlen(first) && strncmp(line, first, n) == 0,
	    "begins with it: %s", line);
	IS_STRN(line + at, rest, line);
	IS_INT(got, then);
}

static void
whole(const char *line)
{
	enum job_then then;
	size_t at;

	IS_INTN((intmax_t)job_words_first(&words, line, strlen(line), &at,
	    &then), 0, line);
}

static void
test_first(void)
{
	cut("wait; echo x", "wait", " echo x", JOB_THEN_ALWAYS);
	cut("  wait %1 &&echo x || y", "  wait %1 ", "echo x || y",
	    JOB_THEN_AND);
	cut("fg || echo no", "fg ", " echo no", JOB_THEN_OR);
	cut("%2; ls", "%2", " ls", JOB_THEN_ALWAYS);
	cut("kill %1;wait", "kill %1", "wait", JOB_THEN_ALWAYS);
	cut("jobs\nls", "jobs", "ls", JOB_THEN_ALWAYS);
	cut("disown ; sleep 1 &", "disown ", " sleep 1 &", JOB_THEN_ALWAYS);
	whole("wait");
	whole("wait;");
	whole("wait; )");
	whole("wait ;; x");
	whole("wait; if true");
	whole("wait && sleep 1 &");
	whole("wait & echo x");
	whole("wait | cat; x");
	whole("jobs >f; x");
	whole("X=1 wait; x");
	whole("! wait; x");
	whole("time wait; x");
	whole("(wait; x)");
	whole("{ wait; x; }");
	whole("if wait; then x; fi");
	whole("echo x; wait");
	whole("kill 1; x");
	whole("\\wait \\; x");
}

int
main(void)
{
	struct exec_session_opts opts = { .tty = -1 };

	if (exec_session_new(&opts, &words.exec, NULL) != 0)
		return 1;
	test_last();
	test_left_alone();
	test_lists();
	test_run_with();
	test_first();
	exec_session_free(words.exec);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/*
 * Runs lines in one session of exec, in a real sandbox, for the tests that
 * look from outside: no policy, every line is allowed.
 *
 *	execrun [-p profile] [-n project] [-b] [-l] [-t] [-q] [-0 name]
 *	    [-e NAME=VALUE …] [-S script …] [-v]
 *	    {-c line | -u unit | -x word}… [-- arg …]
 *
 * -b brings state back, -l uses a launcher, -t does job control on fd 0, -c
 * runs a line, -u feeds a stream that is open until the next -c or the end.
 * -x bg:LINE starts a line beside; fg:SPEC, cont:SPEC (in the background),
 * wait:SPEC, poll, jobs, hangup, launcher (prints its pid), kill-launcher,
 * stop-launcher work on the session.  -q leaves out "status:" lines.
 * -S has lines supervised, with the script as it is now; -v prints which
 * programs they started.
 * The exit status is the last line's; one killed by a signal kills us.
 */
#include "aegsh/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "exec/exec_int.h"

extern char **environ;

static struct exec_session *session;
static struct job *stream;
static struct exec_spec spec = { .argv0 = "aegsh", .foreground = true };
static int last, last_signal;
static bool quiet, verbose;
static struct supervise_opts watch;

static struct decision *
allow(const char *line)
{
	const struct policy_verdict yes = {
		.action = POLICY_ALLOW, .rule = "test", .reason = "test",
	};
	const struct decision_input in = {
		.line = line, .len = strlen(line), .policy = &yes,
	};

	return decision_make(&in);
}

static void
complain(const struct err *err)
{
	fprintf(stderr, "execrun: %s\n", err->text);
	last = 126;
	last_signal = 0;
}

static void
say(const char *what, int value)
{
	if (!quiet)
		fprintf(stderr, "%s: %d\n", what, value);
}

static int
supervised(const char *name)
{
	struct supervise_script *s = &watch.script[watch.n++];
	int from = open(name, O_RDONLY | O_CLOEXEC), n;
	char block[4096], *path = realpath(name, NULL);

	s->path = name[0] == '/' ? name : path;
	s->hidden = access(name, R_OK) < 0 || strstr(name, "hidden") != NULL;
	s->copy = memfd_create("script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	while (from >= 0 && (n = (int)read(from, block, sizeof block)) > 0)
		if (write(s->copy, block, (size_t)n) != n)
			return -1;
	close(from);
	watch.images = true;
	spec.supervise = &watch;
	return path == NULL ? -1 : fcntl(s->copy, F_ADD_SEALS,
	    F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
}

static void
print_images(const struct job *j)
{
	const struct supervisor *s = job_supervisor(j);
	const struct supervise_image *m;
	size_t n = 0, lost, i;

	if (s == NULL)
		return;
	if (supervise_limited(s) != NULL)
		fprintf(stderr, "limited: %s\n", supervise_limited(s));
	if (supervise_broken(s) != NULL)
		fprintf(stderr, "killed: %s\n", supervise_broken(s));
	m = supervise_images(s, &n, &lost);
	for (i = 0; verbose && i < n; i++)
		fprintf(stderr, "image: %s %s\n", m[i].path, m[i].argv);
}

static void
finish(struct job *j)
{
	const char *bytes;
	size_t len;

	last = job_status(j);
	last_signal = job_signal(j);
	if (job_state(j) == JOB_STOPPED) {
		say("stopped", last);
		return;
	}
	say("status", last);
	print_images(j);
	if (spec.bring_back && capture_frame(job_capture(j), &bytes, &len) !=
	    CAPTURE_VALID)
		fprintf(stderr, "no frame: %s\n", capture_why(job_capture(j)));
	job_free(session, j);
}

static void
end_stream(void)
{
	struct err err = ERR_INIT;

	if (stream == NULL)
		return;
	exec_feed_end(session, stream);
	if (exec_wait(session, stream, &err) < 0)
		complain(&err);
	finish(stream);
	stream = NULL;
}

static void
line(const char *text, bool foreground)
{
	struct decision *d = allow(text);
	struct err err = ERR_INIT;
	struct job *j;
	int rc;

	end_stream();
	spec.kind = EXEC_LINE;
	spec.foreground = foreground;
	spec.status = last;
	rc = exec_start(session, d, &spec, &j, &err);
	decision_free(d);
	if (rc < 0) {
		complain(&err);
		return;
	}
	if (!foreground) {
		printf("[%u] %s\n", job_number(j), job_text(j));
		fflush(stdout);
		return;
	}
	if (exec_wait(session, j, &err) < 0)
		complain(&err);
	finish(j);
}

/* As the last line did. */
static void
leave(void)
{
	exec_session_free(session);
	if (last_signal != 0) {
		signal(last_signal, SIG_DFL);
		raise(last_signal);
	}
	exit(last);
}

static void
unit(const char *text)
{
	struct decision *d = allow(text);
	struct err err = ERR_INIT;
	int rc = 0;

	if (stream == NULL) {
		spec.kind = EXEC_STREAM;
		spec.foreground = true;
		rc = exec_start(session, d, &spec, &stream, &err);
	}
	if (rc == 0)
		rc = exec_feed(session, stream, d, spec.supervise, &err);
	decision_free(d);
	if (rc < 0)
		complain(&err);
	if (rc == 0 && stream != NULL) {
		if (exec_wait(session, stream, &err) < 0)
			complain(&err);
		finish(stream);
		stream = NULL;
		leave();
	}
}

static int
print_job(void *ctx, struct job *j, char mark)
{
	static const char *const states[] = { "running", "stopped", "done" };

	printf("[%u]%c %s %s\n", job_number(j), mark, states[job_state(j)],
	    job_text(j));
	if (job_state(j) == JOB_DONE)
		job_free(session, j);
	return 0;
}

static void
verb(const char *word)
{
	const char *colon = strchr(word, ':');
	const char *arg = colon != NULL ? colon + 1 : NULL;
	size_t n = colon != NULL ? (size_t)(colon - word) : strlen(word);
	struct err err = ERR_INIT;
	struct job *j = NULL;
	bool doubt;

	if (strncmp(word, "bg", n) == 0) {
		line(arg, false);
	} else if (strncmp(word, "poll", n) == 0) {
		exec_poll_jobs(session);
	} else if (strncmp(word, "jobs", n) == 0) {
		exec_poll_jobs(session);
		exec_each_job(session, print_job, NULL);
	} else if (strncmp(word, "hangup", n) == 0) {
		exec_hangup(session);
	} else if (strncmp(word, "launcher", n) == 0) {
		printf("%d\n", (int)exec_launch_pid(session));
	} else if (strncmp(word, "kill-launcher", n) == 0) {
		kill(exec_launch_pid(session), SIGKILL);
	} else if (strncmp(word, "stop-launcher", n) == 0) {
		kill(exec_launch_pid(session), SIGSTOP);
	} else {
		j = exec_job(session, arg, &doubt);
		if (j == NULL) {
			fprintf(stderr, "execrun: no such job\n");
			return;
		}
		if (strncmp(word, "wait", n) != 0 && job_continue(session, j,
		    strncmp(word, "fg", n) == 0, &err) < 0)
			complain(&err);
		else if (strncmp(word, "cont", n) != 0) {
			if (exec_wait(session, j, &err) < 0)
				complain(&err);
			finish(j);
		}
	}
	fflush(stdout);
}

static enum supervise_reach
may_connect(void *ctx, const struct supervise_wish *w)
{
	const struct sandbox_profile *p = ctx;

	if (w->path == NULL)
		return sandbox_may_connect_tcp(p, w->port) ?
		    SUPERVISE_REACH_YES : SUPERVISE_REACH_NO;
	return (enum supervise_reach)sandbox_may_connect(p, w->path, w->dev,
	    w->ino);
}

/* Those that the profile sets for a line as a whole. */
static void
limit(const struct sandbox_profile *p)
{
	struct sandbox_line_limits l;

	sandbox_line_limits(p, &l);
	watch.limits = (struct supervise_limits){ l.children, l.cpu_s * 1000,
		l.time_s * 1000, l.memory };
	if (sandbox_lists_sockets(p)) {
		watch.may_connect = may_connect;
		watch.ctx = (void *)(uintptr_t)p;
	}
	if (supervise_has_limits(&watch.limits) || watch.may_connect != NULL)
		spec.supervise = &watch;
}

int
main(int argc, char **argv)
{
	struct sandbox_vars vars = {
		.uid = getuid(), .home = getenv("HOME"),
		.tmpdir = getenv("TMPDIR"), .store = getenv("STORE"),
		.conf_user = getenv("CONF_USER"),
	};
	struct exec_session_opts opts = { .tty = -1, .state_max = 4 << 20 };
	const char *profile = "admin", *options = "+p:n:e:0:c:u:x:S:bltqv";
	struct sandbox_profile *p;
	struct strv env = STRV_INIT;
	struct err err = ERR_INIT;
	int opt;
	char **e;

	while ((opt = getopt(argc, argv, options)) != -1) {
		switch (opt) {
		case 'p': profile = optarg; break;
		case 'n': vars.project = optarg; break;
		case 'b': spec.bring_back = true; break;
		case 'l': opts.launcher = true; break;
		case 't': opts.tty = 0; break;
		case 'q': quiet = true; break;
		case '0': spec.argv0 = optarg; break;
		case 'e': strv_add(&env, optarg); break;
		case 'S': if (supervised(optarg) < 0) return 99; break;
		case 'v': verbose = true; break;
		case 'c': case 'u': case 'x': break;
		default: return 100;
		}
	}
	watch.own_group = opts.tty >= 0;
	spec.args = argv + optind;
	for (e = environ; *e != NULL; e++)
		strv_add(&env, *e);
	spec.envp = strv_peek(&env);
	if (sandbox_load(profile, &vars, &p, &err) < 0) {
		complain(&err);
		return last;
	}
	opts.profile = p;
	limit(p);
	if (exec_session_new(&opts, &session, &err) < 0) {
		complain(&err);
		return last;
	}
	optind = 1;
	while ((opt = getopt(argc, argv, options)) != -1) {
		if (opt == 'c')
			line(optarg, true);
		else if (opt == 'u')
			unit(optarg);
		else if (opt == 'x')
			verb(optarg);
	}
	end_stream();
	sandbox_profile_free(p);
	strv_done(&env);
	leave();
}

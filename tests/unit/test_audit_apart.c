/* SPDX-License-Identifier: ISC */
/* A store that is written to by a process of its own: stopped, locked out,
 * killed, and left behind. */
#include "apart.h"

/* Everything that a session records, as it is without such a process. */
static void
plain(void)
{
	struct audit *a = fresh("plain", PATIENCE_NS, false);
	struct audit_event ev = store_event("cd /");
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	int64_t id;
	pid_t pid;
	size_t n;
	bool kept;

	IS_INT(audit_writer_pid(a), 0);
	IS_INT(audit_warm(a, &err), 0);
	pid = audit_writer_pid(a);
	id = store_put(a, "one", &err);
	OK(id > 0);
	OK(pid > 0 && getpgid(pid) == pid && getsid(pid) == pid);
	audit_exec(a, id, &(struct audit_exec){ .pid = 7, .ppid = 6,
	    .path = "/usr/bin/one", .argv = "one", .argv_len = 4,
	    .wall_ns = 5, .mono_ns = 4 });
	ended(a, id);
	audit_builtin(a, &ev, 0);
	audit_note(a, "kind", "text");
	OK(audit_pending(a) && audit_flush(a, &err) == 0);
	OK(!audit_pending(a));
	IS_INT(audit_session_id(a), 1);
	id = store_put(a, "two", &err);
	/* Who reads in the session sees what was recorded. */
	IS_INT(audit_query(a, &(struct audit_query){ .limit = 0 }, add_row,
	    &b, &err), 0);
	IS_STR(b.data, "one=0 cd /=0 two=open");
	buf_done(&b);
	/* Neither the terminal's signals nor polite ones. */
	kill(pid, SIGINT);
	kill(pid, SIGTERM);
	kill(pid, SIGHUP);
	ended(a, id);
	OK(audit_flush(a, &err) == 0 && audit_writer_pid(a) == pid);
	OK(audit_stalled(a, &n, &kept) == NULL);
	IS_INT(audit_session_end(a, &err), 0);
	audit_close(a);
	OK(until(is_gone, &pid));
	rows("plain", "one=0 cd /=0 two=0");
	IS_INT(count("plain", "SELECT count(*) FROM sessions WHERE end_wall_ns"
	    " IS NOT NULL AND user = 'somebody'"), 1);
	IS_INT(count("plain", "SELECT count(*) FROM events WHERE kind ="
	    " 'kind' AND session = 1"), 1);
	IS_INT(count("plain", "SELECT count(*) FROM events WHERE kind <>"
	    " 'kind'"), 0);
	IS_INT(count("plain", "SELECT count(*) FROM execs WHERE command = 1"),
	    1);
}

/* It has what it needs, and nothing of what we have. */
static void
bare(void)
{
	struct audit *a;
	struct err err = ERR_INIT;
	char path[64], name[400], to[512];
	const char *bad = NULL;
	int ends[2], fds = 0;
	struct dirent *e;
	DIR *d;

	if (pipe(ends) < 0)
		scratch_die("pipe");
	a = fresh("bare", PATIENCE_NS, false);
	store_put(a, "one", &err);
	snprintf(path, sizeof path, "/proc/%d/fd", (int)audit_writer_pid(a));
	d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL) {
		ssize_t n;

		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		n = readlink(name, to, sizeof to - 1);
		if (n < 0)
			continue;
		to[n] = '\0';
		fds++;
		if (strncmp(to, "pipe", 4) == 0 || strncmp(to, "/dev/pts", 8)
		    == 0)
			bad = "it holds what is ours";
	}
	if (d != NULL) {
		closedir(d);
		OKF(bad == NULL && fds <= 10, "%d descriptors", fds);
	} else {
		SKIP(1, "another's descriptors are not to be seen");
	}
	close(ends[0]);
	close(ends[1]);
	audit_session_end(a, &err);
	audit_close(a);
}

/* Lines go on, and nothing of them is lost or doubled. */
static void
runs_on(void)
{
	struct audit *a = fresh("on", PATIENCE_NS, true);
	struct audit_event ev = store_event("builtin");
	struct err err = ERR_INIT;
	int64_t first, second;
	bool kept = false;
	size_t n = 0;

	store_put(a, "before", &err);
	audit_close(a);
	a = begin("on", SHORT_NS, true);
	first = store_put(a, "one", &err);
	OK(until(is_over, a));
	hold(a);
	ended(a, first);
	first = store_put(a, "two", &err);
	OK(first > 0);
	OK(audit_stalled(a, &n, &kept) != NULL && n == 1);
	ended(a, first);
	audit_builtin(a, &ev, 0);
	second = store_put(a, "three", &err);
	OK(second > first);
	OK(audit_stalled(a, &n, &kept) != NULL && n == 2);
	ended(a, second);
	OK(audit_flush(a, &err) == 0 && !audit_pending(a));
	/* Reading says so and does not wait. */
	OK(audit_query(a, &(struct audit_query){ .limit = 0 }, add_row, NULL,
	    &err) < 0 && strstr(err.text, "no answer") != NULL);
	kill(audit_writer_pid(a), SIGCONT);
	OK(until(is_over, a));
	store_put(a, "four", &err);
	finish(a);
	rows("on", "before=open one=0 two=0 builtin=0 three=0 four=open");
	IS_INT(count("on", "SELECT count(*) FROM events"), 0);
	IS_INT(count("on", "SELECT count(*) FROM sessions"), 2);
}

/* The first record of a session has the session in it. */
static void
from_the_start(void)
{
	struct audit *a = fresh("start", SHORT_NS, true);
	struct err err = ERR_INIT;
	pid_t pid;

	IS_INT(audit_warm(a, &err), 0);
	hold(a);
	OK(store_put(a, "one", &err) > 0);
	OK(store_put(a, "two", &err) > 0);
	pid = audit_writer_pid(a);
	audit_session_end(a, &err);
	audit_close(a);
	/* Nobody waits for it any more, and it goes on all the same. */
	kill(pid, SIGCONT);
	OK(until(is_gone, &pid));
	rows("start", "one=open two=open");
	IS_INT(count("start", "SELECT count(*) FROM sessions WHERE end_wall_ns"
	    " IS NOT NULL"), 1);
}

/* Nothing runs that is not on record in time, and the one that was on its
 * way is known not to have run. */
static void
refuses(void)
{
	struct audit *a = fresh("off", PATIENCE_NS, false);
	struct err err = ERR_INIT;
	int64_t id = store_put(a, "one", &err);

	ended(a, id);
	OK(audit_flush(a, &err) == 0);
	audit_session_end(a, &err);
	audit_close(a);
	a = begin("off", SHORT_NS, false);
	while (store_put(a, "two", &err) < 0)
		until(is_over, a);	/* a slow machine */
	hold(a);
	IS_INT(store_put(a, "three", &err), ERR_STORE);
	OK(strstr(err.text, "record-wait") != NULL &&
	    strstr(err.text, "stalled") != NULL);
	IS_INT(store_put(a, "four", &err), ERR_STORE);
	audit_note(a, "kept", NULL);
	IS_INT(audit_flush(a, &err), ERR_STORE);
	OK(audit_pending(a));
	kill(audit_writer_pid(a), SIGCONT);
	OK(until(is_over, a));
	while (audit_flush(a, &err) < 0)
		until(is_over, a);
	OK(until(is_over, a));
	audit_close(a);
	IS_INT(count("off", "SELECT count(*) FROM commands WHERE line ="
	    " CAST('three' AS BLOB) AND note LIKE 'not run%' AND status ="
	    " 126"), 1);
	IS_INT(count("off", "SELECT count(*) FROM commands WHERE line ="
	    " CAST('four' AS BLOB)"), 0);
	IS_INT(count("off", "SELECT count(*) FROM events WHERE kind = 'kept'"),
	    1);
}

/* Another process holds the database, without end. */
static void
locked(void)
{
	AEG_AUTOFREE char *path = scratch_path("lock/audit.db");
	struct audit *a = fresh("lock", PATIENCE_NS, true);
	struct err err = ERR_INIT;
	int to[2], from[2];
	char byte = 0;
	pid_t pid;

	store_put(a, "one", &err);
	audit_session_end(a, &err);
	audit_close(a);
	if (pipe(to) < 0 || pipe(from) < 0)
		scratch_die("pipe");
	pid = fork();
	if (pid == 0) {
		sqlite3 *db = NULL;

		close(to[1]);
		if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db,
		    "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
		    write(from[1], "x", 1) != 1)
			_exit(1);
		(void)!read(to[0], &byte, 1);
		_exit(0);
	}
	close(from[1]);
	OK(read(from[0], &byte, 1) == 1);
	a = begin("lock", SHORT_NS, true);
	OK(store_put(a, "two", &err) > 0);
	OK(store_put(a, "three", &err) > 0);
	close(to[1]);
	waitpid(pid, NULL, 0);
	OK(until(is_over, a));
	finish(a);
	close(to[0]);
	close(from[0]);
	rows("lock", "one=open two=open three=open");
}

/* Whoever kills it: the next one is told again. */
static void
killed(void)
{
	struct audit *a = fresh("kill", PATIENCE_NS, false);
	struct err err = ERR_INIT;
	int64_t id;
	pid_t pid;

	id = store_put(a, "one", &err);
	kill(audit_writer_pid(a), SIGKILL);
	ended(a, id);
	id = store_put(a, "two", &err);
	OKF(id > 0, "a line after it was killed: %s", err.text);
	audit_session_end(a, &err);
	audit_close(a);
	a = begin("kill", SHORT_NS, true);
	OK(store_put(a, "three", &err) > 0);
	OK(until(is_over, a));
	hold(a);
	pid = audit_writer_pid(a);
	OK(store_put(a, "four", &err) > 0);
	kill(pid, SIGKILL);
	OK(until(is_over, a));
	OK(audit_writer_pid(a) != pid);
	finish(a);
	rows("kill", "one=0 two=open three=open four=open");
	IS_INT(count("kill", "SELECT count(*) FROM events"), 0);
}

/* A place that is not to be trusted, until somebody mends it. */
static void
mended(void)
{
	AEG_AUTOFREE char *path = scratch_path("mend");
	struct audit *a = fresh("mend", PATIENCE_NS, false);
	struct err err = ERR_INIT;

	audit_note(a, "early", NULL);
	OK(chmod(path, 0755) == 0);
	IS_INT(store_put(a, "one", &err), ERR_TRUST);
	OK(strstr(err.text, "0700") != NULL);
	OK(chmod(path, 0700) == 0);
	OK(store_put(a, "two", &err) > 0);
	audit_session_end(a, &err);
	audit_close(a);
	rows("mend", "two=open");
	IS_INT(count("mend", "SELECT count(*) FROM events WHERE kind ="
	    " 'early'"), 1);
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	plain();
	bare();
	runs_on();
	from_the_start();
	refuses();
	locked();
	killed();
	mended();
	return tap_done();
}

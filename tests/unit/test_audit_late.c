/* SPDX-License-Identifier: ISC */
/* What a store did not take in time: copies on disk, and records that are
 * told again. */
#include "apart.h"

/* ---- copies -------------------------------------------------------------- */

/* What is late can be read, from its copy, and is not doubled later. */
static void
copied(void)
{
	struct audit *a = fresh("copy", PATIENCE_NS, true);
	struct err err = ERR_INIT;
	bool kept = false;
	int64_t id;
	size_t n = 0;

	store_put(a, "one", &err);
	audit_close(a);
	a = begin("copy", LATE_NS, true);
	while ((id = store_put(a, "two", &err)) < 0 || !is_over(a))
		until(is_over, a);
	ended(a, id);
	hold(a);
	id = store_put(a, "three", &err);
	OK(audit_stalled(a, &n, &kept) != NULL && kept && n == 1);
	OK(audit_late_pid(a) > 0 && audit_late_pid(a) != audit_writer_pid(a));
	ended(a, id);
	store_put(a, "four", &err);
	/* Its reader takes it in: nobody holds the database. */
	rows("copy", "one=open two=0 three=0 four=open");
	store_put(a, "five", &err);
	kill(audit_writer_pid(a), SIGCONT);
	OK(until(is_over, a));
	OK(audit_late_pid(a) == 0);
	id = store_put(a, "six", &err);
	ended(a, id);
	finish(a);
	rows("copy", "one=open two=0 three=0 four=open five=open six=0");
	IS_INT(count("copy", "SELECT count(*) FROM events"), 0);
	IS_INT(count("copy", "SELECT count(*) FROM sessions"), 2);
}

/* Everybody who knows of it is killed at once. */
static void
all_killed(const char *dir)
{
	AEG_AUTOFREE char *late = NULL, *name = NULL;
	int status = -1;
	pid_t pid;

	scratch_mkdir(dir, 0700);
	pid = fork();
	if (pid == 0) {
		struct audit *a = begin(dir, LATE_NS, true);
		struct err err = ERR_INIT;
		bool kept = false;
		int64_t id;
		size_t n;

		while ((id = store_put(a, "one", &err)) < 0 || !is_over(a))
			until(is_over, a);
		hold(a);
		ended(a, id);
		store_put(a, "two", &err);
		store_put(a, "three", &err);
		if (audit_stalled(a, &n, &kept) == NULL || !kept)
			_exit(1);
		kill(audit_late_pid(a), SIGKILL);
		kill(audit_writer_pid(a), SIGKILL);
		kill(getpid(), SIGKILL);
	}
	OK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	name = xasprintf("%s/audit.late", dir);
	late = scratch_path(name);
	OK(access(late, F_OK) == 0);
	rows(dir, "one=0 two=open three=open");
	rows(dir, "one=0 two=open three=open");
	IS_INT(count(dir, "SELECT count(*) FROM events"), 0);
}

/* The session ends, and what it could not have copied is copied then: the
 * writer is killed before anybody else has it. */
static void
uncopied(void)
{
	struct audit *a = fresh("uncopied", LATE_NS, true);
	struct err err = ERR_INIT;
	pid_t writer, late;
	bool kept = true;
	size_t n;

	while (store_put(a, "one", &err) < 0 || !is_over(a))
		until(is_over, a);
	hold(a);
	writer = audit_writer_pid(a);
	store_put(a, "two", &err);
	late = audit_late_pid(a);
	kill(late, SIGKILL);
	OK(until(is_gone, &late));
	store_put(a, "three", &err);
	OK(audit_stalled(a, &n, &kept) != NULL && !kept && n == 2);
	audit_close(a);
	kill(writer, SIGKILL);
	rows("uncopied", "one=open two=open three=open");
}

/* Likewise a line that was refused, but is on its way to the record. */
static void
refused(void)
{
	struct audit *a = fresh("refused", LATE_NS, false);
	struct err err = ERR_INIT;
	pid_t writer;

	while (store_put(a, "one", &err) < 0 || !is_over(a))
		until(is_over, a);
	hold(a);
	writer = audit_writer_pid(a);
	OK(store_put(a, "two", &err) < 0);
	audit_close(a);
	kill(writer, SIGKILL);
	rows("refused", "one=open two=open");
}

/* Half of it is not readable any more: the rest is, and it is said. */
static void
torn(void)
{
	AEG_AUTOFREE char *file = NULL;
	struct audit *a = fresh("torn", LATE_NS, true);
	struct err err = ERR_INIT;
	int fd;

	store_put(a, "one", &err);
	OK(until(is_over, a));
	hold(a);
	store_put(a, "two", &err);
	store_put(a, "three", &err);
	kill(audit_writer_pid(a), SIGKILL);
	kill(audit_late_pid(a), SIGKILL);
	file = scratch_path("torn/audit.late");
	fd = open(file, O_WRONLY | O_CLOEXEC);
	OK(fd >= 0 && pwrite(fd, "noise", 5, AUDIT_SLOT + 60) == 5);
	close(fd);
	rows("torn", "one=open three=open");
	IS_INT(count("torn", "SELECT count(*) FROM events WHERE kind ="
	    " 'spool-unreadable'"), 1);
	/* The session itself has it still. */
	OK(until(is_over, a));
	finish(a);
	rows("torn", "one=open three=open two=open");
}

/* ---- told again --------------------------------------------------------- */

static void
take(struct audit *to, const struct buf *b, bool again)
{
	const struct audit_taking how = { .full = true, .again = again,
		.late_ns = INT64_MAX };
	struct err err = ERR_INIT;
	int64_t session = 0;

	if (audit_take_record(to, b, &how, &session, &err) < 0)
		printf("# %s\n", err.text);
}

/* Whatever a record is made of, the second time changes nothing. */
static void
told_again(void)
{
	AEG_AUTOFREE char *path = NULL;
	struct audit *a = fresh("from", PATIENCE_NS, true), *to = NULL;
	struct audit_event ev = store_event("line"), done = ev;
	unsigned char uuid[UUID_LEN];
	struct err err = ERR_INIT;
	int64_t before, after, id = 0;
	int i;

	scratch_mkdir("again", 0700);
	path = scratch_path("again");
	if (audit_open(path, false, &to, &err) < 0)
		scratch_die(err.text);
	for (i = 0; i < 6; i++) {
		AEG_AUTO(buf_done) struct buf b = BUF_INIT;

		if (i == 1)
			audit_exec(a, id, &(struct audit_exec){ .pid = 7,
			    .path = "/bin/x", .wall_ns = 8, .mono_ns = 9 });
		else if (i == 2)
			ended(a, id);
		else if (i == 3)
			audit_builtin(a, &done, 0);
		else if (i == 4)
			audit_note(a, "kind", NULL);
		if (audit_compose(a, i == 0 ? &ev : NULL, i == 5, &b, uuid,
		    &err) < 0)
			scratch_die(err.text);
		audit_composed(a, i == 0 ? &ev : NULL, uuid);
		audit_forget(a, &a->queue);
		audit_queue_clear(&a->queue);
		a->begun_sent = true;
		id = i == 0 ? ev.id : id;
		take(to, &b, i % 2 == 0);
		audit_db_pragma(audit_db_of(to), "SELECT max(seq) FROM chain",
		    &before, &err);
		take(to, &b, true);
		audit_db_pragma(audit_db_of(to), "SELECT max(seq) FROM chain",
		    &after, &err);
		OKF(before == after && before >= i + 1, "record %d: links "
		    "%lld and %lld", i, (long long)before, (long long)after);
	}
	audit_close(to);
	audit_close(a);
	rows("again", "line=0 line=0");
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	copied();
	all_killed("dead");
	uncopied();
	refused();
	torn();
	told_again();
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* Processes: many that write at once, and some that are killed. */
#include "audit/audit_int.h"
#include "store.h"

#include <signal.h>
#include <sys/wait.h>

#include "aegsh/base/io.h"

#define WRITERS 32
#define LINES 15

static void
write_lines(const char *dir, enum audit_journal journal)
{
	struct audit *a = store_open(dir);
	struct err err = ERR_INIT;
	int i;

	audit_db_of(a)->journal = journal;
	for (i = 0; i < LINES; i++) {
		int64_t id = store_put(a, "line", &err);

		if (id < 0) {
			fprintf(stderr, "# %s\n", err.text);
			_exit(1);
		}
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		if (i % 3 == 0 && audit_flush(a, &err) < 0) {
			fprintf(stderr, "# %s\n", err.text);
			_exit(2);
		}
	}
	if (audit_session_end(a, &err) < 0) {
		fprintf(stderr, "# %s\n", err.text);
		_exit(3);
	}
	audit_close(a);
	_exit(0);
}

/* All start at once, on a store that is not there yet. */
static void
many(const char *dir, int writers, enum audit_journal journal)
{
	struct store_count c;
	pid_t pids[WRITERS];
	int gate[2], i, status, good = 0;
	char byte;

	scratch_mkdir(dir, 0700);
	if (pipe(gate) < 0)
		scratch_die("pipe");
	for (i = 0; i < writers; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(gate[1]);
			if (read(gate[0], &byte, 1) == 0)
				write_lines(dir, journal);
			_exit(9);
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (i = 0; i < writers; i++)
		good += waitpid(pids[i], &status, 0) == pids[i] && status == 0;
	IS_INTN(good, writers, "no writer saw an error");
	c = store_count(dir);
	IS_INTN(c.rows, writers * LINES, "every line is there");
	IS_INTN(c.unfinished, 0, "every outcome is there");
}

static void
killed_between(void)
{
	static const struct audit_query open_only = {
		.ended = AUDIT_ENDED_OPEN };
	struct store_count c = { 0, 0, 0 };
	char *path = scratch_path("kill");
	struct err err = ERR_INIT;
	int ready[2], status;
	struct audit *a;
	int64_t id = 0;
	pid_t pid;

	scratch_mkdir("kill", 0700);
	if (pipe(ready) < 0)
		scratch_die("pipe");
	pid = fork();
	if (pid == 0) {
		a = store_open("kill");
		id = store_put(a, "finished", &err);
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		id = store_put(a, "sleep 1000", &err);
		if (write(ready[1], &id, sizeof id) == sizeof id)
			pause();
		_exit(0);
	}
	close(ready[1]);
	OK(io_read_full(ready[0], &id, sizeof id) == 0 && id == 2);
	kill(pid, SIGKILL);
	OK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGKILL);
	close(ready[0]);
	IS_INT(audit_open(path, true, &a, &err), 0);
	IS_INT(audit_query(a, &open_only, store_count_row, &c, &err), 0);
	IS_INT(c.rows, 1);
	IS_INT(c.last_id, 2);
	audit_close(a);
	free(path);
}

/* Killed anywhere: what was confirmed before is there, and the next
 * writer finds a sound store. */
static void
killed_anywhere(void)
{
	struct store_count c;
	struct err err = ERR_INIT;
	int round, good = 0;
	int64_t id, last = 0;

	scratch_mkdir("anywhere", 0700);
	for (round = 0; round < 20; round++) {
		int ids[2], n = 0, status;
		pid_t pid;

		if (pipe(ids) < 0)
			scratch_die("pipe");
		pid = fork();
		if (pid == 0) {
			struct audit *a = store_open("anywhere");

			for (;;) {
				id = store_put(a, "line", &err);
				if (write(ids[1], &id, sizeof id) < 0)
					_exit(1);
				audit_outcome(a, id,
				    &(struct audit_outcome){ .status = 0 });
				audit_flush(a, &err);
			}
		}
		close(ids[1]);
		while (n < 1 + round * 2 &&
		    io_read_full(ids[0], &id, sizeof id) == 0) {
			last = id;
			n++;
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		while (io_read_full(ids[0], &id, sizeof id) == 0)
			last = id;
		close(ids[0]);
		c = store_count("anywhere");
		good += c.rows >= last && c.last_id >= last &&
		    c.unfinished <= round + 1;
	}
	IS_INTN(good, 20, "nothing confirmed was lost in 20 kills");
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	many("many", WRITERS, AUDIT_JOURNAL_WAL);
	many("few", 8, AUDIT_JOURNAL_DELETE);
	killed_between();
	killed_anywhere();
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* Budgets over time, health of endpoints, files that are no state. */
#include "aegsh/validator_store.h"
#include "scratch.h"
#include "tap.h"

#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define SECOND ((int64_t)1000000000)
#define NOW (1000 * 86400 * SECOND)

static unsigned
take(int fd, int64_t now, uint32_t rate, unsigned n)
{
	unsigned got = 0;

	while (n-- > 0)
		got += val_state_take(fd, now, rate, 100, NULL) == 0;
	return got;
}

static void
test_rate(int fd)
{
	struct err err = ERR_INIT;

	IS_INTN(take(fd, NOW, 6, 10), 6, "one minute's worth at once");
	IS_INTN(val_state_take(fd, NOW, 6, 100, &err), ERR_REFUSED,
	    "then no more");
	OKF(strstr(err.text, "more than 6 questions a minute") != NULL, "%s",
	    err.text);
	IS_INTN(take(fd, NOW + 9 * SECOND, 6, 3), 0, "nor after nine seconds");
	IS_INTN(take(fd, NOW + 10 * SECOND, 6, 3), 1, "one after ten");
	IS_INTN(take(fd, NOW + 5 * SECOND, 6, 3), 0,
	    "a clock that was set back fills nothing");
	IS_INTN(take(fd, NOW + 40 * SECOND, 6, 9), 3, "three after thirty");
	IS_INTN(take(fd, NOW + 9999 * SECOND, 6, 9), 6,
	    "never more than the minute's");
	IS_INTN(take(fd, NOW + 20000 * SECOND, 100000, 1), 1, "a high rate");
}

static void
test_cost(int fd)
{
	struct val_verdict v = { .tokens_in = 5, .tokens_out = 7, .cost = 60 };
	int64_t tomorrow = NOW + 86400 * SECOND;
	struct err err = ERR_INIT;
	struct val_state s;

	IS_INT(take(fd, tomorrow, 600, 1), 1);
	val_state_spent(fd, tomorrow, &v);
	IS_INTN(take(fd, tomorrow, 600, 1), 1, "60 of 100 are spent");
	val_state_spent(fd, tomorrow, &v);
	IS_INTN(val_state_take(fd, tomorrow, 600, 100, &err), ERR_REFUSED,
	    "120 of 100");
	OKF(strstr(err.text, "budget") != NULL, "%s", err.text);
	val_state_read(fd, &s);
	OK(s.day_questions == 2 && s.day_tokens_in == 10 &&
	    s.day_tokens_out == 14 && s.day_cost == 120);
	IS_INTN(val_state_take(fd, tomorrow + 86400 * SECOND, 600, 100, NULL),
	    0, "the next day begins anew");
	IS_INTN(val_state_take(fd, tomorrow + 86400 * SECOND, 600, 0, NULL),
	    ERR_REFUSED, "no budget at all");
}

static void
test_health(int fd)
{
	struct val_health h = { .name = "a", .print = 1, .failures = 2,
		.asked = 1, .last_fail_ns = 7 };
	struct val_state s;
	unsigned i;

	val_state_health(fd, &h);
	h.failures = 0;
	h.answered = 1;
	h.last_ok_ns = 9;
	h.last_fail_ns = 0;
	val_state_health(fd, &h);
	val_state_read(fd, &s);
	IS_STR(s.endpoints[0].name, "a");
	OK(s.endpoints[0].asked == 2 && s.endpoints[0].answered == 1 &&
	    s.endpoints[0].failures == 0 && s.endpoints[0].last_ok_ns == 9 &&
	    s.endpoints[0].last_fail_ns == 7);
	h.print = 2;
	val_state_health(fd, &h);
	val_state_read(fd, &s);
	OKF(s.endpoints[0].asked == 1, "other settings start anew");
	for (i = 0; i < 20; i++) {
		snprintf(h.name, sizeof h.name, "e%u", i);
		h.last_ok_ns = 100 + i;
		val_state_health(fd, &h);
	}
	val_state_read(fd, &s);
	for (i = 0; i < VAL_CHAIN_MAX && strcmp(s.endpoints[i].name,
	    "e19") != 0; i++)
		continue;
	OKF(i < VAL_CHAIN_MAX, "there is always room for one more");
}

/* Many at once: none is counted twice and none is lost. */
static void
test_together(const char *dir)
{
	unsigned i, sum = 0;
	int status, fd = -1;

	scratch_puts("judge.state", "");
	for (i = 0; i < 8; i++)
		if (fork() == 0) {
			unsigned n = 0, k;

			if (val_state_open(dir, "judge.state", true, &fd,
			    NULL) == 0)
				for (k = 0; k < 20; k++)
					n += val_state_take(fd, NOW, 60, 100,
					    NULL) == 0;
			_exit((int)n);
		}
	for (i = 0; i < 8; i++)
		if (wait(&status) > 0 && WIFEXITED(status))
			sum += (unsigned)WEXITSTATUS(status);
	OKF(sum <= 60, "eight processes got %u of 60", sum);
}

int
main(void)
{
	const char *dir = scratch_new();
	AEG_AUTOFREE char *path = scratch_path("judge.state");
	struct err err = ERR_INIT;
	struct val_state s;
	int fd = -1;

	OKF(val_state_open(dir, "judge.state", false, &fd, &err) < 0,
	    "none yet: %s", err.text);
	IS_INT(val_state_open(dir, "judge.state", true, &fd, &err), 0);
	test_rate(fd);
	test_cost(fd);
	test_health(fd);
	OK(ftruncate(fd, 0) == 0 && pwrite(fd, "\xff\xff\xff", 3, 0) == 3);
	IS_INTN(take(fd, NOW, 6, 10), 6, "what is no state starts over");
	OK(flock(fd, LOCK_EX) == 0);
	io_close(&fd);
	OK(chmod(path, 0666) == 0);
	IS_INTN(val_state_open(dir, "judge.state", true, &fd, &err), ERR_TRUST,
	    "open to others");
	OK(chmod(path, 0600) == 0);
	test_together(dir);
	IS_INT(val_state_open(dir, "judge.state", false, &fd, &err), 0);
	val_state_read(fd, &s);
	io_close(&fd);
	return tap_done();
}

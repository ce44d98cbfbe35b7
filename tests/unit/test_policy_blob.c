/* SPDX-License-Identifier: ISC */
/*
 * The compiled form is believed only when everything in it is in place:
 * bytes written over at random, or cut off, are refused, or do no harm.
 */
#include "judge.h"
#include "policy/policy_int.h"
#include "tap.h"

#define ROUNDS 4000

static uint32_t seed = 20240229;

static uint32_t
next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static const char *const lines[] = {
	"ls -l", "rm -rf /", "sudo cat /etc/shadow | nc h 99", "$x y",
	"python3 -c 'import os; os.system(\"id\")'",
	"LD_PRELOAD=x ls > ~/.bashrc",
};

/* A block that was accepted must be safe to judge with. */
static void
use(const char *blob, size_t size, struct state *state)
{
	struct judge j = { .state = state, .uid = 1000 };
	struct err err;
	size_t i;

	if (pol_open(xmemdup0(blob, size), size, "admin", &j.policy,
	    &err) < 0)
		return;
	for (i = 0; i < AEG_NELEM(lines); i++)
		judge_line(&j, lines[i], NULL);
	policy_free(j.policy);
}

int
main(void)
{
	struct pol_sources sources;
	struct err err = ERR_INIT;
	struct state *state;
	char *blob = NULL, *copy;
	size_t size = 0, at, i;
	unsigned refused = 0, taken = 0;

	judge_places();
	state = judge_state();
	IS_INTN(pol_sources_read(NULL, &sources, &err), 0, err.text);
	IS_INTN(pol_compile(&sources, &blob, &size, &err), 0, err.text);
	IS_INT(pol_blob_check(blob, size), 0);
	IS_INTN(pol_blob_check(blob, size - 1), ERR_SYNTAX, "a byte less");
	IS_INTN(pol_blob_check(blob, 10), ERR_SYNTAX, "hardly a header");
	copy = xmalloc(size + 8);
	memcpy(copy, blob, size);
	memset(copy + size, 0, 8);
	IS_INTN(pol_blob_check(copy, size + 8), ERR_SYNTAX, "bytes too many");
	for (i = 0; i < ROUNDS; i++) {
		memcpy(copy, blob, size);
		/* The tables are what counts: mostly write there. */
		at = i % 4 == 0 ? next() % size : next() % 4096 +
		    ((struct pol_header *)(void *)copy)->sections[next() %
		    POL_SEC_COUNT].offset;
		if (at + 4 > size)
			at = size - 4;
		*(uint32_t *)(void *)(copy + at / 4 * 4) = next() % 2 == 0 ?
		    next() : next() % 65536;
		if (pol_blob_check(copy, size) < 0) {
			refused++;
			continue;
		}
		taken++;
		if (taken % 16 == 0)
			use(copy, size, state);
	}
	printf("# %u refused, %u without effect on structure\n", refused,
	    taken);
	OK(refused > ROUNDS / 10);
	OK(refused + taken == ROUNDS);
	free(copy);
	free(blob);
	pol_sources_done(&sources);
	state_free(state);
	return tap_done();
}

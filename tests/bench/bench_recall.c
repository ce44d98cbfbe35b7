/* SPDX-License-Identifier: ISC */
/*
 * bench_recall DIR: what a key waits for when it recalls a line from the
 * store in DIR: the longest call of audit_recall(), and all of them until a
 * line is found or there are no more.
 */
#include <stdio.h>

#include "aegsh/audit.h"
#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define BUDGET_NS 25000000	/* as the prompt has it */

static int
found(void *ctx, const struct audit_row *row)
{
	*(int64_t *)ctx = row->id;
	return 1;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct audit_query q;
	} wishes[] = {
		{ "the newest line", { .recalled = true } },
		{ "Up: a common beginning", { .recalled = true,
		    .starts = "git" } },
		{ "C-r: a common word", { .recalled = true,
		    .text = "error" } },
		{ "Up: a beginning that is nowhere", { .recalled = true,
		    .starts = "no such line" } },
		{ "C-r: a text that is nowhere", { .recalled = true,
		    .text = "no such line" } },
		{ "M-r: a decision and a directory that are nowhere",
		    { .recalled = true, .decision = "ask",
		    .cwd = "/nowhere" } },
	};
	struct err err = ERR_INIT;
	struct audit *a;
	size_t i;

	if (argc != 2 || audit_open(argv[1], true, &a, &err) != 0) {
		fprintf(stderr, "bench_recall: %s\n", err.text);
		return 1;
	}
	for (i = 0; i < AEG_NELEM(wishes); i++) {
		int64_t at = 0, longest = 0, all = clock_mono_ns(), id = 0;
		unsigned calls = 0;

		while (at >= 0 && id == 0) {
			int64_t begun = clock_mono_ns();

			if (audit_recall(a, &wishes[i].q, &at, BUDGET_NS,
			    found, &id, &err) != 0) {
				fprintf(stderr, "bench_recall: %s\n",
				    err.text);
				return 1;
			}
			begun = clock_mono_ns() - begun;
			longest = begun > longest ? begun : longest;
			calls++;
		}
		all = clock_mono_ns() - all;
		printf("recall %-50s %7.1f ms the longest wait of %u "
		    "(at most 50), %.0f ms in all\n", wishes[i].name,
		    (double)longest / 1e6, calls, (double)all / 1e6);
	}
	audit_close(a);
	return 0;
}

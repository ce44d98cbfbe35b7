/* SPDX-License-Identifier: ISC */
/*
 * A gate leaves nothing out that the conditions would have found: each line
 * of the case tables is decided as it is where every gate stands open, with
 * the same rules in the explanation.
 */
#include <glob.h>

#include "judge.h"
#include "policy/policy_int.h"
#include "tap.h"

static struct judge shut, open_;
static size_t n_lines, n_other, n_shut;

static void
open_gates(char *blob)
{
	const struct pol_header *h = (const void *)blob;
	struct pol_gate *g = (void *)(blob +
	    h->sections[POL_SEC_GATES].offset);
	uint32_t i;

	for (i = 0; i < h->sections[POL_SEC_GATES].n; i++) {
		n_shut += g[i].needs != 0 || g[i].sets != 0 ||
		    g[i].features != 0 || g[i].names != UINT32_MAX ||
		    g[i].turns != UINT16_MAX;
		g[i] = (struct pol_gate){ .names = UINT32_MAX,
			.unknown = UINT32_MAX, .kinds = UINT16_MAX,
			.origins = UINT16_MAX, .turns = UINT16_MAX };
	}
}

static void
compare(const char *line)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct judged x = judge_line(&shut, line, &a);
	struct judged y = judge_line(&open_, line, &b);

	n_lines++;
	if (x.unreadable != y.unreadable || x.action != y.action ||
	    strcmp(x.rule, y.rule) != 0 || a.len != b.len ||
	    (a.len > 0 && memcmp(a.data, b.data, a.len) != 0)) {
		n_other++;
		printf("# %s: %s, with open gates %s\n", line, x.rule, y.rule);
	}
	buf_done(&a);
	buf_done(&b);
}

static void
compare_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL, *line;
	size_t cap = 0;
	int i;

	if (f == NULL)
		scratch_die(path);
	while (getline(&text, &cap, f) > 0) {
		text[strcspn(text, "\n")] = '\0';
		line = text;
		for (i = 0; i < 2 && line != NULL; i++) {
			line = strchr(line, ' ');
			line = line != NULL ? line + 1 : NULL;
		}
		if (text[0] != '#' && line != NULL)
			compare(line);
	}
	free(text);
	fclose(f);
}

static void
open_both(const char *blob, size_t size, const char *profile)
{
	struct err err = ERR_INIT;
	char *copy = xmemdup0(blob, size);

	open_gates(copy);
	IS_INTN(pol_open(xmemdup0(blob, size), size, profile, &shut.policy,
	    &err), 0, profile);
	IS_INTN(pol_open(copy, size, profile, &open_.policy, &err), 0,
	    profile);
}

int
main(void)
{
	static const char *const profiles[] = { "admin", "dev", "full-auto" };
	const char *top = getenv("abs_top_srcdir");
	struct pol_sources sources;
	struct err err = ERR_INIT;
	char *blob = NULL, *pattern;
	size_t size = 0, i, j;
	glob_t found;

	judge_places();
	shut.state = open_.state = judge_state();
	shut.uid = open_.uid = 1000;
	IS_INTN(pol_sources_read(NULL, &sources, &err), 0, err.text);
	IS_INTN(pol_compile(&sources, &blob, &size, &err), 0, err.text);
	pattern = xasprintf("%s/tests/cases/policy/*.case",
	    top != NULL ? top : ".");
	OKF(glob(pattern, 0, NULL, &found) == 0, "there are case tables");
	for (i = 0; i < AEG_NELEM(profiles); i++) {
		open_both(blob, size, profiles[i]);
		for (j = 0; j < found.gl_pathc; j++)
			compare_file(found.gl_pathv[j]);
		policy_free(shut.policy);
		policy_free(open_.policy);
	}
	OKF(n_lines > 1000, "%zu lines were compared", n_lines);
	OKF(n_shut > 100, "%zu gates were there to open", n_shut);
	OKF(n_other == 0, "%zu lines are decided otherwise", n_other);
	globfree(&found);
	free(pattern);
	free(blob);
	pol_sources_done(&sources);
	state_free(shut.state);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
#include "shell/recall.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "tap.h"

static const struct {
	const char *wish, *text;
	int has;
	bool passes;
} cases[] = {
	{ "git", "git status", 2, true },
	{ "stat git", "git status", 2, true },
	{ "gst", "git status", 1, true },
	{ "GIT", "git status", 0, true },
	{ "git", "GIT=1 x", 2, true },
	{ "xyz", "git status", 0, true },
	{ "", "anything", 2, true },
	{ "dir:.", "x", 2, true },
	{ "dir:/srv", "x", 2, true },
	{ "dir:/sr", "x", 2, false },
	{ "dir:/srv/", "x", 2, true },
	{ "dir:..", "x", 2, false },
	{ "dir:/", "x", 2, true },
	{ "dir:", "x", 2, true },
	{ "dir:/srv dir:~/q dir:/srv/w", "x", 2, false },
	{ "exit:1", "x", 2, true },
	{ "exit:fail", "x", 2, true },
	{ "exit:0", "x", 2, false },
	{ "exit:refused", "x", 2, false },
	{ "exit:nonsense", "x", 2, true },
	{ "session:.", "x", 2, true },
	{ "session:4", "x", 2, false },
	{ "host:here", "x", 2, true },
	{ "host:.", "x", 2, true },
	{ "host:there", "x", 2, false },
	{ "decision:allow", "x", 2, true },
	{ "decision:block", "x", 2, false },
	{ "other:x", "x", 0, true },
	{ "other:x", "an other:x", 2, true },
	{ ":x", "a :x", 2, true },
};

static void
wishes(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct line_wish wish = { LINE_FUZZY, cases[i].wish };
		struct recall_row row = { .text = cases[i].text,
			.len = strlen(cases[i].text), .cwd = "/srv/www",
			.decision = "allow", .status = 1, .ran = true };
		struct recall_wish w;

		recall_wish_init(&w, &wish, "/srv/www", "/home/kim", "here");
		OKF(recall_wish_has(&w, row.text, row.len) == cases[i].has &&
		    recall_wish_passes(&w, &row) == cases[i].passes,
		    "'%s' of '%s'", cases[i].wish, cases[i].text);
		recall_wish_done(&w);
	}
}

static void
about(void)
{
	static const struct {
		int64_t age;
		int status;
		bool ran;
		const char *cwd, *want;
	} rows[] = {
		{ 3, 0, true, "/etc", "now, /etc" },
		{ 90, 1, true, "/home/kim", "1 min, exit 1, ~" },
		{ 7300, -1, true, "/home/kim/a\033[1m", "2 h, ~/a^[[1m" },
		{ 86400, 0, false, NULL, "1 d, refused" },
		{ 86400 * 400, 0, true, "/home/kimberly", "1 y, "
		    "/home/kimberly" },
		{ -5, 0, true, "/a/very/long/path/that/no/row/has/room/for",
		    "now, ...that/no/row/has/room/for" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct recall_row row = { .cwd = rows[i].cwd,
			.decision = "allow", .status = rows[i].status,
			.ran = rows[i].ran };
		struct buf out = BUF_INIT;

		recall_about(&out, &row, rows[i].age * 1000000000,
		    "/home/kim");
		IS_STRN(out.data, rows[i].want, "beside a line");
		buf_done(&out);
	}
}

static void
tags(void)
{
	static const struct {
		const char *text;
		size_t len, at;
	} rows[] = {
		{ "curl -u me:<redacted:password:0a1b2c>", 26, 11 },
		{ "x=<redacted:value>", 16, 2 },
		{ "grep '<redacted:' log", 0, 0 },
		{ "sort <redacted:>", 0, 0 },
		{ "sort <redacted:a b>", 0, 0 },
		{ "<redacted:a", 0, 0 },
		{ "", 0, 0 },
	};
	size_t i, at;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		at = 0;
		OKF(recall_tag(rows[i].text, strlen(rows[i].text), &at) ==
		    rows[i].len && at == rows[i].at, "a tag in '%s'",
		    rows[i].text);
	}
}

int
main(void)
{
	wishes();
	about();
	tags();
	return tap_done();
}

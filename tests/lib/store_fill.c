/* SPDX-License-Identifier: ISC */
/*
 * Fills the store of a test with the lines of standard input, each with a
 * word before it that says how it ended:
 *
 *	ok LINE | exit N LINE | signal N LINE | refused LINE | open LINE |
 *	builtin LINE
 *
 * C escapes in LINE (\n \e \xff) are undone.
 */
#include "aegsh/audit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static void
die(const char *what, const struct err *err)
{
	fprintf(stderr, "store_fill: %s: %s\n", what, err->text);
	exit(99);
}

static size_t
unescape(char *line)
{
	char *from = line, *to = line;
	int n = 0;
	unsigned byte;

	while (*from != '\0') {
		if (*from != '\\') {
			*to++ = *from++;
		} else if (from[1] == 'x' &&
		    sscanf(from + 2, "%2x%n", &byte, &n) == 1) {
			*to++ = (char)byte;
			from += 2 + n;
		} else {
			*to++ = from[1] == 'n' ? '\n' : from[1] == 'e' ?
			    '\033' : from[1];
			from += 2;
		}
	}
	*to = '\0';
	return (size_t)(to - line);
}

static void
put(struct audit *a, const char *how, int n, char *line)
{
	struct audit_outcome o = { .duration_ns = 1500000000, .status = 0 };
	struct audit_event ev = { .cwd = "/srv", .origin = "prompt",
		.decision = "allow", .source = "policy", .rule = "admin.read",
		.reason = "it reads", .confidence = -1, .ran = true };
	struct err err = ERR_INIT;

	ev.line = line;
	ev.len = unescape(line);
	if (strcmp(how, "builtin") == 0) {
		audit_builtin(a, &ev, 0);
		return;
	}
	if (strcmp(how, "refused") == 0) {
		ev.ran = false;
		ev.decision = "block";
		ev.rule = "floor.wipe";
	}
	if (audit_intent(a, &ev, &err) < 0)
		die("intent", &err);
	if (strcmp(how, "exit") == 0)
		o.status = n;
	if (strcmp(how, "signal") == 0) {
		o.signal = n;
		o.status = 128 + n;
	}
	if (ev.ran && strcmp(how, "open") != 0)
		audit_outcome(a, ev.id, &o);
}

int
main(void)
{
	static const struct audit_session session = { .user = "tester",
		.tty = "pts/9", .origin = "prompt", .host = "box",
		.version = "0", .profile = "admin", .policy_hash = "0",
		.loginuid = (uid_t)-1 };
	AEG_AUTOFREE char *place = NULL, *line = NULL;
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	size_t size = 0;
	ssize_t len;

	if (audit_place(getuid(), true, &place, &err) < 0 ||
	    audit_open(place, false, &a, &err) < 0 ||
	    audit_session_begin(a, &session, &err) < 0) {
		die("store", &err);
		return 99;
	}
	while ((len = getline(&line, &size, stdin)) > 0) {
		char how[16] = "";
		int n = 0, at = 0;

		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (sscanf(line, "%15s %n", how, &at) != 1)
			continue;
		if (strcmp(how, "exit") == 0 || strcmp(how, "signal") == 0) {
			int more = 0;

			sscanf(line + at, "%d %n", &n, &more);
			at += more;
		}
		put(a, how, n, line + at);
	}
	if (audit_session_end(a, &err) < 0)
		die("end", &err);
	audit_close(a);
	return 0;
}

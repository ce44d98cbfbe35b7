/* SPDX-License-Identifier: ISC */
/* History expansion, beside bash: `history -p' of the same lines. */
#include "shell/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "tap.h"

static const char *const past[] = {	/* oldest first */
	"git commit -m 'a message' src/server.c",
	"grep -rn \"two words\" /usr/share/doc/README.md >out 2>&1 | wc -l",
	"make -j2 all && echo done; ls",
	"cp /etc/hosts.allow /tmp/x.tar.gz",
};

static const char *const same[] = {
	"!!", "sudo !!", "!-2", "!git", "!?README?", "!?README", "!$",
	"!^",
	"!*", "echo !!:2", "!!:0", "!!:1-2", "!!:-1", "!!:1*", "!!:1-",
	"!-3:$", "!grep:2", "!gr:2-3", "!-3:*", "!-2:$", "!!$", "!!*", "!-4:3",
	"!?done?:%", "echo !$:h", "echo !$:t", "echo !$:r", "echo !$:e",
	"echo !^:h:t", "!!:s/hosts/passwd/", "!!:gs/a/A/", "!!:s/x/&&/",
	"!!:q", "!^:q", "!!:x", "^hosts^passwd^", "^hosts^passwd",
	"^hosts^passwd^ -v", "echo a b !#",
	"echo hi! there", "echo 'no !! here'", "echo \"yes !! here\"",
	"echo \"end!\"", "echo \\!!", "echo a!=b", "echo ${!x}", "echo $!",
	"echo [!a]*", "echo \"it's !$\"", "echo 'x' !$ 'y'",
	"!-4:$ !-3:^", "echo !!:$:r:r", "!git:s/commit/log/:s/-m/-n/",
	"!cp:0", "!m:1-$", "[ ! -e x ]", "! true", "echo a; !!", "echo x!",
	"echo \"a\\!b\"", "!!:p", "!-1", "!?server?^", "echo !-2:3-4",
};
static const char *const wrong[] = {
	"!nosuch", "!?nowhere?", "echo !#:1", "!!:9", "!-99", "!!:s/zzz/y/",
	"^zzz^y^",
	"!!:z", "!!:5-6", "!!:99999999999999999999",
	"!!:1-99999999999999999999",
	"!!:99999999999999999999*", "!99999999999999999999",
	"!-99999999999999999999", "echo \"x !nosuch\"", "!99999",
};

static char *
event(void *ctx, enum event_kind kind, int64_t n, const char *text)
{
	size_t i, count = AEG_NELEM(past);

	(void)ctx;
	switch (kind) {
	case EVENT_BACK:
		return (size_t)n <= count ? xstrdup(past[count - (size_t)n]) :
		    NULL;
	case EVENT_NUMBER:
		return (size_t)n <= count ? xstrdup(past[n - 1]) : NULL;
	case EVENT_STARTS:
	case EVENT_HOLDS:
		for (i = count; i-- > 0; ) {
			const char *hit = strstr(past[i], text);

			if (hit != NULL && (kind == EVENT_HOLDS ||
			    hit == past[i]))
				return xstrdup(past[i]);
		}
		return NULL;
	}
	return NULL;
}

/* What bash makes of it; NULL: it is wrong. */
static char *
by_bash(const char *line)
{
	int out[2], status = -1;
	struct buf b = BUF_INIT;
	pid_t pid;

	if (pipe(out) < 0 || (pid = fork()) < 0)
		return NULL;
	if (pid == 0) {
		dup2(out[1], 1);
		close(out[0]);
		close(2);
		execl("/bin/bash", "bash", "--norc", "-c",
		    "set -o history; set -H; history -c; l=$1; shift;"
		    " for p; do history -s -- \"$p\"; done;"
		    " history -p -- \"$l\"", "bash", line, past[0], past[1],
		    past[2], past[3], NULL);
		_exit(127);
	}
	close(out[1]);
	io_read_all(out[0], &b);
	close(out[0]);
	waitpid(pid, &status, 0);
	if (status != 0 || b.len == 0) {
		buf_done(&b);
		return NULL;
	}
	b.data[--b.len] = '\0';
	return buf_take(&b);
}

static void
check(const char *line, bool fine)
{
	struct buf text = BUF_INIT, why = BUF_INIT;
	enum events_result r;
	char *want = by_bash(line);

	buf_puts(&text, line);
	r = events_expand(&text, event, NULL, &why);
	if (fine && want != NULL)
		IS_STRN(text.data, want, line);
	else
		OKF(!fine && want == NULL && r == EVENTS_WRONG &&
		    why.len > 0, "wrong: %s (bash: %s, here: %s)", line,
		    want != NULL ? want : "wrong",
		    r == EVENTS_WRONG ? "wrong" : text.data);
	free(want);
	buf_done(&text);
	buf_done(&why);
}

static void
results(void)
{
	static const struct {
		const char *line;
		enum events_result result;
	} rows[] = {
		{ "echo plain", EVENTS_NONE }, { "", EVENTS_NONE },
		{ "echo hi!", EVENTS_NONE }, { "!!", EVENTS_EXPANDED },
		{ "!!:p", EVENTS_SHOWN }, { "!nosuch", EVENTS_WRONG },
		{ "cat <<E\n!!\nE", EVENTS_NONE },
		{ "!!; cat <<E\n!nosuch\nE", EVENTS_EXPANDED },
		{ "echo '\n!!\n'", EVENTS_NONE },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct buf text = BUF_INIT, why = BUF_INIT;

		buf_puts(&text, rows[i].line);
		IS_INTN(events_expand(&text, event, NULL, &why),
		    rows[i].result, rows[i].line);
		buf_done(&text);
		buf_done(&why);
	}
}

int
main(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(same); i++)
		check(same[i], true);
	for (i = 0; i < AEG_NELEM(wrong); i++)
		check(wrong[i], false);
	results();
	return tap_done();
}

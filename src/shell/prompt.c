/* SPDX-License-Identifier: ISC */
/* The prompt string: bash's escapes that people know (bash(1), PROMPTING).
 * Nothing in it is executed, and what it shows is inert. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "shell/shell_int.h"

static void
put_inert(struct buf *out, const char *text)
{
	text_inert(out, text, strlen(text), 0);
}

static void
put_cwd(struct buf *out, const struct shell *sh, bool base)
{
	const char *cwd = state_cwd(sh->state);
	const char *home = state_get(sh->state, "HOME");
	bool below = home != NULL && home[0] == '/' && home[1] != '\0' &&
	    path_under(cwd, home);

	if (below && (!base || strcmp(cwd, home) == 0)) {
		buf_putc(out, '~');
		cwd += strlen(home);
	} else if (base && strcmp(cwd, "/") != 0) {
		cwd = path_base(cwd);
	}
	put_inert(out, cwd);
}

/* c: the escape that asks. */
static void
put_time(struct buf *out, char c)
{
	char text[64];
	time_t now = time(NULL);
	struct tm tm;
	size_t n;

	if (localtime_r(&now, &tm) == NULL)
		return;
	if (c == 't')
		n = strftime(text, sizeof text, "%H:%M:%S", &tm);
	else if (c == 'A')
		n = strftime(text, sizeof text, "%H:%M", &tm);
	else
		n = strftime(text, sizeof text, "%a %b %d", &tm);
	text_inert(out, text, n, 0);
}

static void
put_host(struct buf *out, bool whole)
{
	char host[256] = "";

	if (gethostname(host, sizeof host - 1) < 0)
		return;
	if (!whole)
		host[strcspn(host, ".")] = '\0';
	put_inert(out, host);
}

/* Nothing where no model is asked. */
static void
put_judge(struct buf *out, const struct shell *sh)
{
	switch (turn_validator_health(sh->turn)) {
	case VAL_FAILED:
		buf_puts(out, "model down");
		break;
	case VAL_ANSWERED:
		buf_puts(out, "model up");
		break;
	case VAL_NOT_CONFIGURED:
	case VAL_CANCELLED:
		break;
	}
}

static void
put_escape(struct buf *out, const struct shell *sh, char c)
{
	switch (c) {
	case 'u':
		put_inert(out, sh->user);
		break;
	case 'h':
	case 'H':
		put_host(out, c == 'H');
		break;
	case 'w':
	case 'W':
		put_cwd(out, sh, c == 'W');
		break;
	case '$':
		buf_putc(out, sh->uid == 0 ? '#' : '$');
		break;
	case '?':
		buf_putf(out, "%d", state_status(sh->state));
		break;
	case 't':
	case 'A':
	case 'd':
		put_time(out, c);
		break;
	case 's':
		buf_puts(out, "aegsh");
		break;
	case 'n':
		buf_putc(out, '\n');
		break;
	case '\\':
		buf_putc(out, '\\');
		break;
	case 'P':
		put_inert(out, policy_profile(turn_policy(sh->turn)));
		break;
	case 'J':
		put_judge(out, sh);
		break;
	case '[':
	case ']':
		break;
	default:
		buf_putc(out, '\\');
		buf_putc(out, c);
	}
}

char *
shell_prompt(const struct shell *sh)
{
	struct buf out = BUF_INIT_MAX(4096);
	const char *p = conf_str(sh->conf, CONF_PROMPT);

	if (sh->rescue)
		buf_puts(&out, "RESCUE ");
	for (; *p != '\0'; p++) {
		if (*p == '\\' && p[1] != '\0')
			put_escape(&out, sh, *++p);
		else if ((unsigned char)*p >= 0x20)
			buf_putc(&out, *p);
	}
	return buf_take(&out);
}

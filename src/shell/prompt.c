/* SPDX-License-Identifier: ISC */
/* What the prompt shows of the session. */
#include <string.h>
#include <unistd.h>

#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/prompt.h"
#include "shell/shell_int.h"

/* Nothing where no model is asked. */
static const char *
model_health(const struct shell *sh)
{
	switch (turn_validator_health(sh->turn)) {
	case VAL_FAILED:
		return tr("model down");
	case VAL_ANSWERED:
		return tr("model up");
	case VAL_NOT_CONFIGURED:
	case VAL_CANCELLED:
		break;
	}
	return "";
}

static int
count_job(void *ctx, struct job *j, char mark)
{
	unsigned *n = ctx;

	(void)mark;
	*n += job_state(j) != JOB_DONE;
	return 0;
}

static unsigned
trim_of(const struct shell *sh)
{
	const char *value = state_get(sh->state, "PROMPT_DIRTRIM");
	int64_t n;

	return value != NULL && text_to_i64(value, 0, 1000, &n) == 0 ?
	    (unsigned)n : 0;
}

/* What a terminal takes for itself is nothing to be read out. */
static void
drop_hidden(struct buf *text)
{
	bool hidden = false;
	size_t i, n = 0;

	for (i = 0; i < text->len; i++)
		if (text->data[i] == LINE_HIDDEN)
			hidden = !hidden;
		else if (!hidden)
			text->data[n++] = text->data[i];
	if (text->len > 0)
		text->data[n] = '\0';
	text->len = n;
}

char *
shell_prompt(const struct shell *sh)
{
	struct buf out = BUF_INIT_MAX(PROMPT_MAX);
	bool plain = conf_bool(sh->conf, CONF_ACCESSIBLE);
	char host[256] = "";
	struct prompt_facts f = {
		.user = sh->user,
		.host = host,
		.cwd = state_cwd(sh->state),
		.home = state_get(sh->state, "HOME"),
		.version = AEGSH_VERSION,
		.profile = turn_profile(sh->turn),
		.decision = sh->last_decision != NULL ? sh->last_decision : "",
		.model = model_health(sh),
		.uid = sh->uid,
		.status = state_status(sh->state),
		.trim = trim_of(sh),
		.took_ns = sh->last_took_ns,
		.now = time(NULL),
		.colours = plain ? PROMPT_PLAIN : prompt_colours_of(
		    state_get(sh->state, "TERM"),
		    state_get(sh->state, "COLORTERM"),
		    state_get(sh->state, "NO_COLOR")),
	};

	if (gethostname(host, sizeof host - 1) < 0)
		host[0] = '\0';
	exec_each_job(turn_exec(sh->turn), count_job, &f.jobs);
	if (sh->rescue)
		buf_puts(&out, "RESCUE ");
	prompt_expand(prompt_of(conf_str(sh->conf, CONF_PROMPT)), &f, &out);
	if (plain)
		drop_hidden(&out);
	/* One that grew too long would end in the middle of a sequence. */
	if (buf_overflow(&out)) {
		buf_done(&out);
		out = (struct buf)BUF_INIT;
		buf_puts(&out, sh->uid == 0 ? "# " : "$ ");
	}
	return buf_take(&out);
}

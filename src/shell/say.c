/* SPDX-License-Identifier: ISC */
/* What the shell says on standard error: one inert line at a time. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/shell_int.h"

void
shell_say(const char *fmt, ...)
{
	struct buf out = BUF_INIT;
	char raw[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(raw, sizeof raw, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	buf_puts(&out, "aegsh: ");
	text_inert(&out, raw, strlen(raw), 0);
	buf_putc(&out, '\n');
	/* Nobody is left to tell when standard error is gone. */
	if (io_write_full(STDERR_FILENO, out.data, out.len) < 0)
		errno = 0;
	buf_done(&out);
}

void
shell_put_reason(struct buf *out, const struct decision *d)
{
	bool answered = decision_source(d) == DECISION_BY_VALIDATOR;
	bool by_model = answered ||
	    decision_source(d) == DECISION_BY_FAIL_MODE;

	buf_putf(out, "%s%s", answered ? tr("language model: ") : by_model ?
	    tr("language model failed: ") : "", decision_reason(d));
	if (!by_model || (strcmp(decision_rule(d), "unknown") != 0 &&
	    strcmp(decision_rule(d), "not-listed") != 0))
		buf_putf(out, " [%s]", decision_rule(d));
}

#define FACT_LINES 12			/* of one kind that are shown */

void
shell_put_fact(void *ctx, const char *heading, const char *text, size_t len)
{
	struct buf *out = ctx;
	const char *end = text + len;
	size_t shown = 0, more = 0;

	buf_putf(out, "  %s:\n", heading);
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((eol != NULL ? eol : end) - text);

		if (shown == FACT_LINES) {
			more++;
		} else {
			buf_puts(out, "    ");
			text_inert(out, text, n < LINE_SHOWN ? n : LINE_SHOWN,
			    0);
			buf_puts(out, n < LINE_SHOWN ? "\n" : " …\n");
			shown++;
		}
		text += n + 1;
	}
	if (more > 0)
		buf_putf(out, tr("    … %zu lines more\n"), more);
}

/* Why a unit did not run, or not to its end: once, with the rule and a next
 * step. */
void
shell_complain(const struct shell *sh, const struct turn_judged *j,
    const struct turn_result *r)
{
	const struct decision *d = turn_decision(j);
	const char *instead = decision_instead(d);
	const char *contact = conf_str(sh->conf, CONF_CONTACT);
	AEG_AUTO(buf_done) struct buf reason = BUF_INIT;

	if (r->killed || r->kept_back)
		shell_say("%s", r->note);
	if (r->ran)
		return;
	if (turn_syntax_error(j) != NULL)
		shell_say("%s", turn_syntax_error(j));
	else if (decision_action(d) == DECISION_ALLOW)
		shell_say(tr("not run: %s"), r->err.text);
	else if (sh->edits)
		return;		/* it stands at the prompt again */
	else if (decision_source(d) == DECISION_BY_PERSON)
		shell_say(tr("not run: %s"), turn_answer(j) != NULL ?
		    tr("you said no") : decision_reason(d));
	else {
		shell_put_reason(&reason, d);
		shell_say("%s: %s%s%s%s%s", !decision_unasked(d) ?
		    tr("blocked") : turn_is_guest(sh->turn) ? tr("not run, as "
		    "nobody is asked inside of a line of aegsh") :
		    tr("not run, as nobody is here to be asked"),
		    reason.data,
		    instead != NULL ? tr("; instead: ") : "",
		    instead != NULL ? instead : "",
		    contact[0] != '\0' ? tr("; who decides what may run here: "
		    ) : "", contact);
	}
}

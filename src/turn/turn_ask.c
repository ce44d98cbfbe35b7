/* SPDX-License-Identifier: ISC */
/* What the language model is told about a line, and asking it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

#define FACT_MOST ((size_t)32 * 1024)	/* bytes of one fact; more is cut */
#define CODE_MOST 8			/* programs inside the line */

/* The question while it is put together: texts are owned. */
struct question {
	struct buf texts[VAL_FACTS_MAX];
	char *names[VAL_FACTS_MAX];
	size_t n;
	bool settled;
};

static struct buf *
add(struct question *q, const char *name)
{
	struct buf *b = &q->texts[q->n];

	*b = (struct buf)BUF_INIT_MAX(FACT_MOST);
	q->names[q->n++] = xstrdup(name);
	return b;
}

/* ---- facts --------------------------------------------------------------- */

static void
tell_words(const struct turn_judged *j, struct question *q)
{
	struct turn_words w;
	const struct {
		const char *name;
		const struct buf *text;
	} all[] = { { "commands", &w.commands }, { "values", &w.values },
	    { "unknown", &w.unknown }, { "redirections", &w.redirections } };
	size_t i;

	turn_words_of(j, &w);
	q->settled &= w.all_known;
	for (i = 0; i < AEG_NELEM(all); i++)
		if (all[i].text->len > 0)
			buf_put(add(q, all[i].name), all[i].text->data,
			    all[i].text->len);
	turn_words_done(&w);
}

static void
tell_programs(const struct turn_judged *j, struct question *q)
{
	size_t i;

	for (i = 0; i < j->resolved->n_code && i < CODE_MOST; i++) {
		const struct resolve_code *c = &j->resolved->code[i];
		AEG_AUTOFREE char *name = xasprintf("program %s",
		    c->language);
		struct buf *b = add(q, name);

		if (c->text.value != NULL)
			buf_put(b, c->text.value, c->text.len);
		if (!c->text.known)
			buf_puts(b, "\n(in part not known)");
	}
	q->settled = q->settled && j->resolved->n_code == 0;
}

static void
tell_scripts(const struct turn_judged *j, struct question *q)
{
	size_t i;

	for (i = 0; i < j->n_scripts; i++) {
		const struct turn_script *s = &j->scripts[i];
		AEG_AUTOFREE char *name = xasprintf("script %zu", i + 1);
		struct buf *b = add(q, name);

		text_inert(b, s->path, strlen(s->path), 0);
		buf_putf(b, "\n%zu bytes, mode %04o, owner %u, sha256 ",
		    s->size, (unsigned)(s->mode & 07777), (unsigned)s->owner);
		hex_put(b, s->hash, sizeof s->hash);
		if (i >= TURN_SCRIPTS_SHOWN) {
			buf_puts(b, "\n(not shown)");
			continue;
		}
		buf_puts(b, "\n\n");
		buf_put(b, s->text, s->len);
		if (s->len < s->size)
			buf_puts(b, "\n(cut here)");
	}
	if (j->more_scripts)
		buf_puts(add(q, "scripts"),
		    "there are more, which could not be read");
	q->settled = q->settled && j->n_scripts == 0 && !j->more_scripts &&
	    !j->reads_files;
}

static void
tell_session(const struct turn *t, const struct turn_judged *j,
    struct question *q)
{
	struct buf *b = add(q, "session");
	size_t i;

	buf_putf(b, "uid %u (%s), profile %s, %s", (unsigned)t->opts.uid,
	    t->opts.user != NULL ? t->opts.user : "no name",
	    policy_profile(t->policy), t->opts.tty >= 0 ?
	    "at a terminal" : "no terminal");
	if (t->n_recent > 0) {
		b = add(q, "recent");
		for (i = t->n_recent < TURN_RECENT ? 0 :
		    t->n_recent - TURN_RECENT; i < t->n_recent; i++) {
			const char *line = t->recent[i % TURN_RECENT];

			text_inert(b, line, strlen(line), 0);
			buf_putc(b, '\n');
		}
	}
	b = add(q, "policy");
	buf_putf(b, "rule %s: %s; evidence against it: %u",
	    j->verdict.rule, j->verdict.reason, j->verdict.evidence);
	if (j->verdict.command != NULL) {
		buf_puts(b, "; decided by: ");
		text_inert(b, j->verdict.command, strlen(j->verdict.command),
		    0);
	}
}

/* ---- what else an answer depends on ------------------------------------ */

static void
put_text(struct buf *b, const char *text)
{
	buf_puts(b, text != NULL ? text : "");
	buf_putc(b, '\0');
}

/* Not sent anywhere: it makes the key under which an allow is remembered. */
static void
make_context(const struct turn *t, const struct turn_judged *j,
    struct buf *ret)
{
	const struct syn_facts *f = j->facts;
	struct stat st;
	size_t i;

	put_text(ret, policy_profile(t->policy));
	put_text(ret, policy_hash(t->policy));
	buf_putf(ret, "%u %lld %o", (unsigned)t->opts.uid,
	    (long long)conf_int(t->opts.conf, CONF_ASK_CONFIDENCE),
	    (unsigned)state_umask(t->opts.state));
	put_text(ret, state_get(t->opts.state, "PATH"));
	for (i = 0; i < f->n_reads; i++) {
		put_text(ret, f->reads[i]);
		put_text(ret, state_get(t->opts.state, f->reads[i]));
	}
	for (i = 0; i < j->resolved->n; i++) {
		const char *path = j->resolved->items[i].path;

		put_text(ret, path);
		if (path == NULL || stat(path, &st) != 0)
			continue;
		buf_putf(ret, "%llu %llu %lld %lld.%ld %lld.%ld",
		    (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino, (long long)st.st_size,
		    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		    (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	}
}

/* ---- asking -------------------------------------------------------------- */

void
turn_forget_keys(struct turn *t)
{
	const struct strv *taken = validator_taken(t->validator);
	size_t i;

	for (i = 0; i < taken->n; i++)
		state_unset(t->opts.state, taken->v[i]);
}

enum val_status
turn_validator_health(const struct turn *t)
{
	return turn_is_guest(t) ? VAL_NOT_CONFIGURED :
	    validator_health(t->validator);
}

static void
gather(struct turn *t, struct turn_judged *j, struct question *q)
{
	q->settled = !t->stream_began;
	syn_print(j->tree, add(q, "canonical"));
	tell_words(j, q);
	tell_programs(j, q);
	tell_scripts(j, q);
	tell_session(t, j, q);
}

static void
done(struct question *q)
{
	size_t i;

	for (i = 0; i < q->n; i++) {
		buf_done(&q->texts[i]);
		free(q->names[i]);
	}
}

/* Beside the line, which is recorded next. */
static void
record_cost(struct turn *t, const struct val_verdict *v)
{
	char text[320];

	if (t->audit == NULL || (v->tokens_in == 0 && v->tokens_out == 0 &&
	    v->cost == 0))
		return;
	snprintf(text, sizeof text, "endpoint %s, model %s: %llu tokens in, "
	    "%llu out, cost %llu.%06llu", v->endpoint[0] != '\0' ?
	    v->endpoint : "-", v->model, (unsigned long long)v->tokens_in,
	    (unsigned long long)v->tokens_out,
	    (unsigned long long)(v->cost / 1000000),
	    (unsigned long long)(v->cost % 1000000));
	audit_note(t->audit, "validator-cost", text);
}

/* Whoever logs in waits once for a model that fails, not once a file. */
static bool
failed_before(const struct turn *t, struct turn_judged *j)
{
	if (j->line.origin != LINE_LOGIN || t->login_failed == NULL)
		return false;
	j->asked = *t->login_failed;
	j->was_asked = true;
	return true;
}

static void
remember_failure(struct turn *t, const struct turn_judged *j)
{
	if (j->line.origin != LINE_LOGIN || j->asked.status != VAL_FAILED)
		return;
	t->login_failed = xmalloc(sizeof *t->login_failed);
	*t->login_failed = j->asked;
	t->login_failed->latency_ns = 0;
	t->login_failed->tokens_in = t->login_failed->tokens_out = 0;
	t->login_failed->cost = 0;
	t->login_failed->forged = false;
}

void
turn_ask(struct turn *t, struct turn_judged *j)
{
	struct question all = { .n = 0 };
	struct buf context = BUF_INIT;
	struct val_fact facts[VAL_FACTS_MAX];
	struct val_question q = {
		.line = j->line.bytes,
		.len = j->line.len,
		.cwd = state_cwd(t->opts.state),
		.origin = line_origin_name(j->line.origin),
		.facts = facts,
		.redact = t->redact,
	};

	if (failed_before(t, j))
		return;
	turn_learn_secrets(t);
	gather(t, j, &all);
	for (; q.n_facts < all.n; q.n_facts++)
		facts[q.n_facts] = (struct val_fact){
		    all.names[q.n_facts], all.texts[q.n_facts].data != NULL ?
		    all.texts[q.n_facts].data : "",
		    all.texts[q.n_facts].len };
	make_context(t, j, &context);
	q.settled = all.settled;
	q.context = context.data;
	q.context_len = context.len;
	t->ops->ask(t, &q, &j->asked);
	j->was_asked = true;
	remember_failure(t, j);
	record_cost(t, &j->asked);
	if (j->asked.forged && t->audit != NULL)
		audit_note(t->audit, "cache-forged", "a remembered verdict "
		    "was not the validator's and was removed");
	done(&all);
	buf_done(&context);
}

/* The lines before: the model sees them, since attacks take several. */
void
turn_remember(struct turn *t, const struct turn_judged *j)
{
	char **place = &t->recent[t->n_recent % TURN_RECENT];
	size_t len = j->line.len < TURN_RECENT_LEN ? j->line.len :
	    TURN_RECENT_LEN;

	if (j->line.len == 0)
		return;
	free(*place);
	*place = xasprintf("%s: %.*s%s",
	    decision_action_name(decision_action(j->decision)), (int)len,
	    j->line.bytes, len < j->line.len ? " (cut here)" : "");
	t->n_recent++;
}

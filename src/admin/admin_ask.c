/* SPDX-License-Identifier: ISC */
/* Putting lines to the language model, for trials. */
#include "admin_ask.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "aegsh/audit.h"
#include "aegsh/base/mem.h"

int
admin_ask_new(struct admin *a, struct admin_ask *ret, struct err *err)
{
	AEG_AUTOFREE char *store = NULL;
	struct admin_ask ask = { .validator = NULL };
	int rc = admin_conf(a, err);

	if (rc < 0)
		return rc;
	if (audit_place(a->uid, true, &store, NULL) < 0)
		store = NULL;
	rc = redact_open(store, &ask.redact, err);
	if (rc == 0)
		rc = validator_new(a->conf, store, conf_str(a->conf,
		    CONF_PROFILE), &ask.validator, err);
	if (rc == 0 && !validator_configured(ask.validator))
		rc = err_set(err, -ENOENT,
		    "no endpoint is set (aegsh.conf: endpoint, chain)");
	if (rc < 0)
		admin_ask_done(&ask);
	else
		*ret = ask;
	return rc;
}

void
admin_ask_done(struct admin_ask *ask)
{
	validator_free(ask->validator);
	redact_free(ask->redact);
	*ask = (struct admin_ask){ .validator = NULL };
}

void
admin_ask_line(const struct admin_ask *ask, const struct admin_judged *t,
    const char *cwd, struct val_verdict *ret)
{
	AEG_AUTO(buf_done) struct buf canonical = BUF_INIT;
	AEG_AUTO(buf_done) struct buf commands = BUF_INIT;
	struct val_fact facts[3];
	struct val_question q = { .line = t->facts.bytes,
		.len = t->facts.len, .cwd = cwd, .origin = "prompt",
		.facts = facts, .context = "", .redact = ask->redact };
	size_t i;

	if (t->facts.answer == SYN_TREE) {
		syn_print(t->facts.tree, &canonical);
		for (i = 0; i < t->facts.resolved->n; i++) {
			const struct resolved *r =
			    &t->facts.resolved->items[i];

			buf_putf(&commands, "%s -> %s\n", r->name != NULL ?
			    r->name : "(unknown)", r->path != NULL ? r->path :
			    r->kind == RESOLVE_BUILTIN ? "shell builtin" :
			    "(not a known file)");
		}
		facts[q.n_facts++] = (struct val_fact){ "canonical",
		    canonical.data != NULL ? canonical.data : "",
		    canonical.len };
		facts[q.n_facts++] = (struct val_fact){ "commands",
		    commands.data != NULL ? commands.data : "",
		    commands.len };
		facts[q.n_facts++] = (struct val_fact){ "policy",
		    t->verdict.reason, strlen(t->verdict.reason) };
	}
	validator_ask(ask->validator, &q, -1, NULL, NULL, ret);
}

void
admin_cost_show(uint64_t cost, char ret[32])
{
	snprintf(ret, 32, "%" PRIu64 ".%06" PRIu64, cost / 1000000,
	    cost % 1000000);
}

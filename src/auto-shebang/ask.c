/* SPDX-License-Identifier: ISC */
/*
 * One question to the resolver, with the trace that --debug shows and the
 * message that says where was looked when nothing was found.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define REFUSED_SHOWN 5		/* candidates named in the message */

/* What the message needs, gathered while the search runs. */
struct gathered {
	struct strv origins, refused;
	size_t refused_more;
	char *probe_dirs, *suffixes;
};

static bool debug;

void
ask_debug_on(void)
{
	debug = true;
}

/* Resolution does not depend on it, so a script that distrusts the
 * environment can't switch it off. */
static bool
debug_wanted(void)
{
	const char *v = getenv("AUTO_SHEBANG_DEBUG");

	return debug || (v != NULL && v[0] != '\0' && strcmp(v, "0") != 0);
}

/* The file that runs, as it is on disk: a copy that replaced it by now is
 * another file. */
static void
find_self(struct shebang_query *q)
{
	const char *execfn = (const char *)getauxval(AT_EXECFN);
	struct stat st;

	if (stat("/proc/self/exe", &st) < 0 &&
	    (execfn == NULL || stat(execfn, &st) < 0))
		return;
	q->self_dev = st.st_dev;
	q->self_ino = st.st_ino;
}

void
ask_query(struct shebang_query *q, const char *name, const char *script)
{
	*q = (struct shebang_query){
		.name = name,
		.script = script,
		.cwd_fd = AT_FDCWD,
		.envp = environ,
	};
	find_self(q);
}

static void
step_candidate(struct buf *out, const struct shebang_step *step)
{
	say_text(out, step->text);
	buf_putf(out, ": %s", shebang_verdict_str(step->verdict));
	if (step->errnum != 0)
		buf_putf(out, " (%s)", err_str(-step->errnum));
}

void
ask_step_text(struct buf *out, const struct shebang_step *step)
{
	switch (step->kind) {
	case SHEBANG_STEP_SETTING:
		say_text(out, step->name);
		buf_putc(out, '=');
		say_text(out, step->text);
		buf_putf(out, " (%s)", shebang_source_str(step->source));
		break;
	case SHEBANG_STEP_UNKNOWN:
		buf_putf(out, "line %d: unknown directive auto-shebang-",
		    step->line);
		say_text(out, step->name);
		break;
	case SHEBANG_STEP_ORIGIN:
		buf_putf(out, "origin (%s): ", step->name);
		say_text(out, step->text);
		break;
	case SHEBANG_STEP_SKIPPED:
		say_text(out, step->name);
		buf_putf(out, ": skipped, %s", step->text);
		break;
	case SHEBANG_STEP_CANDIDATE:
		step_candidate(out, step);
		break;
	}
}

static void
gather_setting(struct gathered *g, const struct shebang_step *step)
{
	if (strcmp(step->name, "probe-dirs") == 0) {
		free(g->probe_dirs);
		g->probe_dirs = xstrdup(step->text);
	} else if (strcmp(step->name, "suffixes") == 0) {
		free(g->suffixes);
		g->suffixes = xstrdup(step->text);
	}
}

static void
gather(void *ctx, const struct shebang_step *step)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	struct gathered *g = ctx;

	ask_step_text(&out, step);
	if (debug_wanted())
		say("debug: %s", out.data);
	if (step->kind == SHEBANG_STEP_SETTING)
		gather_setting(g, step);
	if (step->kind == SHEBANG_STEP_ORIGIN)
		strv_add(&g->origins, step->text);
	if (step->kind != SHEBANG_STEP_CANDIDATE ||
	    step->verdict == SHEBANG_MISSING ||
	    step->verdict == SHEBANG_TAKEN)
		return;
	if (g->refused.n < REFUSED_SHOWN)
		strv_take(&g->refused, buf_take(&out));
	else
		g->refused_more++;
}

static void
gathered_done(struct gathered *g)
{
	strv_done(&g->origins);
	strv_done(&g->refused);
	free(g->probe_dirs);
	free(g->suffixes);
}

static void
say_not_found(const struct gathered *g, const struct err *err)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	size_t i;

	say_text(&out, err->text);
	for (i = 0; i < g->origins.n; i++) {
		buf_puts(&out, "\n  searched up to / from ");
		say_text(&out, g->origins.v[i]);
	}
	buf_puts(&out, "\n  probe-dirs: ");
	say_text(&out, g->probe_dirs);
	buf_puts(&out, "\n  suffixes: ");
	say_text(&out, g->suffixes);
	for (i = 0; i < g->refused.n; i++)
		buf_putf(&out, "\n  refused: %s", g->refused.v[i]);
	if (g->refused_more > 0)
		buf_putf(&out, "\n  refused: %zu more", g->refused_more);
	buf_puts(&out, "\n  AUTO_SHEBANG_DEBUG=1 shows every candidate");
	say_block(&out);
}

int
ask(const char *name, const char *script, bool silent,
    struct shebang_result *ret_result)
{
	AEG_AUTO(gathered_done) struct gathered g = { 0 };
	struct err err = ERR_INIT;
	struct shebang_query q;
	int rc;

	ask_query(&q, name, script);
	q.explain = debug_wanted();
	q.trace = gather;
	q.trace_ctx = &g;
	rc = shebang_resolve(&q, ret_result, &err);
	if (debug_wanted())
		say("debug: result: %s", rc == 0 ? ret_result->path :
		    err.text);
	if (rc == 0)
		return 0;
	if (silent)
		return shebang_exit_status(rc);
	if (rc == -ESRCH)
		say_not_found(&g, &err);
	else
		say("%s", err.text);
	return shebang_exit_status(rc);
}

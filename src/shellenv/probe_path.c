/* SPDX-License-Identifier: ISC */
/*
 * The PATH a shell ends with in one kind of session, by starting it.  The
 * answer stands between two marks that no profile can know, so that what
 * a profile prints does not matter.
 */
#include "sim_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define PROBE_OUT_MAX ((size_t)512 * 1024)

static const char *
new_mark(struct shellenv *se)
{
	uint64_t r[2] = { (uint64_t)clock_mono_ns(), 0 };

	if (getrandom(r, sizeof r, GRND_NONBLOCK) < 0)
		r[1] = (uint64_t)clock_wall_ns();
	return se_printf(se, "%016llx%016llx", (unsigned long long)r[0],
	    (unsigned long long)r[1]);
}

/* cd tells a restricted shell by what it does. */
static const char *
script_of(struct shellenv *se, const char *mark)
{
	if (se->row->dialect == DIALECT_FISH)
		return se_printf(se, "printf '\\n%%s%%s%%s' %s "
		    "(string join : $PATH | string collect) %s; "
		    "cd / 2>/dev/null; and printf %%s %s", mark, mark, mark);
	return se_printf(se, "printf '\\n%%s%%s%%s' %s \"$PATH\" %s; "
	    "cd / && printf %%s %s", mark, mark, mark);
}

/* What is started.  For aegsh it is bash: aegsh imports what bash would
 * read, and asking it would put a line into its record. */
static const char *
program_of(struct shellenv *se)
{
	if (se->row->kind == SHELL_AEGSH)
		return se_session_program(se, se_shell_row(SHELL_BASH));
	return se->shell_real;
}

static void
shell_argv(struct shellenv *se, enum probe_session s, const char *program,
    const char *script, struct strv *argv)
{
	const char *name = se->row->kind == SHELL_AEGSH ? "bash" :
	    path_base(se->shell_path);

	/* The name decides what bash, busybox and ksh are. */
	if (strcmp(path_base(program), "busybox") == 0 &&
	    strcmp(name, "busybox") == 0)
		name = "ash";
	strv_add(argv, name);
	if (s == PROBE_LOGIN)
		strv_add(argv, "-l");
	/* aegsh reads nothing in a session that is no login. */
	if (s == PROBE_INTERACTIVE && se->row->kind != SHELL_AEGSH)
		strv_add(argv, "-i");
	strv_add(argv, "-c");
	strv_add(argv, script);
}

static void
read_answer(struct shellenv *se, const struct probe_result *r,
    const char *mark, struct probe_path *ret)
{
	const char *text = r->out.data != NULL ? r->out.data : "";
	const char *from = memmem(text, r->out.len, mark, strlen(mark));
	const char *end = NULL;
	size_t left;

	if (from != NULL) {
		from += strlen(mark);
		left = r->out.len - (size_t)(from - text);
		end = memmem(from, left, mark, strlen(mark));
	}
	if (end != NULL && (size_t)(end - from) <= SHELLENV_VALUE_MAX) {
		ret->path = arena_memdup0(se->arena, from,
		    (size_t)(end - from));
		end += strlen(mark);
		ret->cannot_cd = !text_starts(end, mark);
		return;
	}
	if (r->too_much)
		ret->why = se_printf(se, "its start-up files print more than "
		    "%zu KiB", PROBE_OUT_MAX / 1024);
	else if (r->timed_out)
		ret->why = se_printf(se, "its start-up files did not end "
		    "within %d s", SHELLENV_PROBE_MS / 1000);
	else if (WIFSIGNALED(r->status))
		ret->why = se_printf(se, "it was ended by signal %d",
		    WTERMSIG(r->status));
	else if (WEXITSTATUS(r->status) == 127)
		ret->why = "it cannot be started";
	else
		ret->why = se_printf(se, "a start-up file ended it with "
		    "status %d, or put another program in its place",
		    WEXITSTATUS(r->status));
}

void
se_probe_path(struct shellenv *se, enum probe_session s, struct probe_path *ret)
{
	AEG_AUTO(strv_done) struct strv argv = STRV_INIT, env = STRV_INIT;
	const char *mark = new_mark(se), *program = program_of(se);
	struct probe p = { .limit_ms = SHELLENV_PROBE_MS,
		.out_max = PROBE_OUT_MAX };
	struct probe_result r;
	struct err e = ERR_INIT;
	size_t i;

	*ret = (struct probe_path){ .path = NULL };
	if (program == NULL || se->row->dialect == DIALECT_NONE) {
		ret->why = program == NULL ? "there is no such shell" :
		    "this shell is not asked";
		return;
	}
	if (se->shell_real != NULL && !se_worth_running(se)) {
		ret->why = "others than you and root can write this program";
		return;
	}
	shell_argv(se, s, program, script_of(se, mark), &argv);
	if (s == PROBE_LOGIN || !se->own)
		se_login_env(se, &env);
	else
		for (i = 0; i < se->env.n; i++)
			strv_add(&env, se->env.v[i]);
	p.path = se_disk(se, program);
	p.argv = (const char *const *)strv_peek(&argv);
	p.env = (const char *const *)strv_peek(&env);
	if (se_probe_run(&p, &r, &e) < 0) {
		ret->why = se_strdup(se, e.text);
		return;
	}
	ret->timed_out = r.timed_out;
	read_answer(se, &r, mark, ret);
	se_probe_result_done(&r);
}

/* SPDX-License-Identifier: ISC */
/* Carrying out a plan: show it, ask the person at the terminal, write. */
#include "env_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define TRIES_MAX 100	/* plans of a call, each after another's write */

/* A yes from the terminal itself: what was typed before the question does
 * not count, and neither does standard input. */
static int
ask(struct admin *a)
{
	static const char question[] = "Write this? [y/N] ";
	AEG_AUTOFD int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	char answer[64];
	ssize_t n;

	if (tty < 0) {
		admin_complain(a, "no terminal to ask on: nothing is written "
		    "(--yes writes without asking)");
		return ADMIN_NO;
	}
	fflush(a->out);
	tcflush(tty, TCIFLUSH);
	if (io_write_full(tty, question, strlen(question)) < 0)
		return ADMIN_NO;
	do
		n = read(tty, answer, sizeof answer - 1);
	while (n < 0 && errno == EINTR);
	answer[n > 0 ? n : 0] = '\0';
	answer[strcspn(answer, "\r\n")] = '\0';
	if (strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0)
		return ADMIN_OK;
	admin_complain(a, "nothing is written");
	return ADMIN_NO;
}

static void
show(struct admin *a, const struct shellenv_plan *plan)
{
	AEG_AUTO(buf_done) struct buf diff = BUF_INIT;
	size_t i;
	char *const *note;

	for (note = plan->notes; *note != NULL; note++)
		admin_say(a, "# %s\n", *note);
	for (i = 0; i < plan->n_edits; i++)
		shellenv_diff(&plan->edits[i], &diff);
	if (diff.len > 0)
		admin_say(a, "%s", diff.data);
	else
		admin_say(a, "# nothing to change\n");
}

static json_t *
steps_json(const struct shellenv_plan *plan)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < plan->n_steps; i++) {
		json_t *o = json_object();

		admin_json_text(o, "type", "shell_config");
		admin_json_text(o, "label", plan->steps[i].label);
		admin_json_text(o, "file", plan->steps[i].file);
		admin_json_text(o, "line", plan->steps[i].line);
		json_object_set_new(o, "needs_sudo", json_false());
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
edits_json(const struct shellenv_plan *plan)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < plan->n_edits; i++) {
		const struct shellenv_edit *e = &plan->edits[i];
		AEG_AUTO(buf_done) struct buf diff = BUF_INIT;
		json_t *o = json_object();

		shellenv_diff(e, &diff);
		admin_json_text(o, "file", e->shown);
		admin_json_text(o, "path", e->path);
		admin_json_text(o, "action", e->old == NULL ? "create" :
		    e->new == NULL ? "remove" : "change");
		admin_json_bytes(o, "diff", diff.data, diff.len);
		json_array_append_new(list, o);
	}
	return list;
}

static void
print_json(struct admin *a, const struct shellenv_plan *plan, bool written,
    const struct strv *backups)
{
	json_t *o = json_object(), *notes = json_array(), *kept = json_array();
	char *const *note;
	size_t i;

	for (note = plan->notes; *note != NULL; note++)
		json_array_append_new(notes, admin_json_string(*note));
	for (i = 0; i < backups->n; i++)
		json_array_append_new(kept,
		    admin_json_string(backups->v[i]));
	json_object_set_new(o, "steps", steps_json(plan));
	json_object_set_new(o, "edits", edits_json(plan));
	json_object_set_new(o, "notes", notes);
	json_object_set_new(o, "written", json_boolean(written));
	json_object_set_new(o, "backups", kept);
	admin_json_print(a, o);
}

/* What was done, where it holds, and the way back. */
static void
tell(struct admin *a, const struct env_args *args,
    const struct shellenv_plan *plan, bool written,
    const struct strv *backups)
{
	size_t i;

	for (i = 0; written && i < plan->n_edits; i++)
		admin_say(a, "# %s: %s\n", plan->edits[i].new == NULL ?
		    "removed" : "written", plan->edits[i].shown);
	if (written)
		admin_say(a, "# it holds in new sessions, not in those that "
		    "run\n");
	/* After a failure too: what is kept may have been replaced. */
	for (i = 0; i < backups->n; i++)
		admin_say(a, "# back again by: aegshctl env restore %s%s%s\n",
		    args->user != NULL ? "--user " : "",
		    args->user != NULL ? args->user : "", backups->v[i]);
}

int
env_carry_out(struct admin *a, struct shellenv *se,
    const struct env_args *args, const struct shellenv_plan *plan, bool again)
{
	AEG_AUTO(strv_done) struct strv backups = STRV_INIT;
	struct err err = ERR_INIT;
	bool write = !args->print && plan->n_edits > 0;
	int status = ADMIN_OK, r = 0;

	if (write && !args->yes) {
		if (!args->json)
			show(a, plan);
		status = ask(a);
		write = status == ADMIN_OK;
	}
	if (write)
		r = shellenv_apply(se, plan, &backups, &err);
	if (r == -ESTALE && again && args->yes && backups.n == 0)
		return ENV_AGAIN;
	if (!args->json && (args->yes || args->print || plan->n_edits == 0))
		show(a, plan);
	if (r < 0) {
		status = env_fail(a, &err);
		write = false;
	}
	if (args->json)
		print_json(a, plan, write, &backups);
	else
		tell(a, args, plan, write, &backups);
	return status;
}

int
env_mend(struct admin *a, const struct env_args *args,
    const struct shellenv_want *wants, size_t n)
{
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_plan *plan;
	struct err err = ERR_INIT;
	int status = env_open(a, args, &se), tries = 0;

	if (status != ADMIN_OK)
		return status;
	/* Where installers write side by side, each comes after another. */
	do {
		if (shellenv_plan(se, wants, n, args->file, &plan, &err) < 0)
			return env_fail(a, &err);
		status = env_carry_out(a, se, args, plan, tries < TRIES_MAX);
	} while (status == ENV_AGAIN && tries++ < TRIES_MAX);
	return status;
}

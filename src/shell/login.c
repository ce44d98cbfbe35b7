/* SPDX-License-Identifier: ISC */
/*
 * Login and logout: what start-up files export is taken into the session.
 *
 * Which files, aegsh/shellenv.h tells; each is read once, with all it
 * sources, judged whole as a line of origin "login", and run from that copy
 * where it can change nothing and reach nobody.  Whatever becomes of it, the
 * session begins: a file that was left out is recorded, and told in one line
 * where there is a prompt.
 */
#include "login_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"

#define SHOWN_MAX ((size_t)8192)	/* bytes of a file's output */
#define ENVIRONMENT_MAX ((size_t)65536)
#define FIRST_NOTES 3			/* of those told in one line */
#define PIECES_MAX 64			/* sourced files judged by themselves */

struct login {
	struct shell *sh;
	bool prompt;
	uid_t trust;			/* as of login_text */
	bool system_only;
	struct shellenv *env;
	struct strv notes;		/* what was left out, and why */
	bool lost_layer;		/* … for what the sandbox lacks here */
};

/* Managed, a home's files need the operator's own word. */
static const char *
wanted(const struct shell *sh)
{
	const char *word = conf_str(sh->conf, CONF_LOGIN_FILES);

	if (strcmp(word, "all") == 0 && conf_managed(sh->conf) &&
	    conf_origin(sh->conf, CONF_LOGIN_FILES) != CONF_OPERATOR)
		return "system";
	return word;
}

static void
note(struct login *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void
note(struct login *l, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	strv_add(&l->notes, text);
	if (turn_audit(l->sh->turn) != NULL)
		audit_note(turn_audit(l->sh->turn), "login-left-out", text);
}

/* ---- what PAM would have set -------------------------------------------- */

/* Only what is not there: PAM, sshd or su may have set it otherwise. */
static int
take_assignment(void *ctx, const char *name, const char *value)
{
	struct login *l = ctx;

	if (state_get(l->sh->state, name) == NULL &&
	    state_refuses(name, value) == NULL)
		state_set(l->sh->state, name, value, NULL);
	return 0;
}

static int
take_locale(void *ctx, const char *name, const char *value)
{
	if (strcmp(name, "LANG") != 0 && strcmp(name, "LANGUAGE") != 0 &&
	    !text_starts(name, "LC_"))
		return 0;
	return take_assignment(ctx, name, value);
}

static void
take_variables(struct login *l, const char *path,
    int (*fn)(void *ctx, const char *name, const char *value))
{
	AEG_AUTOFREE char *disk = xasprintf("%s%s", sysdirs()->system, path);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(ENVIRONMENT_MAX);
	struct err err = ERR_INIT;

	if (access(disk, F_OK) < 0)
		return;
	if (shell_login_read(disk, (uid_t)-1, &text, &err) < 0)
		note(l, "%s", err.text);
	else
		shellenv_assignments(text.data, fn, l);
}

static void
take_environment(struct login *l)
{
	bool has_locale = state_get(l->sh->state, "LANG") != NULL ||
	    state_get(l->sh->state, "LC_ALL") != NULL;

	take_variables(l, "/etc/environment", take_assignment);
	if (has_locale)
		return;
	take_variables(l, "/etc/default/locale", take_locale);
	take_variables(l, "/etc/locale.conf", take_locale);
}

/* ---- start-up files ----------------------------------------------------- */

static int
open_env(struct login *l, struct err *err)
{
	char user[32];
	struct strv envp = STRV_INIT;
	struct shellenv_opts opts = {
		.user = user,
		/* Never $HOME, which anybody may set. */
		.home = l->sh->home != NULL ? l->sh->home : "/nonexistent",
		.shell = "aegsh",
		.root = sysdirs()->system,
	};
	int rc;

	snprintf(user, sizeof user, "%u", (unsigned)l->sh->uid);
	state_envp(l->sh->state, &envp);
	opts.env = strv_peek(&envp);
	rc = shellenv_open(&opts, &l->env, err);
	strv_done(&envp);
	return rc;
}

/* Inert, as it may hold what drives a terminal. */
static void
show(const struct buf *out)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	text_inert(&text, out->data, out->len < SHOWN_MAX ? out->len :
	    SHOWN_MAX, TEXT_INERT_NEWLINE);
	if (out->len > SHOWN_MAX)
		buf_puts(&text, "…");
	if (text.len > 0 && text.data[text.len - 1] != '\n')
		buf_putc(&text, '\n');
	if (io_write_full(STDERR_FILENO, text.data, text.len) < 0)
		errno = 0;
}

static struct turn_judged *
judge(struct login *l, const struct buf *text)
{
	struct line line = { text->data, text->len, LINE_LOGIN };
	struct turn_judged *j = turn_judge(l->sh->turn, &line);

	shell_progress_end(l->sh);
	return j;
}

/* Run it or, where it is refused, record that; frees j. */
static void
act(struct login *l, const char *path, struct turn_judged *j)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	struct turn_result r;

	turn_login_act(l->sh->turn, j, (unsigned)conf_int(l->sh->conf,
	    CONF_LOGIN_TIMEOUT), &out, &r);
	if (turn_syntax_error(j) != NULL && !r.ran)
		strv_addf(&l->notes, "%s: %s", path, turn_syntax_error(j));
	else if (decision_action(turn_decision(j)) != DECISION_ALLOW)
		strv_addf(&l->notes, "%s: %s [%s]", path,
		    decision_reason(turn_decision(j)),
		    decision_rule(turn_decision(j)));
	else if (!r.ran)
		strv_addf(&l->notes, "%s: %s", path, r.err.text);
	else if (r.note[0] != '\0')
		strv_addf(&l->notes, "%s: %s", path, r.note);
	l->lost_layer = l->lost_layer || (!r.ran && r.err.code == ERR_LAYER);
	if (l->prompt && out.len > 0)
		show(&out);
	turn_judged_free(j);
}

/* Refused, and not because a model could not be had or had its doubts: that
 * one is asked about the whole alone. */
static bool
refused_by_rules(const struct turn_judged *j)
{
	switch (decision_source(turn_decision(j))) {
	case DECISION_BY_POLICY:
	case DECISION_BY_SYNTAX:
		return decision_action(turn_decision(j)) != DECISION_ALLOW;
	case DECISION_BY_NOBODY:
	case DECISION_BY_VALIDATOR:
	case DECISION_BY_FAIL_MODE:
	case DECISION_BY_PERSON:
		break;
	}
	return false;
}

/* Those of the files put in that are refused by themselves. */
static void
skip_refused(struct login *l, struct login_text *t)
{
	struct strv put = t->put;
	struct err err = ERR_INIT;
	size_t i;

	t->put = (struct strv)STRV_INIT;
	for (i = 0; i < put.n && i < PIECES_MAX; i++) {
		AEG_AUTO(buf_done) struct buf text =
		    BUF_INIT_MAX(LINE_MAX_BYTES);
		struct turn_judged *j;

		if (shell_login_piece(t, put.v[i], &text, &err) < 0)
			continue;
		j = judge(l, &text);
		if (refused_by_rules(j)) {
			strv_add(&t->skip, put.v[i]);
			act(l, put.v[i], j);
		} else {
			turn_judged_free(j);
		}
	}
	strv_done(&put);
}

/* What the file is called among those that were followed. */
static const char *
followed_name(const char *disk)
{
	size_t n = strlen(sysdirs()->system);

	return n > 0 && strncmp(disk, sysdirs()->system, n) == 0 ? disk + n :
	    disk;
}

static void
not_to_be_had(struct login *l, const struct err *err)
{
	/* Managed, that they are not taken in is no news. */
	if (!l->system_only || err->code != ERR_TRUST)
		note(l, "%s", err->text);
	else if (turn_audit(l->sh->turn) != NULL)
		audit_note(turn_audit(l->sh->turn), "login-left-out",
		    err->text);
}

/* One file that is refused must not cost all that stands beside it. */
static void
take_text(struct login *l, const char *path, struct login_text *t)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTO(buf_done) struct buf rest = BUF_INIT_MAX(LINE_MAX_BYTES);
	const char *name = followed_name(path);
	struct err err = ERR_INIT;
	struct turn_judged *j;
	size_t i;

	if (shell_login_text(t, path, name, &text, &err) < 0) {
		not_to_be_had(l, &err);
		return;
	}
	for (i = 0; i < t->left_out.n; i++)
		note(l, "%s", t->left_out.v[i]);
	j = judge(l, &text);
	if (refused_by_rules(j) && t->put.n > 0) {
		skip_refused(l, t);
		if (t->skip.n > 0 &&
		    shell_login_text(t, path, name, &rest, &err) == 0) {
			turn_judged_free(j);
			j = judge(l, &rest);
		}
	}
	act(l, path, j);
}

static void
take_file(struct login *l, const char *path)
{
	struct login_text t = { .trust = l->trust };
	struct err err = ERR_INIT;

	/* Followed anew for each: the one before it set variables. */
	if (open_env(l, &err) < 0 || shellenv_files(l->env, NULL,
	    SHELLENV_LOGIN_CMD, &t.files, &t.n_files, &err) < 0)
		note(l, "%s", err.text);
	else
		take_text(l, path, &t);
	strv_done(&t.left_out);
	strv_done(&t.skip);
	strv_done(&t.put);
	shellenv_free(l->env);
	l->env = NULL;
}

static void
take_files(struct login *l)
{
	const char *const *files;
	struct strv paths = STRV_INIT;
	struct err err = ERR_INIT;
	size_t i;

	if (open_env(l, &err) < 0 ||
	    shellenv_login_files(l->env, &files, &err) < 0) {
		note(l, "%s", err.text);
	} else {
		for (i = 0; files[i] != NULL; i++)
			strv_add(&paths, files[i]);
	}
	shellenv_free(l->env);
	l->env = NULL;
	for (i = 0; i < paths.n; i++)
		take_file(l, paths.v[i]);
	strv_done(&paths);
}

static void
tell(const struct login *l)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; i < l->notes.n && i < FIRST_NOTES; i++)
		buf_putf(&text, "%s%s", i > 0 ? "; " : "", l->notes.v[i]);
	if (i < l->notes.n)
		buf_putf(&text, "; and %zu more", l->notes.n - i);
	/* Refused by the rules, or not to be had, is how it is meant to be; a
	 * machine that cannot confine it is not. */
	if ((l->prompt || l->lost_layer) && text.len > 0)
		shell_say(tr("left out at login: %s"), text.data);
}

/* False where start-up files are not wanted. */
static bool
begin(struct login *l, struct shell *sh, bool prompt)
{
	const char *word;

	if (!sh->args.login || sh->args.noprofile || sh->rescue)
		return false;
	word = wanted(sh);
	*l = (struct login){
		.sh = sh,
		.prompt = prompt,
		.system_only = strcmp(word, "system") == 0,
	};
	l->trust = l->system_only ? (uid_t)-1 : sh->uid;
	return strcmp(word, "none") != 0;
}

void
shell_login(struct shell *sh, bool prompt)
{
	struct login l;

	if (!begin(&l, sh, prompt))
		return;
	take_environment(&l);
	take_files(&l);
	turn_login_end(sh->turn);
	tell(&l);
	strv_done(&l.notes);
	state_set_status(sh->state, 0);
	/* Ctrl-C meanwhile was not for the first line. */
	if (prompt)
		shell_drain_interrupts(sh);
}

/*
 * ~/.bash_logout is for the session's end on the terminal (clear_console):
 * a line as others are, in the session's own sandbox.
 */
void
shell_logout(struct shell *sh)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTOFREE char *path = NULL;
	struct line line = { .origin = LINE_SCRIPT };
	struct turn_judged *j;
	struct turn_result r;
	struct err err = ERR_INIT;
	struct login l;

	if (!begin(&l, sh, true) || sh->home == NULL)
		return;
	path = xasprintf("%s/.bash_logout", sh->home);
	if (access(path, F_OK) < 0)
		return;
	if (shell_login_read(path, l.trust, &text, &err) < 0) {
		if (!l.system_only || err.code != ERR_TRUST)
			note(&l, "%s", err.text);
	} else {
		line.bytes = text.data;
		line.len = text.len;
		j = turn_judge(sh->turn, &line);
		shell_progress_end(sh);
		turn_act(sh->turn, j, "-bash", NULL, &r);
		if (!r.ran)
			strv_addf(&l.notes, "%s: %s", path,
			    turn_syntax_error(j) != NULL ?
			    turn_syntax_error(j) : r.err.text);
		turn_judged_free(j);
	}
	if (l.notes.n > 0)
		shell_say(tr("left out at logout: %s"), l.notes.v[0]);
	strv_done(&l.notes);
}

/* SPDX-License-Identifier: ISC */
/*
 * One request of a line to run a command as another user.  This is a process
 * of its own, a copy of the aegsh that runs the line, outside of every domain
 * (supervise_broker.c): no command can signal it or look into it.
 *
 * Who asks stands in the line's domain and is believed nothing: its words are
 * judged as a line by the rules of now, where it stands, and run by the very
 * bytes that were judged.  Killing or stopping it gains nothing: what root
 * runs is in the line's process group, under the keys of the terminal, and on
 * record to its end.  A person is asked by the aegsh that runs the line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rootenv.h"
#include "aegsh/base/text.h"
#include "turn/turn_changes.h"
#include "turn/turn_elevate.h"
#include "turn/turn_guest.h"

#define STATUS_TEXT 4096	/* of /proc/PID/status that are read */
/* The supervisor looks, and tells, first. */
#define LATE_MS 500
#define LATE_CPU_MS 1000

struct request {
	struct turn *t;
	const struct supervise_broker *door;
	int fd[4];			/* 0, 1, 2, the directory */
	struct strv argv, env;
	char cwd[4096];
	struct elevate_call call;
	struct elevate_file file;	/* that the command is */
	struct turn_judged *j;
	const char *unsure;		/* why the rules do not settle it */
	const char *behind;		/* why nobody was asked */
	char reason[400];
	mode_t umask;
	pid_t group;
};

/* ---- who asks ----------------------------------------------------------- */

/* What follows the word in its status, in text; NULL: it is gone. */
static const char *
status_of(pid_t pid, const char *word, char *text)
{
	AEG_AUTOFD int fd = -1;
	char path[64], *p;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, STATUS_TEXT - 1);
	if (n <= 0)
		return NULL;
	text[n] = '\0';
	p = strstr(text, word);
	return p != NULL ? p + strlen(word) : NULL;
}

static long
number_of(pid_t pid, const char *word, int base)
{
	char text[STATUS_TEXT];
	const char *p = status_of(pid, word, text);

	return p != NULL ? strtol(p, NULL, base) : -1;
}

static bool
stands(pid_t pid)
{
	char text[STATUS_TEXT];
	const char *p = status_of(pid, "\nState:\t", text);

	return p != NULL && *p == 'T';
}

static void
refuse(struct request *r, const char *why)
{
	if (r->call.refusal[0] == '\0')
		snprintf(r->call.refusal, sizeof r->call.refusal, "%s", why);
}

/* Where it stands, and with what. */
static void
look_at_caller(struct request *r)
{
	struct stat st;
	long mask = number_of(r->door->pid, "\nUmask:", 8);

	r->umask = mask >= 0 ? (mode_t)mask & 0777 : 077;
	r->group = getpgid(r->door->pid);
	if (r->group <= 0 || getsid(r->door->pid) != getsid(0))
		refuse(r, "it was called from a session of its own (setsid, "
		    "tmux, script), where neither keys nor passwords could "
		    "reach it: call it from the line itself");
	if (number_of(r->door->pid, "\nUid:", 10) != (long)r->t->opts.uid)
		refuse(r, "it was called by another user than the line's");
	if (fstat(r->fd[3], &st) < 0 || !S_ISDIR(st.st_mode) ||
	    fchdir(r->fd[3]) < 0 || getcwd(r->cwd, sizeof r->cwd) == NULL ||
	    r->cwd[0] != '/') {
		snprintf(r->cwd, sizeof r->cwd, "/");
		refuse(r, "the directory that it was called in is gone, or "
		    "cannot be entered");
	}
}

/* ---- judging ------------------------------------------------------------ */

/* What the rules say, and what no rule can allow without a person. */
static void
judge(struct turn *t, const struct policy_input *in,
    struct policy_verdict *ret)
{
	struct request *r = t->opts.ctx;

	policy_eval(t->policy, in, ret, NULL);
	if (r->call.refusal[0] != '\0') {
		*ret = (struct policy_verdict){ .action = POLICY_BLOCK,
			.rule = "elevate", .reason = r->call.refusal };
		return;
	}
	if (ret->action == POLICY_BLOCK || ret->action == POLICY_WARN)
		return;
	r->unsure = elevate_unsure(&r->call, &r->argv, in->resolved);
	/* Whatever it means in a line: root's is not run on a guess. */
	if (r->unsure == NULL && ret->action == POLICY_UNKNOWN &&
	    !validator_configured(t->validator))
		r->unsure = ret->reason;
	if (r->unsure == NULL)
		return;
	*ret = (struct policy_verdict){ .action = POLICY_WARN,
		.rule = "elevate-unsure", .reason = r->unsure,
		.instead = "the operator can allow it by a rule: "
		    "aegsh-policy(5), EXAMPLES",
		.evidence = ret->evidence };
}

static enum turn_says
confirm(void *ctx, struct turn *t, const struct turn_judged *j)
{
	struct request *r = ctx;
	struct guest_body b = { .out = BUF_INIT_MAX(SUPERVISE_QUESTION_MAX) };
	const char *instead = decision_instead(j->decision);
	int says = -EMSGSIZE;

	/* What is edited comes by descriptors of its own, so that nobody else
	 * in the line can have had it approved. */
	if (r->door->runs && turn_approved(r->door->approved, &r->argv,
	    r->cwd, r->fd, &r->file)) {
		if (t->audit != NULL)
			audit_note(t->audit, "approved", "with the line in "
			    "which it stands");
		return TURN_SAYS_YES;
	}
	guest_put_string(&b, decision_rule(j->decision));
	guest_put_string(&b, decision_reason(j->decision));
	guest_put_string(&b, instead);
	guest_put_string(&b, r->cwd);
	guest_put_text(&b, j->line.bytes, j->line.len);
	if (!buf_overflow(&b.out))
		says = supervise_ask(r->door, b.out.data, b.out.len);
	buf_done(&b.out);
	if (says == SUPERVISE_SAYS_BEHIND)
		r->behind = "; the line is in the background, where nobody is "
		    "asked: bring it to the front with fg, and call it again";
	else if (says < 0)
		r->behind = "; there is nobody who could be asked";
	return says == SUPERVISE_SAYS_YES ? TURN_SAYS_YES : TURN_SAYS_NO;
}

/* By the rules of now, as a line; and asked about, where they say so. */
static void
decide(struct request *r)
{
	static const char path[] = "PATH=" ROOTENV_PATH;
	char *env[] = { (char *)(uintptr_t)path, NULL };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	struct line line = { .origin = LINE_COMMAND };
	struct turn *t = r->t;

	text_quote_words(&text, strv_peek(&r->argv));
	if (buf_overflow(&text))
		refuse(r, "it has more words than a line may have");
	line.bytes = buf_overflow(&text) ? r->argv.v[0] : text.data;
	line.len = buf_overflow(&text) ? strlen(line.bytes) : text.len;
	t->opts.state = state_new_at(env, r->cwd);
	r->j = turn_judge_said(t, &line, 0, 0);
	elevate_file_of(r->call.command > 0 ? r->argv.v[r->call.command] :
	    NULL, &r->file);
	turn_confirm(t, r->j);
}

/* ---- running ------------------------------------------------------------ */

static void
tell(struct request *r, enum supervise_frame type, const void *body,
    size_t len)
{
	struct wire_msg m = WIRE_MSG_INIT;

	m.type = type;
	m.body = body;
	m.len = len;
	/* It may have ended, or stand still. */
	(void)wire_send(r->door->sock, &m, NULL);
}

static void
tell_end(struct request *r, int status)
{
	const uint32_t n = (uint32_t)status;

	tell(r, SUPERVISE_ENDED, &n, sizeof n);
}

/* The rule, and what to do instead, as the shell says them of a line. */
static void
put_advice(struct buf *out, const struct decision *d)
{
	const char *instead = decision_instead(d);

	buf_puts(out, " [");
	text_inert(out, decision_rule(d), strlen(decision_rule(d)), 0);
	buf_puts(out, "]");
	if (instead == NULL)
		return;
	buf_puts(out, "; instead: ");
	text_inert(out, instead, strlen(instead), 0);
}

static void
say(struct request *r, const char *why)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_puts(&out, "aegsh: ");
	text_inert(&out, r->argv.n > 0 ? r->argv.v[0] : "sudo",
	    r->argv.n > 0 ? strlen(r->argv.v[0]) : 4, 0);
	buf_puts(&out, ": not run");
	if (r->j != NULL && decision_unasked(r->j->decision))
		buf_puts(&out, ", as nobody is here to be asked");
	buf_puts(&out, ": ");
	text_inert(&out, why, strlen(why), 0);
	if (r->j != NULL && why == decision_reason(r->j->decision))
		put_advice(&out, r->j->decision);
	if (r->behind != NULL)
		buf_puts(&out, r->behind);
	buf_putc(&out, '\n');
	tell(r, SUPERVISE_TEXT, out.data, out.len < SUPERVISE_MORE_MAX ?
	    out.len : SUPERVISE_MORE_MAX);
}

/* Who asked stops after it, whoever stopped it: sudo looks whose the terminal
 * is, which must be the line's until then. */
static void
tell_stop(void *ctx, pid_t pid, int status)
{
	struct request *r = ctx;
	const uint32_t sig = (uint32_t)WSTOPSIG(status);

	if (stands(pid))
		tell(r, SUPERVISE_STOPPED, &sig, sizeof sig);
}

/*
 * Sudo's answer to a question of elevate_question(): 1, yes; 0, no; -EAGAIN,
 * it does not tell; -EINTR, it was ended.  A no is silent, and what it says
 * otherwise the call itself will hear.
 */
static int
ask_sudo(struct request *r, const struct exec_elevated *as,
    struct strv *words)
{
	AEG_AUTOFD int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	AEG_AUTOFD int said = memfd_create("aegsh-sudo", MFD_CLOEXEC);
	const int std[3] = { null, null, said };
	struct exec_elevated e = *as;
	struct stat st;
	pid_t pid;
	int status;

	e.std = std;
	e.run = strv_peek(words);
	if (null < 0 || said < 0 ||
	    exec_elevate(r->j->decision, &e, &pid, NULL) < 0)
		return -EAGAIN;
	status = elevate_wait(pid, tell_stop, r);
	if (WIFSIGNALED(status))
		return -EINTR;
	if (WEXITSTATUS(status) == 0)
		return 1;
	return WEXITSTATUS(status) == 1 && fstat(said, &st) == 0 &&
	    st.st_size == 0 ? 0 : -EAGAIN;
}

/* The same, asked once in a session.  How sudo says no where nobody can give
 * a password depends on more than sudoers. */
static int
ask_once(struct request *r, const struct exec_elevated *as, bool can,
    struct strv *words)
{
	void *answers = r->t->sudo_answers;
	int says;

	if (elevate_recall(answers, words, true))
		return 1;
	if (can && elevate_recall(answers, words, false))
		return 0;
	says = ask_sudo(r, as, words);
	if (says == 1 || (can && says == 0))
		elevate_remember(answers, words, says == 1);
	return says;
}

/*
 * Without a line for aegsh-confine sudo asks for a password, and then again,
 * before it says no, and never says why it asks.  Whether it lacks that line
 * can be asked only as the user itself where that is to make no entry in
 * sudo's log, by which root's mail comes; who may not run it as that may yet
 * run it as root, and has a hint where a password is asked for.
 */
static int
look_for_line(struct request *r, struct exec_elevated *e,
    const struct strv *confined, struct strv *hinted, struct err *err)
{
	AEG_AUTO(strv_done) struct strv any = STRV_INIT;
	AEG_AUTO(strv_done) struct strv this = STRV_INIT;
	const bool can = elevate_can_ask(confined);
	const uid_t uid = r->t->opts.uid;
	int says;

	elevate_question(confined, uid, can, true, &any);
	elevate_question(confined, uid, can, false, &this);
	says = !can && elevate_recall(r->t->sudo_answers, &this, true) ? 1 :
	    ask_once(r, e, can, &any);
	/* A line may be about this command alone. */
	if (says == 0 && !can)
		says = ask_once(r, e, can, &this);
	if (says == -EINTR)
		return err_set(err, ERR_REFUSED, "a signal ended sudo");
	if (says == 0 && !can)
		return elevate_lacks(uid, err);
	if (says == 0) {
		elevate_with_hint(confined, hinted);
		e->run = strv_peek(hinted);
	}
	return 0;
}

/* Between the question and the start it may have become another. */
static int
start(struct request *r, pid_t *ret_pid, struct err *err)
{
	AEG_AUTO(strv_done) struct strv envp = STRV_INIT;
	AEG_AUTO(strv_done) struct strv confined = STRV_INIT;
	AEG_AUTO(strv_done) struct strv hinted = STRV_INIT;
	struct exec_elevated e = { .path = r->call.path, .std = r->fd,
		.cwd = r->fd[3], .group = r->group, .umask = r->umask,
		.files = r->door->files, .cpu_ms = r->door->cpu_ms > 0 ?
		    r->door->cpu_ms + LATE_CPU_MS : 0,
		.wall_ms = r->door->wall_ms > 0 ?
		    r->door->wall_ms + LATE_MS : 0 };
	struct elevate_file now;
	int rc = turn_check_scripts(r->t, r->j, err);

	elevate_file_of(r->call.command > 0 ? r->argv.v[r->call.command] :
	    NULL, &now);
	if (rc == 0 && elevate_is_over())
		rc = err_set(err, ERR_REFUSED, "its line met a limit");
	if (rc == 0 && !elevate_file_same(&now, &r->file))
		rc = err_set(err, ERR_REFUSED, "%.200s is not what was judged "
		    "any more", r->argv.v[r->call.command]);
	if (rc < 0)
		return rc;
	elevate_envp(r->t, &r->call, &r->env, &envp);
	e.argv = strv_peek(&r->argv);
	e.envp = strv_peek(&envp);
	if (elevate_confined(r->t, &r->call, &r->argv, &envp, &confined)) {
		e.run = strv_peek(&confined);
		if (r->t->audit != NULL && (r->call.in != NULL ||
		    r->call.own_shell != NULL))
			audit_note(r->t->audit, "confined", r->call.in != NULL ?
			    r->call.in : "a root aegsh");
	}
	if (r->call.in != NULL && e.run != NULL)
		rc = look_for_line(r, &e, &confined, &hinted, err);
	return rc < 0 ? rc : exec_elevate(r->j->decision, &e, ret_pid, err);
}

static void
run(struct request *r)
{
	struct audit_outcome o = { .status = TURN_STATUS_BLOCKED };
	struct turn *t = r->t;
	struct audit_event ev;
	struct err err = ERR_INIT;
	int64_t began = clock_mono_ns();
	int status = W_EXITCODE(TURN_STATUS_BLOCKED, 0), rc;
	struct turn_edited *edited = turn_edited_new(t, &r->call, &r->argv,
	    r->cwd);
	pid_t pid;

	turn_event(t, r->j, true, &ev);
	rc = turn_record_intent(t, &ev, &err);
	if (rc == 0) {
		o.start_ns = clock_mono_ns() - began;
		rc = start(r, &pid, &err);
	}
	if (rc == 0) {
		status = elevate_wait(pid, tell_stop, r);
		o.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		o.status = WIFSIGNALED(status) ? 128 + o.signal :
		    WEXITSTATUS(status);
		/* So does sudo itself end that refuses. */
		if (o.status == 1)
			elevate_forget(t->sudo_answers);
	} else {
		o.note = err.text;
		say(r, err.text);
	}
	o.duration_ns = clock_mono_ns() - began;
	turn_edited_record(t, edited, ev.id, ev.uuid);
	turn_edited_free(edited);
	t->ops->outcome(t, ev.id, &o);
	if (t->audit != NULL)
		(void)audit_session_end(t->audit, &err);
	tell_end(r, status);
}

/* ---- one request -------------------------------------------------------- */

/* Nobody but a program that speaks for itself asks like that. */
static void
record_wrong(const struct request *r, const struct guest_who *who,
    const char *wrong)
{
	struct turn *t = r->t;

	if (wrong == NULL)
		return;
	guest_record(t, who, &t->audit, &t->unrecorded);
	if (t->audit == NULL)
		return;
	audit_note(t->audit, "call-malformed", wrong);
	(void)audit_session_end(t->audit, NULL);
}

static void
serve(struct request *r)
{
	const struct guest_who who = { .uid = r->t->opts.uid,
		.pid = r->door->pid, .tty = r->t->tty,
		.remote = NULL, .origin = LINE_COMMAND,
		.label = r->door->label };
	struct turn *t = r->t;
	const char *wrong = NULL;

	if (elevate_take(r->door->sock, r->fd, &r->argv, &r->env, &wrong) <
	    0) {
		record_wrong(r, &who, wrong);
		return;
	}
	turn_refresh_policy(t);
	elevate_parse(t->policy, t->opts.uid, &r->argv, &r->call);
	if (!turn_elevates(t))
		refuse(r, "the profile lets no line gain rights any more");
	look_at_caller(r);
	guest_record(t, &who, &t->audit, &t->unrecorded);
	decide(r);
	if (decision_action(r->j->decision) == DECISION_ALLOW) {
		run(r);
		return;
	}
	turn_record_refusal(t, r->j);
	if (t->audit != NULL)
		(void)audit_session_end(t->audit, NULL);
	say(r, decision_reason(r->j->decision));
	tell_end(r, W_EXITCODE(TURN_STATUS_BLOCKED, 0));
}

void
turn_broker(void *ctx, const struct supervise_broker *door)
{
	static struct turn_ops ops;
	struct request *r = xcalloc(1, sizeof *r);
	struct turn *t = ctx;
	int i;

	*r = (struct request){ .t = t, .door = door, .argv = STRV_INIT,
		.env = STRV_INIT, .fd = { -1, -1, -1, -1 } };
	if (fcntl(door->sock, F_SETFL, O_NONBLOCK) < 0)
		return;
	elevate_hear_end();
	ops = turn_local;
	ops.judge = judge;
	/* What the other process has open is not ours to touch. */
	t->audit = NULL;
	t->exec = NULL;
	t->login = NULL;
	t->unsettled = false;
	t->stream_began = false;
	free(t->unrecorded);
	t->unrecorded = NULL;
	t->ops = &ops;
	t->opts.tty = -1;
	t->opts.session = false;
	t->opts.cancel_fd = door->sock;
	t->opts.confirm = t->opts.confirm != NULL ? confirm : NULL;
	t->opts.progress = NULL;
	t->opts.builtins = NULL;
	t->opts.ctx = r;
	validator_forked(t->validator);
	serve(r);
	validator_free(t->validator);
	for (i = 0; i < 4; i++)
		io_close(&r->fd[i]);
}

/* ---- in the aegsh that runs the line ------------------------------------ */

bool
turn_question(void *ctx, const char *text, size_t len)
{
	struct turn *t = ctx;
	struct guest_body b = { .in = { text, text + len } };
	AEG_AUTOFREE char *rule = guest_get_string(&b);
	AEG_AUTOFREE char *reason = guest_get_string(&b);
	AEG_AUTOFREE char *instead = guest_get_string(&b);
	AEG_AUTOFREE char *cwd = guest_get_string(&b);
	AEG_AUTOFREE char *why = xasprintf("%s (a program of the line that "
	    "runs wants this, in %s)", reason, cwd);
	struct policy_verdict v = { .action = POLICY_WARN, .rule = rule,
		.reason = why, .instead = instead[0] != '\0' ? instead : NULL };
	struct turn_judged *j = xcalloc(1, sizeof *j);
	struct decision_input in = { .policy = &v, .can_ask = true };
	bool yes;

	in.line = guest_get_text(&b, &in.len);
	j->inside = true;
	j->line.bytes = xmemdup0(in.line, in.len);
	j->line.len = in.len;
	j->line.origin = LINE_COMMAND;
	j->cwd = xstrdup(cwd);
	j->decision = decision_make(&in);
	if (!guest_broken(&b))
		turn_confirm(t, j);
	yes = !guest_broken(&b) &&
	    decision_action(j->decision) == DECISION_ALLOW;
	turn_judged_free(j);
	return yes;
}

bool
turn_is_inside(const struct turn_judged *j)
{
	return j->inside;
}

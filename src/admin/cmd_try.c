/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl try`: run a line where nothing that it does stays, show what it
 * did, and commit that or throw it away.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/base/answer.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/turn.h"

enum { O_JSON, O_DIFF, O_COMMIT, O_DISCARD, O_PROFILE, O_SIZE };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_DIFF] = { "diff", 0, NULL, "show what changed in files of text",
	    ADMIN_WORDS_NONE },
	[O_COMMIT] = { "commit", 0, NULL, "commit the changes, if the line is "
	    "one that runs without being asked about", ADMIN_WORDS_NONE },
	[O_DISCARD] = { "discard", 0, NULL, "throw them away and ask nothing",
	    ADMIN_WORDS_NONE },
	[O_PROFILE] = { "profile", 0, "NAME",
	    "judge by that policy profile, which may only be stricter",
	    ADMIN_WORDS_PROFILE },
	[O_SIZE] = { "size", 0, "MIB", "memory that changes may take",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

struct wanted {
	bool json, diff, commit, discard;
	const char *profile;
	uint64_t size;
};

struct run {
	struct admin *admin;
	struct wanted w;
	int tty, cancel;
	int nowhere;		/* takes what nobody may see, or -1 */
	char *conf_user;
	struct state *state;
	struct turn *turn;
	struct turn_judged *judged;
	struct turn_trial *trial;
	const char *done;	/* "committed", "discarded" … */
};

static int
take_options(struct admin *a, struct admin_args *args, struct wanted *w)
{
	int64_t mib;
	int o;

	while ((o = admin_option_next(a, args)) >= 0) {
		if (o == O_JSON)
			w->json = true;
		else if (o == O_DIFF)
			w->diff = true;
		else if (o == O_COMMIT)
			w->commit = true;
		else if (o == O_DISCARD)
			w->discard = true;
		else if (o == O_PROFILE)
			w->profile = args->value;
		else if (text_to_i64(args->value, 1, 1 << 24, &mib) == 0)
			w->size = (uint64_t)mib << 20;
		else {
			admin_complain(a, "%s: no number of MiB", args->value);
			return -EINVAL;
		}
	}
	if (w->commit && w->discard) {
		admin_complain(a, "either --commit or --discard");
		return -EINVAL;
	}
	return o == ADMIN_ARGS_BAD ? -EINVAL : 0;
}

/* ---- the terminal ------------------------------------------------------- */

/* Ctrl-C ends what is tried, not us: what it did is on record. */
static int
open_cancel(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
open_tty(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && tcgetpgrp(fd) != getpgrp())
		io_close(&fd);
	return fd;
}

/* One line of what is typed after the question was put; "" where nobody
 * answers in time, or Ctrl-C does. */
static void
ask(const struct run *r, const char *question, char *ret, size_t size)
{
	struct termios before;
	bool have_modes = answer_prepare(r->tty, &before);
	struct signalfd_siginfo info;

	/* A Ctrl-C before it was for the line. */
	while (read(r->cancel, &info, sizeof info) > 0)
		;
	if (!answer_quiet(r->tty, r->cancel) ||
	    io_write_full(r->tty, question, strlen(question)) < 0 ||
	    !answer_read(r->tty, r->cancel, conf_int(r->admin->conf,
	    CONF_CONFIRM_TIMEOUT), ret, size))
		ret[0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	if (ret[0] == '\0' && io_write_full(r->tty, "\n", 1) < 0)
		errno = 0;
	if (have_modes)
		answer_restore(r->tty, &before);
}

/* The question is put when it is known what it is about. */
static enum turn_says
say_no(void *ctx, struct turn *t, const struct turn_judged *j)
{
	(void)ctx, (void)t, (void)j;
	return TURN_SAYS_NO;
}

/* ---- what it did -------------------------------------------------------- */

static void
show_list(struct admin *a, const char *title, const struct strv *v)
{
	size_t i;

	if (v->n == 0)
		return;
	admin_say(a, "%s:\n", title);
	for (i = 0; i < v->n; i++)
		admin_say(a, "  %s\n", v->v[i]);
}

/* What is read does not come back: where a line asks, and nobody is there to
 * say yes, it shows nothing that it could have read. */
static bool
is_hidden(const struct run *r)
{
	return r->nowhere >= 0;
}

static void
show_diff(struct run *r)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	try_diff(turn_trial_try(r->trial), &out);
	if (out.len > 0)
		fwrite(out.data, 1, out.len, r->admin->out);
}

static void
show(struct run *r)
{
	const struct turn_result *res = turn_trial_result(r->trial);
	const struct try *t = turn_trial_try(r->trial);
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const struct try_change *c;
	size_t n = try_changes(t, &c);

	try_show(t, &out);
	admin_say(r->admin, "status: %d\n", res->status);
	if (res->note[0] != '\0')
		admin_say(r->admin, "note: %s\n", res->note);
	admin_say(r->admin, n > 0 ? "changes:\n" : "changes: none\n");
	if (out.len > 0)
		fwrite(out.data, 1, out.len, r->admin->out);
	show_list(r->admin, "programs", turn_trial_programs(r->trial));
	show_list(r->admin, "network, out of reach",
	    turn_trial_network(r->trial));
	show_list(r->admin, "not seen", try_unseen(t));
	if (r->w.diff && !is_hidden(r))
		show_diff(r);
}

static json_t *
list_json(const struct strv *v)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < v->n; i++)
		json_array_append_new(list, admin_json_string(v->v[i]));
	return list;
}

static json_t *
change_json(const struct try_change *c)
{
	json_t *o = json_object();

	admin_json_text(o, "change", try_kind_name(c->kind));
	admin_json_text(o, "type", try_type_name(c->type));
	admin_json_bytes(o, "path", c->path, strlen(c->path));
	if (c->size >= 0)
		json_object_set_new(o, "size", json_integer(c->size));
	if (c->size_before >= 0)
		json_object_set_new(o, "size_before",
		    json_integer(c->size_before));
	admin_json_text(o, "conflict", c->conflict);
	return o;
}

static void
show_json(struct run *r)
{
	const struct turn_result *res = turn_trial_result(r->trial);
	const struct try *t = turn_trial_try(r->trial);
	AEG_AUTO(buf_done) struct buf diff = BUF_INIT;
	json_t *o = json_object(), *changes = json_array();
	const struct try_change *c;
	size_t n = try_changes(t, &c), i;

	for (i = 0; i < n; i++)
		json_array_append_new(changes, change_json(&c[i]));
	json_object_set_new(o, "status", json_integer(res->status));
	if (res->signal != 0)
		json_object_set_new(o, "signal", json_integer(res->signal));
	if (res->note[0] != '\0')
		admin_json_text(o, "note", res->note);
	admin_json_text(o, "decision", decision_action_name(
	    decision_action(turn_decision(r->judged))));
	json_object_set_new(o, "changes", changes);
	json_object_set_new(o, "programs", list_json(turn_trial_programs(
	    r->trial)));
	json_object_set_new(o, "network", list_json(turn_trial_network(
	    r->trial)));
	json_object_set_new(o, "not_seen", list_json(try_unseen(t)));
	if (r->w.diff && !is_hidden(r)) {
		try_diff(t, &diff);
		admin_json_bytes(o, "diff", diff.data != NULL ? diff.data : "",
		    diff.len);
	}
	admin_json_text(o, "end", r->done);
	admin_json_print(r->admin, o);
}

/* ---- what becomes of it ------------------------------------------------- */

static int
commit(struct run *r, bool said_yes)
{
	struct err err = ERR_INIT;
	const struct try_change *c;
	size_t done, n, i;

	if (turn_try_commit(r->turn, r->judged, r->trial, said_yes, &done,
	    &err) == 0) {
		r->done = "committed";
		return ADMIN_OK;
	}
	r->done = done > 0 ? "half committed" : "not committed";
	admin_complain(r->admin, "%s", err.text);
	n = try_changes(turn_trial_try(r->trial), &c);
	for (i = 0; i < n; i++)
		if (c[i].conflict != NULL)
			admin_complain(r->admin, "%s: %s", c[i].path,
			    c[i].conflict);
	if (done > 0)
		admin_complain(r->admin, "%zu changes were committed before "
		    "that", done);
	return done > 0 ? ADMIN_SYSTEM : ADMIN_NO;
}

static bool
asks(const struct run *r)
{
	return decision_action(turn_decision(r->judged)) == DECISION_CONFIRM;
}

static void
put_reason(const struct run *r)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const char *why = decision_reason(turn_decision(r->judged));

	buf_puts(&out, "aegsh asks: ");
	text_inert(&out, why, strlen(why), 0);
	buf_putc(&out, '\n');
	if (io_write_full(r->tty, out.data, out.len) < 0)
		errno = 0;
}

/* At a terminal; the answer to it answers what the line asks, too. */
static int
choose(struct run *r)
{
	char answer[64];

	if (asks(r))
		put_reason(r);
	for (;;) {
		fflush(r->admin->out);
		ask(r, "Commit these changes? [y/N/d(iff)] ", answer,
		    sizeof answer);
		if (strcmp(answer, "d") == 0) {
			show_diff(r);
			continue;
		}
		if (strcmp(answer, "y") != 0 && strcmp(answer, "yes") != 0)
			return ADMIN_OK;
		return commit(r, true);
	}
}

static int
settle(struct run *r)
{
	const struct try_change *c;

	const bool any = try_changes(turn_trial_try(r->trial), &c) > 0;

	r->done = any ? "discarded" : "nothing changed";
	if (!any || r->w.discard)
		return ADMIN_OK;
	if (r->w.commit && !asks(r))
		return commit(r, false);
	if (r->w.commit && r->tty < 0) {
		r->done = "not committed";
		admin_complain(r->admin, "nothing is committed: the line asks "
		    "(%s), and there is no terminal",
		    decision_reason(turn_decision(r->judged)));
		return ADMIN_NO;
	}
	return r->tty >= 0 && (!r->w.json || r->w.commit) ? choose(r) :
	    ADMIN_OK;
}

/* ---- a session of one line ---------------------------------------------- */

static int
begin(struct run *r, struct err *err)
{
	extern char **environ;
	struct admin *a = r->admin;
	struct turn_opts opts = {
		.profile = r->w.profile,
		.uid = a->uid,
		.loginuid = (uid_t)-1,
		.home = sysdirs()->home != NULL ? sysdirs()->home : a->home,
		.user = a->user,
		.version = PACKAGE_VERSION,
		.origin = LINE_COMMAND,
		.tty = -1,
		.argv0 = "aegsh",
		.confirm = say_no,
		.cancel_fd = r->cancel,
	};
	int outer = -1, rc = supervise_knock(&outer);

	io_close(&outer);
	if (rc != 0)
		return err_set(err, ERR_LAYER, "inside of a line of aegsh "
		    "nothing can be mounted, so nothing can be tried");
	rc = admin_conf(a, err);
	if (rc < 0)
		return rc;
	if (conf_layer_file(a->conf, CONF_USER) != NULL)
		r->conf_user = path_canon(conf_layer_file(a->conf,
		    CONF_USER), "..");
	else if (opts.home != NULL)
		r->conf_user = path_canon(opts.home, ".config/aegsh");
	opts.conf_user = r->conf_user;
	opts.conf = a->conf;
	opts.state = r->state = state_new(environ);
	return turn_new(&opts, &r->turn, err);
}

static int
hide(struct run *r, struct turn_trial_opts *to)
{
	if (!asks(r) || r->tty >= 0)
		return 0;
	r->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (r->nowhere < 0) {
		admin_complain(r->admin, "/dev/null: %s", strerror(errno));
		return -1;
	}
	to->out = to->err = r->nowhere;
	admin_complain(r->admin, "what it writes is not shown, nor are "
	    "differences: the line asks (%s), and there is no terminal",
	    decision_reason(turn_decision(r->judged)));
	return 0;
}

static int
try_it(struct run *r, const char *text)
{
	struct line line = { .origin = LINE_COMMAND, .bytes = text,
		.len = strlen(text) };
	struct turn_trial_opts to = {
		.out = r->w.json ? STDERR_FILENO : STDOUT_FILENO,
		.err = STDERR_FILENO, .size = r->w.size,
	};
	struct err err = ERR_INIT;
	int status;

	if (begin(r, &err) < 0)
		return admin_fail(r->admin, &err);
	r->judged = turn_judge(r->turn, &line);
	if (hide(r, &to) < 0)
		return ADMIN_SYSTEM;
	fflush(r->admin->out);
	if (turn_try(r->turn, r->judged, &to, &r->trial, &err) < 0) {
		if (err.code != ERR_REFUSED)
			return admin_fail(r->admin, &err);
		admin_complain(r->admin, "blocked: %s", err.text);
		return ADMIN_BLOCK;
	}
	if (!r->w.json)
		show(r);
	status = settle(r);
	if (r->w.json)
		show_json(r);
	else if (try_changes(turn_trial_try(r->trial),
	    &(const struct try_change *){ NULL }) > 0)
		admin_say(r->admin, "%s\n", r->done);
	return status;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct run r = { .admin = a, .tty = -1, .cancel = -1,
		.nowhere = -1 };
	int status;

	if (take_options(a, &args, &r.w) < 0 ||
	    admin_operands(a, &args, 1, 1) < 0)
		return ADMIN_USAGE;
	/* No line may look into what holds its record. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) {
		admin_complain(a, "PR_SET_DUMPABLE: %s", strerror(errno));
		return ADMIN_SYSTEM;
	}
	r.tty = open_tty();
	r.cancel = open_cancel();
	status = try_it(&r, argv[args.at]);
	turn_trial_free(r.turn, r.trial);
	turn_judged_free(r.judged);
	turn_free(r.turn);
	state_free(r.state);
	free(r.conf_user);
	io_close(&r.tty);
	io_close(&r.cancel);
	io_close(&r.nowhere);
	return status;
}

const struct admin_verb cmd_try = {
	.name = "try",
	.usage = "[--] LINE",
	.summary = "run a line where nothing stays, and show what it did",
	.run = run,
	.options = options,
};

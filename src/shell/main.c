/* SPDX-License-Identifier: ISC */
/*
 * aegsh: the shell.  Start-up in a fixed order (descriptors, arguments,
 * settings, state, the turn), then one of the entrances.
 */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "shell/shell_int.h"

#define LEFT_OUT_SAID 3

static bool
is_prompt(const struct shell *sh)
{
	return sh->args.command == NULL && sh->args.script == NULL &&
	    sh->wish == NULL && (sh->args.interactive ||
	    (!sh->args.from_stdin && isatty(STDIN_FILENO) &&
	    isatty(STDERR_FILENO)));
}

/*
 * What its user wrote forbids nothing while it is left out: where no prompt
 * tells it, standard error does, as bash tells what is wrong in a start-up
 * file.  Inside of a line the other one has told.
 */
static void
say_own_left_out(const struct shell *sh)
{
	const char *rules = sh->outer < 0 ?
	    policy_own_left_out(turn_policy(sh->turn)) : NULL;

	if (sh->outer < 0 && conf_left_out(sh->conf) != NULL)
		shell_say("%s", conf_left_out(sh->conf));
	if (rules != NULL)
		shell_say("%s", rules);
}

static int
run(struct shell *sh)
{
	bool prompt = is_prompt(sh);
	enum line_origin origin = prompt ? LINE_PROMPT :
	    sh->wish != NULL ? LINE_FORCED :
	    sh->args.command != NULL ? LINE_COMMAND :
	    sh->args.script != NULL ? LINE_SCRIPT : LINE_STDIN;
	int r;

	r = prompt ? shell_enter_terminal(sh) : 0;
	if (r != 0)
		return r;
	if (prompt)
		shell_become_interactive(sh);
	if (prompt && sh->args.bash_options.n > 0)
		shell_say("%s: options of bash do not reach the lines of a "
		    "prompt; each has a bash of its own",
		    sh->args.bash_options.v[0]);
	r = shell_start_turn(sh, origin, prompt);
	if (r == 0 && prompt && shell_is_lost(sh))
		r = SHELL_FAILED;
	if (r != 0 && prompt && shell_rescue(sh))
		r = shell_start_turn(sh, origin, prompt);
	conf_trust_keep(false);
	if (r != 0)
		return r;
	if (!prompt)
		say_own_left_out(sh);
	shell_login(sh, prompt);
	switch (origin) {
	case LINE_PROMPT:
		return shell_run_prompt(sh);
	case LINE_COMMAND:
		return shell_run_command(sh, sh->args.command, origin);
	case LINE_FORCED:
		return shell_run_command(sh, sh->wish, origin);
	case LINE_SCRIPT:
		return shell_run_script(sh, sh->args.script);
	case LINE_STDIN:
	case LINE_LOGIN:
	case LINE_ORIGIN_UNKNOWN:
		return shell_run_stream(sh);
	}
	return SHELL_FAILED;
}

static int
say_about(const struct shell_args *a)
{
	struct buf out = BUF_INIT;
	int r;

	if (a->version)
		buf_puts(&out, "aegsh " AEGSH_VERSION "\n");
	else
		shell_usage(&out);
	r = io_write_full(STDOUT_FILENO, out.data, out.len);
	buf_done(&out);
	return r == 0 ? 0 : SHELL_FAILED;
}

static void
die_by(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

/* Whoever counts on them must not find out by their absence. */
static void
say_left_out(const struct shell *sh)
{
	const struct strv *names = state_left_out(sh->state);
	size_t i;

	for (i = 0; i < names->n && i < LEFT_OUT_SAID; i++)
		shell_say("%s is not passed on: the environment is larger "
		    "than programs can be given", names->v[i]);
	if (names->n > LEFT_OUT_SAID)
		shell_say("so are %zu more variables",
		    names->n - LEFT_OUT_SAID);
}

static void
free_all(struct shell *sh)
{
	turn_free(sh->turn);
	relay_term_free(sh->term);
	state_free(sh->state);
	conf_free(sh->conf);
	strv_done(&sh->args.options);
	strv_done(&sh->args.bash_options);
	free(sh->user);
	free(sh->home);
	free(sh->conf_user);
	arena_free(sh->words);
	io_close(&sh->tty);
	io_close(&sh->interrupts);
	io_close(&sh->hangup);
	io_close(&sh->cancel);
}

/* A leak checker wants to see all of it freed. */
static bool
leaves_at_once(const struct shell *sh)
{
#ifdef AEGSH_SANITIZE
	(void)sh;
	return false;
#else
	return !is_prompt(sh);
#endif
}

int
main(int argc, char **argv)
{
	extern char **environ;
	struct shell sh = { .outer = -1, .tty = -1, .interrupts = -1,
	    .hangup = -1, .cancel = -1 };
	int status;

	if (io_fill_std() != 0)
		return SHELL_FAILED;
	/* In few steps up, and down again only for much: each costs as much
	 * as what is done with it. */
	mallopt(M_TOP_PAD, 256 * 1024);
	mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
	shell_harden(&sh);
	sh.words = arena_new();
	status = shell_args_parse(argc, argv, &sh.args);
	if (status == 0)
		status = shell_args_unwrap(&sh);
	if (status == 0 && !sh.args.help && !sh.args.version)
		status = shell_knock(&sh);
	if (status == 0 && (sh.args.help || sh.args.version)) {
		status = say_about(&sh.args);
		arena_free(sh.words);
		return status;
	}
	if (status != 0) {
		arena_free(sh.words);
		return status;
	}
	shell_find_person(&sh);
	sh.state = state_new(environ);
	say_left_out(&sh);
	shell_take_wish(&sh);
	sh.tty = shell_open_tty(is_prompt(&sh));
	conf_trust_keep(true);
	status = shell_load_settings(&sh);
	if (status == SHELL_FAILED && is_prompt(&sh) && shell_rescue(&sh))
		status = 0;
	if (status == 0)
		status = run(&sh);
	if (leaves_at_once(&sh))
		turn_end(sh.turn);
	else
		free_all(&sh);
	if (sh.exit_signal != 0)
		die_by(sh.exit_signal);
	return status;
}

/* SPDX-License-Identifier: ISC */
/* Start-up, step by step: who it is for, settings, terminal, the turn. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "shell/shell_int.h"

/* The shell itself is no target: its own uid can neither trace it nor read
 * its memory.  (A leak checker traces; a build with one does without.) */
void
shell_harden(struct shell *sh)
{
	struct sigaction old;
	int sig;

	for (sig = 1; sig <= 64; sig++)
		if (sigaction(sig, NULL, &old) == 0 &&
		    old.sa_handler == SIG_IGN)
			sh->ignored |= (uint64_t)1 << (sig - 1);
	/* Ignored, as a parent may leave it, it leaves no child to wait for,
	 * getent(1) the first of them. */
	signal(SIGCHLD, SIG_DFL);
#ifndef AEGSH_SANITIZE
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
	signal(SIGPIPE, SIG_IGN);
	/* A file-size limit must fail the record, not end its writer. */
	signal(SIGXFSZ, SIG_IGN);
}

static void
log_to_stderr(void *ctx, const char *text)
{
	(void)ctx;
	dprintf(STDERR_FILENO, "aegsh: debug: %s\n", text);
}

static uid_t
read_loginuid(void)
{
	char text[32] = "";
	int64_t id;
	int fd AEG_AUTOFD = open("/proc/self/loginuid", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0 ||
	    text_to_i64(text, 0, UINT32_MAX, &id) != 0)
		return (uid_t)-1;
	return (uid_t)id;
}

/* The passwd entry, never the environment: HOME decides what the sandbox
 * opens for writing. */
void
shell_find_person(struct shell *sh)
{
	AEG_AUTO(names_user_done) struct names_user pw = { 0 };
	bool known;

	sh->uid = getuid();
	sh->operator = sh->uid == 0 || sh->uid == sysdirs()->operator_uid;
	sh->loginuid = read_loginuid();
	known = names_user_by_uid(sh->uid, &pw) == 0;
	sh->user = known ? xstrdup(pw.name) :
	    xasprintf("%u", (unsigned)sh->uid);
	if (sysdirs()->home != NULL)
		sh->home = xstrdup(sysdirs()->home);
	else if (known && pw.home[0] == '/')
		sh->home = xstrdup(pw.home);
}

/* Where the user's settings are, or would be: what the sandbox keeps out of
 * reach must be the place that is read. */
static char *
settings_place(const struct shell *sh)
{
	const char *file = conf_layer_file(sh->conf, CONF_USER);

	if (file != NULL)
		return path_canon(file, "..");
	return sh->home != NULL ? path_canon(sh->home, ".config/aegsh") : NULL;
}

/* Inside, what judges is the other one's; what is asked for in vain must not
 * be taken for followed. */
static bool
is_own_matter(const struct shell *sh, const char *option)
{
	static const char *const names[] = { "aliases", "contact", "debug",
		"history", "persist", "prompt", "state-max" };
	size_t len = strcspn(option, "="), i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (strlen(names[i]) == len &&
		    memcmp(names[i], option, len) == 0)
			return true;
	if (sh->outer >= 0)
		shell_say("-o %s: inside of a line of aegsh its settings "
		    "hold", option);
	return sh->outer < 0;
}

int
shell_load_settings(struct shell *sh)
{
	struct err err = ERR_INIT;
	size_t i;

	if (conf_load(sh->uid, sh->home, NULL, &sh->conf, &err) != 0) {
		shell_say("%s", err.text);
		return SHELL_FAILED;
	}
	sh->conf_user = settings_place(sh);
	for (i = 0; i < sh->args.options.n; i++)
		/* Which profile is stricter only the policy can tell. */
		if (text_starts(sh->args.options.v[i], "profile=")) {
			sh->args.profile = sh->args.options.v[i] +
			    strlen("profile=");
		} else if (!is_own_matter(sh, sh->args.options.v[i])) {
			return SHELL_USAGE;
		} else if (conf_override(sh->conf, sh->args.options.v[i],
		    &err) != 0) {
			shell_say("%s", err.text);
			return SHELL_USAGE;
		}
	if (conf_bool(sh->conf, CONF_DEBUG))
		log_set_sink(log_to_stderr, NULL);
	return 0;
}

/*
 * Whoever has no other way in must not be locked out by a broken file: the
 * operator gets in and can mend it, a user can leave.  A user of a personal
 * install who called aegsh has a shell already.
 */
static bool
may_be_rescued(const struct shell *sh)
{
	bool managed = sh->conf == NULL || conf_managed(sh->conf);

	return !sh->rescue && !sh->hopeless && sh->tty >= 0 &&
	    sh->args.profile == NULL &&
	    (sh->operator || sh->args.login || managed);
}

/* Who cannot mend it has a prompt that lets him leave, as it is. */
bool
shell_is_lost(struct shell *sh)
{
	struct err err = ERR_INIT;

	if (!sh->operator || !may_be_rescued(sh) ||
	    turn_check_sandbox(sh->turn, &err) == 0)
		return false;
	shell_say("no line would run: %s", err.text);
	turn_free(sh->turn);
	sh->turn = NULL;
	return true;
}

bool
shell_rescue(struct shell *sh)
{
	if (!may_be_rescued(sh))
		return false;
	sh->rescue = true;
	conf_free(sh->conf);
	sh->conf = conf_strict();
	shell_say("RESCUE: aegsh works without its settings and policy");
	if (sh->operator)
		shell_say("RESCUE: you are asked about each line, and what "
		    "you answer can change anything, aegsh's own files too; "
		    "mend them and start anew");
	else
		shell_say("RESCUE: until the operator mends them you can "
		    "look around (cd, dirs) and leave (exit)");
	return true;
}

static int
open_signal(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What gives up a question or a wait: Ctrl-C, and the session's end. */
static void
open_cancel(struct shell *sh)
{
	struct epoll_event in = { .events = EPOLLIN };

	sh->interrupts = open_signal(SIGINT);
	sh->hangup = open_signal(SIGHUP);
	sh->cancel = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(sh->cancel, EPOLL_CTL_ADD, sh->interrupts, &in);
	epoll_ctl(sh->cancel, EPOLL_CTL_ADD, sh->hangup, &in);
}

/* Containers and services have filters, too; ours is known by a call that no
 * other refuses: to look at one's limits by one's number. */
static bool
is_inside(void)
{
	struct rlimit unused;

	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2 &&
	    prlimit(0, RLIMIT_CORE, NULL, &unused) == 0 &&
	    prlimit(getpid(), RLIMIT_CORE, NULL, &unused) != 0 &&
	    errno == EPERM;
}

/*
 * A sandbox without a door: what is around is gone, or is not to be spoken
 * to.  Nothing could be judged by its rules, nor recorded.
 */
int
shell_knock(struct shell *sh)
{
	int rc = supervise_knock(&sh->outer);

	if (rc > 0 || (rc == 0 && !is_inside()))
		return 0;
	shell_say("inside of a line of aegsh, and that aegsh %s: what runs "
	    "here could be neither judged nor recorded", rc == 0 ||
	    rc == -ENOSYS ? "is gone or cannot be asked" : "refuses");
	return TURN_STATUS_BLOCKED;
}

void
shell_become_interactive(struct shell *sh)
{
	setlocale(LC_CTYPE, "");
	/* Of a terminal's characters "C" knows only ASCII; what lines get is
	 * LANG, as it is. */
	if (MB_CUR_MAX == 1 && strcmp(nl_langinfo(CODESET),
	    "ANSI_X3.4-1968") == 0)
		setlocale(LC_CTYPE, "C.UTF-8");
	shell_speak();
	signal(SIGTSTP, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);	/* as bash at a prompt */
	open_cancel(sh);
}

int
shell_start_turn(struct shell *sh, enum line_origin origin, bool session)
{
	struct turn_opts opts = {
		.conf = sh->conf,
		.state = sh->state,
		.profile = sh->args.profile,
		.bound = sh->args.bound,
		.rescue = sh->rescue,
		.operator = sh->operator,
		.login = sh->args.login,
		.uid = sh->uid,
		.loginuid = sh->loginuid,
		.home = sh->home,
		.user = sh->user,
		.version = AEGSH_VERSION,
		.conf_user = sh->conf_user,
		.origin = origin,
		.session = session,
		.tty = session ? sh->tty : -1,
		.term = session ? sh->term : NULL,
		.argv0 = session ? path_base(sh->args.argv0) : sh->args.argv0,
		.ignored = sh->ignored,
		.bash_options = session ? NULL :
		    strv_peek(&sh->args.bash_options),
		.builtins = session ? shell_builtins : NULL,
		/* The terminal is the line's, whose programs could answer. */
		.confirm = sh->tty >= 0 && sh->outer < 0 ? shell_confirm : NULL,
		.tried = sh->tty >= 0 && sh->outer < 0 ? shell_tried : NULL,
		.progress = sh->tty >= 0 ? shell_progress : NULL,
		.cancel_fd = sh->cancel,
		.guest = sh->outer >= 0,
		.outer = sh->outer,
		.ctx = sh,
	};
	struct err err = ERR_INIT;

	if (turn_new(&opts, &sh->turn, &err) != 0) {
		shell_say("%s", err.text);
		sh->hopeless = err.code == ERR_LAYER;
		return sh->outer >= 0 ? TURN_STATUS_BLOCKED : SHELL_FAILED;
	}
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * What sudo -ll tells of a user: entries of this form, in the order of
 * sudoers(5), of which the last that matches holds.
 *
 *	Sudoers entry:
 *	    RunAsUsers: ALL
 *	    RunAsGroups: ALL
 *	    Options: setenv, !authenticate
 *	    Commands:
 *		ALL
 *
 * sudo -l says whether a command is allowed, and not by which entry.  So what
 * an entry asks beside that, and would be lost, is looked for in all of them:
 * better a command that is refused than one that runs with less.
 */
#include "confine_int.h"

#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define OPTIONS_MAX 512		/* bytes of one entry's */
#define N_LOGS 3

/* What is told or kept of a command, and of us in its stead. */
static const char *const logs[N_LOGS] = { "log_input", "log_output",
	"mail_all_cmnds" };

struct entry {
	bool any_user, any_group;	/* RunAsUsers, RunAsGroups: ALL */
	bool free;			/* !authenticate */
	bool sets;			/* setenv, in so many words */
	bool all;			/* its commands are all there are */
	bool own;			/* … or may be our program */
	bool asks;			/* authenticate, in so many words */
	int logged[N_LOGS];		/* as in logs[]: 1, -1 not, 0 unsaid */
};

struct reading {
	const char *own;
	struct entry now;
	bool in_entry, in_commands, in_defaults, in_general, group;
	bool free;		/* !authenticate of all that say nothing */
	bool all;		/* there is one for everything, as anybody */
	int most[N_LOGS], least[N_LOGS];	/* of any; that may be us */
	size_t n;
	bool locked;		/* there is one that asks for a password */
	bool ours_free;		/* … and one that lets us run without */
	bool named_free;	/* … which means us alone */
	bool total_free;	/* the last for everything has none … */
	bool locked_since;	/* … and one behind it has */
	bool named_sets;
	char lost[OPTIONS_MAX];	/* what one asks that we cannot keep */
};

/* What an entry may say without anything of it being lost by itself: sudo does
 * it when it starts us, or it takes nothing away.  What is logged is compared
 * between entries (find_log()). */
static bool
is_no_loss(const char *option)
{
	static const char *const options[] = { "authenticate", "!authenticate",
	    "setenv", "!noexec", "!log_input", "!log_output",
	    "log_input", "log_output", "!intercept", "mail_all_cmnds",
	    "!mail_all_cmnds", "mail_no_perms", "follow", "!sudoedit_follow",
	    "sudoedit_follow" };

	return TEXT_AMONG(option, options);
}

/* The first of them is told. */
static void
lose(struct reading *r, const char *what)
{
	if (r->lost[0] == '\0')
		snprintf(r->lost, sizeof r->lost, "%s", what);
}

static void
read_log(struct entry *e, const char *option)
{
	const bool no = option[0] == '!';
	size_t i;

	for (i = 0; i < N_LOGS; i++)
		if (strcmp(option + no, logs[i]) == 0)
			e->logged[i] = no ? -1 : 1;
}

static void
read_options(struct reading *r, const char *list)
{
	AEG_AUTOFREE char *copy = xstrdup(list);
	char *at = copy, *option;

	while ((option = strsep(&at, ",")) != NULL) {
		option += strspn(option, " \t");
		if (strcmp(option, "!authenticate") == 0)
			r->now.free = true;
		else if (strcmp(option, "authenticate") == 0)
			r->now.asks = true;
		else if (strcmp(option, "setenv") == 0)
			r->now.sets = true;
		read_log(&r->now, option);
		if (option[0] != '\0' && !is_no_loss(option))
			lose(r, option);
	}
}

/* What holds for all that this user runs holds for us, and what we start,
 * too; but for what an entry can lift for us alone. */
static void
read_general(struct reading *r, const char *line)
{
	AEG_AUTOFREE char *copy = xstrdup(line);
	char *at = copy, *word;

	while ((word = strsep(&at, ",")) != NULL) {
		word += strspn(word, " \t");
		if (strcmp(word, "!authenticate") == 0)
			r->free = true;
		else if (strcmp(word, "authenticate") == 0)
			r->free = false;
		else if (strcmp(word, "noexec") == 0 ||
		    strcmp(word, "intercept") == 0)
			lose(r, word);
	}
}

/* Of settings of single commands: those by which such a command gets more. */
static bool
is_loose(const char *word)
{
	static const char *const loose[] = { "!requiretty", "!use_pty",
	    "!log_input", "!log_output", "!mail_all_cmnds", "!noexec",
	    "!lecture" };

	if (TEXT_AMONG(word, loose))
		return true;
	return word[0] == '\0' || word[0] == '/' ||
	    text_starts(word, "Defaults!/") ||
	    text_starts(word, "Defaults>") ||
	    text_starts(word, "env_keep+=") ||
	    word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_*\"")] == '\0';
}

/* The settings of single commands and users stand in a part of their own.
 * What they ask is not asked of us, and what they give us all get. */
static void
read_defaults(struct reading *r, const char *line)
{
	AEG_AUTOFREE char *copy = xstrdup(line);
	char *at = copy, *word;

	if (strstr(line, "aegsh-confine") != NULL)
		lose(r, line);
	while ((word = strsep(&at, " \t,")) != NULL)
		if (!is_loose(word))
			lose(r, line);
}

static void
end_logs(struct reading *r)
{
	const struct entry *e = &r->now;
	size_t i;

	for (i = 0; i < N_LOGS; i++) {
		if (r->n == 1 || e->logged[i] > r->most[i])
			r->most[i] = e->logged[i];
		if ((e->all || e->own) && e->logged[i] < r->least[i])
			r->least[i] = e->logged[i];
	}
}

static void
end_entry(struct reading *r)
{
	struct entry *e = &r->now;

	if (!r->in_entry)
		return;
	e->free |= r->free && !e->asks;
	end_logs(r);
	r->all |= e->all && e->any_user && (e->any_group || !r->group);
	if (e->all && e->any_user && (e->any_group || !r->group)) {
		r->total_free = e->free;
		r->locked_since = false;
	} else if (!e->free) {
		r->locked_since = true;
	}
	r->locked |= !e->free;
	r->ours_free |= e->free && (e->all || e->own);
	r->named_free |= e->free && e->own && !e->all;
	r->named_sets |= e->sets && e->own && !e->all;
	r->now = (struct entry){ .any_user = false };
	r->in_entry = r->in_commands = false;
}

static void
read_command(struct reading *r, const char *word)
{
	AEG_AUTOFREE char *file = xmemdup0(word, strcspn(word, " "));

	if (strcmp(word, "ALL") == 0)
		r->now.all = true;
	/* The file could be another one by the time that we start it. */
	else if (text_starts(word, "sha") && strchr(file, ':') != NULL)
		lose(r, file);
	/* By any path, as sudo looks at what the file is; or by a directory or
	 * a pattern, which may mean us. */
	else if (strcmp(path_base(file), path_base(r->own)) == 0 ||
	    word[0] == '^' ||
	    strpbrk(file, "*?[\\") != NULL ||
	    (word[0] == '/' && file[strlen(file) - 1] == '/'))
		r->now.own = true;
}

static void
read_line(struct reading *r, const char *line)
{
	const char *text = line + strspn(line, " \t");

	if (text_starts(line, "Sudoers entry:") ||
	    text_starts(line, "LDAP Role:") ||
	    text_starts(line, "SSSD Role:")) {
		end_entry(r);
		r->in_defaults = r->in_general = false;
		r->in_entry = true;
		r->n++;
	} else if (text_starts(line, "Runas and Command-specific defaults")) {
		r->in_defaults = true;
		r->in_general = false;
	} else if (line[0] != ' ' && line[0] != '\t') {
		r->in_defaults = false;
		r->in_general = text_starts(line, "Matching Defaults");
	} else if (r->in_defaults) {
		read_defaults(r, text);
	} else if (r->in_general) {
		read_general(r, text);
	} else if (!r->in_entry) {
		return;
	} else if (text_starts(text, "RunAsUsers: ")) {
		r->now.any_user = strcmp(text + strlen("RunAsUsers: "),
		    "ALL") == 0;
	} else if (text_starts(text, "RunAsGroups: ")) {
		r->now.any_group = strcmp(text + strlen("RunAsGroups: "),
		    "ALL") == 0;
	} else if (text_starts(text, "Options: ")) {
		read_options(r, text + strlen("Options: "));
	} else if (text_starts(text, "Commands:")) {
		r->in_commands = true;
	} else if (r->in_commands) {
		read_command(r, text);
	} else if (!text_starts(text, "NotBefore: ") &&
	    !text_starts(text, "NotAfter: ") && text[0] != '\0') {
		/* Cwd, Chroot, Timeout, Role, …; when it holds is sudo -l's
		 * affair. */
		lose(r, text);
	}
}

/* A password that a command is worth is not to be had around by us. */
static int
check_password(const struct reading *r, struct err *err)
{
	if (!r->ours_free || !r->locked ||
	    (r->total_free && !r->locked_since))
		return 0;
	if (r->named_free)
		return err_set(err, ERR_REFUSED, "sudoers lets %s run without "
		    "a password (NOPASSWD), and asks for one for other "
		    "commands, which nobody would be asked then: who runs this "
		    "machine can take that tag off its line", r->own);
	return err_set(err, ERR_REFUSED, "sudoers asks this user for a "
	    "password for some commands, and does not tell for which: unless "
	    "its last line without one (NOPASSWD) is for ALL as ALL, none can "
	    "be confined; see PASSWORDS in aegsh-confine(8)");
}

/* What one command is worth to be kept of is to be kept of it through us. */
static const char *
find_log(const struct reading *r)
{
	size_t i;

	for (i = 0; i < N_LOGS; i++)
		if (r->least[i] < r->most[i])
			return logs[i];
	return NULL;
}

/* Sudo starts the file that it found, by a digest or one that it knows under
 * another name; we start what has the name by then. */
static int
check_name(const struct reading *r, bool roots, struct err *err)
{
	if (roots || r->all)
		return 0;
	return err_set(err, ERR_REFUSED, "others than root could change what "
	    "it is before it starts, and sudoers does not let this user run "
	    "everything: give a name that only root can change");
}

int
confine_check_list(const char *text, const char *own, bool group, bool roots,
    struct err *err)
{
	AEG_AUTOFREE char *copy = xstrdup(text);
	struct reading r = { .own = own, .group = group,
		.least = { 1, 1, 1 } };
	char *at = copy, *line;
	int rc;

	while ((line = strsep(&at, "\n")) != NULL)
		read_line(&r, line);
	end_entry(&r);
	if (r.n == 0)
		return err_set(err, ERR_SYNTAX, "what sudo -ll tells of this "
		    "user has no entry");
	if (find_log(&r) != NULL)
		lose(&r, find_log(&r));
	if (r.lost[0] != '\0') {
		AEG_AUTO(buf_done) struct buf inert = BUF_INIT;

		text_inert(&inert, r.lost, strlen(r.lost), 0);
		return err_set(err, ERR_REFUSED, "sudoers holds this user to "
		    "\"%.200s\", which would be lost on the way through %s",
		    inert.data, own);
	}
	if (r.named_sets)
		return err_set(err, ERR_REFUSED, "sudoers lets this user set "
		    "variables (SETENV) for %s, which would be handed on to "
		    "every command: who runs this machine can take that tag "
		    "off its line", own);
	rc = check_name(&r, roots, err);
	return rc == 0 ? check_password(&r, err) : rc;
}

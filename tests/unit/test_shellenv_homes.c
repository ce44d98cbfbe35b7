/* SPDX-License-Identifier: ISC */
/*
 * Homes made from tests/cases/shellenv-homes.case, and what is found in
 * each, field by field.  The case file says how it is written.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "scratch.h"
#include "tap.h"

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/shellenv_mend.h"

static struct {
	const char *name, *user_shell, *shell;
	struct strv env;
	struct shellenv *se;
	bool known, uses_root;
	int n;
} c;

static char home[256], root[256];

/* ---- making it -------------------------------------------------------- */

static void
run(const char *what, int rc)
{
	if (rc < 0)
		scratch_die(what);
}

/* "~/x" in the home, "/x" below the root; the directories above it. */
static char *
place(const char *path)
{
	char *full, *p;

	full = path[0] == '~' ? xasprintf("%s%s", home, path + 1) :
	    xasprintf("%s%s", root, path);
	for (p = strchr(full + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	return full;
}

static void
wipe(void)
{
	chmod(home, 0755);
	scratch_remove_in(AT_FDCWD, home);
	scratch_remove_in(AT_FDCWD, root);
}

static void
put_file(const char *path, const char *text, size_t len, mode_t mode)
{
	AEG_AUTOFREE char *full = place(path);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len ||
	    fchmod(fd, mode) < 0)
		scratch_die(full);
	close(fd);
}

static void
begin(const char *name)
{
	static const char defs[] = "ENV_SUPATH PATH=/usr/bin:/bin\n"
	    "ENV_PATH PATH=/usr/bin:/bin\n";
	AEG_AUTOFREE char *p = NULL, *usr = NULL;

	wipe();
	run(home, mkdir(home, 0755));
	run(root, mkdir(root, 0755));
	/* Only the programs of the machine, nothing else of it. */
	usr = xasprintf("%s/usr", root);
	run(usr, mkdir(usr, 0755));
	p = xasprintf("%s/usr/bin", root);
	run(p, symlink("/usr/bin", p));
	free(p);
	p = xasprintf("%s/bin", root);
	run(p, symlink("/usr/bin", p));
	free(p);
	p = xasprintf("%s/etc", root);
	run(p, mkdir(p, 0755));
	strv_done(&c.env);
	memset(&c, 0, sizeof c);
	c.name = name;
	c.user_shell = "/bin/bash";
	c.known = true;
	put_file("/etc/login.defs", defs, strlen(defs), 0644);
}

static void
open_it(void)
{
	AEG_AUTOFREE char *passwd = NULL;
	struct shellenv_opts opts = { .home = home, .root = root,
		.shell = c.shell };
	struct err err = ERR_INIT;

	if (c.se != NULL)
		return;
	if (c.known) {
		passwd = xasprintf("tester:x:%u:%u::%s:%s\n",
		    (unsigned)geteuid(), (unsigned)getegid(), home,
		    c.user_shell);
		put_file("/etc/passwd", passwd, strlen(passwd), 0644);
	}
	strv_addf(&c.env, "HOME=%s", home);
	strv_add(&c.env, "PATH=/usr/bin:/bin");
	opts.env = strv_peek(&c.env);
	if (shellenv_open(&opts, &c.se, &err) < 0) {
		printf("Bail out! %s: %s\n", c.name, err.text);
		exit(99);
	}
}

/* ---- looking at it ---------------------------------------------------- */

/* The home as ~, wherever it stands in a text. */
static char *
tilde(const char *text)
{
	struct buf b = BUF_INIT;
	size_t n = strlen(home);

	for (; text != NULL && *text != '\0'; text++) {
		if (strncmp(text, home, n) == 0) {
			buf_putc(&b, '~');
			text += n - 1;
		} else {
			buf_putc(&b, *text);
		}
	}
	return buf_take(&b);
}

static void
check(const char *what, const char *got, const char *want)
{
	AEG_AUTOFREE char *name = xasprintf("%s: %s", c.name, what);

	IS_STRN(got, want, name);
}

static void
want_field(const char *name, const char *want)
{
	const struct shellenv_record *r;

	open_it();
	if (shellenv_detect(c.se, 0, &r, NULL) < 0)
		exit(99);
	if (strcmp(name, "type") == 0)
		check(name, r->type, want);
	else if (strcmp(name, "source") == 0)
		check(name, r->type_source, want);
	else if (strcmp(name, "login_profile") == 0)
		check(name, r->login_profile != NULL ? r->login_profile :
		    "-", want);
	else if (strcmp(name, "rc_file") == 0)
		check(name, r->rc_file != NULL ? r->rc_file : "-", want);
	else if (strcmp(name, "restricted") == 0)
		check(name, r->restricted ? "yes" : "no", want);
	else if (strcmp(name, "platform") == 0)
		check(name, r->platform_shell != NULL ? r->platform_shell :
		    "-", want);
	else if (strcmp(name, "mendable") == 0)
		check(name, r->mendable ? "yes" : "no", want);
	else
		check(name, "no such field", want);
}

static enum shellenv_session
session(const char *name)
{
	int s;

	for (s = 0; s < SHELLENV_SESSIONS; s++)
		if (strcmp(shellenv_session_name(s), name) == 0)
			return s;
	printf("Bail out! no session %s\n", name);
	exit(99);
}

/* "read SESSION FILE…": what is read, in order, with file:line of what is
 * sourced; "!FILE" is hidden. */
static void
want_read(char *rest)
{
	char *name = strsep(&rest, " ");
	const struct shellenv_file *f;
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	AEG_AUTOFREE char *what = xasprintf("read %s", name);
	size_t i, n;

	open_it();
	if (shellenv_files(c.se, NULL, session(name), &f, &n, NULL) < 0)
		exit(99);
	for (i = 0; i < n; i++) {
		AEG_AUTOFREE char *from = tilde(f[i].sourced_from);

		if (!f[i].read && !(f[i].shadowed_by != NULL && f[i].exists))
			continue;
		buf_putf(&got, "%s%s%s", got.len > 0 ? " " : "",
		    f[i].read ? "" : "!", f[i].shown);
		if (f[i].sourced_from != NULL)
			buf_putf(&got, "<%s:%d%s", from, f[i].line,
			    f[i].maybe ? "?" : "");
	}
	check(what, got.data != NULL ? got.data : "",
	    rest != NULL ? rest : "");
}

/* "findings ID…": all of them, worst first. */
static void
want_findings(char *rest)
{
	static const char letters[] = "EWI";
	const struct shellenv_finding *f;
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	AEG_AUTOFREE char *shown = NULL;
	size_t i, n;

	open_it();
	if (shellenv_check(c.se, 0, &f, &n, NULL) < 0)
		exit(99);
	for (i = 0; i < n; i++) {
		buf_putf(&got, "%s%c:%s", i > 0 ? " " : "",
		    letters[f[i].severity], f[i].id);
		if (f[i].n_evidence > 0 && f[i].evidence[0].line > 0)
			buf_putf(&got, "@%s:%d", f[i].evidence[0].file,
			    f[i].evidence[0].line);
		OKF(f[i].what[0] != '\0' && f[i].remedy[0] != '\0',
		    "%s: %s says what and what to do", c.name, f[i].id);
	}
	shown = tilde(got.data != NULL ? got.data : "");
	check("findings", shown, rest != NULL ? rest : "");
}

/* "which TOOL STATE [FILE:LINE|fix]" */
static void
want_which(char *rest)
{
	static const char *const states[] = { "absent", "unreachable",
	    "found" };
	char *tool = strsep(&rest, " ");
	const struct shellenv_tool *t;
	AEG_AUTOFREE char *got = NULL, *what = xasprintf("which %s", tool);
	AEG_AUTOFREE char *fix = NULL;

	open_it();
	if (shellenv_which(c.se, tool, &t, NULL) < 0)
		exit(99);
	fix = tilde(t->fix);
	if (t->file != NULL)
		got = xasprintf("%s %s:%d", states[t->reach], t->file,
		    t->line);
	else if (t->fix != NULL)
		got = xasprintf("%s %s", states[t->reach], fix);
	else
		got = xstrdup(states[t->reach]);
	check(what, got, rest);
}

/* "add DIR FILE…", "set NAME=VALUE FILE…", "fix ID FILE…": the files that
 * would change, or "refused". */
static void
want_plan(enum shellenv_op op, char *rest)
{
	char *arg = strsep(&rest, " ");
	struct shellenv_want w = { op, arg };
	const struct shellenv_plan *plan;
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	AEG_AUTOFREE char *what = xasprintf("change for %s", arg);
	struct err err = ERR_INIT;
	size_t i;

	open_it();
	if (shellenv_plan(c.se, &w, 1, NULL, &plan, &err) < 0) {
		buf_puts(&got, "refused");
		OKF(err.text[0] != '\0', "%s: %s: %s", c.name, what,
		    err.text);
	} else {
		for (i = 0; i < plan->n_edits; i++)
			buf_putf(&got, "%s%s%s", i > 0 ? " " : "",
			    plan->edits[i].old == NULL ? "+" : "",
			    plan->edits[i].shown);
	}
	check(what, got.data != NULL ? got.data : "", rest != NULL ? rest :
	    "");
}

/* ---- the case file ---------------------------------------------------- */

static char *line_p;		/* what is left of the file */

/* A line with %H as the home. */
static void
put_line(struct buf *b, const char *l)
{
	const char *h = strstr(l, "%H");

	if (h == NULL)
		buf_puts(b, l);
	else
		buf_putf(b, "%.*s%s%s", (int)(h - l), l, home, h + 2);
}

/* Lines behind a file: "|text", "^text" with CR LF, "|!text" as the last
 * one without an end. */
static char *
body(size_t *ret_len)
{
	struct buf b = BUF_INIT;

	while (line_p != NULL && (*line_p == '|' || *line_p == '^')) {
		char *l = strsep(&line_p, "\n");

		if (l[0] == '|' && l[1] == '!') {
			put_line(&b, l + 2);
			break;
		}
		put_line(&b, l + 1);
		buf_puts(&b, l[0] == '^' ? "\r\n" : "\n");
	}
	*ret_len = b.len;
	return buf_take(&b);
}

static void
make(const char *word, char *rest)
{
	char *path = strsep(&rest, " ");
	mode_t mode = rest != NULL && strcmp(word, "link") != 0 ?
	    (mode_t)strtoul(rest, NULL, 8) : 0;
	AEG_AUTOFREE char *text = NULL, *full = NULL;
	size_t len;

	if (strcmp(word, "file") == 0) {
		text = body(&len);
		put_file(path, text, len, mode != 0 ? mode : 0644);
		return;
	}
	full = place(path);
	if (strcmp(word, "dir") == 0) {
		if (mkdir(full, 0755) < 0 && errno != EEXIST)
			scratch_die(full);
		run(full, chmod(full, mode != 0 ? mode : 0755));
	} else if (strcmp(word, "prog") == 0) {
		put_file(path, "#!/bin/sh\n", 10, 0755);
	} else {
		run(full, symlink(rest, full));
	}
}

static void
directive(char *l)
{
	char *word = strsep(&l, " ");
	const char *rest = l != NULL ? l : "";

	if (strcmp(word, "@") == 0)
		begin(rest);
	else if (strcmp(word, "shell") == 0)
		c.user_shell = rest;
	else if (strcmp(word, "as") == 0)
		c.shell = rest;
	else if (strcmp(word, "unknown") == 0)
		c.known = false;
	else if (strcmp(word, "nohome") == 0)
		scratch_remove_in(AT_FDCWD, home);
	else if (strcmp(word, "env") == 0)
		strv_add(&c.env, rest);
	else if (strcmp(word, "read") == 0)
		want_read(l);
	else if (strcmp(word, "findings") == 0)
		want_findings(l);
	else if (strcmp(word, "which") == 0)
		want_which(l);
	else if (strcmp(word, "add") == 0)
		want_plan(SHELLENV_PATH_ADD, l);
	else if (strcmp(word, "set") == 0)
		want_plan(SHELLENV_VAR_SET, l);
	else if (strcmp(word, "fix") == 0)
		want_plan(SHELLENV_FIX, l);
	else if (strcmp(word, "file") == 0 || strcmp(word, "dir") == 0 ||
	    strcmp(word, "prog") == 0 || strcmp(word, "link") == 0)
		make(word, l);
	else
		want_field(word, rest);
}

int
main(void)
{
	const char *top = getenv("abs_top_srcdir");
	AEG_AUTOFREE char *path = xasprintf("%s/tests/cases/"
	    "shellenv-homes.case", top != NULL ? top : ".");
	AEG_AUTOFREE char *text = NULL;
	FILE *f = fopen(path, "r");
	size_t cap = 0;
	int cases = 0;

	if (f == NULL || getdelim(&text, &cap, '\0', f) < 0)
		scratch_die(path);
	fclose(f);
	scratch_new();
	snprintf(home, sizeof home, "%s/home", scratch_dir);
	snprintf(root, sizeof root, "%s/root", scratch_dir);
	for (line_p = text; line_p != NULL && *line_p != '\0';) {
		char *l = strsep(&line_p, "\n");

		if (l[0] == '#' || l[0] == '\0')
			continue;
		if (l[0] == '@') {
			cases++;
			shellenv_free(c.se);
			c.se = NULL;
		}
		directive(l);
	}
	shellenv_free(c.se);
	strv_done(&c.env);
	wipe();
	OKF(cases >= 60, "%d homes", cases);
	return tap_done();
}

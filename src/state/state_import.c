/* SPDX-License-Identifier: ISC */
/*
 * Taking over what a finished bash left: the frame is parsed whole, then
 * sanitised, then applied.  Its bytes come from a process that runs the
 * user's line, so nothing in it is believed beyond its form.
 */
#include "state/state_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define FRAME_START "\0AEGSH1\0_"
#define FRAME_START_LEN 9
#define FRAME_END "END\n"
#define FRAME_END_LEN 4
#define NAME_LEN_MAX 4096

/* A frame, parsed. */
struct frame {
	char *last_arg;
	struct strv dirs;	/* the first is the working directory */
	mode_t umask;
	struct vars vars;
	bool old_pwd_bare;	/* OLDPWD exported, without value */
	bool keeps;		/* not exports alone */
	struct strv plain;
	size_t plain_bytes;
	char *functions;
	struct state_report report;
};

static void
frame_done(struct frame *f)
{
	free(f->last_arg);
	strv_done(&f->dirs);
	vars_done(&f->vars);
	strv_done(&f->plain);
	free(f->functions);
	state_report_done(&f->report);
}

void
state_report_done(struct state_report *r)
{
	strv_done(&r->stripped);
	strv_done(&r->too_large);
}

/*
 * What execve(2) takes of argv and envp together is a quarter of the stack
 * limit, at most 6 MiB.  Half of that is for the environment, so that the
 * line and what programs add find room.
 */
static size_t
environment_max(void)
{
	struct rlimit lim;
	size_t max = 6 * 1024 * 1024;

	if (getrlimit(RLIMIT_STACK, &lim) == 0 &&
	    lim.rlim_cur != RLIM_INFINITY && lim.rlim_cur / 4 < max)
		max = (size_t)(lim.rlim_cur / 4);
	return max / 2;
}

void
state_fit(struct vars *vars, struct strv *ret_too_large)
{
	const size_t max = environment_max();

	while (vars->n > 0 &&
	    vars->bytes + (vars->n + 1) * sizeof(char *) > max) {
		AEG_AUTOFREE char *name = NULL;
		size_t i, largest = 0, size = 0;

		for (i = 0; i < vars->n; i++) {
			size_t len = strlen(vars->v[i]);

			if (len > size) {
				size = len;
				largest = i;
			}
		}
		name = xstrdup(vars->v[largest]);
		*strchr(name, '=') = '\0';
		vars_unset(vars, name);
		strv_add(ret_too_large, name);
	}
}

/* Keep one exported variable, or say why not. */
static void
take_variable(struct frame *f, const char *name, const char *value)
{
	const char *why;

	/* These are bash's own, or came with us. */
	if (strcmp(name, "_") == 0 || strcmp(name, "POSIXLY_CORRECT") == 0)
		return;
	why = state_refuses(name, value);
	if (why != NULL) {
		log_debug("state: %s is not carried: %s", name, why);
		strv_add(&f->report.stripped, name);
	} else if (strlen(name) + strlen(value) + 2 > STATE_VAR_MAX) {
		strv_add(&f->report.too_large, name);
	} else {
		vars_set(&f->vars, name, value);
	}
}

/* ( … ) of an array, in which words may be quoted.  The position after. */
static const char *
skip_array(const char *p, const char *end)
{
	struct buf skipped = BUF_INIT;

	for (p++; p != NULL && p < end && *p != ')';) {
		if (*p == '"' || *p == '$') {
			p = word_value(p, end, &skipped);
			buf_reset(&skipped);
		} else {
			p++;
		}
	}
	buf_done(&skipped);
	return p != NULL && p < end ? p + 1 : NULL;
}

/* What declare says of one name. */
struct attributes {
	bool exported, nameref, function;
	char array;		/* a, A, or 0 */
};

static void
take_plain(struct frame *f, const char *name, const char *value)
{
	size_t size = strlen(name) + strlen(value) + 8;

	if (f->plain.n >= STATE_VARS_MAX ||
	    size > STATE_PLAIN_MAX - f->plain_bytes) {
		strv_add(&f->report.too_large, name);
		return;
	}
	f->plain_bytes += size;
	state_keep_value(&f->plain, name, value);
}

static const char *
take_array(struct frame *f, const char *name, const struct attributes *a,
    const char *p, const char *end)
{
	size_t n = f->plain.n, size;

	if (!f->keeps || a->array == 0 || a->nameref || n >= STATE_VARS_MAX ||
	    !state_keeps_name(name))
		return skip_array(p, end);
	p = state_keep_array(&f->plain, name, a->array, p, end);
	if (p == NULL || f->plain.n == n)
		return p;
	size = strlen(f->plain.v[n]);
	if (size > STATE_PLAIN_MAX - f->plain_bytes) {
		free(f->plain.v[n]);
		f->plain.v[n] = NULL;
		f->plain.n = n;
		strv_add(&f->report.too_large, name);
	} else {
		f->plain_bytes += size;
	}
	return p;
}

/* NAME, NAME="value" or NAME=(array) and the newline.  Position after. */
static const char *
take_assignment(struct frame *f, const struct attributes *a, const char *p,
    const char *end)
{
	struct buf value = BUF_INIT;
	AEG_AUTOFREE char *name = NULL;
	const char *start = p;

	while (p < end && *p != '=' && *p != '\n')
		p++;
	if (p == end || p - start > NAME_LEN_MAX ||
	    !text_is_name(start, (size_t)(p - start)))
		return NULL;
	name = xmemdup0(start, (size_t)(p - start));
	if (*p == '\n') {
		f->old_pwd_bare |= strcmp(name, "OLDPWD") == 0;
		return p + 1;
	}
	p++;
	if (p < end && *p == '(') {
		p = take_array(f, name, a, p, end);
	} else {
		p = word_value(p, end, &value);
		if (p != NULL && a->exported && f->vars.n < STATE_VARS_MAX)
			take_variable(f, name,
			    value.len > 0 ? value.data : "");
		else if (p != NULL && !a->exported && !a->nameref &&
		    state_keeps_name(name))
			take_plain(f, name, value.len > 0 ? value.data : "");
	}
	buf_done(&value);
	return p != NULL && p < end && *p == '\n' ? p + 1 : NULL;
}

/* One line of export -p, declare -p or declare -F.  Position after, or
 * NULL. */
static const char *
take_statement(struct frame *f, const char *p, const char *end)
{
	const char *eol = memchr(p, '\n', (size_t)(end - p));
	struct attributes a = { .exported = !f->keeps };

	if (eol == NULL)
		return NULL;
	if (eol - p > 7 && memcmp(p, "export ", 7) == 0) {
		p += 7;
		a.exported = true;
	} else if (eol - p > 8 && memcmp(p, "declare ", 8) == 0) {
		p += 8;
	} else {
		return NULL;
	}
	while (*p == '-') {
		for (; p < eol && *p != ' '; p++) {
			a.function |= *p == 'f';
			a.exported |= *p == 'x';
			a.nameref |= *p == 'n';
			if (*p == 'a' || *p == 'A')
				a.array = *p;
		}
		if (p == eol)
			return NULL;
		p++;
	}
	if (!a.function)
		return take_assignment(f, &a, p, end);
	f->report.lost_functions = true;
	return eol + 1;
}

/* "0022\n". */
static const char *
take_umask(struct frame *f, const char *p, const char *end)
{
	unsigned int mask = 0;
	int digits;

	for (digits = 0; p < end && *p >= '0' && *p <= '7'; digits++, p++)
		mask = mask * 8 + (unsigned int)(*p - '0');
	if (digits != 4 || mask > 0777 || p == end || *p != '\n')
		return NULL;
	f->umask = mask;
	return p + 1;
}

/* The directory stack: a letter and an entry each, up to a NUL. */
static const char *
take_entries(struct frame *f, const char *p, const char *end)
{
	size_t bytes = 0;

	while (p < end && *p == 'D') {
		const char *nul = memchr(p, '\0', (size_t)(end - p));
		size_t len;

		if (nul == NULL)
			return NULL;
		p++;
		len = (size_t)(nul - p);
		bytes += len + 1;
		if (f->dirs.n <= STATE_DIRS_MAX &&
		    (f->dirs.n == 0 || bytes <= STATE_DIRS_BYTES_MAX))
			strv_take(&f->dirs, xmemdup0(p, len));
		p = nul + 1;
	}
	return p;
}

static int
parse(struct frame *f, const char *p, size_t len, struct err *err)
{
	const char *end = p + len, *nul;

	if (len < FRAME_START_LEN + 1 + FRAME_END_LEN ||
	    memcmp(p, FRAME_START, FRAME_START_LEN) != 0 ||
	    memcmp(end - FRAME_END_LEN - 1, "\0" FRAME_END,
	    FRAME_END_LEN + 1) != 0)
		return err_set(err, ERR_SYNTAX, "frame without its marks");
	p += FRAME_START_LEN;
	end -= FRAME_END_LEN + 1;
	nul = memchr(p, '\0', (size_t)(end - p));
	if (nul == NULL)
		return err_set(err, ERR_SYNTAX, "frame without fields");
	f->last_arg = xmemdup0(p, (size_t)(nul - p));
	p = take_entries(f, nul + 1, end);
	if (p == NULL)
		return err_set(err, ERR_SYNTAX, "frame: directory stack");
	p = take_umask(f, p, end);
	if (p == NULL)
		return err_set(err, ERR_SYNTAX, "frame: umask");
	while (p < end) {
		/* Behind this mark stand the functions, up to the end. */
		if (f->keeps && end - p >= 2 && p[0] == '\0' && p[1] == 'F') {
			f->functions = xmemdup0(p + 2, (size_t)(end - p - 2));
			break;
		}
		p = take_statement(f, p, end);
		if (p == NULL)
			return err_set(err, ERR_SYNTAX, "frame: variables");
	}
	return 0;
}

/* The name that leads to where we are now: to, unless it leads elsewhere.
 * One that leads nowhere is kept, as bash keeps it. */
static char *
name_of_here(const char *to)
{
	struct stat here, there;
	char *cwd;

	if (stat(to, &there) < 0 || stat(".", &here) < 0 ||
	    (here.st_dev == there.st_dev && here.st_ino == there.st_ino))
		return xstrdup(to);
	cwd = getcwd(NULL, 0);
	if (cwd != NULL && *cwd == '/')
		return cwd;
	free(cwd);
	return xstrdup(to);
}

/* Go where the child was.  False when that is not possible. */
static bool
follow(struct state *s, const struct frame *f)
{
	const char *to = f->dirs.n > 0 ? f->dirs.v[0] :
	    vars_get(&f->vars, "PWD");
	char *name;

	/* Without a name (the directory was removed before the line) there
	 * was no move. */
	if (to == NULL || *to != '/' || strlen(to) > STATE_DIR_MAX)
		return to == NULL || *to != '/';
	if (s->child_cwd >= 0 && fchdir(s->child_cwd) == 0)
		name = name_of_here(to);
	else if (strcmp(to, s->cwd) == 0)
		return true;
	else if (chdir(to) == 0)
		name = xstrdup(to);
	else
		return false;
	free(s->cwd);
	s->cwd = name;
	return true;
}

static void
apply(struct state *s, struct frame *f)
{
	const char *old = vars_get(&s->vars, "OLDPWD");
	size_t i;

	f->report.cwd_failed = !follow(s, f);
	vars_set(&f->vars, "PWD", s->cwd);
	/* A bash that starts after the directory was removed does not take
	 * OLDPWD over, but its owner still has it. */
	if (f->old_pwd_bare && old != NULL)
		vars_set(&f->vars, "OLDPWD", old);
	state_fit(&f->vars, &f->report.too_large);
	vars_done(&s->vars);
	s->vars = f->vars;
	memset(&f->vars, 0, sizeof(f->vars));
	strv_done(&s->dirs);
	for (i = 1; i < f->dirs.n; i++)
		strv_add(&s->dirs, f->dirs.v[i]);
	s->umask = f->umask;
	strv_done(&s->plain);
	s->plain = f->plain;
	memset(&f->plain, 0, sizeof(f->plain));
	free(s->functions);
	s->functions = AEG_STEAL(f->functions);
	if (strlen(f->last_arg) < STATE_VAR_MAX)
		state_set_last_arg(s, f->last_arg);
}

void
state_child_cwd(struct state *s, int fd)
{
	s->child_cwd = fd;
}

int
state_import(struct state *s, const char *frame, size_t len,
    struct state_report *ret, struct err *err)
{
	struct frame f;
	int r;

	memset(&f, 0, sizeof(f));
	f.keeps = s->keeps;
	r = parse(&f, frame, len, err);
	if (r == 0) {
		apply(s, &f);
		*ret = f.report;
		memset(&f.report, 0, sizeof(f.report));
	}
	s->child_cwd = -1;
	frame_done(&f);
	return r;
}

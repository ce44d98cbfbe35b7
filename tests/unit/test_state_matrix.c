/* SPDX-License-Identifier: ISC */
/*
 * The hostile matrix: each line of tests/cases/state-matrix.case is run by
 * plain bash and by a captured one.  Output, complaints and wait status must
 * be the same to the byte; then the frame must be what the case says, and
 * the state after the import must hold what bash would have handed on.
 */
#include "aegsh/capture.h"
#include "aegsh/state.h"

#include <limits.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "launch.h"
#include "scratch.h"
#include "tap.h"

struct test_case {
	char *name, *line, *cwd, *here;
	struct strv want;	/* "NAME=value" */
	struct strv absent, stripped, too_large, dirs;
	enum capture_frame frame;
	bool any_frame;		/* races: only what must never happen counts */
	bool out_differs, err_differs, status_differs, lost_functions;
	char *needs;		/* a program */
	mode_t umask;
};

static const char *const frames[] = {
	[CAPTURE_MISSING] = "missing",
	[CAPTURE_NOT_ASKED] = "not asked",
	[CAPTURE_FORGED] = "forged",
	[CAPTURE_TOO_LONG] = "too long",
	[CAPTURE_VALID] = "valid",
};

static void
case_done(struct test_case *t)
{
	free(t->name);
	free(t->line);
	free(t->cwd);
	free(t->here);
	free(t->needs);
	strv_done(&t->want);
	strv_done(&t->absent);
	strv_done(&t->stripped);
	strv_done(&t->too_large);
	strv_done(&t->dirs);
}

/* %XX is a byte, so that a case file is plain ASCII; %S is the directory
 * of this run. */
static char *
decode(const char *p)
{
	struct buf b = BUF_INIT;
	unsigned int byte;

	for (; *p != '\0'; p++) {
		if (text_starts(p, "%S")) {
			buf_puts(&b, scratch_dir);
			p++;
		} else if (*p == '%' && sscanf(p + 1, "%2x", &byte) == 1) {
			buf_putc(&b, (char)byte);
			p += 2;
		} else {
			buf_putc(&b, *p);
		}
	}
	return buf_take(&b);
}

static void
bad_file(int number, const char *text)
{
	fprintf(stderr, "state-matrix.case:%d: %s\n", number, text);
	exit(99);
}

static void
take_key(struct test_case *t, const char *key, const char *rest, int number)
{
	size_t i;

	if (strcmp(key, "want") == 0) {
		strv_take(&t->want, decode(rest));
	} else if (strcmp(key, "absent") == 0) {
		strv_add(&t->absent, rest);
	} else if (strcmp(key, "stripped") == 0) {
		strv_add(&t->stripped, rest);
	} else if (strcmp(key, "too-large") == 0) {
		strv_add(&t->too_large, rest);
	} else if (strcmp(key, "dir") == 0) {
		strv_take(&t->dirs, decode(rest));
	} else if (strcmp(key, "cwd") == 0) {
		t->cwd = decode(rest);
	} else if (strcmp(key, "here") == 0) {
		t->here = decode(rest);
	} else if (strcmp(key, "umask") == 0) {
		t->umask = (mode_t)strtoul(rest, NULL, 8);
	} else if (strcmp(key, "needs") == 0) {
		t->needs = xstrdup(rest);
	} else if (strcmp(key, "functions") == 0) {
		t->lost_functions = true;
	} else if (strcmp(key, "out-differs") == 0) {
		t->out_differs = true;
	} else if (strcmp(key, "err-differs") == 0) {
		t->err_differs = true;
	} else if (strcmp(key, "status-differs") == 0) {
		t->status_differs = true;
	} else if (strcmp(key, "frame") == 0 && strcmp(rest, "any") == 0) {
		t->any_frame = true;
	} else if (strcmp(key, "frame") == 0) {
		for (i = 0; i < AEG_NELEM(frames); i++)
			if (strcmp(frames[i], rest) == 0)
				break;
		if (i == AEG_NELEM(frames))
			bad_file(number, rest);
		t->frame = (enum capture_frame)i;
	} else {
		bad_file(number, key);
	}
}

/* The next case; false at the end. */
static bool
read_case(FILE *f, struct test_case *t, int *number)
{
	AEG_AUTOFREE char *text = NULL;
	struct buf line = BUF_INIT;
	bool in_line = false;
	size_t cap = 0;
	ssize_t n;

	memset(t, 0, sizeof(*t));
	t->frame = CAPTURE_VALID;
	t->umask = 022;
	while ((n = getline(&text, &cap, f)) >= 0) {
		++*number;
		if (in_line && strcmp(text, ".\n") == 0) {
			/* Its last newline is the file's, not the line's. */
			line.data[--line.len] = '\0';
			t->line = decode(line.data);
			buf_done(&line);
			return true;
		}
		if (in_line) {
			buf_puts(&line, text);
			continue;
		}
		text[n - 1] = '\0';
		if (*text == '#' || *text == '\0')
			continue;
		if (text_starts(text, "== ")) {
			t->name = xstrdup(text + 3);
		} else if (strcmp(text, "run") == 0) {
			in_line = true;
		} else {
			char *rest = text + strcspn(text, " ");

			if (*rest != '\0')
				*rest++ = '\0';
			take_key(t, text, rest, *number);
		}
	}
	if (in_line || t->name != NULL)
		bad_file(*number, "unfinished case");
	return false;
}

/* The directory in which each run starts, the same both times. */
static void
fresh_place(void)
{
	AEG_AUTOFREE char *place = scratch_path("place");
	AEG_AUTOFREE char *sub = scratch_path("place/sub");
	AEG_AUTOFREE char *link = scratch_path("place/link");

	if (chdir("/") < 0)
		scratch_die("/");
	if (access(place, F_OK) == 0)
		scratch_remove_in(AT_FDCWD, place);
	if (mkdir(place, 0755) < 0 || mkdir(sub, 0755) < 0 ||
	    symlink("sub", link) < 0 || chdir(place) < 0)
		scratch_die(place);
}

static struct state *
fresh_state(void)
{
	char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	char locale[] = "LC_ALL=C.UTF-8", shlvl[] = "SHLVL=1";
	char *entries[] = { path, locale, shlvl,
		xasprintf("HOME=%s", scratch_dir),
		xasprintf("OLDPWD=%s", scratch_dir),
		xasprintf("KEEP=kept %s", "\"$`\\'\n\303\251\377"), NULL };
	struct state *s = state_new(entries);
	size_t i;

	for (i = 3; entries[i] != NULL; i++)
		free(entries[i]);
	return s;
}

static bool
has(const struct strv *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (strcmp(list->v[i], name) == 0)
			return true;
	return false;
}

static void
check_report(const struct test_case *t, const struct state_report *r)
{
	size_t i;
	bool good = r->stripped.n == t->stripped.n &&
	    r->too_large.n == t->too_large.n &&
	    r->lost_functions == t->lost_functions && !r->cwd_failed;

	for (i = 0; i < t->stripped.n; i++)
		good &= has(&r->stripped, t->stripped.v[i]);
	for (i = 0; i < t->too_large.n; i++)
		good &= has(&r->too_large, t->too_large.v[i]);
	OKF(good, "%s: the report", t->name);
	if (!good)
		printf("# %zu stripped, %zu too large, functions %d, "
		    "cwd failed %d\n", r->stripped.n, r->too_large.n,
		    r->lost_functions, r->cwd_failed);
}

static void
check_state(const struct test_case *t, struct state *s)
{
	AEG_AUTOFREE char *start = scratch_path("place");
	const char *keep = state_get(s, "KEEP");
	char here[PATH_MAX];
	char *const *dirs = state_dirstack(s);
	size_t i;

	IS_STRN(state_cwd(s), t->cwd != NULL ? t->cwd : start, "cwd");
	if (t->here != NULL) {
		ssize_t n = readlink("/proc/self/cwd", here,
		    sizeof(here) - 1);

		here[n > 0 ? n : 0] = '\0';
		IS_STRN(here, t->here, "where the process is");
	}
	for (i = 0; i < t->want.n; i++) {
		char *eq = strchr(t->want.v[i], '=');
		AEG_AUTOFREE char *name = xmemdup0(t->want.v[i],
		    (size_t)(eq - t->want.v[i]));

		IS_STRN(state_get(s, name), eq + 1, name);
	}
	for (i = 0; i < t->absent.n; i++)
		OKF(state_get(s, t->absent.v[i]) == NULL, "no %s",
		    t->absent.v[i]);
	if (!has(&t->absent, "KEEP"))
		OKF(keep != NULL && strcmp(keep,
		    "kept \"$`\\'\n\303\251\377") == 0, "KEEP is kept");
	OKF(state_get(s, "AEGSH_ST") == NULL &&
	    state_get(s, "AEGSH_LA") == NULL &&
	    state_get(s, "BASH_ENV") == NULL &&
	    state_get(s, "POSIXLY_CORRECT") == NULL, "nothing of ours");
	for (i = 0; i < t->dirs.n; i++)
		if (dirs[i] == NULL || strcmp(dirs[i], t->dirs.v[i]) != 0)
			break;
	OKF(i == t->dirs.n && dirs[i] == NULL, "the directory stack");
	IS_INTN(state_umask(s), t->umask, "umask");
}

static void
same_bytes(const struct buf *got, const struct buf *want, const char *name,
    const char *what)
{
	bool same = got->len == want->len && (got->len == 0 ||
	    memcmp(got->data, want->data, got->len) == 0);

	OKF(same, "%s: same %s", name, what);
	if (!same)
		printf("#  got: %.*s\n# want: %.*s\n", (int)got->len,
		    got->len > 0 ? got->data : "", (int)want->len,
		    want->len > 0 ? want->data : "");
}

static void
run_plain(const struct test_case *t, struct launched *ret)
{
	struct launch l = { .line = t->line, .umask = 022 };
	struct strv env = STRV_INIT;
	struct state *s;

	fresh_place();
	s = fresh_state();
	state_envp(s, &env);
	l.envp = strv_peek(&env);
	launch_run(&l, NULL, ret);
	strv_done(&env);
	state_free(s);
}

static void
run_captured(const struct test_case *t, struct launched *ret)
{
	struct launch l = { .line = t->line };
	struct state_report report = { 0 };
	struct strv env = STRV_INIT;
	struct capture *c = NULL;
	struct err err = ERR_INIT;
	const char *bytes;
	enum capture_frame frame;
	struct state *s;
	size_t len;

	fresh_place();
	s = fresh_state();
	state_envp(s, &env);
	capture_env(&env, 0, "");
	l.envp = strv_peek(&env);
	l.umask = state_umask(s);
	if (capture_new((size_t)2 << 20, &c, &err) < 0)
		scratch_die(err.text);
	launch_run(&l, c, ret);
	OKF(!ret->timed_out, "%s: ends by itself", t->name);
	frame = capture_frame(c, &bytes, &len);
	if (!t->any_frame)
		OKF(frame == t->frame, "%s: frame is %s", t->name,
		    frames[t->frame]);
	if (frame != t->frame)
		printf("# it is %s: %s\n", frames[frame], capture_why(c));
	if (frame == CAPTURE_VALID) {
		int r;

		state_child_cwd(s, capture_cwd_fd(c));
		r = state_import(s, bytes, len, &report, &err);

		OKF(r == 0, "%s: imported", t->name);
		if (r < 0)
			printf("# %s\n", err.text);
	}
	check_report(t, &report);
	check_state(t, s);
	state_report_done(&report);
	capture_free(c);
	strv_done(&env);
	state_free(s);
}

static bool
can_run(const char *program)
{
	AEG_AUTOFREE char *path = xasprintf("/usr/bin/%s", program);

	return access(path, X_OK) == 0;
}

static void
run_case(const struct test_case *t)
{
	struct launched plain, captured;

	if (t->needs != NULL && !can_run(t->needs)) {
		SKIP(1, t->needs);
		return;
	}
	run_plain(t, &plain);
	run_captured(t, &captured);
	if (!t->status_differs)
		OKF(plain.status == captured.status, "%s: same status",
		    t->name);
	if (plain.status != captured.status)
		printf("#  got: %#x\n# want: %#x\n", captured.status,
		    plain.status);
	if (!t->out_differs)
		same_bytes(&captured.out, &plain.out, t->name, "output");
	if (!t->err_differs)
		same_bytes(&captured.err, &plain.err, t->name, "complaints");
	launched_done(&plain);
	launched_done(&captured);
}

int
main(int argc, char **argv)
{
	const char *top = getenv("abs_top_srcdir");
	AEG_AUTOFREE char *path = xasprintf("%s/tests/cases/state-matrix.case",
	    top != NULL ? top : ".");
	FILE *f = fopen(path, "re");
	struct test_case t;
	int number = 0;

	if (f == NULL)
		scratch_die(path);
	scratch_new();
	while (read_case(f, &t, &number)) {
		/* With an argument: only the case of that name. */
		if (argc < 2 || strcmp(argv[1], t.name) == 0)
			run_case(&t);
		case_done(&t);
	}
	fclose(f);
	if (chdir("/") < 0)
		scratch_die("/");
	return tap_done();
}

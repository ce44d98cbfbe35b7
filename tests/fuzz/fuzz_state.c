/* SPDX-License-Identifier: ISC */
/*
 * A frame from anybody: refused with nothing changed, or a state that obeys
 * every cap and the sanitising table, and that survives being written out
 * and taken in again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/text.h"
#include "aegsh/state.h"

#define HEAD "\0AEGSH1\0_"
#define TAIL "\0END\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int good)
{
	if (!good)
		abort();
}

static struct state *
start(void)
{
	char a[] = "A=1", b[] = "OLDPWD=/";
	char *env[] = { a, b, NULL };

	must(chdir("/") == 0);
	return state_new(env);
}

static int
check_one(void *ctx, const char *name, const char *value)
{
	must(text_is_name(name, strlen(name)));
	must(state_refuses(name, value) == NULL);
	must(strlen(name) + strlen(value) + 2 <= STATE_VAR_MAX);
	return 0;
}

static void
check(struct state *s)
{
	char *const *dirs = state_dirstack(s);
	size_t n = 0, bytes = 0;

	must(state_each(s, check_one, NULL) == 0);
	for (; dirs[n] != NULL; n++)
		bytes += strlen(dirs[n]) + 1;
	must(n <= STATE_DIRS_MAX && bytes <= STATE_DIRS_BYTES_MAX);
	must(*state_cwd(s) == '/');
	must(state_umask(s) <= 0777);
	must(strcmp(state_get(s, "PWD"), state_cwd(s)) == 0);
}

static int
put_one(void *ctx, const char *name, const char *value)
{
	struct buf *b = ctx;

	buf_putf(b, "export %s=$'", name);
	for (; *value != '\0'; value++)
		buf_putf(b, "\\%03o", (unsigned char)*value);
	buf_puts(b, "'\n");
	return 0;
}

/* As bash would have written it. */
static void
write_frame(struct state *s, struct buf *b)
{
	char *const *dirs = state_dirstack(s);

	buf_put(b, HEAD, sizeof(HEAD) - 1);
	buf_put(b, state_last_arg(s), strlen(state_last_arg(s)) + 1);
	buf_putf(b, "D%s", state_cwd(s));
	buf_putc(b, '\0');
	for (; *dirs != NULL; dirs++) {
		buf_putf(b, "D%s", *dirs);
		buf_putc(b, '\0');
	}
	buf_putf(b, "%04o\n", (unsigned int)state_umask(s));
	state_each(s, put_one, b);
	buf_put(b, TAIL, sizeof(TAIL) - 1);
}

static void
same(struct state *a, struct state *b)
{
	struct strv left = STRV_INIT, right = STRV_INIT;
	char *const *x = state_dirstack(a), *const *y = state_dirstack(b);
	size_t i;

	state_envp(a, &left);
	state_envp(b, &right);
	must(left.n == right.n);
	for (i = 0; i < left.n; i++)
		must(strcmp(left.v[i], right.v[i]) == 0);
	for (; *x != NULL && *y != NULL; x++, y++)
		must(strcmp(*x, *y) == 0);
	must(*x == NULL && *y == NULL);
	must(strcmp(state_cwd(a), state_cwd(b)) == 0);
	must(strcmp(state_last_arg(a), state_last_arg(b)) == 0);
	must(state_umask(a) == state_umask(b));
	strv_done(&left);
	strv_done(&right);
}

static void
again(struct state *s)
{
	struct state *copy = start();
	struct state_report report;
	struct buf b = BUF_INIT;

	write_frame(s, &b);
	must(state_import(copy, b.data, b.len, &report, NULL) == 0);
	must(report.stripped.n == 0 && report.too_large.n == 0);
	same(s, copy);
	state_report_done(&report);
	buf_done(&b);
	state_free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state_report report;
	struct buf b = BUF_INIT;
	struct state *s, *untouched;

	if (size < 1)
		return 0;
	/* An odd first byte: with the right marks, so that more is tried. */
	if (data[0] & 1)
		buf_put(&b, HEAD, sizeof(HEAD) - 1);
	buf_put(&b, data + 1, size - 1);
	if (data[0] & 1)
		buf_put(&b, TAIL, sizeof(TAIL) - 1);
	s = start();
	/* And a second bit: of a bash that says more. */
	state_set_keeps(s, (data[0] & 2) != 0);
	if (state_import(s, b.data != NULL ? b.data : "", b.len, &report,
	    NULL) == 0) {
		check(s);
		state_report_done(&report);
		again(s);
	} else {
		untouched = start();
		same(s, untouched);
		state_free(untouched);
	}
	state_free(s);
	buf_done(&b);
	return 0;
}

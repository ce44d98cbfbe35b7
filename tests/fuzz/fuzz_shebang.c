/* SPDX-License-Identifier: ISC */
/*
 * A script's head and an environment of any bytes: they are refused, or
 * what comes of them keeps its promises.  The input is the head; behind a
 * byte 0x1e follow the variables, each ended by a NUL.  The same bytes are
 * also looked at as a candidate program.
 */
#include "shebang/shebang_int.h"
#include "must.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define SEPARATOR 0x1e
#define NAME "auto-x"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
traced(void *ctx, const struct shebang_step *step)
{
	must(step->name != NULL, "each step of these names what it is about");
	must(step->kind == SHEBANG_STEP_UNKNOWN ? step->line >= 1 &&
	    step->line <= SHEBANG_HEAD_LINES &&
	    shebang_key_find(step->name, strlen(step->name)) < 0 :
	    step->text != NULL, "and says its part");
	(*(int *)ctx)++;
}

static void
check_values(const struct shebang_settings *s)
{
	int i;

	for (i = 0; i < SHEBANG_KEYS; i++) {
		must(s->value[i] != NULL, "each setting has a value");
		must(shebang_value_check((enum shebang_key)i, s->value[i],
		    NULL) == 0, "and a valid one");
		must(s->source[i] != SHEBANG_DIRECTIVE ||
		    strpbrk(s->value[i], " \t\r\n\v\f") == NULL,
		    "a directive holds no blank");
		must(s->source[i] != SHEBANG_ENV ||
		    (shebang_rows[i].env != NULL &&
		    shebang_setting_is(s, SHEBANG_TRUST_ENV, "yes")),
		    "the environment speaks only where it is trusted");
	}
}

static void
check_plan(const struct shebang_query *q, const struct shebang_settings *s)
{
	struct shebang_plan plan = { STRV_INIT, STRV_INIT };
	bool vars = shebang_setting_is(s, SHEBANG_EXPAND, "yes");
	const char *dirs = s->value[SHEBANG_PROBE_DIRS];
	int rc = shebang_plan_build(q, s, &plan, NULL);
	size_t i;

	must(rc == 0 || rc == ERR_SYNTAX || rc == ERR_TOO_LONG,
	    "a plan, or a refusal");
	must(rc != 0 || !vars || strchr(dirs, '`') == NULL,
	    "no backquote passes");
	must(rc != 0 || !vars || strstr(dirs, "$(") == NULL,
	    "no command passes");
	must(rc != ERR_SYNTAX || vars, "letters are refused only to variables");
	must(plan.dirs.n <= SHEBANG_LIST_MAX &&
	    plan.names.n <= SHEBANG_LIST_MAX, "the lists are bounded");
	for (i = 0; i < plan.dirs.n; i++)
		must(plan.dirs.v[i][0] != '\0' &&
		    strlen(plan.dirs.v[i]) < SHEBANG_PATH_MAX &&
		    strstr(plan.dirs.v[i], "//") == NULL,
		    "an entry is a tidy path");
	for (i = 0; rc == 0 && i < plan.names.n; i++)
		must(strncmp(plan.names.v[i], NAME, strlen(NAME)) == 0 &&
		    strchr(plan.names.v[i], '/') == NULL,
		    "a candidate is a file name of ours");
	must(rc != 0 || plan.names.n > 0, "something is searched");
	shebang_plan_done(&plan);
}

static void
check_program(const uint8_t *data, size_t size)
{
	static int fd = -1;
	bool resolver;

	if (fd < 0)
		fd = memfd_create("program", MFD_CLOEXEC);
	must(fd >= 0 && ftruncate(fd, 0) == 0 &&
	    pwrite(fd, data, size, 0) == (ssize_t)size, "memfd");
	must(shebang_look(fd, &resolver) == SHEBANG_ELF || !resolver,
	    "only a program can be auto-shebang");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *mark = size > 0 ? memchr(data, SEPARATOR, size) : NULL;
	size_t head = mark != NULL ? (size_t)(mark - data) : size, at, n;
	struct shebang_settings s = { 0 };
	struct strv env = STRV_INIT;
	int steps = 0, rc;
	struct shebang_query q = { .name = NAME, .trace = traced,
	    .trace_ctx = &steps };

	for (at = head + 1; at < size; at += n + 1) {
		n = strnlen((const char *)data + at, size - at);
		strv_take(&env, xmemdup0(data + at, n));
	}
	q.envp = strv_peek(&env);
	rc = shebang_directives(&q, (const char *)data, head,
	    size % 2 > 0, &s, NULL);
	must(rc == 0 || rc == ERR_SYNTAX || rc == ERR_TOO_LONG,
	    "directives, or a refusal");
	if (rc == 0)
		rc = shebang_settings_layer(&s, q.envp, NULL);
	if (rc == 0) {
		check_values(&s);
		check_plan(&q, &s);
	}
	shebang_settings_done(&s);
	strv_done(&env);
	if (size > 1 && (data[0] == 0x7f || data[0] == '#'))
		check_program(data, size);
	return 0;
}

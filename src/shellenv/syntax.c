/* SPDX-License-Identifier: ISC */
/*
 * Syntax by the shell's own -n, which reads a file and runs nothing of it.
 * The line is taken from what the shell prints; each has its own way.
 */
#include "check_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define SYNTAX_LIMIT_MS 3000
#define SYNTAX_OUT_MAX ((size_t)64 * 1024)
#define TEXT_SHOWN 200

/* The first number of the text: behind the file's name where it is named
 * ("f: line 3:", "f: 3:", "f[3]:", "f (line 3):"), else behind "line". */
static int
line_number(const char *text, const char *path)
{
	const char *p = strstr(text, path), *at;

	if (p != NULL) {
		p += strlen(path);
		at = p + strcspn(p, "0123456789\n");
		if (isdigit((unsigned char)*at) && at - p < 32)
			return atoi(at);
		p = strstr(p, "line ");
		if (p != NULL)
			return atoi(p + 5);
		return 0;
	}
	p = strstr(text, "line ");
	return p != NULL ? atoi(p + 5) : 0;
}

static void
fill_argv(const struct shell_row *row, const char *path, const char *argv[7])
{
	int n = 0;

	argv[n++] = row->kind == SHELL_AEGSH ? "bash" : row->name;
	if (row->dialect == DIALECT_BASH) {
		/* -n runs no "shopt -s extglob", so its patterns would pass
		 * for errors. */
		argv[n++] = "-O";
		argv[n++] = "extglob";
	}
	if (row->dialect == DIALECT_ZSH)
		argv[n++] = "-f";
	argv[n++] = "-n";
	argv[n++] = path;
	argv[n] = NULL;
}

void
se_syntax_check(struct shellenv *se, const struct shell_row *row,
    const char *path, struct syntax *ret)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C",
	    "HOME=/nonexistent", NULL };
	const char *argv[7], *disk = se_disk(se, path), *text;
	const char *program = se_session_program(se,
	    row->kind == SHELL_AEGSH ? se_shell_row(SHELL_BASH) : row);
	struct probe p = { .argv = argv, .env = env, .with_stderr = true,
		.limit_ms = SYNTAX_LIMIT_MS, .out_max = SYNTAX_OUT_MAX };
	struct probe_result r;
	size_t n;

	*ret = (struct syntax){ .asked = false };
	if (program == NULL || row->dialect == DIALECT_NONE)
		return;
	fill_argv(row, disk, argv);
	p.path = se_disk(se, program);
	if (se_probe_run(&p, &r, NULL) < 0)
		return;
	ret->asked = !r.timed_out && WIFEXITED(r.status);
	text = r.out.data != NULL ? r.out.data : "";
	/* fish leaves with 127 here, so the status alone does not tell an
	 * error from a shell that could not be started. */
	if (ret->asked && WEXITSTATUS(r.status) != 0 &&
	    strstr(text, disk) != NULL) {
		ret->bad = true;
		ret->line = line_number(text, disk);
		n = strcspn(text, "\n");
		ret->text = arena_memdup0(se->arena, text,
		    n < TEXT_SHOWN ? n : TEXT_SHOWN);
	}
	se_probe_result_done(&r);
}

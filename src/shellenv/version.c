/* SPDX-License-Identifier: ISC */
/*
 * A shell's version, found without reading a start-up file: by an option
 * that prints it, by a variable in a clean non-interactive shell, by
 * busybox's own greeting, or from the package database.
 */
#include "shellenv_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define VERSION_LIMIT_MS 1000
#define VERSION_OUT_MAX ((size_t)16 * 1024)
#define DPKG_STATUS_MAX ((size_t)64 * 1024 * 1024)

/* The first word of the text that has a digit, a dot and a digit in it:
 * "5.2.15(1)-release", "v1.35.0", "93u+m/1.0.4".  mksh says "R59". */
static const char *
version_word(struct shellenv *se, const char *text)
{
	const char *p = text, *w;

	while (*p != '\0') {
		size_t i, n;

		p += strspn(p, " \t\r\n");
		n = strcspn(p, " \t\r\n");
		w = p;
		p += n;
		if (n > 1 && w[0] == 'v' && isdigit((unsigned char)w[1]))
			w++, n--;
		if (n > 1 && w[0] == 'R' && isdigit((unsigned char)w[1]))
			return arena_memdup0(se->arena, w, n);
		for (i = 1; i + 1 < n; i++)
			if (w[i] == '.' && isdigit((unsigned char)w[i - 1]) &&
			    isdigit((unsigned char)w[i + 1])) {
				if (w[n - 1] == ',')
					n--;
				return arena_memdup0(se->arena, w, n);
			}
	}
	return NULL;
}

static const char *
ask(struct shellenv *se, const char *program, const char *const *argv)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C",
	    "HOME=/nonexistent", NULL };
	const struct probe p = { .path = program, .argv = argv, .env = env,
		.limit_ms = VERSION_LIMIT_MS, .out_max = VERSION_OUT_MAX,
		.with_stderr = true };
	struct probe_result r;
	const char *found = NULL;

	if (se_probe_run(&p, &r, NULL) < 0)
		return NULL;
	if (r.out.data != NULL && !r.timed_out)
		found = version_word(se, r.out.data);
	se_probe_result_done(&r);
	return found;
}

/* passwd's shell, or one that only root or the user can have put there.
 * $SHELL may name anything. */
bool
se_worth_running(struct shellenv *se)
{
	struct stat st;

	if (se->shell_path == NULL || se->shell_real == NULL)
		return false;
	if (strcmp(se->type_source, "passwd") == 0)
		return true;
	return se_stat(se, se->shell_path, &st) == 0 &&
	    (st.st_uid == 0 || st.st_uid == se->uid) &&
	    (st.st_mode & 0022) == 0;
}

static const char *
dpkg_version(struct shellenv *se, const char *package)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	const char *text, *p, *end;
	size_t len;

	if (se_read_big(se, "/var/lib/dpkg/status", DPKG_STATUS_MAX, &text,
	    &len) < 0)
		return NULL;
	buf_putf(&line, "\nPackage: %s\n", package);
	p = memmem(text, len, line.data, line.len);
	if (p == NULL)
		return NULL;
	end = strstr(p + 1, "\n\n");
	p = strstr(p, "\nVersion: ");
	if (p == NULL || (end != NULL && p > end))
		return NULL;
	p += strlen("\nVersion: ");
	return arena_memdup0(se->arena, p, strcspn(p, "\n"));
}

const char *
se_version_find(struct shellenv *se, const char **ret_source)
{
	const struct shell_row *row = se->row, *real;
	const char *program, *argv[4] = { NULL };

	*ret_source = NULL;
	/* sh is what the file behind it is. */
	if (row->kind == SHELL_SH && se->shell_real != NULL) {
		real = se_shell_by_name(se->shell_real, NULL);
		row = real->kind == SHELL_OTHER ? row : real;
	}
	if (row->version_from == VERSION_NONE || !se_worth_running(se))
		return NULL;
	if (row->version_from == VERSION_PACKAGE) {
		*ret_source = "package";
		return dpkg_version(se, row->version_arg);
	}
	program = se_disk(se, se->shell_real);
	*ret_source = "program";
	argv[0] = row->name;
	if (row->version_from == VERSION_APPLET) {
		/* Called as itself and alone, busybox says who it is. */
		argv[0] = "busybox";
		return ask(se, program, argv);
	}
	argv[1] = row->version_from == VERSION_OPTION ?
	    row->version_arg : "-c";
	if (row->version_from == VERSION_VARIABLE)
		argv[2] = row->version_arg;
	return ask(se, program, argv);
}

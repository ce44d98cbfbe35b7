/* SPDX-License-Identifier: ISC */
/*
 * The script's first line, as the kernel (execve(2)) and env(1) read it:
 * which auto-shebang name it leads to, and what is wrong with it.  The
 * resolver itself never looks at it; this is for the doctor's patient.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define KERNEL_LINE_MAX 255	/* BINPRM_BUF_SIZE less one, Linux 5.1 on */

void
hashbang_done(struct hashbang *h)
{
	free(h->name);
	h->name = NULL;
	strv_done(&h->problems);
}

static const char *
skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* The next word of *p, owned; "" at the end. */
static char *
word(const char **p)
{
	const char *start = skip_blanks(*p);
	size_t n = strcspn(start, " \t");

	*p = start + n;
	return xmemdup0(start, n);
}

static void
check_file(struct hashbang *h, const char *path)
{
	AEG_AUTOFD int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		strv_addf(&h->problems, "%s: %s", path, err_str(-errno));
	else if (access(path, X_OK) < 0)
		strv_addf(&h->problems, "%s: not executable", path);
	else if (!shebang_is_resolver(fd))
		strv_addf(&h->problems, "%s is no auto-shebang: it runs the "
		    "script itself", path);
}

/* program: what the kernel or env starts; rest: what stands behind it. */
static void
take_program(struct hashbang *h, const char *program, const char *rest)
{
	const char *base = path_base(program);

	if (strchr(program, '/') != NULL)
		check_file(h, program);
	else
		strv_addf(&h->problems, "%s is looked up in $PATH, which "
		    "differs from user to user: give its whole path", program);
	if (strcmp(base, "auto-shebang") == 0) {
		h->name = word(&rest);
		if (h->name[0] != '\0')
			return;
		free(h->name);
		h->name = NULL;
		strv_add(&h->problems,
		    "auto-shebang needs a name behind it, like auto-python");
		return;
	}
	if (skip_blanks(rest)[0] != '\0')
		strv_addf(&h->problems, "an alias takes no options: '%s' "
		    "would be taken for the script", skip_blanks(rest));
	h->name = xstrdup(base);
}

static bool
is_env_own(const char *w)
{
	return w[0] == '-' || strchr(w, '=') != NULL;
}

/* Behind env: the kernel gives it the rest of the line as one word, which
 * only -S takes apart. */
static void
take_env(struct hashbang *h, const char *rest)
{
	AEG_AUTOFREE char *first = NULL;

	rest = skip_blanks(rest);
	if (strncmp(rest, "-S", 2) != 0) {
		if (strpbrk(rest, " \t") != NULL)
			strv_addf(&h->problems, "env looks for one program "
			    "named '%s': use env -S", rest);
		first = word(&rest);
		if (first[0] != '\0')
			take_program(h, first, "");
		return;
	}
	rest += 2;
	for (;;) {
		free(first);
		first = word(&rest);
		if (first[0] == '\0')
			return;
		if (!is_env_own(first))
			break;
	}
	take_program(h, first, rest);
}

void
hashbang_read(struct hashbang *h, const char *line, size_t len)
{
	AEG_AUTOFREE char *text = xmemdup0(line, len), *program = NULL;
	const char *p = text;
	size_t n;

	if (strncmp(p, "#!", 2) != 0) {
		strv_add(&h->problems, "the first line is no #! line: the "
		    "kernel can't start this script");
		return;
	}
	if (len > KERNEL_LINE_MAX)
		strv_addf(&h->problems, "the #! line is longer than the %d "
		    "bytes that the kernel reads", KERNEL_LINE_MAX);
	n = strlen(text);
	if (n > 0 && text[n - 1] == '\r')
		strv_add(&h->problems, "the #! line ends in a carriage "
		    "return, which the kernel takes as part of the name");
	while (n > 0 && strchr(" \t\r", text[n - 1]) != NULL)
		text[--n] = '\0';
	p += 2;
	program = word(&p);
	if (program[0] == '\0')
		strv_add(&h->problems, "the #! line names no program");
	else if (strcmp(path_base(program), "env") == 0)
		take_env(h, p);
	else
		take_program(h, program, p);
}

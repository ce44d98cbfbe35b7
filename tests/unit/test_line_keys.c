/* SPDX-License-Identifier: ISC */
/* The table of keys is what is bound, in both kinds of editing; aegsh(1) has
 * each of it; and nothing is bound that would run anything unjudged. */
#include "line/line_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "scratch.h"
#include "tap.h"

static struct line_editor *
editor(struct conf *conf)
{
	struct line_editor_opts opts = { .conf = conf, .program = "aegsh",
		.tty_in = open("/dev/null", O_RDONLY),
		.tty_out = open("/dev/null", O_WRONLY), .watch_fd = -1 };
	struct line_editor *e = NULL;
	struct err err = ERR_INIT;

	OKF(line_editor_new(&opts, &e, &err) == 0, "an editor: %s", err.text);
	return e;
}

/* As the listing shows a key. */
static bool
lists(const char *part, const char *bound, const char *function)
{
	AEG_AUTOFREE char *key = xasprintf("\n\"%s\"", bound);
	const char *at = strstr(part, key), *end;

	if (at == NULL)
		return false;
	end = strchr(at + 1, '\n');
	at = strstr(at, "->  ");
	return at != NULL && end != NULL &&
	    strncmp(at + 4, function, strlen(function)) == 0 &&
	    end == at + 4 + strlen(function);
}

static void
check(struct line_editor *e, bool vi)
{
	AEG_AUTO(buf_done) struct buf list = BUF_INIT;
	size_t i, n;
	const struct line_key *keys = line_keys(&n);
	char *alternative, *multi;

	line_keys_list(e, &list);
	OK(strstr(list.data, "vi-histedit") == NULL);
	OK(strstr(list.data, "ed-command") == NULL);
	multi = strstr(list.data, "Multi-character bindings");
	alternative = strstr(list.data, "Alternative key bindings");
	if (multi == NULL || alternative == NULL) {
		OKF(false, "the listing has its parts");
		return;
	}
	multi[-1] = alternative[-1] = '\0';
	for (i = 0; i < n; i++) {
		unsigned where = vi ? LINE_KEY_INSERT : LINE_KEY_EMACS;
		const char *b = keys[i].bound;

		/* Both are listed in another way. */
		if (keys[i].function[0] == '\0' || strchr(b, '\\') != NULL)
			continue;
		if ((keys[i].where & where) != 0)
			OKF(lists(list.data, b, keys[i].function) ||
			    lists(multi, b, keys[i].function), "%s: %s is %s",
			    vi ? "vi" : "emacs", b, keys[i].function);
		if (vi && (keys[i].where & LINE_KEY_COMMAND) != 0)
			OKF(lists(alternative, b, keys[i].function) ||
			    lists(multi, b, keys[i].function),
			    "command mode: %s is %s", b, keys[i].function);
	}
}

static void
in_manual(void)
{
	const char *top = getenv("abs_top_srcdir");
	AEG_AUTOFREE char *path = xasprintf("%s/man/aegsh.1",
	    top != NULL ? top : ".");
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	int fd AEG_AUTOFD = open(path, O_RDONLY | O_CLOEXEC);
	size_t i, n;
	const struct line_key *keys = line_keys(&n);

	if (fd < 0 || io_read_all(fd, &text) != 0) {
		OKF(false, "%s can be read", path);
		return;
	}
	for (i = 0; i < n; i++) {
		AEG_AUTOFREE char *row = NULL;
		const char *shown = keys[i].shown;

		/* Each has its NUL. */
		OKF(strnlen(shown, sizeof keys->shown) < sizeof keys->shown &&
		    strnlen(keys[i].bound, sizeof keys->bound) <
		    sizeof keys->bound &&
		    strnlen(keys[i].function, sizeof keys->function) <
		    sizeof keys->function &&
		    strnlen(keys[i].help, sizeof keys->help) <
		    sizeof keys->help, "row %zu fits", i);
		if (shown[0] == '\0')
			continue;
		row = xasprintf("\n.It %s Ta %s%s%s Ta\n%s\n",
		    strcmp(shown, "M-\\") == 0 ? "M-\\e" : shown,
		    (keys[i].where & LINE_KEY_EMACS) != 0 ? "e" : "",
		    (keys[i].where & LINE_KEY_INSERT) != 0 ? "i" : "",
		    (keys[i].where & LINE_KEY_COMMAND) != 0 ? "c" : "",
		    keys[i].help);
		OKF(strstr(text.data, row) != NULL, "aegsh(1) has %s", row);
	}
}

static void
put_rc(const char *text)
{
	AEG_AUTOFREE char *path = scratch_path(".editrc");
	int fd AEG_AUTOFD = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);

	OKF(fd >= 0 && io_write_full(fd, text, strlen(text)) == 0, "%s",
	    path);
}

int
main(void)
{
	static const char *const files[] = { "bind ^O vi-histedit\n",
		"bind -v\nbind -a ^O vi-histedit\nbind -a q ed-command\n" };
	struct line_editor *e;
	struct conf *conf;
	size_t i;

	setenv("HOME", scratch_new(), 1);
	unsetenv("EDITRC");
	setenv("TERM", "xterm", 1);
	conf = conf_strict();
	e = editor(conf);
	check(e, false);
	line_editor_free(e);
	for (i = 0; i < AEG_NELEM(files); i++) {
		put_rc(files[i]);
		e = editor(conf);
		OK(line_editor_note(e) == NULL);
		check(e, i == 1);
		line_editor_free(e);
	}
	conf_free(conf);
	in_manual();
	return tap_done();
}

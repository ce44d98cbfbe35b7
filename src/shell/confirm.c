/* SPDX-License-Identifier: ISC */
/*
 * The question.  It is put on the terminal that aegsh itself opened, after
 * throwing away what was typed ahead, and answered there: never by the
 * standard input that a command or a pipe could feed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "shell/shell_int.h"

#define QUIET_MS 100		/* without a key, before a question is put */
#define QUIET_MAX_NS ((int64_t)5 * 1000000000)

/* A terminal to ask on: ours, and we are in its foreground.  A prompt waits
 * until it is. */
int
shell_open_tty(bool prompt)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!prompt && tcgetpgrp(fd) != getpgrp()) {
		close(fd);
		return -1;
	}
	return io_move_up(fd, 10);
}

static void
put_question(struct shell *sh, const struct decision *d)
{
	struct buf out = BUF_INIT;
	size_t len;
	const char *line = decision_bytes(d, &len);

	/* At a prompt the terminal is ours, whoever has taken it. */
	if (sh->editor != NULL)
		tcsetpgrp(sh->tty, getpgrp());
	/* What earlier lines defined was shown with those. */
	line += sh->shown_from;
	len -= sh->shown_from;
	buf_puts(&out, "aegsh asks: ");
	buf_puts(&out, decision_reason(d));
	buf_putf(&out, " [%s]\n  line: ", decision_rule(d));
	text_inert(&out, line, len < 1000 ? len : 1000, 0);
	if (len > 1000)
		buf_putf(&out, " … (%zu bytes more)", len - 1000);
	if (sh->shown_from > 0)
		buf_puts(&out, "\n  with the variables and functions of "
		    "earlier lines");
	if (decision_model(d) != NULL)
		buf_putf(&out, "\n  model: %s, %u %% sure", decision_model(d),
		    decision_confidence(d));
	if (decision_instead(d) != NULL)
		buf_putf(&out, "\n  instead: %s", decision_instead(d));
	buf_puts(&out, "\nRun it? [y/N] ");
	if (io_write_full(sh->tty, out.data, out.len) < 0)
		errno = 0;	/* the read fails too, and denies */
	buf_done(&out);
}

/* One line from the terminal, or nothing within the time. */
static bool
read_answer(struct shell *sh, char *to, size_t size)
{
	int64_t end = clock_mono_ns() +
	    conf_int(sh->conf, CONF_CONFIRM_TIMEOUT) * 1000000000;
	struct pollfd p[2] = {
		{ .fd = sh->tty, .events = POLLIN },
		{ .fd = sh->cancel, .events = POLLIN },
	};
	ssize_t n;

	for (;;) {
		int64_t left = (end - clock_mono_ns()) / 1000000;

		if (left <= 0)
			return false;
		n = poll(p, 2, (int)left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || p[1].revents != 0)
			return false;
		n = read(sh->tty, to, size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to[n] = '\0';
		return true;
	}
}

void
shell_drain_interrupts(struct shell *sh)
{
	char info[128];

	while (sh->interrupts >= 0 &&
	    read(sh->interrupts, info, sizeof info) > 0)
		;
}

/*
 * Throw away what was typed before the question: also the rest of a paste
 * that is still on its way.  False when it does not end, or is given up.
 */
static bool
become_quiet(struct shell *sh)
{
	int64_t end = clock_mono_ns() + QUIET_MAX_NS;
	struct pollfd p[2] = {
		{ .fd = sh->tty, .events = POLLIN },
		{ .fd = sh->cancel, .events = POLLIN },
	};
	int n;

	do {
		tcflush(sh->tty, TCIFLUSH);
		n = poll(p, 2, QUIET_MS);
	} while ((n > 0 && p[1].revents == 0 &&
	    (p[0].revents & ~POLLIN) == 0 && clock_mono_ns() < end) ||
	    (n < 0 && errno == EINTR));
	tcflush(sh->tty, TCIFLUSH);
	return n == 0;
}

bool
shell_confirm(void *ctx, const struct decision *d)
{
	struct shell *sh = ctx;
	struct termios saved, plain;
	bool have_modes, quiet, yes = false;
	char answer[256];

	if (sh->tty < 0)
		return false;
	shell_drain_interrupts(sh);
	have_modes = tcgetattr(sh->tty, &saved) == 0;
	if (have_modes) {
		plain = saved;
		plain.c_lflag |= ICANON | ECHO | ISIG;
		plain.c_iflag |= ICRNL;
		tcsetattr(sh->tty, TCSADRAIN, &plain);
	}
	quiet = become_quiet(sh);
	put_question(sh, d);
	if (quiet && read_answer(sh, answer, sizeof answer)) {
		yes = strcmp(answer, "y\n") == 0 ||
		    strcmp(answer, "Y\n") == 0 || strcmp(answer, "yes\n") == 0;
	} else if (io_write_full(sh->tty, "\n", 1) < 0) {
		errno = 0;
	}
	if (have_modes)
		tcsetattr(sh->tty, TCSADRAIN, &saved);
	shell_drain_interrupts(sh);
	return yes;
}

void
shell_progress(void *ctx, int64_t waited_ns, const char *who)
{
	struct shell *sh = ctx;
	char text[240];
	int n;

	if (sh->tty < 0)
		return;
	n = snprintf(text, sizeof text, "\r\033[Kaegsh: asking %s, %d s, "
	    "Ctrl-C cancels ", who[0] != '\0' ? who : "the model",
	    (int)(waited_ns / 1000000000));
	if (n > 0 && io_write_full(sh->tty, text, (size_t)n) == 0)
		sh->progress_shown = true;
}

void
shell_progress_end(struct shell *sh)
{
	if (sh->progress_shown &&
	    io_write_full(sh->tty, "\r\033[K", 4) < 0)
		errno = 0;
	sh->progress_shown = false;
}

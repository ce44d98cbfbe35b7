/* SPDX-License-Identifier: ISC */
/*
 * A recording, played on a terminal, with keys: blank to pause and go on, "."
 * for the next event, "n" for the next line, "+" and "-" for its speed, "q"
 * for its end.  What is played only draws (cast.h).
 */
#include "admin_read.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/cast_read.h"

#define SPEED_MAX 1000
#define MS INT64_C(1000000)

struct player {
	struct admin *a;
	const struct admin_play *how;
	struct cast_draw draw, draw_err;
	struct buf out;
	int64_t speed;		/* 0: no waiting */
	int64_t at_ns;		/* of the event before; -1: none yet */
	bool keys;		/* standard input is a terminal, made ready */
	struct termios was;
	bool paused, step, skip, quit;
};

static volatile sig_atomic_t ended;

static void
on_signal(int number)
{
	ended = number;
}

static void
take_keys(struct player *p)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct termios now;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &p->was) < 0)
		return;
	sigemptyset(&act.sa_mask);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	now = p->was;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	p->keys = tcsetattr(STDIN_FILENO, TCSADRAIN, &now) == 0;
}

/* The other screen is left first; what ends a scrolled region moves the
 * cursor, which is then put back. */
void
admin_player_plain(struct admin *a)
{
	static const char plain[] = "\033[0m\033[4l\033[?7h\033[?25h"
	    "\033[?2026l\033[?47l\033(B\017\0337\033[r\0338";

	fwrite(plain, 1, sizeof plain - 1, a->out);
	fflush(a->out);
}

static void
give_back(struct player *p)
{
	if (p->speed == 0 && !p->keys)
		return;
	admin_player_plain(p->a);
	if (p->keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &p->was);
}

/* As the signal would have, had it not been caught for the terminal's sake:
 * who started us asks by what we ended. */
static void
end_by(int number)
{
	fflush(NULL);
	signal(number, SIG_DFL);
	raise(number);
}

static void
on_key(struct player *p, char c)
{
	switch (c) {
	case ' ':
		p->paused = !p->paused;
		break;
	case '.':
		p->paused = p->step = true;
		break;
	case 'n':
		p->skip = true;
		p->paused = false;
		break;
	case '+':
		p->speed = p->speed < SPEED_MAX / 2 ? 2 * p->speed : SPEED_MAX;
		break;
	case '-':
		p->speed = p->speed > 1 ? p->speed / 2 : 1;
		break;
	case 'q':
	case 3:		/* Ctrl-C, which sends no signal now */
	case 4:
		p->quit = true;
		break;
	}
}

/* So long, or until a key changes something. */
static void
wait_for(struct player *p, int64_t ns)
{
	struct pollfd fd = { .fd = p->keys ? STDIN_FILENO : -1,
		.events = POLLIN };
	int64_t until = clock_mono_ns() + ns, left;
	char c;

	p->step = false;
	while (!p->quit && !p->skip && !p->step && !ended) {
		left = until - clock_mono_ns();
		if (!p->paused && left <= 0)
			return;
		if (poll(&fd, 1, p->paused ? -1 : (int)(left / MS < 60000 ?
		    (left + MS - 1) / MS : 60000)) <= 0)
			continue;
		if (read(STDIN_FILENO, &c, 1) != 1) {
			fd.fd = -1;
			p->paused = false;
			continue;
		}
		on_key(p, c);
	}
}

static void
keep_pace(struct player *p, const struct cast_event *ev)
{
	int64_t span = p->at_ns >= 0 ? ev->at_ns - p->at_ns : 0;

	p->at_ns = ev->at_ns;
	if (ev->code == CAST_CODE_LINE)
		p->skip = false;
	if (p->speed == 0 || p->skip)
		return;
	if (span > p->how->idle_ns)
		span = p->how->idle_ns;
	wait_for(p, span > 0 ? span / p->speed : 0);
}

static void
show_json(struct player *p, const struct cast_event *ev)
{
	static const char *const names[] = {
		[CAST_CODE_NONE] = "none", [CAST_CODE_OUT] = "out",
		[CAST_CODE_ERR] = "err", [CAST_CODE_RESIZE] = "resize",
		[CAST_CODE_LINE] = "line", [CAST_CODE_CUT] = "cut",
		[CAST_CODE_MISSED] = "missed" };
	json_t *o = json_object();
	char uuid[UUID_TEXT];

	json_object_set_new(o, "at_ns", json_integer(ev->at_ns));
	admin_json_text(o, "event", names[ev->code]);
	if (ev->code == CAST_CODE_LINE || ev->code == CAST_CODE_CUT ||
	    ev->code == CAST_CODE_MISSED) {
		uuid_text(ev->uuid, uuid);
		admin_json_text(o, "uuid", uuid);
	} else if (ev->code == CAST_CODE_RESIZE) {
		json_object_set_new(o, "width", json_integer(ev->width));
		json_object_set_new(o, "height", json_integer(ev->height));
	} else {
		admin_json_bytes(o, "bytes", ev->bytes, ev->len);
	}
	admin_json_print(p->a, o);
}

static void
show(struct player *p, const struct cast_event *ev)
{
	FILE *to = p->how->raw && ev->code == CAST_CODE_ERR ? stderr :
	    p->a->out;

	if (p->how->json) {
		show_json(p, ev);
		return;
	}
	/* What a line did not end is not the beginning of the next one's. */
	if (ev->code == CAST_CODE_LINE)
		p->draw.state = p->draw_err.state = CAST_DRAW_TEXT;
	if (ev->code != CAST_CODE_OUT && ev->code != CAST_CODE_ERR)
		return;
	if (p->how->raw) {
		fwrite(ev->bytes, 1, ev->len, to);
		return;
	}
	buf_reset(&p->out);
	cast_draw(ev->code == CAST_CODE_ERR ? &p->draw_err : &p->draw,
	    &p->out, ev->bytes, ev->len);
	fwrite(p->out.data != NULL ? p->out.data : "", 1, p->out.len, to);
	if (p->speed > 0)
		fflush(to);
}

int
admin_player(struct admin *a, struct cast_reader *r,
    const struct admin_play *how, int64_t *ret_n, struct err *err)
{
	struct player p = { .a = a, .how = how, .at_ns = -1,
		.draw = CAST_DRAW_INIT, .draw_err = CAST_DRAW_INIT };
	struct cast_event ev;
	int64_t n = 0;
	int rc = 0;

	if (!how->raw && !how->json && isatty(fileno(a->out)) == 1) {
		p.speed = how->speed > 0 ? how->speed : 1;
		take_keys(&p);
	} else {
		p.speed = how->speed;
	}
	while (!p.quit && !ended && !ferror(a->out) &&
	    (rc = cast_reader_next(r, &ev, err)) == 1) {
		keep_pace(&p, &ev);
		if (p.quit || ended)
			break;
		show(&p, &ev);
		n++;
	}
	give_back(&p);
	cast_draw_done(&p.draw);
	cast_draw_done(&p.draw_err);
	buf_done(&p.out);
	if (ended)
		end_by(ended);
	*ret_n = n;
	return rc < 0 ? rc : 0;
}

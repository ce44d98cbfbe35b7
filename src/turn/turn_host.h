/* SPDX-License-Identifier: ISC */
/* What the files of the host share: its guests, and their lines. */
#ifndef TURN_HOST_H
#define TURN_HOST_H

#include "turn/turn_guest.h"

struct guest {
	int fd;
	unsigned number;
	pid_t pid;
	uid_t uid;
	struct audit *audit;		/* NULL: not yet, or it cannot be */
	char *unrecorded;
	struct state *state;		/* where its last line was judged */
	struct turn_judged *j;		/* that line; NULL: none to be run */
	char tty[64], label[SUPERVISE_LABEL];
	bool session, stream, terminal;	/* where that line stood */
	struct {
		int64_t said, row;	/* by the guest, by the store */
	} open[GUEST_LINES_MAX];
	size_t n_open;
	bool holds;			/* scripts, for these */
};

struct host {
	struct turn *t;
	const struct supervise_host *door;
	struct guest *guest[GUEST_MAX];
	size_t n;
	bool closed;			/* nobody will come any more */
	struct guest_tally judged, refused;
	bool gave_up;
};

/* The turn as of g: its record, its state, its terminal. */
void host_use(struct host *h, const struct guest *g);
/* Another line of it was refused, or is to be judged; the line that all are
 * in is killed where that is too many. */
void host_count_refusal(struct host *h, const struct guest *g);
void host_count_judgement(struct host *h, const struct guest *g);

/* ---- turn_host_line.c: a frame each; negative ends the conversation ----- */

int host_judge(struct host *h, struct guest *g, struct guest_body *b);
int host_run(struct host *h, struct guest *g, struct guest_body *b);
int host_end(struct host *h, struct guest *g, struct guest_body *b);
int host_builtin(struct host *h, struct guest *g, struct guest_body *b);
void host_let_go(struct host *h, struct guest *g);
/* What is held for its lines, where none runs any more. */
void host_release_unused(struct host *h, struct guest *g);
/* The line of that place in open is over. */
void host_forget_line(struct host *h, struct guest *g, size_t i);

#endif

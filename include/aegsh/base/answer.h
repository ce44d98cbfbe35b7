/* SPDX-License-Identifier: ISC */
/*
 * A person's answer at a terminal: none that was there before the question,
 * typed ahead or pasted, and none that takes for ever.  Nothing is written to
 * it here.  cancel: readable when it is given up, or -1; it is not read.
 */
#ifndef AEGSH_BASE_ANSWER_H
#define AEGSH_BASE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/* Lines and echo, whatever a program has left there.  False: it is no
 * terminal, and there is nothing for answer_restore(). */
bool answer_prepare(int tty, struct termios *ret_before);
void answer_restore(int tty, const struct termios *before);

/* Throws away what was typed, also the rest of a paste that is still on its
 * way.  False: it does not end, or is given up; then there is no answer. */
bool answer_quiet(int tty, int cancel);

/* One line, with its newline, at most size - 1 bytes.  False: none came within
 * that many seconds, or it was given up. */
bool answer_read(int tty, int cancel, int64_t seconds, char *ret, size_t size);

#endif

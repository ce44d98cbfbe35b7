/* SPDX-License-Identifier: ISC */
/*
 * aegsh-elevate: what a line finds first when it calls sudo, mount and their
 * like (main.c); what of that needs nobody's leave (elevate_real.c), how it
 * asks for the rest (elevate_call.c), and what is edited (elevate_edit.c).
 */
#ifndef ELEVATE_INT_H
#define ELEVATE_INT_H

#include <stdbool.h>

#include "aegsh/base/err.h"

#define ELEVATE_REFUSED 126

/* ---- elevate_call.c ----------------------------------------------------- */

/* On standard error; ELEVATE_REFUSED. */
int elevate_fail(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* 0: *ret_sock leads to who is asked; else nobody does, which was told, and
 * this is the status to end with. */
int elevate_open(const char *name, int *ret_sock);
/* The call, with those descriptors for 0, 1 and 2. */
int elevate_call(int sock, char *const *argv, const int *std,
	struct err *err);
/* One answer: 1, it has ended, *ret_status is that of wait(2); 0; -errno. */
int elevate_hear(int sock, int *ret_status);
/* As the program died, without a core file of this one; or its status. */
int elevate_end(int status);

/* ---- elevate_edit.c ----------------------------------------------------- */

/* sudo -e, crontab -e, sudo visudo and their like. */
bool elevate_edits(const char *name, char *const *argv);
/* To its end; the status. */
int elevate_edit(const char *name, char **argv);

/* ---- elevate_real.c ----------------------------------------------------- */

/* Become the real program where what it is called for needs no rights, or it
 * has none to gain; returns where that is not so. */
void elevate_in_place(const char *name, char **argv);
/* What would be read outside of the sandbox is opened here, to be standard
 * input: 0, or -errno and *ret_file, which file it was. */
int elevate_open_files(const char *name, char **argv, const char **ret_file);

#endif

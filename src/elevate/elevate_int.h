/* SPDX-License-Identifier: ISC */
/*
 * aegsh-elevate: what a line finds first when it calls sudo, mount and their
 * like (main.c); what of that needs nobody's leave (elevate_real.c).
 */
#ifndef ELEVATE_INT_H
#define ELEVATE_INT_H

/* Become the real program where what it is called for needs no rights, or it
 * has none to gain; returns where that is not so. */
void elevate_in_place(const char *name, char **argv);
/* What would be read outside of the sandbox is opened here, to be standard
 * input: 0, or -errno and *ret_file, which file it was. */
int elevate_open_files(const char *name, char **argv, const char **ret_file);

#endif

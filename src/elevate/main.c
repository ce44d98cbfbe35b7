/* SPDX-License-Identifier: ISC */
/*
 * aegsh-elevate: what a line finds first when it calls sudo, mount and their
 * like.  No program of a line can gain rights; this one hands its words, its
 * environment, its directory and its standard descriptors to the aegsh around
 * the line, which judges, records and starts the real program, and does
 * itself what that one did: end, by a status or a signal, or stop.
 *
 * It is a program of the line as any other, and guards nothing.
 */
#include "elevate/elevate_int.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"

static int
wait_for_end(const char *name, int sock)
{
	int status = 0, rc = 0;

	while (rc == 0)
		rc = elevate_hear(sock, &status);
	return rc == 1 ? elevate_end(status) : elevate_fail(name, "the aegsh "
	    "around the line, which judges and records it, does not answer");
}

/* The keys are for the program that was asked for, and when it has stopped so
 * do we. */
static void
leave_keys(void)
{
	static const int keys[] = { SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN,
	    SIGTTOU };
	size_t i;

	for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
		signal(keys[i], SIG_IGN);
}

int
main(int argc, char **argv)
{
	static const int std[3] = { 0, 1, 2 };
	struct err err = ERR_INIT;
	const char *file = NULL, *name;
	int sock = -1, rc;

	if (io_fill_std() < 0 || argc < 1)
		return ELEVATE_REFUSED;
	name = path_base(argv[0]);
	elevate_in_place(name, argv);
	leave_keys();
	if (elevate_edits(name, argv))
		return elevate_edit(name, argv);
	rc = elevate_open_files(name, argv, &file);
	if (rc < 0)
		return elevate_fail(name, "%s: %s", file, strerror(-rc));
	rc = elevate_open(name, &sock);
	if (rc != 0)
		return rc;
	if (elevate_call(sock, argv, std, &err) < 0)
		return elevate_fail(name, "%s", err.text);
	return wait_for_end(name, sock);
}

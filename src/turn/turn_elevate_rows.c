/* SPDX-License-Identifier: ISC */
/* The programs by which one becomes another user, a row each. */
#include "turn/turn_elevate.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static const struct elevate_program programs[] = {
	{ "sudo", .plain = "n non-interactive S stdin k reset-timestamp K "
	    "remove-timestamp E preserve-env H set-home P preserve-groups v "
	    "validate V version l list u user g group U other-user N "
	    "no-update help",
	    .alone = "k reset-timestamp K remove-timestamp v validate "
	    "V version l list help",
	    .tells = "K remove-timestamp v validate V version l list help",
	    .shell = "i login s shell", .assigns = true, .absolute = true },
	{ "doas", .plain = "n u", .alone = "", .tells = "", .shell = "s",
	    .bare = "doas cannot be asked whether it would let a user run a "
	    "command, as sudo can" },
	{ "su", .plain = "c command l login V version h help",
	    .alone = "c command V version h help",
	    .tells = "V version h help", .shell = "s shell",
	    .bare = "su asks for the other user's password, which says "
	    "nothing about the command", .by_shell = true },
	{ "pkexec", .plain = "user disable-internal-agent version help",
	    .alone = "version help", .tells = "version help", .shell = "",
	    .bare = "polkit answers who asks it for itself, and nobody else",
	    .absolute = true },
};

const struct elevate_program *
elevate_program_of(const char *word)
{
	const char *name = path_base(word);
	size_t i;

	for (i = 0; i < AEG_NELEM(programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	return NULL;
}

bool
elevate_is_program(const char *name)
{
	return elevate_program_of(name) != NULL;
}

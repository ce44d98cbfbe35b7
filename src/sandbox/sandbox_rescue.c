/* SPDX-License-Identifier: ISC */
/*
 * Sandbox profiles for when the files of sandbox/ cannot be trusted or
 * read: built into the program.  The operator must be able to mend
 * whatever is broken, aegsh's own places included, on whatever kernel runs;
 * users can do next to nothing, so they are granted next to nothing.
 */
#include "sandbox_int.h"

#include <string.h>

static const char operator_text[] =
"require = {no-new-privs}\n"
"description = \"the operator mends what is broken\"\n"
"read = {\"/\"}\n"
"execute = {\"/\"}\n"
"write = {\"/\"}\n"
"make = {\"/\"}\n"
"node = {\"/\"}\n"
"device = {\"/dev\"}\n"
"connect = {\"/\"}\n"
"tcp-connect = {all}\n"
"tcp-bind = {all}\n"
"udp = all\n"
"seccomp = \"root\"\n";

static const char user_text[] =
"require = {no-new-privs, landlock, seccomp, limits}\n"
"description = \"a user may look around and leave\"\n"
"execute = {\"/usr\", \"/bin\", \"/sbin\", \"/lib\", \"/lib64\"}\n"
"read = {\"/usr\", \"/bin\", \"/sbin\", \"/lib\", \"/lib64\", \"/etc\"}\n"
"device = {\"/dev/null\", \"/dev/tty\", \"$TTY\"}\n"
"seccomp = \"strict\"\n";

const char *
sandbox_rescue_text(const char *name)
{
	return strcmp(name, "rescue") == 0 ? operator_text : user_text;
}

/* SPDX-License-Identifier: ISC */
/* The programs by which a line gains rights, a row each: those that run a
 * command as another user, and those that are set-uid for what they do. */
#include "turn/turn_elevate.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static const struct elevate_program programs[] = {
	{ "sudo", .plain = "n non-interactive S stdin k reset-timestamp K "
	    "remove-timestamp E preserve-env H set-home P preserve-groups v "
	    "validate V version l list u user g group U other-user N "
	    "no-update help e edit",
	    .edit = "e edit",
	    .alone = "k reset-timestamp K remove-timestamp v validate "
	    "V version l list help",
	    .tells = "K remove-timestamp v validate V version l list help",
	    .shell = "i login s shell", .login = "i login",
	    .assigns = true, .absolute = true },
	{ "sudoedit", .real = "sudo", .plain = "n non-interactive S stdin k "
	    "reset-timestamp u user g group N no-update V version h help",
	    .alone = "V version h help", .tells = "V version h help",
	    .shell = "" },
	{ "doas", .plain = "n u", .alone = "", .tells = "", .shell = "s",
	    .bare = "doas cannot be asked whether it would let a user run a "
	    "command, as sudo can", .absolute = true },
	{ "su", .plain = "c command l login V version h help",
	    .alone = "c command V version h help",
	    .tells = "V version h help", .shell = "s shell",
	    .bare = "su asks for the other user's password, which says "
	    "nothing about the command", .by_shell = true },
	{ "pkexec", .plain = "user disable-internal-agent version help",
	    .alone = "version help", .tells = "version help", .shell = "",
	    .bare = "polkit answers who asks it for itself, and nobody else",
	    .absolute = true },

	/* util-linux */
	{ "mount", .self = true, .roots = true,
	    .grammar = "L:o:O:t:U: label: options: test-opts: types: uuid: "
	    "source: target: target-prefix:",
	    .plain = "a all B bind f fake F fork h help i internal-only l "
	    "show-labels L label m mkdir M move n no-mtab o options O "
	    "test-opts r read-only R rbind source t types target "
	    "target-prefix U uuid v verbose V version w rw read-write "
	    "make-shared make-slave make-private make-unbindable make-rshared "
	    "make-rslave make-rprivate make-runbindable",
	    .asks = "a file system of that kind is a program, and it may be "
	    "told which", .asks_of = "fuse helper overlay" },
	{ "umount", .self = true, .roots = true, .grammar = "O:t: test-opts: "
	    "types:",
	    .plain = "A all-targets a all c no-canonicalize d detach-loop f "
	    "force fake h help i internal-only l lazy n no-mtab O test-opts q "
	    "quiet R recursive r read-only t types v verbose V version" },
	{ "newgrp", .self = true, .grammar = "c: command:", .plain = "",
	    .lone = "h help V version", .regroups = true,
	    .never = "it would start a shell, and what is typed there would "
	    "not be judged: log in anew to have the group" },
	{ "sg", .self = true, .grammar = "c: command:", .plain = "",
	    .lone = "h help V version", .regroups = true,
	    .never = "it would start a shell outside of the line's sandbox: "
	    "log in anew to have the group, or use sudo -g" },

	/* shadow */
	{ "passwd", .self = true, .grammar = "",
	    .plain = "h help k keep-tokens q quiet S status",
	    .lone = "h help S status" },
	{ "chsh", .self = true, .grammar = "s: shell:",
	    .plain = "h help s shell",
	    .lone = "h help l list-shells v version" },
	{ "chfn", .self = true, .grammar = "f:h:o:r:w: full-name: "
	    "home-phone: other: room: work-phone:",
	    .plain = "f full-name h home-phone r room u help w work-phone",
	    .lone = "u help v version" },
	{ "gpasswd", .self = true, .grammar = "a:d: add: delete:",
	    .plain = "a add d delete h help r remove-password",
	    .lone = "h help" },
	{ "chage", .self = true, .grammar = "", .plain = "h help l list",
	    .lone = "h help" },
	{ "expiry", .self = true, .grammar = "", .plain = "c check h help" },

	/* on some machines */
	{ "crontab", .self = true, .grammar = "u:", .plain = "l r i e",
	    .edit = "e",
	    .tells = "l", .lone = "h V", .no_files = true },
	{ "at", .self = true, .grammar = "f:q:t:", .plain = "c l m M r d v V "
	    "q t", .tells = "l c V", .lone = "V" },
	{ "atq", .self = true, .grammar = "q:", .plain = "q V", .lone = "V" },
	{ "atrm", .self = true, .grammar = "", .plain = "V", .lone = "V" },
	{ "ping", .self = true, .grammar = "c:e:F:i:I:l:m:M:N:p:Q:s:S:t:T:w:"
	    "W:", .plain = "4 6 a A b B c C d D e F h H i I L l m M n N O p q "
	    "Q r R s S t T U v V w W",
	    .lone = "h V", .pings = true },
	{ "fusermount", .self = true, .grammar = "o:", .plain = "h q u V z",
	    .lone = "h help V version" },
	{ "fusermount3", .self = true, .grammar = "o:", .plain = "h q u V z",
	    .lone = "h help V version" },
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

/* SPDX-License-Identifier: ISC */
/* The builtins of bash 5.2, as `compgen -b` prints them, in byte order. */
#include "aegsh/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

static const char *const builtins[] = {
	".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller",
	"cd", "command", "compgen", "complete", "compopt", "continue",
	"declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit",
	"export", "false", "fc", "fg", "getopts", "hash", "help", "history",
	"jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf",
	"pushd", "pwd", "read", "readarray", "readonly", "return", "set",
	"shift", "shopt", "source", "suspend", "test", "times", "trap", "true",
	"type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
};

static int
by_name(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

const char *
resolve_builtin(size_t i)
{
	return i < AEG_NELEM(builtins) ? builtins[i] : NULL;
}

bool
resolve_is_builtin(const char *name)
{
	return bsearch(name, builtins, AEG_NELEM(builtins),
	    sizeof builtins[0], by_name) != NULL;
}

/* SPDX-License-Identifier: ISC */
/* The words that a shell knows by itself, for which there is no program. */
#include "shellenv_int.h"

#include <string.h>

#define POSIX_LIKE (1U << DIALECT_POSIX | 1U << DIALECT_BASH | \
	1U << DIALECT_ZSH | 1U << DIALECT_KSH)

static const struct {
	unsigned dialects;	/* bits */
	const char *kind, *words;
} table[] = {
	{ POSIX_LIKE, "builtin",
	    " . : [ alias bg break cd command continue echo eval exec exit "
	    "export false fg getopts hash jobs kill printf pwd read readonly "
	    "return set shift test times trap true type ulimit umask unalias "
	    "unset wait " },
	{ POSIX_LIKE, "keyword",
	    " ! case do done elif else esac fi for if in then until while { "
	    "} " },
	{ 1U << DIALECT_POSIX, "builtin", " local " },
	{ 1U << DIALECT_BASH, "builtin",
	    " bind builtin caller compgen complete compopt declare dirs "
	    "disown enable fc help history let local logout mapfile popd "
	    "pushd readarray shopt source suspend typeset " },
	{ 1U << DIALECT_BASH, "keyword",
	    " [[ ]] coproc function select time " },
	{ 1U << DIALECT_KSH, "builtin",
	    " disown fc let print typeset whence " },
	{ 1U << DIALECT_KSH, "keyword", " [[ ]] function select time " },
	{ 1U << DIALECT_ZSH, "builtin",
	    " autoload bindkey builtin bye chdir compadd declare dirs "
	    "disable disown emulate enable fc float functions history "
	    "integer let limit local log logout noglob popd print private "
	    "pushd pushln r rehash sched setopt source suspend typeset "
	    "unfunction unhash unlimit unsetopt vared whence where which "
	    "zcompile zformat zle zmodload zparseopts zregexparse zstyle " },
	{ 1U << DIALECT_ZSH, "keyword",
	    " [[ coproc end foreach function nocorrect repeat select time " },
	{ 1U << DIALECT_FISH, "builtin",
	    " . : [ abbr and argparse begin bg bind block break breakpoint "
	    "builtin case cd command commandline complete contains continue "
	    "count disown echo else emit end eval exec exit false fg for "
	    "function functions history if jobs math not or path printf pwd "
	    "random read realpath return set set_color source status string "
	    "switch test time true type ulimit wait while " },
};

const char *
se_builtin(struct shellenv *se, const char *name)
{
	const char *padded = se_printf(se, " %s ", name);
	size_t i;

	if (name[0] == '\0' || strchr(name, ' ') != NULL)
		return NULL;
	for (i = 0; i < AEG_NELEM(table); i++)
		if ((table[i].dialects & 1U << se->row->dialect) != 0 &&
		    strstr(table[i].words, padded) != NULL)
			return table[i].kind;
	return NULL;
}

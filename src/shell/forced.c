/* SPDX-License-Identifier: ISC */
/*
 * What sshd(8) has us run.  A login shell is called as "aegsh -c COMMAND";
 * where there is a forced command (ForceCommand of sshd_config(5), command=
 * of an authorized key), COMMAND is that one, and what the client wished for
 * is in SSH_ORIGINAL_COMMAND.  When aegsh is both login shell and forced
 * command, COMMAND is a call of aegsh: it is taken as that call.  A second
 * aegsh would be a line of the first: confined as one, judged twice, and on
 * record below it.
 */
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/syntax.h"
#include "shell/shell_int.h"

/* The path is this very program's. */
static bool
is_ours(const char *path)
{
	struct stat ours, named;

	return path[0] == '/' && stat(path, &named) == 0 &&
	    stat("/proc/self/exe", &ours) == 0 &&
	    named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

/* Its words, where the whole of it is one command and nothing in it is
 * expanded. */
static int
own_words(const char *command, struct arena *mem, char ***ret)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	const struct syn_command *c;
	char **argv;
	int argc = 0;
	size_t i;

	if (syn_parse(command, strlen(command), NULL, &tree,
	    &diag) != SYN_TREE)
		return 0;
	facts = syn_facts_new(tree, NULL);
	if (facts->only_simple && facts->n_commands == 1 &&
	    facts->rest_unknown == NULL) {
		c = &facts->commands[0];
		argv = arena_alloc(mem, (c->n_words + 1) * sizeof *argv);
		for (i = 0; i < c->n_words && c->words[i].known; i++)
			argv[i] = arena_memdup0(mem, c->words[i].value,
			    c->words[i].len);
		if (i == c->n_words) {
			argc = (int)c->n_words;
			*ret = argv;
		}
	}
	syn_facts_free(facts);
	syn_free(tree);
	return argc;
}

/* A call with settings of its own is no plain login shell: it keeps those,
 * and what it starts is confined by them. */
static bool
may_become(const struct shell_args *a)
{
	return a->command != NULL && a->name == NULL && a->profile == NULL &&
	    a->options.n == 0 && a->bash_options.n == 0 && !a->check_only &&
	    !a->interactive && !a->from_stdin;
}

int
shell_args_unwrap(struct shell *sh)
{
	struct shell_args *a = &sh->args, inner;
	char **argv, *first;
	int argc, status;

	while (may_become(a)) {
		first = arena_memdup0(sh->words, a->command,
		    strcspn(a->command, " \t"));
		argc = is_ours(first) ?
		    own_words(a->command, sh->words, &argv) : 0;
		if (argc == 0 || strcmp(argv[0], first) != 0)
			break;
		status = shell_args_parse(argc, argv, &inner);
		if (status != 0)
			return status;
		inner.login = inner.login || a->login;
		inner.bound = true;
		*a = inner;
	}
	return 0;
}

void
shell_take_wish(struct shell *sh)
{
	const struct shell_args *a = &sh->args;
	const char *wish = state_get(sh->state, "SSH_ORIGINAL_COMMAND");

	if (wish == NULL || a->command != NULL || a->script != NULL ||
	    a->from_stdin || a->interactive)
		return;
	sh->wish = arena_memdup0(sh->words, wish, strlen(wish));
	/* It is fulfilled here: an aegsh further down, a terminal
	 * multiplexer's for one, is not to do it again. */
	state_unset(sh->state, "SSH_ORIGINAL_COMMAND");
	/* As sshd(8) calls a login shell: by its name without a path. */
	sh->args.name = path_base(a->argv0);
}

/* SPDX-License-Identifier: ISC */
/* Where the names of commands are found, behind what moves them. */
#include "aegsh/resolve.h"
#include "aegsh/base/mem.h"
#include "tap.h"

#include <string.h>

/* What a line does to PATH, to the working directory and to names counts for
 * the commands behind it.  kind: of the last item. */
static const struct {
	const char *line;
	enum resolve_kind kind;
	bool incomplete;
} moved[] = {
	{ "PATH=/nonexistent; ls", RESOLVE_UNKNOWN, true },
	{ "PATH=/nonexistent ls", RESOLVE_UNKNOWN, true },
	{ "PATH=/nonexistent true", RESOLVE_BUILTIN, false },
	{ "PATH=/nonexistent:/bin ls", RESOLVE_FILE, false },
	{ "PATH=/bin; PATH+=:/x; ls", RESOLVE_FILE, false },
	{ "(PATH=/nonexistent); ls", RESOLVE_FILE, false },
	{ "export PATH=/nonexistent; ls", RESOLVE_UNKNOWN, true },
	{ "PATH=$(x); ls", RESOLVE_UNKNOWN, true },
	{ "PATH=$1 ls", RESOLVE_UNKNOWN, true },
	{ "unset PATH; ls", RESOLVE_UNKNOWN, true },
	/* A PATH that is open does not move what is a builtin. */
	{ "PATH=$(x); [ -n x ]", RESOLVE_BUILTIN, false },
	{ "PATH=$1 true", RESOLVE_BUILTIN, false },
	{ "if a; then PATH=/x; fi; export PATH", RESOLVE_BUILTIN, false },
	{ "if a; then PATH=/x; fi; ls", RESOLVE_UNKNOWN, true },
	{ "PATH=$(x); enable -n test; test x", RESOLVE_UNKNOWN, true },
	{ "PATH=$(x); eval \"$(y)\"; test x", RESOLVE_UNKNOWN, true },
	{ "env \"PATH=$RANDOM\" test x", RESOLVE_UNKNOWN, true },
	{ "read PATH; ls", RESOLVE_UNKNOWN, true },
	{ "printf -v PATH /x; ls", RESOLVE_UNKNOWN, true },
	{ "printf -v PATH %d 1; ls", RESOLVE_UNKNOWN, true },
	{ "x=PATH; while a; do ls; read $x; break; done; ls",
	    RESOLVE_UNKNOWN, true },
	{ "ls() { :; }; ls", RESOLVE_FUNCTION, false },
	{ "ls() { :; }; command ls", RESOLVE_FILE, false },
	{ "ls() { :; }; unset -f ls; ls", RESOLVE_FILE, false },
	{ "unset -f ls; ls; ls() { :; }; unset -f ls; ls", RESOLVE_FILE,
	    false },
	{ "if a; then ls() { :; }; fi; ls", RESOLVE_UNKNOWN, true },
	{ "ls() { :; }; eval ls", RESOLVE_FUNCTION, false },
	{ "if a; then nope() { :; }; fi; nope", RESOLVE_FUNCTION, false },
	{ "source <(echo ls)", RESOLVE_BUILTIN, false },
	{ "f() { \"$@\"; }; ls", RESOLVE_FILE, true },
	{ "source <(a; b)", RESOLVE_NOT_FOUND, true },
	{ "echo ls | { bash; }", RESOLVE_FILE, true },
	{ "{ bash; } < /dev/null", RESOLVE_FILE, true },
	{ "BASH_ENV=/x bash -c ls", RESOLVE_FILE, true },
	{ "env BASH_ENV=/x bash -c ls", RESOLVE_FILE, true },
	{ "echo a b | xargs -n1 ls", RESOLVE_FILE, false },
	{ "eval \"$(x)\"; ls", RESOLVE_UNKNOWN, true },
	{ "eval \"$x\"; ls", RESOLVE_FILE, false },
	{ "eval 'PATH=$(x)'; ls", RESOLVE_UNKNOWN, true },
	{ "eval 'PATH=/x'; ls", RESOLVE_UNKNOWN, true },
	{ "eval 'cd /bin'; ./ls", RESOLVE_FILE, false },
	{ "for i in 1 2; do PATH=/x; ls; done", RESOLVE_UNKNOWN, true },
	{ "PATH=/nonexistent bash -c ls", RESOLVE_UNKNOWN, true },
	{ "PATH=/nonexistent; eval 'PATH=/bin; ls'", RESOLVE_FILE, false },
	{ "PATH=/nonexistent; command ls", RESOLVE_UNKNOWN, true },
	{ "hash -p /bin/rm ls; ls", RESOLVE_UNKNOWN, true },
	{ "hash ls; ls", RESOLVE_FILE, false },
	{ "hash -p /bin/rm ls; /bin/ls", RESOLVE_FILE, false },
	{ "BASH_CMDS[ls]=/bin/rm; ls", RESOLVE_UNKNOWN, true },
	{ "BASH_CMDS=([ls]=/bin/rm); ls", RESOLVE_UNKNOWN, true },
	{ "enable -f ./x.so ls; ls", RESOLVE_UNKNOWN, true },
	{ "enable -n echo; echo", RESOLVE_UNKNOWN, true },
	{ "env PATH=/nonexistent ls", RESOLVE_UNKNOWN, true },
	{ "env -i /bin/ls", RESOLVE_FILE, false },
	{ "env \"PATH=$RANDOM\" ls", RESOLVE_UNKNOWN, true },
	{ "env -C /bin ./ls", RESOLVE_UNKNOWN, true },
	{ "cd /bin; ./ls", RESOLVE_FILE, false },
	{ "cd /; cd bin && ./ls", RESOLVE_FILE, false },
	{ "cd /bin && pushd .. && bin/ls", RESOLVE_FILE, false },
	{ "cd /nonexistent; ./ls", RESOLVE_UNKNOWN, true },
	{ "HOME=/bin cd; ./ls", RESOLVE_UNKNOWN, true },
	{ "CDPATH=/ cd bin; ./ls", RESOLVE_UNKNOWN, true },
	{ "HOME=/bin; cd; ./ls", RESOLVE_FILE, false },
	{ "cd \"$x\"; ./ls", RESOLVE_UNKNOWN, true },
	{ "cd \"$x\"; ls", RESOLVE_FILE, false },
	{ "cd -; ./ls", RESOLVE_UNKNOWN, true },
	{ "cd -P /bin; ./ls", RESOLVE_UNKNOWN, true },
	{ "popd; ./ls", RESOLVE_UNKNOWN, true },
	{ "CDPATH=/usr; cd .bin; ./ls", RESOLVE_UNKNOWN, true },
	{ "CDPATH=/x; cd /; cd ./bin; ./ls", RESOLVE_FILE, false },
	{ "CDPATH=/usr; cd bin; ./ls", RESOLVE_UNKNOWN, true },
	{ "while a; do cd ..; done; ./ls", RESOLVE_UNKNOWN, true },
	{ "f() { cd /x; }; f; ./ls", RESOLVE_UNKNOWN, true },
	{ "f() { PATH=/x; }; f; ls", RESOLVE_UNKNOWN, true },
	{ "(cd /x); /bin/ls", RESOLVE_FILE, false },
	{ "cd /nonexistent; PATH=.; ls", RESOLVE_UNKNOWN, true },
	{ "cd /bin; PATH=.; ls", RESOLVE_FILE, false },
	{ "ssh host ls", RESOLVE_UNKNOWN, false },
	{ "chroot /x ls", RESOLVE_UNKNOWN, false },
};

static enum syn_var
variable(void *ctx, const char *name, const char **ret_value)
{
	*ret_value = state_get(ctx, name);
	return *ret_value != NULL ? SYN_VAR_SET : SYN_VAR_UNSET;
}

static void
test_moved(struct state *state)
{
	struct syn_vars vars = { variable, state };
	struct syn_diag diag;
	size_t i;

	for (i = 0; i < AEG_NELEM(moved); i++) {
		struct resolve_set *set = NULL;
		struct syn_tree *tree = NULL;
		struct syn_facts *facts;
		const struct resolved *last;

		syn_parse(moved[i].line, strlen(moved[i].line), NULL, &tree,
		    &diag);
		facts = syn_facts_new(tree, &vars);
		resolve_facts(facts, state, &set);
		last = &set->items[set->n - 1];
		IS_INTN(last->kind, moved[i].kind, moved[i].line);
		OKF(set->incomplete == moved[i].incomplete, "%s: %s",
		    moved[i].line, set->incomplete ? "not all was followed" :
		    "all was followed");
		resolve_free(set);
		syn_facts_free(facts);
		syn_free(tree);
	}
}

int
main(void)
{
	static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/h";
	char *envp[] = { path, home, NULL };
	struct state *state = state_new(envp);

	test_moved(state);
	state_free(state);
	return tap_done();
}

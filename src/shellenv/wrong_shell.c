/* SPDX-License-Identifier: ISC */
/* What the files of other shells in this home put on PATH: what a user who
 * changed the shell has left behind. */
#include "check_int.h"

#include <string.h>

#include "aegsh/base/path.h"

static const enum shell_kind others[] = { SHELL_BASH, SHELL_ZSH, SHELL_FISH,
	SHELL_KSH93, SHELL_MKSH, SHELL_YASH };

/* Entries of the user's own files of one shell. */
void
se_other_shell_entries(struct shellenv *se, const struct shell_row *row,
    const struct sim_entry ***ret, size_t *ret_n)
{
	static const enum shellenv_session sessions[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	const struct sim_entry **list = NULL;
	size_t i, k, n = 0, cap = 0;

	for (i = 0; i < AEG_NELEM(sessions); i++) {
		struct sim *s = se_session_follow(se, row, sessions[i], NULL, 0,
		    NULL, NULL);

		for (k = 0; k < s->n_path; k++) {
			const struct sim_entry *e = &s->path[k];

			if (e->file != NULL && !e->unknown && !e->maybe &&
			    e->text[0] == '/' &&
			    path_under(e->file, se->home))
				*SE_PUSH(se, list, n, cap) = e;
		}
	}
	*ret = list;
	*ret_n = n;
}

/* A file of the user's own shell, read or hidden. */
bool
se_own_file(struct shellenv *se, const char *path)
{
	static const enum shellenv_session sessions[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	const struct session_file *files;
	size_t i, k, n;

	for (i = 0; i < AEG_NELEM(sessions); i++) {
		se_session_follow(se, se->row, sessions[i], NULL, 0, &files,
		    &n);
		for (k = 0; k < n; k++)
			if (strcmp(files[k].path, path) == 0)
				return true;
	}
	return false;
}

const struct sim_entry *
se_other_shell_sets(struct shellenv *se, const char *dir,
    const struct shell_row **ret_row)
{
	size_t i, k, n;

	for (i = 0; i < AEG_NELEM(others); i++) {
		const struct shell_row *row = se_shell_row(others[i]);
		const struct sim_entry **list;

		if (row == se->row)
			continue;
		se_other_shell_entries(se, row, &list, &n);
		for (k = 0; k < n; k++) {
			AEG_AUTOFREE char *canon = path_canon("/",
			    list[k]->text);

			if (strcmp(canon, dir) == 0 &&
			    !se_own_file(se, list[k]->file)) {
				*ret_row = row;
				return list[k];
			}
		}
	}
	return NULL;
}

/* SPDX-License-Identifier: ISC */
/* What the checks of the environment share. */
#ifndef CHECK_INT_H
#define CHECK_INT_H

#include "sim_int.h"

/* ---- methods.c: where the ways to install put their programs ---------- */

enum method_default { ON_PATH_NO, ON_PATH_DEPENDS, ON_PATH_USUALLY,
	ON_PATH_YES };
struct method {
	const char *name, *label;
	/* Directories, with a bar between: "$VAR/bin", "~/x", a glob; one
	 * with an unset variable is left out, and so is each behind one that
	 * is there. */
	const char *dirs;
	enum method_default on_path;
	const char *loader;	/* NULL, or what should set it instead of a
				 * line of ours */
};
struct method_dir {
	const struct method *method;
	const char *dir;
	const char *program;	/* one that is in it */
};
extern const struct method se_methods[];
extern const size_t se_n_methods;

/* The directories that are there and hold a program. */
void se_methods_find(struct shellenv *se, struct method_dir **ret,
	size_t *ret_n);
const char *se_dir_program(struct shellenv *se, const char *dir);
/* What a directory belongs to; NULL: nothing known. */
const struct method *se_method_of(struct shellenv *se, const char *dir);

/* ---- check.c ---------------------------------------------------------- */

struct check {
	struct shellenv *se;
	struct shellenv_finding *list;
	size_t n, cap;
	struct sim *login, *tab;	/* login and interactive */
	const struct session_file *login_files, *tab_files;
	size_t n_login_files, n_tab_files;
	const char **seen;	/* files that were looked at */
	size_t n_seen, cap_seen;
	/* PATH as the login shell really has it; NULL: not asked or lost */
	const char *login_path, *tab_path;
	bool probed;
	struct probe_path login_probe;
};

struct shellenv_finding *se_check_add(struct check *c,
	enum shellenv_severity sev, const char *kind, const char *subject);
struct shellenv_finding *se_check_has(struct check *c, const char *kind,
	const char *subject);
void se_check_evidence(struct check *c, struct shellenv_finding *f,
	const char *file, int line, const char *text);
/* It can be mended from here, by this command. */
void se_check_fixable(struct check *c, struct shellenv_finding *f);
/* The line itself, cut to what a screen takes. */
const char *se_check_line(struct check *c, const char *file, int line);

void se_check_subject(struct check *c);
void se_check_files(struct check *c);
void se_check_path(struct check *c);
void se_check_sessions(struct check *c);
void se_check_exports(struct check *c);
void se_check_tools(struct check *c);

/* ---- syntax.c: the shell's own -n ------------------------------------- */

struct syntax {
	bool bad, asked;
	int line;
	const char *text;	/* what the shell says */
};
void se_syntax_check(struct shellenv *se, const struct shell_row *row,
	const char *path, struct syntax *ret);

/* ---- wrong_shell.c ---------------------------------------------------- */

/* A directory that another shell's files of this home put on PATH, by a
 * file that the user's own shell has nothing to do with. */
const struct sim_entry *se_other_shell_sets(struct shellenv *se,
	const char *dir, const struct shell_row **ret_row);
bool se_own_file(struct shellenv *se, const char *path);
void se_other_shell_entries(struct shellenv *se, const struct shell_row *row,
	const struct sim_entry ***ret, size_t *ret_n);

#endif

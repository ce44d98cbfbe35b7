/* SPDX-License-Identifier: ISC */
/* One way to be confined, and what was found of it. */
#ifndef CONFINEMENT_INT_H
#define CONFINEMENT_INT_H

#include "shellenv_int.h"

struct conf_found {
	int present;		/* 1, 0, -1: cannot be told */
	const char *mode, *evidence;
};

const char *se_conf_first_line(struct shellenv *se, const char *path);
void se_conf_find_chroot(struct shellenv *se, struct conf_found *f);
void se_conf_find_docker(struct shellenv *se, struct conf_found *f);
void se_conf_find_podman(struct shellenv *se, struct conf_found *f);
void se_conf_find_lxc(struct shellenv *se, struct conf_found *f);
void se_conf_find_nspawn(struct shellenv *se, struct conf_found *f);
void se_conf_find_container(struct shellenv *se, struct conf_found *f);
void se_conf_find_wsl(struct shellenv *se, struct conf_found *f);
void se_conf_find_landlock(struct shellenv *se, struct conf_found *f);

#endif

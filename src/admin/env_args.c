/* SPDX-License-Identifier: ISC */
/* Options of the verbs "env …", and opening what they look at. */
#include "env_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

static void
take(struct env_args *r, const char *name, const char *value)
{
	const struct { const char *name; bool *flag; const char **value; }
	    table[] = {
		{ "json", &r->json, NULL }, { "print", &r->print, NULL },
		{ "yes", &r->yes, NULL }, { "no-probe", &r->no_probe, NULL },
		{ "user", NULL, &r->user }, { "shell", NULL, &r->shell },
		{ "file", NULL, &r->file }, { "session", NULL, &r->session },
		{ "post-env", NULL, &r->post_env },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(table); i++) {
		if (strcmp(name, table[i].name) != 0)
			continue;
		if (table[i].flag != NULL)
			*table[i].flag = true;
		else
			*table[i].value = value;
	}
}

int
env_args_read(struct admin *a, int argc, char **argv, int least, int most,
    struct env_args *ret)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct env_args r = { .json = false };
	int o;

	while ((o = admin_option_next(a, &args)) >= 0)
		take(&r, a->verb->options[o].name, args.value);
	if (admin_operands(a, &args, least, most) < 0)
		return ADMIN_USAGE;
	r.operands = argv + args.at;
	r.n = argc - args.at;
	*ret = r;
	return ADMIN_OK;
}

int
env_fail(struct admin *a, const struct err *err)
{
	int status = admin_fail(a, err);

	switch (err->code) {
	case ERR_REFUSED:
	case ERR_UNKNOWN_NAME:
	case -ESTALE:
	case -EBUSY:
		return ADMIN_NO;
	case ERR_RANGE:
	case ERR_SYNTAX:
	case ERR_TOO_LONG:
	case -EINVAL:
		return ADMIN_USAGE;
	default:
		return status;
	}
}

int
env_open(struct admin *a, const struct env_args *args, struct shellenv **ret)
{
	struct shellenv_opts opts = { .user = args->user,
		.shell = args->shell };
	struct err err = ERR_INIT;
	struct shellenv *se;

	if (shellenv_open(&opts, &se, &err) < 0)
		return admin_fail(a, &err);
	if (shellenv_become(se, &err) < 0) {
		shellenv_free(se);
		return admin_fail(a, &err);
	}
	*ret = se;
	return ADMIN_OK;
}

int
env_begin(struct admin *a, int argc, char **argv, int least, int most,
    struct env_args *ret_args, struct shellenv **ret)
{
	int status = env_args_read(a, argc, argv, least, most, ret_args);

	return status == ADMIN_OK ? env_open(a, ret_args, ret) : status;
}

void
env_close(struct shellenv **se)
{
	shellenv_free(*se);
}

const char *
env_severity(enum shellenv_severity s)
{
	switch (s) {
	case SHELLENV_ERROR:
		return "error";
	case SHELLENV_WARNING:
		return "warning";
	case SHELLENV_INFO:
		return "info";
	}
	return "error";
}

const char *
env_can(enum shellenv_can c)
{
	switch (c) {
	case SHELLENV_CAN_NOT:
		return "no";
	case SHELLENV_CAN_PARTLY:
		return "partly";
	case SHELLENV_CAN:
		return "yes";
	}
	return "no";
}

/* SPDX-License-Identifier: ISC */
/* `aegshctl cache stats', `cache clear': the verdicts that are remembered. */
#include <errno.h>
#include <inttypes.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/validator_store.h"

enum { O_JSON };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	{ NULL }
};

/* -ENOENT: nothing was ever remembered. */
static int
open_cache(struct admin *a, bool write, int *ret_fd, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	int rc = audit_place(a->uid, false, &place, err);

	return rc < 0 ? rc : val_cache_open(place, 0, write, ret_fd, err);
}

static int
stats(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct val_cache_stats s = { .rows = 0 };
	char oldest[ADMIN_TIME_MAX] = "";
	struct err err = ERR_INIT;
	AEG_AUTOFD int fd = -1;
	bool json = false;
	json_t *o;
	int rc;

	if (admin_json_operands(a, &args, 0, 0, &json) < 0)
		return ADMIN_USAGE;
	admin_confine(a);
	rc = open_cache(a, false, &fd, &err);
	if (rc == 0)
		rc = val_cache_stats(fd, &s, &err);
	if (rc < 0 && rc != -ENOENT)
		return admin_fail(a, &err);
	o = json_object();
	json_object_set_new(o, "rows", json_integer(s.rows));
	json_object_set_new(o, "used", json_integer(s.used));
	json_object_set_new(o, "hits", json_integer((json_int_t)s.hits));
	json_object_set_new(o, "misses", json_integer((json_int_t)s.misses));
	json_object_set_new(o, "stored", json_integer((json_int_t)s.stored));
	json_object_set_new(o, "forged", json_integer((json_int_t)s.forged));
	if (s.oldest_ns != 0 && json)
		admin_time_json(s.oldest_ns, oldest);
	else if (s.oldest_ns != 0)
		admin_time_show(s.oldest_ns, oldest);
	admin_json_text(o, "oldest", oldest[0] != '\0' ? oldest : NULL);
	if (json)
		admin_json_print(a, o);
	else
		admin_json_show(a, o, ADMIN_SHOW_FOLDED);
	return ADMIN_OK;
}

static int
clear(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct err err = ERR_INIT;
	AEG_AUTOFD int fd = -1;
	int rc;

	if (admin_json_operands(a, &args, 0, 0, NULL) < 0)
		return ADMIN_USAGE;
	rc = open_cache(a, false, &fd, &err);
	io_close(&fd);
	if (rc == 0)
		rc = open_cache(a, true, &fd, &err);
	if (rc == 0)
		rc = val_cache_clear(fd, &err);
	if (rc == -ENOENT || rc == ERR_SYNTAX)
		rc = 0;		/* there is nothing, or nothing that counts */
	return rc < 0 ? admin_fail(a, &err) : ADMIN_OK;
}

const struct admin_verb cmd_cache_stats = {
	.name = "cache stats",
	.usage = "",
	.summary = "show how many verdicts of the model are remembered",
	.run = stats,
	.options = options,
};

static const struct admin_option no_options[] = { { NULL } };

const struct admin_verb cmd_cache_clear = {
	.name = "cache clear",
	.usage = "",
	.summary = "forget the verdicts of the model that are remembered",
	.run = clear,
	.options = no_options,
};

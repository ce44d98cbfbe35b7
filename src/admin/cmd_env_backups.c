/* SPDX-License-Identifier: ISC */
/* `aegshctl env backups`: what start-up files held before they were edited. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	{ NULL }
};

static void
print(struct admin *a, const struct shellenv_backup *b, size_t n, bool json)
{
	static const struct admin_column columns[] = {
		{ "NAME", 20, false, true },
		{ "FILE", 10, false, false },
		{ "BYTES", 5, true, false },
	};
	struct admin_table *t = admin_table_new(columns, AEG_NELEM(columns));
	size_t i;

	for (i = 0; i < n; i++) {
		AEG_AUTOFREE char *size = xasprintf("%zu", b[i].size);
		const char *cells[] = { b[i].name, b[i].file, size };
		json_t *o;

		admin_table_add(t, cells);
		if (!json)
			continue;
		o = json_object();
		admin_json_text(o, "name", b[i].name);
		admin_json_text(o, "file", b[i].file);
		admin_json_text(o, "time", b[i].time);
		json_object_set_new(o, "size",
		    json_integer((json_int_t)b[i].size));
		admin_json_print(a, o);
	}
	if (!json && n > 0)
		admin_table_print(t, a);
	admin_table_free(t);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_backup *list;
	struct err err = ERR_INIT;
	int status = env_begin(a, argc, argv, 0, 0, &args, &se);
	size_t n;

	if (status != ADMIN_OK)
		return status;
	if (shellenv_backups(se, &list, &n, &err) < 0)
		return env_fail(a, &err);
	print(a, list, n, args.json);
	return n > 0 ? ADMIN_OK : ADMIN_NO;
}

const struct admin_verb cmd_env_backups = {
	.name = "env backups",
	.usage = "",
	.summary = "list what start-up files held before they were edited",
	.run = run,
	.options = options,
};

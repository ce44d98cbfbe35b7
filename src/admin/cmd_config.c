/* SPDX-License-Identifier: ISC */
/* `aegshctl config show`: every setting, its value and who set it. */
#include "admin_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	{ NULL }
};

static const char *const type_names[] = {
	[CONF_BOOL] = "bool", [CONF_INT] = "int", [CONF_ENUM] = "enum",
	[CONF_STRING] = "string", [CONF_SET] = "set",
};

/* The words that a value is or is made of; null: it is no matter of words. */
static json_t *
words_of(const struct conf_row *row)
{
	const char *p = row->words;
	json_t *list;

	if (p == NULL || *p == '\0')
		return json_null();
	list = json_array();
	while (*p != '\0') {
		size_t n = strcspn(p, " ");

		json_array_append_new(list, json_stringn(p, n));
		p += n;
		p += strspn(p, " ");
	}
	return list;
}

/* What a setting means, with the words that it can be set to: who reads of
 * "beginning and end" must not have to guess that it is called sample. */
static char *
meaning_of(const struct conf_row *row)
{
	if (row->words == NULL || *row->words == '\0')
		return xstrdup(row->help);
	return xasprintf("%s (%s: %s)", row->help,
	    row->type == CONF_SET ? "some of" : "one of", row->words);
}

static void
show_json(struct admin *a, enum conf_id id)
{
	const struct conf_row *row = conf_row(id);
	json_t *o = json_object();

	admin_json_text(o, "name", row->name);
	admin_json_text(o, "type", type_names[row->type]);
	if (row->type == CONF_BOOL)
		json_object_set_new(o, "value",
		    json_boolean(conf_bool(a->conf, id)));
	else if (row->type == CONF_INT)
		json_object_set_new(o, "value",
		    json_integer(conf_int(a->conf, id)));
	else
		admin_json_text(o, "value", conf_str(a->conf, id));
	admin_json_text(o, "default", row->preset);
	admin_json_text(o, "layer", conf_layer_name(conf_origin(a->conf, id)));
	admin_json_text(o, "file", conf_origin_file(a->conf, id));
	admin_json_text(o, "scope",
	    row->scope == CONF_SCOPE_OPERATOR ? "operator" : "user");
	admin_json_text(o, "help", row->help);
	json_object_set_new(o, "words", words_of(row));
	admin_json_print(a, o);
}

static void
show_table(struct admin *a)
{
	static const struct admin_column columns[] = {
		{ "NAME", 8, false, false },
		{ "VALUE", 8, false, false },
		{ "SET BY", 8, false, false },
		{ "MEANING", 10, false, true },
	};
	struct admin_table *t = admin_table_new(columns, AEG_NELEM(columns));
	int i;

	for (i = 0; i < CONF_COUNT; i++) {
		enum conf_id id = (enum conf_id)i;
		const char *file = conf_origin_file(a->conf, id);
		AEG_AUTOFREE char *meaning = meaning_of(conf_row(id));
		const char *cells[] = { conf_row(id)->name,
			conf_str(a->conf, id),
			file != NULL ? file :
			conf_layer_name(conf_origin(a->conf, id)),
			meaning };

		admin_table_add(t, cells);
	}
	admin_table_print(t, a);
	admin_table_free(t);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct err err = ERR_INIT;
	const struct strv *notes;
	bool json = false;
	size_t n;
	int i;

	if (admin_json_operands(a, &args, 0, 0, &json) < 0)
		return ADMIN_USAGE;
	admin_confine(a);
	if (admin_conf(a, &err) < 0)
		return admin_fail(a, &err);
	for (i = 0; json && i < CONF_COUNT; i++)
		show_json(a, (enum conf_id)i);
	if (!json)
		show_table(a);
	notes = conf_notes(a->conf);
	for (n = 0; n < notes->n; n++)
		admin_complain(a, "%s", notes->v[n]);
	return ADMIN_OK;
}

const struct admin_verb cmd_config_show = {
	.name = "config show",
	.usage = "",
	.summary = "show every setting, its value and who set it",
	.run = run,
	.options = options,
};

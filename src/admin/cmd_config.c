/* SPDX-License-Identifier: ISC */
/* `aegshctl config show`: settings, their values and who set them. */
#include "admin_int.h"

#include <limits.h>
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

/* Whether a setting is among the names; none of them are all. */
static bool
is_wanted(enum conf_id id, char *const *names, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(names[i], conf_row(id)->name) == 0)
			return true;
	return n == 0;
}

/* The first name that no setting has, or NULL. */
static const char *
unknown_name(char *const *names, int n)
{
	int i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < CONF_COUNT; k++)
			if (is_wanted((enum conf_id)k, &names[i], 1))
				break;
		if (k == CONF_COUNT)
			return names[i];
	}
	return NULL;
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
show_table(struct admin *a, char *const *names, int n_names)
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

		if (is_wanted(id, names, n_names))
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
	const char *unknown;
	char **names;
	bool json = false;
	size_t n;
	int i, n_names;

	if (admin_json_operands(a, &args, 0, INT_MAX, &json) < 0)
		return ADMIN_USAGE;
	names = argv + args.at;
	n_names = argc - args.at;
	unknown = unknown_name(names, n_names);
	if (unknown != NULL) {
		admin_complain(a, "%s: no such setting; aegshctl config show "
		    "lists them", unknown);
		return ADMIN_USAGE;
	}
	admin_confine(a);
	if (admin_conf(a, &err) < 0)
		return admin_fail(a, &err);
	for (i = 0; json && i < CONF_COUNT; i++)
		if (is_wanted((enum conf_id)i, names, n_names))
			show_json(a, (enum conf_id)i);
	if (!json)
		show_table(a, names, n_names);
	notes = conf_notes(a->conf);
	for (n = 0; n < notes->n; n++)
		admin_complain(a, "%s", notes->v[n]);
	return ADMIN_OK;
}

const struct admin_verb cmd_config_show = {
	.name = "config show",
	.usage = "[SETTING]...",
	.summary = "show the settings, their values and who set them",
	.run = run,
	.options = options,
	.words = ADMIN_WORDS_SETTING_NAME,
};

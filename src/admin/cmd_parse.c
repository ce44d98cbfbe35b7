/* SPDX-License-Identifier: ISC */
/* `aegshctl parse`: how a line is read, and what it would run. */
#include <string.h>
#include <unistd.h>

#include "admin_facts.h"
#include "aegsh/base/mem.h"

enum { O_JSON, O_FILE };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_FILE] = { "file", 0, "FILE", "read FILE (-: standard input)",
	    ADMIN_WORDS_FILE },
	{ NULL }
};

static const char *const answers[] = {
	[SYN_ERROR] = "error",
	[SYN_INCOMPLETE] = "incomplete",
	[SYN_TREE] = "tree",
};

static void
print_json(struct admin *a, const struct admin_facts *f)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	json_t *o = json_object();

	admin_json_text(o, "answer", answers[f->answer]);
	if (f->answer != SYN_TREE) {
		AEG_AUTOFREE char *diag = admin_facts_diag(f);

		admin_json_text(o, "message", diag);
		json_object_set_new(o, "line", json_integer(f->diag.line));
		json_object_set_new(o, "column",
		    json_integer(f->diag.column));
		admin_json_text(o, "expected", f->diag.expected);
	} else {
		syn_print(f->tree, &text);
		admin_json_bytes(o, "canonical", text.data != NULL ?
		    text.data : "", text.len);
		buf_reset(&text);
		syn_dump(f->tree, &text);
		admin_json_bytes(o, "tree", text.data != NULL ?
		    text.data : "", text.len);
		json_object_set_new(o, "facts", admin_facts_json(f));
	}
	admin_json_print(a, o);
}

static void
print_text(struct admin *a, const struct admin_facts *f)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	if (f->answer != SYN_TREE) {
		AEG_AUTOFREE char *diag = admin_facts_diag(f);

		admin_say(a, "%s\n", diag);
		return;
	}
	syn_dump(f->tree, &text);
	admin_say(a, "%s\n", text.data != NULL ? text.data : "");
	admin_facts_print(a, f);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	const char *file = NULL;
	struct err err = ERR_INIT;
	struct admin_facts f;
	struct state *state;
	bool json = false;
	size_t len;
	char *line;
	int o;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == O_JSON)
			json = true;
		else
			file = args.value;
	}
	if (admin_operands(a, &args, file == NULL, file == NULL) < 0)
		return ADMIN_USAGE;
	/* The file first: what is left then needs no rights at all. */
	if (admin_read_line(file, file == NULL ? argv[args.at] : NULL, &line,
	    &len, &err) < 0)
		return admin_fail(a, &err);
	state = state_new(environ);
	if (admin_facts_new(line, len, state, &f, &err) < 0) {
		state_free(state);
		return admin_fail(a, &err);
	}
	if (json)
		print_json(a, &f);
	else
		print_text(a, &f);
	o = f.answer == SYN_TREE ? ADMIN_OK : ADMIN_NO;
	admin_facts_done(&f);
	state_free(state);
	return o;
}

const struct admin_verb cmd_parse = {
	.name = "parse",
	.usage = "[--] LINE",
	.summary = "show how a line is read, and what it would run",
	.run = run,
	.options = options,
};

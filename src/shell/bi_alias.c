/* SPDX-License-Identifier: ISC */
/* alias and unalias. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/alias.h"
#include "shell/bi.h"

/* So that the words could be typed again. */
static void
put_alias(struct buf *out, const struct alias *a)
{
	const char *p;

	buf_putf(out, "alias %s='", a->name);
	for (p = a->value; *p != '\0'; p++)
		if (*p == '\'')
			buf_puts(out, "'\\''");
		else
			text_inert(out, p, 1, TEXT_INERT_NEWLINE);
	buf_puts(out, "'\n");
}

static void
put_all(struct buf *out, const struct aliases *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		put_alias(out, &a->v[i]);
}

static int
complain(struct buf *complaint, const char *who, const char *word,
    const char *why)
{
	buf_putf(complaint, "aegsh: %s: ", who);
	text_inert(complaint, word, strlen(word), 0);
	buf_putf(complaint, ": %s\n", why);
	return 1;
}

static int
define_or_show(struct aliases *a, const char *word, struct buf *out,
    struct buf *complaint)
{
	const char *eq = strchr(word + (word[0] == '='), '=');
	AEG_AUTOFREE char *name = eq != NULL ?
	    xmemdup0(word, (size_t)(eq - word)) : xstrdup(word);
	struct alias found = { name, NULL };
	const char *value;

	if (eq != NULL && alias_set(a, name, eq + 1) == 0)
		return 0;
	if (eq != NULL) {
		AEG_AUTOFREE char *quoted = xasprintf("`%s'", name);

		return complain(complaint, "alias", quoted,
		    "invalid alias name");
	}
	value = alias_get(a, name);
	if (value == NULL)
		return complain(complaint, "alias", name, "not found");
	found.value = (char *)(uintptr_t)value;
	put_alias(out, &found);
	return 0;
}

static int
run_alias(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	int i, status = 0;
	bool all = argc == 1;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (strcmp(argv[i], "-p") != 0) {
			buf_puts(complaint, "aegsh: alias: usage: alias [-p] "
			    "[NAME[=VALUE] …]");
			return 2;
		}
		all = true;
	}
	if (all)
		put_all(out, sh->aliases);
	for (; i < argc; i++)
		status |= define_or_show(sh->aliases, argv[i], out, complaint);
	return status;
}

static int
run_unalias(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	int i = 1, status = 0;

	if (argc > 1 && strcmp(argv[1], "-a") == 0) {
		aliases_done(sh->aliases);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--") == 0)
		i++;
	if (i == argc || (i == 1 && argv[1][0] == '-')) {
		buf_puts(complaint, "aegsh: unalias: usage: unalias [-a] "
		    "NAME …");
		return 2;
	}
	for (; i < argc; i++)
		if (!alias_unset(sh->aliases, argv[i]))
			status = complain(complaint, "unalias", argv[i],
			    "not found");
	return status;
}

const struct turn_builtin bi_alias = {
	.name = "alias",
	.usage = "alias [-p] [NAME[=VALUE] …]",
	.help = TR_LATER("show or set aliases, which are expanded "
	    "before judging"),
	.run = run_alias,
};
const struct turn_builtin bi_unalias = {
	.name = "unalias",
	.usage = "unalias [-a] NAME …",
	.help = TR_LATER("forget aliases"),
	.run = run_unalias,
};

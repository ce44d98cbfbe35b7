/* SPDX-License-Identifier: ISC */
/* help: what aegsh adds to bash, by topics and by builtins.  What is neither
 * is left to bash's own help. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"

/* ---- topics ------------------------------------------------------------- */

static void
put_keys(const struct shell *sh, struct buf *out)
{
	bool vi = strcmp(conf_str(sh->conf, CONF_EDITING), "vi") == 0;
	unsigned where = vi ? LINE_KEY_INSERT | LINE_KEY_COMMAND :
	    LINE_KEY_EMACS;
	size_t i, n;
	const struct line_key *keys = line_keys(&n);

	for (i = 0; i < n; i++)
		if (keys[i].shown[0] != '\0' && (keys[i].where & where) != 0)
			buf_putf(out, "  %-10s %s%s\n", keys[i].shown,
			    vi && (keys[i].where & LINE_KEY_INSERT) == 0 ?
			    tr("(command mode) ") : "", tr(keys[i].help));
	buf_puts(out, tr("Others: editline(7); your own: ~/.editrc.  In a "
	    "search: Enter runs, Tab takes,\nC-g brings back what was there."
	    "\n"));
}

static void
put_contact(const struct shell *sh, struct buf *out)
{
	const char *contact = conf_str(sh->conf, CONF_CONTACT);

	if (contact[0] == '\0')
		return;
	buf_puts(out, tr("Who decides what may run here: "));
	text_inert(out, contact, strlen(contact), 0);
	buf_putc(out, '\n');
}

static const char blocked[] = TR_LATER(
	"A line that policy does not let run has status 126, and one line says"
	" why,\nby which rule, and what could be done instead.\n"
	"  aegshctl test 'LINE' --explain   tells it in full, running nothing\n"
	"  C-x ?                            tells it before Enter, at the"
	" prompt\n"
	"  Up                               brings the line back to be changed"
	"\n");
static const char question[] = TR_LATER(
	"What policy does not settle is asked about.  Keys typed before the"
	" question\ndo not count, and the answer is recorded; Enter ends it:\n"
	"  y        run it\n"
	"  n        do not; so does anything else, and no answer in time\n"
	"  t        try it: nothing of it stays before you have seen it and say"
	" so\n"
	"  e        do not, and give the line back to be changed\n"
	"  ?        tell more: programs, files, what is not known, the rule\n");
static const char history[] = TR_LATER(
	"Lines come back from this session and from the record of all"
	" sessions.\n"
	"  Up, C-r, M-r      by their beginning, a part, words and filters\n"
	"  filters           dir:. exit:fail session:. host:NAME"
	" decision:block\n"
	"  history WORD ...  lists by the same words and filters\n"
	"  !! !text !$       stand for earlier lines; see bash(1)\n"
	"A blank in front keeps a line out of this, and never out of the"
	" record; a secret\nis a tag in the record, which runs only once it is"
	" replaced.\n");
static const char prompt[] = TR_LATER(
	"The setting prompt takes bash's escapes (\\u \\h \\w \\$ ...),"
	" \\{git} and others,\nor theme:NAME; see aegsh.conf(5).  What it is,"
	" and from where:\n  aegshctl config show prompt\n");
static const char confined[] = TR_LATER(
	"Each line runs in a fresh bash under Landlock and seccomp, as its"
	" profile\nsays.  What it does not grant fails with \"Permission"
	" denied\".\n"
	"  aegshctl status                 the profile and what it grants\n"
	"  aegshctl sandbox show           all that it says\n"
	"  aegshctl sandbox explain PATH   what may be done there, and why\n"
	"  man aegsh-sandbox               the profiles\n"
	"sudo and other set-uid programs gain no rights inside a line"
	" (no_new_privs).\nWhat needs root is done in a session of root's own"
	" aegsh, or in another\nterminal.\n");

static const struct topic {
	const char *name, *help, *text;
	void (*put)(const struct shell *sh, struct buf *out);
} topics[] = {
	{ "keys", TR_LATER("what keys do at the prompt"), "", put_keys },
	{ "history", TR_LATER("how lines are found again"), history, NULL },
	{ "blocked", TR_LATER("when a line does not run"), blocked,
	    put_contact },
	{ "question", TR_LATER("when a line is asked about"), question,
	    put_contact },
	{ "confined", TR_LATER("when a program may not do something"), confined,
	    NULL },
	{ "prompt", TR_LATER("how the prompt looks"), prompt, NULL },
};

static const struct topic *
topic_of(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(topics); i++)
		if (strcmp(topics[i].name, name) == 0)
			return &topics[i];
	return NULL;
}

static const struct turn_builtin *
builtin_of(const char *name)
{
	const struct turn_builtin *const *b;

	for (b = shell_builtins; *b != NULL; b++)
		if (strcmp((*b)->name, name) == 0)
			return *b;
	return NULL;
}

/* ---- the builtin -------------------------------------------------------- */

static void
put_all(struct buf *out)
{
	const struct turn_builtin *const *b;
	size_t i;

	buf_puts(out, tr("Each line is judged by policy, run in a confined "
	    "bash, and recorded.\nTopics (help TOPIC):\n"));
	for (i = 0; i < AEG_NELEM(topics); i++)
		buf_putf(out, "  %-10s %s\n", topics[i].name,
		    tr(topics[i].help));
	buf_puts(out, tr("Builtins of aegsh's own (help NAME):\n "));
	for (b = shell_builtins; *b != NULL; b++)
		buf_putf(out, " %s", (*b)->name);
	buf_puts(out, tr("\nOther names are left to bash's help.  Why was it "
	    "blocked?  aegshctl test 'LINE'\n--explain.  Manual: man 1 aegsh, "
	    "man 7 aegsh\n"));
}

/* All that is known here; "help cd -d" and patterns are bash's. */
static bool
is_ours(void *ctx, int argc, char *const *argv)
{
	(void)ctx;
	return argc < 2 || (argc == 2 && (topic_of(argv[1]) != NULL ||
	    builtin_of(argv[1]) != NULL));
}

static int
run_help(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	const struct topic *t = argc > 1 ? topic_of(argv[1]) : NULL;
	const struct turn_builtin *b = argc > 1 ? builtin_of(argv[1]) : NULL;

	(void)complaint;
	if (argc < 2)
		put_all(out);
	if (b != NULL)
		buf_putf(out, "  %s\n      %s\n", b->usage, tr(b->help));
	if (t != NULL) {
		buf_puts(out, tr(t->text));
		if (t->put != NULL)
			t->put(ctx, out);
	}
	return 0;
}

const struct turn_builtin bi_help = {
	.name = "help",
	.usage = "help [TOPIC | BUILTIN]",
	.help = TR_LATER("say what the prompt, its keys and the builtins do"),
	.run = run_help,
	.wants = is_ours,
};

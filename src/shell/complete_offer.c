/* SPDX-License-Identifier: ISC */
/* What bash-completion answered, offered as readline would: file names with
 * their directories, other words as they are, each quoted for its place. */
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "shell/alias.h"
#include "shell/complete_prog.h"

static bool
is_dir(const struct complete *c, const char *name)
{
	char *path AEG_AUTOFREE = NULL;
	const char *home = c->sh->home;
	struct stat st;

	if (home != NULL && name[0] == '~' && name[1] == '/')
		path = path_canon(home, name + 2);
	else
		path = path_canon(state_cwd(c->sh->state), name);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The last component, with what is behind it. */
static const char *
last_part(const char *name)
{
	size_t len = strlen(name);

	while (len > 0 && name[len - 1] == '/')
		len--;
	while (len > 0 && name[len - 1] != '/')
		len--;
	return name + len;
}

static void
offer_choice(struct complete *c, const struct complete_words *w,
    const struct complete_answer *a, const char *choice)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTO(buf_done) struct buf shown = BUF_INIT;
	char *value AEG_AUTOFREE = complete_answer_value(choice,
	    a->filenames);
	size_t len = strlen(value);
	bool goes_on = a->nospace && !text_ends(choice, " "), dir;

	/* What is known already is said before a file server is asked. */
	if (a->filenames && c->out.len > 0)
		complete_send(c);
	dir = a->filenames && len > 0 && value[len - 1] != '/' &&
	    is_dir(c, value);

	/* A ~ in front is one where one was typed. */
	line_word_quote(&text, w->quote, value, !c->word->tilde);
	buf_puts(&shown, a->filenames ? last_part(value) : value);
	if (dir) {
		buf_puts(&text, "/");
		buf_puts(&shown, "/");
		goes_on = true;
	}
	if (len > 0 && value[len - 1] == '/' && a->filenames)
		goes_on = true;
	if (!goes_on)
		buf_puts(&text, line_word_close(w->quote));
	buf_put(&text, "", 0);
	buf_put(&shown, "", 0);
	complete_offer(c, text.data, shown.data, NULL, goes_on ?
	    COMPLETE_GOES_ON : COMPLETE_WHOLE);
}

bool
complete_from_program(struct complete *c, bool *ret_late)
{
	const struct strv *before = &c->word->before;
	const char *alias = NULL;
	struct complete_words w;
	struct complete_answer a;
	size_t i;
	bool any;

	if (c->sh->aliases != NULL && before->n > 0)
		alias = alias_get(c->sh->aliases, before->v[0]);
	/* Only words that stand for words. */
	if (alias != NULL && strpbrk(alias, "$`\"'\\;&|<>(){}\n") != NULL)
		return false;
	complete_words_split(c->text, c->len, c->word->command_from, alias,
	    &w);
	*ret_late = !complete_prog_ask(c, &w, c->end_ns, &a);
	any = a.known && a.choice.n > 0;
	if (any)
		c->from = w.from;
	for (i = 0; any && i < a.choice.n; i++)
		offer_choice(c, &w, &a, a.choice.v[i]);
	complete_answer_done(&a);
	complete_words_done(&w);
	return any;
}

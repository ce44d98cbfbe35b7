/* SPDX-License-Identifier: ISC */
/*
 * A start-up file of any bytes.  Following it ends; a block put behind it
 * is found again and leaves no trace when it is taken out; and the same
 * bytes as a value mean in the written line what they meant before.
 */
#include "shellenv/block_int.h"
#include "shellenv/sim_int.h"
#include "must.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/shellenv_mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
follow(struct shellenv *se, const char *text, size_t len, unsigned what)
{
	static const enum shellenv_session sessions[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE, SHELLENV_COMMAND, SHELLENV_SSH_CMD };
	const char *file = se_printf(se, "%s/file", se->home);
	struct sim_overlay o = { file, file, text, len };
	struct sim *s;
	size_t i;

	s = se_sim_new(se, se->row, sessions[what % 4], &o, 1);
	se_sim_file(s, file);
	must(s->depth == 0 && s->maybe == 0 && s->in_func == 0,
	    "the end is at the beginning's depth");
	must(s->steps <= SIM_STEPS + 1 && s->n_path <= SIM_ENTRIES &&
	    s->n_events <= SIM_EVENTS, "the caps hold");
	for (i = 0; i < s->n_path; i++)
		must(s->path[i].text != NULL && s->path[i].line >= 0,
		    "entries are whole");
	for (i = 0; i < s->n_events; i++)
		must(s->events[i].file != NULL, "events are whole");
}

static void
block(struct shellenv *se, const char *text, size_t len, bool fish)
{
	struct block b = se_block_new(text, len, len), found;
	struct item it = { .kind = ITEM_PATH, .text = "/x" };
	char *with, *without;
	size_t n, m;

	(void)se_block_damaged(text, len);
	if (memmem(text, len, "aegshctl env", 12) != NULL) {
		(void)se_block_find(se, text, len, 0, fish, &found);
		return;
	}
	*SE_PUSH(se, b.items, b.n, b.cap) = it;
	with = se_block_put(text, len, &b, fish, se, &n);
	must(se_block_find(se, with, n, 0, fish, &found) == 0, "it is found");
	must(found.n == 1 && found.items[0].kind == ITEM_PATH &&
	    strcmp(found.items[0].text, "/x") == 0, "with its item");
	found.n = 0;
	without = se_block_put(with, n, &found, fish, se, &m);
	must(without != NULL && m == len &&
	    (len == 0 || memcmp(without, text, len) == 0),
	    "and goes without a trace");
	free(with);
	free(without);
}

static const char *
unset(void *ctx, const char *name)
{
	return se_sim_get(ctx, name);
}

static void
value(struct shellenv *se, const char *text, bool fish)
{
	struct sim *s = se_sim_new(se, se->row, SHELLENV_COMMAND, NULL, 0);
	const char *word, *means;
	struct tmpl t;

	if (strlen(text) > 256 || se_tmpl_parse(se, text, false, &t, NULL) < 0)
		return;
	means = se_tmpl_expand(se, &t, unset, s);
	if (strchr(means, SIM_OLD) != NULL || !se_sim_known(means))
		return;		/* $PATH and the like */
	word = fish ? se_tmpl_fish(se, &t) :
	    se_printf(se, "\"%s\"", se_tmpl_posix(se, &t));
	must(strcmp(se_sim_expand(s, word, strlen(word), 0), means) == 0,
	    "a value means what it meant");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const shells[] = { "bash", "zsh", "fish", "dash",
	    "mksh", "yash" };
	static char *const env[] = { NULL };
	struct shellenv_opts opts = { .home = "/nonexistent/home",
		.root = "/nonexistent/root", .env = env };
	char *const cmd[] = { (char *)(uintptr_t)"true", NULL };
	struct buf out = BUF_INIT;
	struct shellenv *se;
	char *text;
	bool fish;

	if (size < 1 || size > 65536)
		return 0;
	opts.shell = shells[data[0] % 6];
	fish = strcmp(opts.shell, "fish") == 0;
	text = xmemdup0(data + 1, size - 1);
	must(shellenv_open(&opts, &se, NULL) == 0, "it opens");
	follow(se, text, size - 1, data[0] / 6u);
	block(se, text, size - 1, fish);
	value(se, text, fish);
	(void)shellenv_wrap(text, cmd, &out, NULL);
	buf_done(&out);
	shellenv_free(se);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* history: the lines that the record holds of this user's prompts. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"
#include "shell/recall.h"

#define LINES 500		/* where it is not said how many */
#define LINES_MOST 1000000

static void
put_row(void *ctx, int64_t id, const char *line, size_t len)
{
	struct buf *out = ctx;

	buf_putf(out, "%5lld  ", (long long)id);
	text_inert(out, line, len, 0);
	buf_putc(out, '\n');
}

static void
join(struct buf *out, int argc, char *const *argv)
{
	int i;

	buf_put(out, "", 0);
	for (i = 0; i < argc; i++)
		buf_putf(out, "%s%s", i > 0 ? " " : "", argv[i]);
}

static int
list(struct shell *sh, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct audit *a = turn_audit(sh->turn);
	AEG_AUTO(buf_done) struct buf words = BUF_INIT;
	struct err err = ERR_INIT;
	int64_t most = LINES;

	if (argc > 0 && text_to_i64(argv[0], 0, LINES_MOST, &most) == 0) {
		argc--;
		argv++;
	}
	if (a == NULL) {
		buf_putf(complaint, "aegsh: history: not recorded: %s",
		    turn_unrecorded(sh->turn) != NULL ?
		    turn_unrecorded(sh->turn) :
		    "the record is kept outside of this line");
		return 1;
	}
	join(&words, argc, argv);
	recall_set_audit(sh->recall, a);
	if (audit_flush(a, &err) != 0 || recall_list(sh->recall, words.data,
	    (size_t)most, put_row, out, &err) != 0) {
		buf_putf(complaint, "aegsh: history: %s", err.text);
		return 1;
	}
	return 0;
}

/* -p: what each word stands for. */
static int
print(struct shell *sh, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	int i, status = 0;

	recall_set_audit(sh->recall, turn_audit(sh->turn));
	for (i = 0; i < argc && status == 0; i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT;

		buf_puts(complaint, "aegsh: history: ");
		buf_puts(&text, argv[i]);
		buf_put(&text, "", 0);
		if (events_expand(&text, recall_event, sh->recall,
		    complaint) == EVENTS_WRONG) {
			status = 1;
			break;
		}
		buf_reset(complaint);
		text_inert(out, text.data, text.len, TEXT_INERT_NEWLINE);
		buf_putc(out, '\n');
	}
	return status;
}

static int
option(struct shell *sh, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	if (argv[1][2] != '\0')
		return shell_wrong_option(complaint, &bi_history, argv[1]);
	switch (argv[1][1]) {
	case 'c':
		recall_set_audit(sh->recall, turn_audit(sh->turn));
		recall_clear(sh->recall);
		return 0;
	case 'p':
		return print(sh, argc - 2, argv + 2, out, complaint);
	case 's':
		join(&text, argc - 2, argv + 2);
		if (text.len > 0)
			recall_add(sh->recall, text.data, text.len);
		return 0;
	case 'd':
		buf_puts(complaint, "aegsh: history: nothing is taken out of "
		    "the record by a line; see aegshctl audit prune");
		return 1;
	case 'a':
	case 'n':
	case 'r':
	case 'w':
		buf_puts(complaint, "aegsh: history: there is no history "
		    "file: lines are in the record as they run");
		return 1;
	default:
		return shell_wrong_option(complaint, &bi_history, argv[1]);
	}
}

static int
run_history(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;

	if (sh->recall == NULL) {
		buf_puts(complaint, "aegsh: history: there is none without a "
		    "prompt");
		return 1;
	}
	if (argc > 1 && argv[1][0] == '-' && argv[1][1] != '\0')
		return option(sh, argc, argv, out, complaint);
	return list(sh, argc - 1, argv + 1, out, complaint);
}

const struct turn_builtin bi_history = {
	.name = "history",
	.usage = "history [N] [WORD ...], history -c|-p ARG ...|-s ARG ...",
	.help = TR_LATER("show the last lines, or those with these "
	    "words and filters"),
	.run = run_history,
};

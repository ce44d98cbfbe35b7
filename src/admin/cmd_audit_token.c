/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl audit token`: whether a secret was ever used, and where.  The
 * record holds its tag alone; the secret comes on standard input, because
 * the words of a command can be seen by others, and is kept nowhere.
 */
#include <errno.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "admin_read.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/redact.h"

enum { O_JSON, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = { "user", 0, "NAME", "in that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

/* One line, not shown while it is typed; more than the most is cut off and
 * so known to be too long. */
static size_t
read_secret(char *secret, size_t size)
{
	struct termios old, silent;
	bool typed = tcgetattr(STDIN_FILENO, &old) == 0;
	size_t len = 0;

	if (typed) {
		fputs("secret: ", stderr);
		silent = old;
		silent.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
	}
	while (len < size - 1 && read(STDIN_FILENO, secret + len, 1) == 1 &&
	    secret[len] != '\n' && secret[len] != '\0')
		len++;
	secret[len] = '\0';
	if (typed) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
		fputc('\n', stderr);
	}
	return len;
}

/* ":TAG>", as it stands at the end of what replaced the secret, whatever
 * kind it was taken for there. */
static int
tag_of(const char *place, const char *secret, struct buf *ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct redact *r = redact_new();
	int rc = redact_key_load(r, place, err);
	const char *colon;
	size_t n = 0;

	if (rc == 0) {
		redact_learn(r, "ASKED_TOKEN", secret);
		n = redact_text(r, &text, secret, strlen(secret));
	}
	redact_free(r);
	if (rc < 0)
		return rc;
	colon = text.data != NULL ? strrchr(text.data, ':') : NULL;
	if (n != 1 || !text_starts(text.data, "<redacted:") ||
	    !text_ends(text.data, ">") ||
	    strchr(text.data, '>') != text.data + text.len - 1)
		return err_set(err, ERR_SYNTAX, "this is not recorded as one "
		    "secret: it is a word, or several, or has white space or "
		    "quotes in it");
	buf_puts(ret, colon);
	return 0;
}

struct found {
	struct admin *a;
	struct admin_table *table;	/* NULL: JSON */
	int64_t rows;
};

static int
on_row(void *ctx, const struct audit_row *row)
{
	struct found *f = ctx;
	char when[ADMIN_TIME_MAX], id[24];
	const char *cells[] = { id, when, row->host, row->cwd, row->line };

	f->rows++;
	if (f->table == NULL) {
		admin_json_print(f->a, admin_row_json(row));
		return ferror(f->a->out);
	}
	snprintf(id, sizeof id, "%lld", (long long)row->id);
	admin_time_show(row->wall_ns, when);
	admin_table_add(f->table, cells);
	return 0;
}

static int
look(struct admin *a, const char *secret, const char *user, bool json)
{
	static const struct admin_column columns[] = {
		{ "ID", 2, true, false },
		{ "WHEN", 19, false, false },
		{ "HOST", 4, false, false },
		{ "CWD", 6, false, false },
		{ "LINE", 16, false, true },
	};
	AEG_AUTO(buf_done) struct buf tag = BUF_INIT;
	AEG_AUTOFREE char *place = NULL;
	struct found f = { .a = a };
	struct audit_query q = { .limit = 0 };
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int rc = admin_read_open(a, user, false, &store, &place, &err);

	if (rc == 0)
		rc = tag_of(place, secret, &tag, &err);
	q.text = tag.data;
	if (rc == 0 && !json)
		f.table = admin_table_new(columns, AEG_NELEM(columns));
	if (rc == 0)
		rc = audit_query(store, &q, on_row, &f, &err);
	audit_close(store);
	if (rc == 0 && f.table != NULL && f.rows > 0)
		admin_table_print(f.table, a);
	admin_table_free(f.table);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	return f.rows > 0 ? ADMIN_OK : ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	char secret[REDACT_VALUE_MAX + 2];
	const char *user = NULL;
	bool json = false;
	size_t len;
	int o, status;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_JSON)
			json = true;
		else if (o == O_USER)
			user = args.value;
		else
			return ADMIN_USAGE;
	}
	/* Not repeated by the message: it may be the secret. */
	if (args.at != argc) {
		admin_complain(a, "takes no operand: the secret comes by "
		    "standard input");
		return admin_usage(a);
	}
	len = read_secret(secret, sizeof secret);
	if (len < REDACT_VALUE_LEAST || len > REDACT_VALUE_MAX) {
		admin_complain(a, "a secret has %d to %d bytes",
		    REDACT_VALUE_LEAST, REDACT_VALUE_MAX);
		status = ADMIN_USAGE;
	} else {
		status = look(a, secret, user, json);
	}
	explicit_bzero(secret, sizeof secret);
	return status;
}

const struct admin_verb cmd_audit_token = {
	.name = "audit token",
	.usage = "",
	.summary = "tell whether a secret was ever used, and where",
	.run = run,
	.options = options,
};

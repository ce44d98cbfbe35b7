/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl validator replay FILE.jsonl': labelled lines through policy
 * alone, the model alone, and both, as a session would fold them.  Nothing
 * is run.  With --out each result is appended to a file as it comes, and
 * what is there is not asked again.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <string.h>
#include <unistd.h>

#include "admin_replay.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define LINE_MOST ((size_t)4 * 1024 * 1024)	/* of JSON */

enum { O_JSON, O_OUT, O_LIMIT, O_PROFILE, O_NEEDED };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_OUT] = { "out", 0, "FILE",
	    "append each result there, and go on where it ends",
	    ADMIN_WORDS_FILE },
	[O_LIMIT] = { "limit", 'n', "N", "stop after N lines",
	    ADMIN_WORDS_NONE },
	[O_PROFILE] = { "profile", 0, "NAME", "judge by that policy profile",
	    ADMIN_WORDS_PROFILE },
	[O_NEEDED] = { "needed", 0, NULL,
	    "ask the model only where policy leaves the line open",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

struct replay {
	struct admin *a;
	struct admin_ask ask;
	struct admin_judge *judge;
	struct replay_score score;
	const char *file, *out;
	int64_t limit, number, skipped;
	bool json, needed;
	int fd;			/* of out, or -1 */
	json_t *known;		/* hash → true, of what is there */
};

static void
hash_line(const char *p, size_t len, char ret[2 * SHA256_DIGEST_SIZE + 1])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, (const uint8_t *)p);
	sha256_digest(&ctx, sizeof digest, digest);
	hex_text(digest, sizeof digest, ret);
}

/* What an earlier run left.  A line that was cut by its end is passed over
 * and done again. */
static int
load_known(struct replay *r, struct err *err)
{
	AEG_AUTOFREE char *line = NULL;
	size_t cap = 0;
	FILE *f;

	r->known = json_object();
	if (r->out == NULL)
		return 0;
	r->fd = open(r->out, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	f = r->fd < 0 ? NULL : fopen(r->out, "re");
	if (f == NULL)
		return err_sys(err, errno, "%s", r->out);
	while (getline(&line, &cap, f) > 0) {
		json_t *o = json_loads(line, 0, NULL);
		struct replay_result result;
		const char *hash;
		int64_t number;

		if (o != NULL && strchr(line, '\n') != NULL &&
		    replay_result_read(o, &number, &hash, &result)) {
			AEG_AUTOFREE char *key = xasprintf("%" PRId64 " %s",
			    number, hash);

			if (json_object_get(r->known, key) == NULL)
				replay_score_add(&r->score, &result);
			json_object_set_new(r->known, key, json_true());
		} else if (strchr(line, '\n') == NULL &&
		    io_write_full(r->fd, "\n", 1) < 0) {
			json_decref(o);
			fclose(f);
			return err_sys(err, errno, "%s", r->out);
		}
		json_decref(o);
	}
	fclose(f);
	return 0;
}

static void
progress(const struct replay *r)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%" PRId64 " lines, %" PRIu64 " failed ",
		    r->number, r->score.failed);
}

static void
ask_model(struct replay *r, const struct admin_judged *t,
    struct replay_result *ret)
{
	struct decision_input in = *admin_judge_input(r->judge);
	struct val_verdict v;
	struct decision *d;

	admin_ask_line(&r->ask, t, "/", &v);
	ret->latency_ns = v.latency_ns;
	ret->cost = v.cost;
	ret->tokens_in = v.tokens_in;
	ret->tokens_out = v.tokens_out;
	if (v.status == VAL_ANSWERED)
		ret->came_to[REPLAY_MODEL] = v.action == VAL_BLOCK ?
		    (int)DECISION_BLOCK : v.action == VAL_ALLOW &&
		    v.confidence >= in.min_confidence ? (int)DECISION_ALLOW :
		    (int)DECISION_CONFIRM;
	if (!ret->asked)
		return;
	in.line = t->facts.bytes;
	in.len = t->facts.len;
	in.policy = &t->verdict;
	in.unknown = policy_unknown(admin_judge_policy(r->judge),
	    t->verdict.evidence);
	in.validator = &v;
	d = decision_make(&in);
	ret->came_to[REPLAY_BOTH] = (int)decision_action(d);
	decision_free(d);
}

static int
keep_result(struct replay *r, const char *hash,
    const struct replay_result *result, struct err *err)
{
	json_t *o = replay_result_json(r->number, hash, result);
	char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	AEG_AUTOFREE char *line = xasprintf("%s\n", text != NULL ? text : "");
	int rc;

	free(text);
	json_decref(o);
	rc = io_write_full(r->fd, line, strlen(line));
	return rc < 0 ? err_set(err, rc, "%s: %s", r->out, err_str(rc)) : 0;
}

static int
one(struct replay *r, const json_t *row, struct err *err)
{
	json_t *command = json_object_get(row, "command");
	char hash[2 * SHA256_DIGEST_SIZE + 1];
	struct replay_result result = { .label = replay_label(row),
		.came_to = { -1, -1, -1 } };
	AEG_AUTOFREE char *key = NULL;
	struct admin_judged t;
	int rc;

	if (!json_is_string(command))
		return err_set(err, ERR_CALLER, "%s:%" PRId64
		    ": no \"command\" that is a string", r->file, r->number);
	hash_line(json_string_value(command), json_string_length(command),
	    hash);
	key = xasprintf("%" PRId64 " %s", r->number, hash);
	if (json_object_get(r->known, key) != NULL) {
		r->skipped++;
		return 0;
	}
	rc = admin_judge_line(r->judge, xmemdup0(json_string_value(command),
	    json_string_length(command)), json_string_length(command), false,
	    &t, err);
	if (rc < 0)
		return rc;
	result.came_to[REPLAY_POLICY] = result.came_to[REPLAY_BOTH] =
	    (int)decision_action(t.decision);
	result.asked = t.facts.answer == SYN_TREE &&
	    t.verdict.action == POLICY_UNKNOWN;
	if (result.asked || !r->needed)
		ask_model(r, &t, &result);
	admin_judged_done(&t);
	replay_score_add(&r->score, &result);
	return r->fd >= 0 ? keep_result(r, hash, &result, err) : 0;
}

static int
all_lines(struct replay *r, FILE *f, struct err *err)
{
	AEG_AUTOFREE char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (r->limit == 0 || r->number < r->limit) &&
	    (n = getline(&line, &cap, f)) > 0) {
		json_error_t why;
		json_t *row;

		r->number++;
		if ((size_t)n > LINE_MOST)
			return err_set(err, ERR_CALLER, "%s:%" PRId64
			    ": longer than %zu bytes", r->file, r->number,
			    LINE_MOST);
		if (strspn(line, " \t\r\n") == (size_t)n)
			continue;
		row = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, &why);
		rc = row == NULL ? err_set(err, ERR_CALLER, "%s:%" PRId64
		    ": %s", r->file, r->number, why.text) : one(r, row, err);
		json_decref(row);
		progress(r);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\n");
	return rc;
}

static int
replay(struct replay *r, const char *profile, struct err *err)
{
	const struct admin_judge_opts opts = { .profile = profile,
		.rules_alone = true,
		.keeps_rights = true, .origin = POLICY_ORIGIN_PROMPT };
	FILE *f = strcmp(r->file, "-") == 0 ? stdin : fopen(r->file, "re");
	int rc;

	if (f == NULL)
		return err_sys(err, errno, "%s", r->file);
	rc = admin_ask_new(r->a, &r->ask, err);
	if (rc == 0)
		rc = admin_judge_new(r->a, &opts, &r->judge, err);
	if (rc == 0)
		rc = load_known(r, err);
	if (rc == 0) {
		/* Each line is a trial of its own: nothing is remembered. */
		validator_select(r->ask.validator, (size_t)-1);
		rc = all_lines(r, f, err);
	}
	if (f != stdin)
		fclose(f);
	return rc;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct replay r = { .a = a, .fd = -1 };
	const char *profile = NULL;
	struct err err = ERR_INIT;
	int o, rc;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == O_JSON)
			r.json = true;
		else if (o == O_OUT)
			r.out = args.value;
		else if (o == O_NEEDED)
			r.needed = true;
		else if (o == O_PROFILE)
			profile = args.value;
		else if (text_to_i64(args.value, 1, INT32_MAX, &r.limit) < 0) {
			admin_complain(a, "%s: not a number of lines",
			    args.value);
			return ADMIN_USAGE;
		}
	}
	if (admin_operands(a, &args, 1, 1) < 0)
		return ADMIN_USAGE;
	r.file = argv[args.at];
	rc = replay(&r, profile, &err);
	if (rc == 0 && r.json)
		admin_json_print(a, replay_score_json(&r.score));
	else if (rc == 0)
		replay_score_print(a, &r.score);
	replay_score_done(&r.score);
	json_decref(r.known);
	io_close(&r.fd);
	admin_judge_free(r.judge);
	admin_ask_done(&r.ask);
	return rc < 0 ? admin_fail(a, &err) : ADMIN_OK;
}

const struct admin_verb cmd_validator_replay = {
	.name = "validator replay",
	.usage = "FILE.jsonl",
	.summary = "score policy, model and both on labelled lines",
	.run = run,
	.options = options,
	.words = ADMIN_WORDS_FILE,
};

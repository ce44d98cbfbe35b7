/* SPDX-License-Identifier: ISC */
/*
 * What a model, a server and a broken helper may say.  The first byte
 * chooses the reader; whatever is accepted must be what a shell may show.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/text.h"
#include "aegsh/validator_frame.h"
#include "judge/judge_int.h"

#define NONCE "0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
	if (!good)
		abort();
}

static void
must_be_inert(const char *text, size_t size)
{
	const char *nul = memchr(text, '\0', size);

	must(nul != NULL);
	must(!text_needs_inert(text, (size_t)(nul - text), 0));
}

static void
check(const struct val_verdict *v)
{
	must(v->status == VAL_ANSWERED || v->status == VAL_FAILED);
	must(v->action <= VAL_ALLOW && v->confidence <= 100);
	must(v->status == VAL_ANSWERED || v->action == VAL_BLOCK);
	must_be_inert(v->reason, sizeof v->reason);
	must_be_inert(v->alternative, sizeof v->alternative);
	must_be_inert(v->category, sizeof v->category);
	must_be_inert(v->model, sizeof v->model);
}

static void
server(const char *text, size_t len)
{
	static const struct judge_format *const formats[] = {
		&judge_format_openai, &judge_format_responses,
		&judge_format_anthropic, &judge_format_gemini,
		&judge_format_ollama };
	size_t i;

	for (i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct judge_reply r = JUDGE_REPLY_INIT;

		if (judge_format_reply(formats[i], text, len, &r, NULL) == 0)
			must(r.any || r.streamed);
		must_be_inert(r.model, sizeof r.model);
		must(r.tokens_in < 2 * (uint64_t)JUDGE_TOKENS_MAX);
		must(judge_format_lower(formats[i], 0, 400, text, len) != 0);
		buf_done(&r.text);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct val_verdict v = { .status = VAL_FAILED };
	struct val_setup s;
	struct val_ask a;
	bool leaving;

	if (size < 1)
		return 0;
	size--;
	switch (data[0]) {
	case 'r':
		if (val_parse_reply(text, size, NONCE, &v, NULL) == 0) {
			must(v.status == VAL_ANSWERED);
			check(&v);
		}
		break;
	case 'a':
		if (val_answer_unpack(text, size, NONCE, &v, &leaving,
		    NULL) == 0)
			check(&v);
		break;
	case 'q':
		if (val_ask_unpack(text, size, &a, NULL) == 0)
			must(memchr(a.data, '\n', a.len) == NULL);
		break;
	case 's':
		if (val_setup_unpack(text, size, &s, NULL) == 0)
			must(s.n >= 1 && s.n <= VAL_CHAIN_MAX &&
			    strlen(s.endpoints[s.n - 1].url) <
			    VAL_ENDPOINT_MAX);
		break;
	case 'e':
		server(text, size);
		break;
	}
	return 0;
}

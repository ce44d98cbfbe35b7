/* SPDX-License-Identifier: ISC */
/* The wire formats, by the names that settings use. */
#include "judge_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const struct judge_format *const formats[] = {
	&judge_format_openai, &judge_format_azure, &judge_format_responses,
	&judge_format_anthropic, &judge_format_gemini, &judge_format_ollama,
};

const struct judge_format *
judge_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(formats); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

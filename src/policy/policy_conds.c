/* SPDX-License-Identifier: ISC */
/* The tables behind the rule language: conditions and their words. */
#include "policy_int.h"

#include <string.h>

static const struct pol_cond_row conds[] = {
#define POL_COND(id, key, arg, cost) { key, POL_ARG_##arg, cost },
#include "policy_conds.h"
#undef POL_COND
};

const struct pol_cond_row *
pol_cond_row(unsigned id)
{
	return id < AEG_NELEM(conds) ? &conds[id] : NULL;
}

static const char *const kinds[] = {	/* enum resolve_kind */
	"unknown", "builtin", "function", "file", "not-found", "none", NULL,
};

static const char *const unknowns[] = {	/* enum pol_unknown */
	"name", "operand", "option", "code", "redirection", "prefix",
	"name-variable", "name-substitution", "name-glob", "name-indirect",
	"name-brace", "name-other", "operand-substitution", "operand-glob",
	"script-substitution", "evaluated", "operand-brace",
	NULL,
};

static const char *const features[] = {
#define POL_FEATURE(id, word, meaning) word,
#include "policy_features.h"
#undef POL_FEATURE
	NULL,
};

static const char *const meanings[] = {
#define POL_FEATURE(id, word, meaning) meaning,
#include "policy_features.h"
#undef POL_FEATURE
};

static const char *const origins[] = {	/* enum policy_origin */
	"unknown", "prompt", "command", "forced", "script", "stdin", "login",
	NULL,
};

static const char *const turns[] = {	/* what a program is made into */
	"shell", "command", "reads", "writes", "upload", "download",
	"reverse-shell", "bind-shell", "library", "privilege", "looks",
	NULL,
};

static const char *const *
words_of(enum pol_arg arg)
{
	switch (arg) {
	case POL_ARG_KINDS:
		return kinds;
	case POL_ARG_UNKNOWNS:
		return unknowns;
	case POL_ARG_FEATURES:
		return features;
	case POL_ARG_ORIGINS:
		return origins;
	case POL_ARG_TURNS:
		return turns;
	case POL_ARG_NAMES:
	case POL_ARG_GLOBS:
	case POL_ARG_TEXTS:
	case POL_ARG_OPTIONS:
	case POL_ARG_REGEX:
	case POL_ARG_SETS:
	case POL_ARG_NUMBERS:
	case POL_ARG_TIMES:
		return NULL;
	}
	return NULL;
}

int
pol_arg_bit(enum pol_arg arg, const char *word)
{
	const char *const *words = words_of(arg);
	int i;

	for (i = 0; words != NULL && words[i] != NULL; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

const char *
pol_feature_meaning(unsigned bit)
{
	return bit < AEG_NELEM(meanings) ? meanings[bit] : "";
}

const char *
pol_feature_word(unsigned bit)
{
	return bit < AEG_NELEM(meanings) ? features[bit] : "";
}

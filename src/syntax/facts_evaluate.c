/* SPDX-License-Identifier: ISC */
/*
 * Text that bash reads once more, and in which it may find commands to run:
 * arithmetic, names with subscripts, prompts, assignments in the words of
 * declare.  Whatever is read so comes here: what is known is walked, what is
 * not may run anything, and is told as a command that is not known.
 */
#include "facts_int.h"

#include "aegsh/base/text.h"

/* ---- what is known of a word, with numbers that are not as 0 ------------ */

/* false: some part is neither known nor a number. */
static bool
with_numbers(struct syn_walk *w, const struct syn_word *word,
    const char **ret, size_t *ret_len)
{
	char *text;
	size_t i, len = 0;

	*ret = word->value;
	*ret_len = word->len;
	if (word->known)
		return true;
	for (i = 0; i < word->n_parts; i++) {
		if (!word->parts[i].known && !word->parts[i].number)
			return false;
		len += word->parts[i].known ? word->parts[i].len : 1;
	}
	if (word->n_parts == 0)
		return false;
	text = arena_alloc(w->arena, len + 1);
	for (i = len = 0; i < word->n_parts; i++)
		if (word->parts[i].known) {
			memcpy(text + len, word->parts[i].text,
			    word->parts[i].len);
			len += word->parts[i].len;
		} else {
			text[len++] = '0';
		}
	*ret = text;
	*ret_len = len;
	return true;
}

/* A number behind a letter is part of a name that nobody knows. */
static bool
makes_names(const struct syn_word *word)
{
	size_t i;

	for (i = 1; i < word->n_parts; i++) {
		const struct syn_part *before = &word->parts[i - 1];

		if (!word->parts[i].known && (!before->known ||
		    (before->len > 0 && syn_is((unsigned char)
		    before->text[before->len - 1], SYN_CH_NAME) &&
		    !syn_is((unsigned char)before->text[before->len - 1],
		    SYN_CH_DIGIT))))
			return true;
	}
	return false;
}

bool
syn_is_number(const struct syn_word *word)
{
	size_t i, k;

	for (i = 0; i < word->n_parts; i++) {
		const struct syn_part *part = &word->parts[i];

		if (!part->known && !part->number)
			return false;
		for (k = 0; part->known && k < part->len; k++)
			if (part->text[k] != '-' && !syn_is((unsigned char)
			    part->text[k], SYN_CH_DIGIT))
				return false;
	}
	return word->known || word->n_parts > 0;
}

/* Nothing in it has a value, or is a command. */
static bool
is_harmless(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (strchr("$`\\'\"<>", s[i]) != NULL ||
		    (syn_is((unsigned char)s[i], SYN_CH_NAME) &&
		    !syn_is((unsigned char)s[i], SYN_CH_DIGIT)))
			return false;
	return true;
}

/* ---- arithmetic, names -------------------------------------------------- */

void
syn_walk_evaluated(struct syn_walk *w, const struct syn_word *word)
{
	const char *text;
	size_t len;

	if (!with_numbers(w, word, &text, &len) || makes_names(word)) {
		if (!w->first)
			syn_tell_evaluated(w, word->value, word->len,
			    SYN_WHY_ARITH);
	} else if (!is_harmless(text, len)) {
		syn_walk_value(w, text, len, SYN_PLACE_ARITH);
	}
}

/* The part of a word in front of its first "=", if that is known. */
static bool
name_part(const struct syn_word *word, struct syn_word *ret)
{
	const char *equals;

	if (!word->known && (word->n_parts == 0 || !word->parts[0].known))
		return false;
	equals = memchr(word->value, '=', word->known ? word->len :
	    word->parts[0].len);
	if (equals == NULL)
		return false;
	*ret = *word;
	ret->known = true;
	ret->len = (size_t)(equals - word->value);
	return true;
}

/* NAME or NAME[…]; assigns: a value may follow. */
void
syn_walk_reference(struct syn_walk *w, const struct syn_word *word,
    bool assigns)
{
	struct syn_word name = *word, key = { .known = true };
	const char *text, *open;
	size_t len;

	if (assigns && name_part(word, &name))
		word = &name;
	if (!with_numbers(w, word, &text, &len)) {
		if (!w->first)
			syn_tell_evaluated(w, word->value, word->len,
			    SYN_WHY_ARITH);
		return;
	}
	open = memchr(text, '[', len);
	if (open == NULL)
		return;
	syn_env_may_fail(w);
	key.value = open + 1;
	key.len = len - (size_t)(key.value - text);
	if (key.len > 0 && key.value[key.len - 1] == ']')
		key.len--;
	syn_walk_evaluated(w, &key);
}

/* A word that is not known could be -v or -vNAME. */
bool
syn_may_be_v(const struct syn_word *word, bool last_word)
{
	const struct syn_part *last;
	size_t k;

	if (word->may_split)
		return !syn_is_number(word);
	if (word->n_parts == 0 || syn_is_number(word))
		return word->n_parts == 0;
	last = &word->parts[word->n_parts - 1];
	if (word->parts[0].known && word->parts[0].len > 0 &&
	    word->parts[0].text[0] != '-')
		return false;
	for (k = 0; last->known && k < last->len; k++)
		if (!syn_is((unsigned char)last->text[k], SYN_CH_NAME) &&
		    last->text[last->len - 1] != ']')
			return false;
	return !last_word;
}

/* ---- prompts ------------------------------------------------------------ */

/* \nnn is a character, but a NUL is none, as is what has fewer digits before
 * the end; what the other escapes stand for is quoted. */
static size_t
decode_prompt(char *out, const char *s, size_t len)
{
	size_t i = 0, n = 0, digits;

	while (i < len) {
		int value = 0;

		if (s[i] != '\\' || i + 1 == len) {
			out[n++] = s[i++];
			continue;
		}
		i++;
		for (digits = 0; digits < 3 && i + digits < len &&
		    s[i + digits] >= '0' && s[i + digits] <= '7'; digits++)
			value = value * 8 + (s[i + digits] - '0');
		if (digits > 0 && (digits == 3 || i + digits == len)) {
			i += digits;
			if ((char)value != '\0')
				out[n++] = (char)value;
			continue;
		}
		out[n++] = '\\';
		out[n++] = s[i++];
		/* What is no escape stays with its backslash. */
	}
	return n;
}

void
syn_walk_prompt(struct syn_walk *w, const struct syn_word *word)
{
	const char *text;
	char *decoded;
	size_t len;

	if (w->first)
		return;
	if (!with_numbers(w, word, &text, &len)) {
		syn_tell_evaluated(w, word->value, word->len,
		    SYN_WHY_ARITH);
		return;
	}
	if (memchr(text, '\\', len) != NULL) {
		decoded = arena_alloc(w->arena, len + 1);
		len = decode_prompt(decoded, text, len);
		text = decoded;
	}
	if (memchr(text, '$', len) != NULL || memchr(text, '`', len) != NULL)
		syn_walk_value(w, text, len, SYN_PLACE_DOUBLE);
}

/* ---- what is assigned --------------------------------------------------- */

void
syn_name_kind(struct syn_slot *slot)
{
	/* `env -i bash -c "declare -pi"`, and those that bash makes so when
	 * they are first used. */
	static const char *const integers[] = { "BASHPID", "HISTCMD",
		"OPTIND", "RANDOM", "SECONDS", "SRANDOM" };
	static const char *const prompts[] = { "PS0", "PS1", "PS2", "PS4" };
	static const char *const starts[] = { "BASH_ENV", "ENV" };
	/* `env -i bash -c "declare -pr"` */
	static const char *const readonlys[] = { "BASHOPTS", "BASH_VERSINFO",
		"EUID", "PPID", "SHELLOPTS", "UID" };

	slot->effect = syn_has_name_effect(slot->name);
	slot->readonly = TEXT_AMONG(slot->name, readonlys);
	if (TEXT_AMONG(slot->name, integers))
		slot->integer = true;
	else if (TEXT_AMONG(slot->name, prompts))
		slot->reread = SYN_REREAD_PROMPT;
	else if (TEXT_AMONG(slot->name, starts))
		slot->reread = SYN_REREAD_START;
	else if (strcmp(slot->name, "PROMPT_COMMAND") == 0)
		slot->reread = SYN_REREAD_CODE;
}

void
syn_walk_assigned(struct syn_walk *w, const struct syn_slot *slot,
    const struct syn_word *value)
{
	bool later;

	if (w->first)
		return;
	if (slot->integer)
		syn_walk_evaluated(w, value);
	switch (slot->reread) {
	case SYN_REREAD_PROMPT:
		later = w->env.later;
		w->env.later = w->bodies = true;
		syn_walk_prompt(w, value);
		w->env.later = later;
		break;
	case SYN_REREAD_CODE:
		if (value->known)
			syn_walk_code(w, value->value, value->len);
		else
			syn_tell_broken(w, value->value, value->len,
			    SYN_WHY_ARITH);
		break;
	case SYN_REREAD_START:
		/* A shell expands it and runs what is in that file. */
		w->steers_start = true;
		if (value->known && strpbrk(value->value, "$`") != NULL)
			syn_walk_value(w, value->value, value->len,
			    SYN_PLACE_DOUBLE);
		break;
	case SYN_REREAD_NO:
		break;
	}
}

/* The same where only the value is there. */
void
syn_walk_given(struct syn_walk *w, const struct syn_slot *slot,
    enum syn_var state, const char *value, size_t len)
{
	struct syn_word word = { .known = state == SYN_VAR_SET,
	    .value = value, .len = len };

	if (state == SYN_VAR_UNSET ||
	    (!slot->integer && slot->reread == SYN_REREAD_NO))
		return;
	if (!word.known) {
		word.value = slot->name;
		word.len = slot->len;
	}
	syn_walk_assigned(w, slot, &word);
}

/* The literal list of a=(…): its words are expanded where they stand. */
static bool
is_list(const struct syn_word *word, size_t at)
{
	size_t i, from = 0;

	for (i = 0; i < word->n_parts; i++) {
		const struct syn_part *part = &word->parts[i];

		if (from == at)
			return !part->known && part->len > 0 &&
			    part->why == SYN_WHY_UNSPECIFIED &&
			    part->text[0] == '(';
		from += part->len;
	}
	return false;
}

/* NAME=value of declare: where NAME is (or becomes) an array, "(…)" is read
 * as the list of its elements. */
void
syn_walk_declared(struct syn_walk *w, const struct syn_word *word,
    size_t name_len, bool array)
{
	size_t at = name_len;
	struct syn_word text = *word;

	if (at < word->len && word->value[at] == '+')
		at++;
	if (!array || w->first || at >= word->len || word->value[at] != '=' ||
	    is_list(word, at + 1))
		return;
	if (!with_numbers(w, &text, &text.value, &text.len))
		syn_tell_evaluated(w, word->value, word->len,
		    SYN_WHY_ARITH);
	else if (text.len > at + 1 && text.value[at + 1] == '(')
		syn_walk_code(w, text.value, text.len);
}

/* The value of the parameter, or of what its value names, before any
 * operator. */
static void
plain_value(struct syn_walk *w, const struct syn_piece *piece, bool indirect,
    struct syn_word *ret)
{
	struct syn_param param = *piece->param;
	struct syn_piece copy = *piece;

	param.op = SYN_PARAM_PLAIN;
	param.word = NULL;
	param.colon = false;
	param.indirect = indirect;
	copy.param = &param;
	copy.src = param.name;
	copy.src_len = param.name_len;
	copy.next = NULL;
	syn_expand_one(w, &copy, copy.src, copy.src_len, w->at.offset,
	    SYN_MODE_BODY, ret);
}

/* Values that bash takes for text to expand: ${x@P}, ${!x}. */
void
syn_walk_reread(struct syn_walk *w, const struct syn_piece *piece)
{
	const struct syn_param *param = piece->param;
	struct syn_word word;

	if (w->first)
		return;
	if (param->indirect && param->op != SYN_PARAM_KEYS &&
	    param->op != SYN_PARAM_NAMES) {
		plain_value(w, piece, false, &word);
		syn_walk_reference(w, &word, false);
	}
	if (param->op == SYN_PARAM_TRANSFORM && param->letter == 'P') {
		plain_value(w, piece, param->indirect, &word);
		syn_walk_prompt(w, &word);
	}
}

/* set -x: each command shows PS4 first, which the environment may bring. */
void
syn_walk_trace(struct syn_walk *w)
{
	struct syn_word word = { .known = true };

	if (w->first || w->vars == NULL || syn_env_slot(w, "PS4", 3)->set ||
	    w->vars->get(w->vars->ctx, "PS4", &word.value) != SYN_VAR_SET ||
	    word.value == NULL)
		return;
	word.len = strlen(word.value);
	w->env.later = w->bodies = true;
	syn_walk_prompt(w, &word);
	w->env.later = false;
}

/* SPDX-License-Identifier: ISC */
/* The builtins that give variables values: read, printf -v, declare, … */
#include "facts_int.h"

/* NAME or NAME[…] or NAME=…; false when it is not known which. */
static bool
name_of(const struct syn_word *word, const char **ret_name, size_t *ret_len)
{
	size_t i = 0;

	if (!word->known) {
		/* "x=$(y)" still says its name. */
		if (word->n_parts == 0 || !word->parts[0].known)
			return false;
		i = strcspn(word->parts[0].text, "=");
		if (i == word->parts[0].len || i == 0)
			return false;
		i = 0;
	}
	while (syn_is((unsigned char)word->value[i], SYN_CH_NAME))
		i++;
	*ret_name = word->value;
	*ret_len = i;
	return i > 0;
}

/* The word is a name and nothing else. */
bool
syn_is_plain(const struct syn_word *word)
{
	const char *name;
	size_t len;

	return word->known && name_of(word, &name, &len) && len == word->len &&
	    !syn_is((unsigned char)name[0], SYN_CH_DIGIT);
}

static void
set_plain(struct syn_walk *w, const struct syn_word *name, const char *value,
    size_t len)
{
	const char *copy;

	if (!syn_is_plain(name)) {
		syn_forget_word(w, name);
		return;
	}
	if (!syn_spend(w, len)) {
		syn_env_forget(w, name->value, name->len);
		return;
	}
	copy = arena_memdup0(w->arena, value, len);
	syn_env_set(w, name->value, name->len, SYN_VAR_SET, copy, len);
}

/* Known words that are no name are something else: options' arguments. */
void
syn_forget_word(struct syn_walk *w, const struct syn_word *word)
{
	const char *name;
	size_t len;

	syn_walk_reference(w, word, false);
	if (name_of(word, &name, &len)) {
		syn_env_forget(w, name, len);
	} else if (!word->known) {
		syn_env_hostile(w);
	}
}

/* The first word that is no option; with_value: the letters of those whose
 * value is a word of its own. */
static size_t
first_operand(const struct syn_call *c, const char *with_value)
{
	const char *text, *hit;
	size_t i, k, len;

	for (i = 1; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		text = word->value;
		len = word->known ? word->len : word->n_parts > 0 &&
		    word->parts[0].known ? word->parts[0].len : 0;
		if (len < 2 || text[0] != '-')
			break;
		if (syn_word_is(word, "--"))
			return i + 1;
		hit = NULL;
		for (k = 1; k < len && hit == NULL; k++)
			hit = strchr(with_value, text[k]);
		if (hit == NULL && !word->known)
			break;
		/* read -a NAME gives it a value, too. */
		if (hit != NULL && *hit == 'a' && k == len && i + 1 < c->n)
			syn_forget_word(c->w, &c->words[i + 1]);
		else if (hit != NULL && *hit == 'a')
			syn_env_hostile(c->w);
		if (hit != NULL && k == len && word->known) {
			i++;
			/* It may be more words than one. */
			if (i < c->n && c->words[i].may_split &&
			    !syn_is_number(&c->words[i]))
				break;
		}
	}
	return i;
}

/* mapfile, read …: every word behind the options is a name. */
static void
do_names(const struct syn_call *c, const char *with_value)
{
	size_t i;

	for (i = first_operand(c, with_value); i < c->n; i++)
		syn_forget_word(c->w, &c->words[i]);
}

/* ---- read --------------------------------------------------------------- */

/* The characters at which this read splits: NULL: not these. */
static const char *
split_at(const struct syn_call *c)
{
	const struct syn_command *command = c->command;
	const char *ifs = syn_env_ifs(c->w);

	if (command->n_assigns == 1 &&
	    strcmp(command->assigns[0].name, "IFS") == 0)
		ifs = command->assigns[0].value.known ?
		    command->assigns[0].value.value : NULL;
	else if (command->n_assigns > 0)
		return NULL;
	if (ifs == NULL || (ifs[0] != '\0' && strcmp(ifs, " \t\n") != 0))
		return NULL;
	return ifs;
}

/* read [-r] name… with a known line; false: something else. */
static bool
read_line(const struct syn_call *c)
{
	const struct syn_word *text = syn_stdin_text(c->command);
	const char *ifs = split_at(c), *p, *end;
	bool raw = false;
	size_t i = 1, len;

	if (text == NULL || !text->known || ifs == NULL)
		return false;
	if (i < c->n && syn_word_is(&c->words[i], "-r")) {
		raw = true;
		i++;
	}
	p = text->value;
	end = p + strcspn(p, "\n");
	if (i == c->n || (!raw && memchr(p, '\\', (size_t)(end - p)) != NULL))
		return false;
	for (len = i; len < c->n; len++)
		if (!syn_is_plain(&c->words[len]) || c->words[len].may_split)
			return false;
	for (; i < c->n; i++) {
		while (p < end && strchr(ifs, *p) != NULL)
			p++;
		if (i + 1 < c->n) {
			for (len = 0; p + len < end &&
			    strchr(ifs, p[len]) == NULL; len++)
				continue;
		} else {
			for (len = (size_t)(end - p); len > 0 &&
			    strchr(ifs, p[len - 1]) != NULL; len--)
				continue;
		}
		set_plain(c->w, &c->words[i], p, len);
		p += len;
	}
	return true;
}

void
syn_do_read(const struct syn_call *c)
{
	if (c->w->first || !read_line(c))
		do_names(c, "adinNptu");
	if (c->n == first_operand(c, "adinNptu"))
		syn_env_forget(c->w, "REPLY", 5);
}

/* mapfile -C runs its argument for every so many lines. */
void
syn_do_mapfile(const struct syn_call *c)
{
	size_t i;

	if (!c->w->first && syn_mapfile_lines(c))
		return;
	for (i = 1; i < c->n; i++)
		if (!c->words[i].known || (c->words[i].value[0] == '-' &&
		    strchr(c->words[i].value, 'C') != NULL)) {
			syn_calls_unknown(c->w);
			syn_env_hostile(c->w);
		}
	do_names(c, "dnOsucC");
	syn_env_forget(c->w, "MAPFILE", 7);
}

/* Only the second word of getopts is a name; one that is none is refused. */
void
syn_do_getopts(const struct syn_call *c)
{
	size_t at = c->n > 1 && syn_word_is(&c->words[1], "--") ? 3 : 2;

	if (c->n > 1 && c->words[1].may_split)
		syn_env_hostile(c->w);
	if (c->n > at)
		syn_forget_word(c->w, &c->words[at]);
	syn_env_forget(c->w, "OPTARG", 6);
}

/* wait -p NAME, -pNAME, -np NAME: it is unset, then a number. */
void
syn_do_wait(const struct syn_call *c)
{
	struct syn_word name;
	const char *p;
	size_t i;

	for (i = 1; i < c->n; i++) {
		if (!c->words[i].known) {
			/* Could be "-pNAME". */
			if (c->words[i].value[0] != '%' &&
			    strncmp(c->words[i].value, "$!", 2) != 0)
				syn_env_hostile(c->w);
			continue;
		}
		if (c->words[i].value[0] != '-')
			continue;
		p = strchr(c->words[i].value, 'p');
		if (p == NULL)
			continue;
		name = c->words[i];
		name.value = p + 1;
		name.len -= (size_t)(name.value - c->words[i].value);
		if (name.len == 0 && i + 1 == c->n)
			continue;
		if (name.len == 0)
			name = c->words[++i];
		if (syn_is_plain(&name))
			syn_env_number(c->w, name.value, name.len);
		else
			syn_forget_word(c->w, &name);
	}
}

/* ---- printf ------------------------------------------------------------- */

/* name: of -v; rest: the index of the format. */
static void
print_to(const struct syn_call *c, const struct syn_word *name, size_t rest)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	struct syn_vec words = { NULL, 0, 0 };
	size_t i;

	if (c->w->first || !syn_is_plain(name) || rest >= c->n) {
		syn_forget_word(c->w, name);
		return;
	}
	*(struct syn_word *)syn_vec_add(c->w, &words, sizeof *name) =
	    (struct syn_word){ .known = true, .value = "printf", .len = 6 };
	for (i = rest; i < c->n; i++)
		*(struct syn_word *)syn_vec_add(c->w, &words, sizeof *name) =
		    c->words[i];
	if (syn_output(words.v, words.n, &out))
		set_plain(c->w, name, out.data != NULL ? out.data : "",
		    out.len);
	else
		syn_env_forget(c->w, name->value, name->len);
	buf_done(&out);
}

/* The last -v counts. */
void
syn_do_printf(const struct syn_call *c)
{
	struct syn_word name;
	bool found = false;
	size_t i;

	for (i = 1; i < c->n; i++) {
		if (!c->words[i].known &&
		    !syn_may_be_v(&c->words[i], i + 1 == c->n))
			break;
		if (!c->words[i].known) {
			if (!c->w->first)
				syn_tell_evaluated(c->w, c->words[i].value,
				    c->words[i].len, SYN_WHY_ARITH);
			syn_env_hostile(c->w);
			return;
		}
		if (strncmp(c->words[i].value, "-v", 2) != 0)
			break;
		if (found)
			syn_forget_word(c->w, &name);
		name = c->words[i];
		name.value += 2;
		name.len -= 2;
		if (name.len == 0) {
			if (++i == c->n)
				return;
			name = c->words[i];
		}
		found = true;
	}
	if (found)
		print_to(c, &name, i);
}

/* ---- declare, export ---------------------------------------------------- */

#define OPTIONS_MAX 64

/* The letters of the options in front of the names, each once: '?' for one
 * that is not valid, for which bash does nothing, '+' for all that are taken
 * away, where the builtin does that. */
static size_t
read_options(const struct syn_call *c, const char *valid, bool plus,
    char letters[OPTIONS_MAX])
{
	size_t i, n = 0, j;

	letters[0] = '\0';
	for (i = 1; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		if (!word->known || word->len < 2 || (word->value[0] != '-' &&
		    !(plus && word->value[0] == '+')))
			break;
		if (syn_word_is(word, "--")) {
			i++;
			break;
		}
		for (j = 1; j < word->len; j++) {
			char letter = strchr(valid, word->value[j]) == NULL ?
			    '?' : word->value[0] == '+' ? '+' :
			    word->value[j];

			if (strchr(letters, letter) != NULL)
				continue;
			letters[n++] = letter;
			letters[n] = '\0';
		}
	}
	return i;
}

/* NAME=$((i)): a number is assigned, which is not known. */
static bool
is_number_behind(const struct syn_word *word, size_t len)
{
	return word->n_parts == 2 && word->parts[0].known &&
	    word->parts[0].len == len + 1 && word->parts[0].text[len] == '=' &&
	    !word->parts[1].known && word->parts[1].number;
}

/* NAME=value of a builtin that gives it no attribute but the export's. */
static void
assign_plain(struct syn_walk *w, const struct syn_word *word,
    const char *name, size_t len)
{
	const char *value = word->value + len + 1;

	if (word->known && !word->may_split && word->value[len] == '=')
		syn_env_set(w, name, len, SYN_VAR_SET, value,
		    word->len - len - 1);
	else if (is_number_behind(word, len))
		syn_env_number(w, name, len);
	else
		syn_env_forget(w, name, len);
}

/* The only attribute, if it is one whose meaning is known; else NUL. */
static char
one_attribute(const struct syn_call *c, const char *letters)
{
	char found = syn_word_is(&c->words[0], "readonly") ? 'r' : '\0';

	for (; *letters != '\0'; letters++) {
		if (strchr("xt", *letters) != NULL)
			continue;
		if (strchr("uilr", *letters) == NULL || (found != '\0' &&
		    found != *letters))
			return '\0';
		found = *letters;
	}
	return found;
}

/* NAME or NAME=value of a builtin that gives it the attribute. */
static void
assign_attribute(const struct syn_call *c, const struct syn_word *word,
    const char *name, size_t len, char letter)
{
	bool function = (c->w->at.context & SYN_IN_FUNCTION) != 0;

	if (letter != 'r')
		syn_env_attribute(c->w, name, len, letter);
	if (function || word->value[len] != '\0')
		assign_plain(c->w, word, name, len);
	if (letter == 'r')
		syn_env_attribute(c->w, name, len, letter);
}

/* declare, local, readonly: attributes. */
void
syn_do_declare(const struct syn_call *c)
{
	bool function = (c->w->at.context & SYN_IN_FUNCTION) != 0;
	char letters[OPTIONS_MAX];
	const char *name;
	size_t i, len;
	bool plain, array;
	char letter;

	i = read_options(c, "aAfFgiIlnprtux",
	    !syn_word_is(&c->words[0], "readonly"), letters);
	/* declare -fx, export -f: another shell may call them. */
	if (strchr(letters, 'f') != NULL)
		syn_calls_unknown(c->w);
	plain = !syn_word_is(&c->words[0], "readonly") &&
	    strspn(letters, "xt") == strlen(letters) &&
	    (function || !syn_word_is(&c->words[0], "local"));
	array = strspn(letters, "axt") == strlen(letters) &&
	    !syn_word_is(&c->words[0], "readonly");
	letter = syn_word_is(&c->words[0], "local") && !function ? '\0' :
	    one_attribute(c, letters);
	/* A reference: to assign to it is to assign to what nobody knows. */
	if (strchr(letters, 'n') != NULL)
		syn_env_hostile(c->w);
	for (; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		syn_walk_reference(c->w, word, true);
		if (!name_of(word, &name, &len)) {
			if (!word->known)
				syn_env_hostile(c->w);
			continue;
		}
		syn_env_declare(c->w, word, len, letters,
		    syn_word_is(&c->words[0], "local"));
		if (plain) {
			assign_plain(c->w, word, name, len);
		} else if (letter != '\0') {
			assign_attribute(c, word, name, len, letter);
		} else if (array) {
			syn_env_forget(c->w, name, len);
		} else {
			syn_env_taint(c->w, name, len);
		}
		if (strchr(letters, 'x') != NULL)
			syn_export(c->w, name, len);
		else if (strchr(letters, '+') != NULL)
			syn_export_not(c->w, name, len);
	}
}

/* export NAME=value is a plain assignment. */
void
syn_do_export(const struct syn_call *c)
{
	char letters[OPTIONS_MAX];
	size_t i = read_options(c, "fnp", false, letters), len;
	const char *name;

	if (strchr(letters, 'f') != NULL)
		syn_calls_unknown(c->w);
	for (; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		if (!name_of(word, &name, &len)) {
			if (!word->known)
				syn_env_hostile(c->w);
		} else if (letters[0] != '\0') {
			syn_forget_word(c->w, word);
			syn_export_not(c->w, name, len);
		} else {
			if (strchr(word->value, '=') != NULL)
				assign_plain(c->w, word, name, len);
			syn_export(c->w, name, len);
		}
	}
}

/* ---- unset, set --, shift ----------------------------------------------- */

void
syn_do_unset(const struct syn_call *c)
{
	bool function = (c->w->at.context & SYN_IN_FUNCTION) != 0;
	bool variables, functions, sure;
	char letters[OPTIONS_MAX];
	size_t i = read_options(c, "fvn", false, letters);

	/* With both, or another letter, bash complains. */
	sure = letters[0] == '\0' || (letters[1] == '\0' && letters[0] != '?');
	variables = !sure || letters[0] != 'f';
	functions = !sure || letters[0] == '\0' || letters[0] == 'f';
	for (; i < c->n; i++) {
		const struct syn_word *word = &c->words[i];

		/* Without -f it is a function only where no variable is. */
		if (functions && word->known)
			syn_function_unset(c->w, word->value, word->len,
			    !variables);
		else if (functions)
			syn_env_hostile(c->w);
		if (!variables)
			continue;
		if (syn_is_plain(word)) {
			syn_env_assoc(c->w, word->value, word->len, false);
			syn_export_not(c->w, word->value, word->len);
		}
		if (!function && sure && syn_is_plain(word) &&
		    letters[0] != 'n')
			syn_env_set(c->w, word->value, word->len,
			    SYN_VAR_UNSET, "", 0);
		else
			syn_forget_word(c->w, word);
	}
}

/* set -- words: from index i on. */
void
syn_positional(const struct syn_call *c, size_t i)
{
	const struct syn_items *items = c->w->first ? NULL :
	    syn_array_of(c->w, c->words + i, c->n - i);

	if (items != NULL)
		syn_env_set_items(c->w, "@", 1, items);
	else
		syn_env_forget(c->w, "@", 1);
}

void
syn_do_shift(const struct syn_call *c)
{
	const struct syn_items *items = syn_array_get(c->w, "@", 1);
	struct syn_items *rest;
	size_t n = 1;

	if (c->n > 1)
		n = c->n == 2 && c->words[1].known && c->words[1].len == 1 &&
		    syn_is((unsigned char)c->words[1].value[0],
		    SYN_CH_DIGIT) ? (size_t)(c->words[1].value[0] - '0') :
		    SIZE_MAX;
	if (items == NULL || n == SIZE_MAX || !syn_spend(c->w,
	    items->n * sizeof items->v[0])) {
		syn_env_forget(c->w, "@", 1);
		return;
	}
	/* Too far: nothing is shifted. */
	if (n > items->n)
		return;
	rest = arena_alloc(c->w->arena, sizeof *rest +
	    (items->n - n) * sizeof items->v[0]);
	rest->n = items->n - n;
	memcpy(rest->v, items->v + n, rest->n * sizeof items->v[0]);
	syn_env_set_items(c->w, "@", 1, rest);
}

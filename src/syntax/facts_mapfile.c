/* SPDX-License-Identifier: ISC */
/* What mapfile reads where the line shows the text, and what it runs of it
 * (bash's builtins/mapfile.def). */
#include "facts_int.h"

#include <stdio.h>

#define LINES_MAX 256		/* of a text that is read into an array */
#define QUANTUM 5000		/* lines for each of which -C is run once */

struct mapfile {
	bool trims, keeps;	/* -t; -O: what was there stays */
	char delim;
	size_t most, skip, origin, quantum;
	int fd;
	const struct syn_word *callback;
	size_t operand;		/* of the name, or the number of words */
};

static bool
read_number(const char *s, size_t *ret)
{
	if (*s == '\0' || strlen(s) > 6 || strspn(s, "0123456789") != strlen(s))
		return false;
	for (*ret = 0; *s != '\0'; s++)
		*ret = *ret * 10 + (size_t)(*s - '0');
	return true;
}

static bool
take_value(struct mapfile *m, char letter, const char *value)
{
	size_t fd;

	switch (letter) {
	case 'd':
		m->delim = value[0];
		return true;
	case 'n':
		return read_number(value, &m->most);
	case 's':
		return read_number(value, &m->skip);
	case 'O':
		m->keeps = true;
		return read_number(value, &m->origin);
	case 'c':
		return read_number(value, &m->quantum) && m->quantum > 0;
	case 'u':
		if (!read_number(value, &fd))
			return false;
		m->fd = (int)fd;
		return true;
	default:
		return letter == 'C';
	}
}

/* false: bash refuses them, or they are not known. */
static bool
read_options(const struct syn_call *c, struct mapfile *m)
{
	const struct syn_word *word, *value;
	const char *p;
	size_t i;

	for (i = 1; i < c->n; i++) {
		word = &c->words[i];
		if (!word->known || word->may_split)
			return false;
		if (word->value[0] != '-' || word->len < 2)
			break;
		if (syn_word_is(word, "--")) {
			i++;
			break;
		}
		for (p = word->value + 1; *p == 't'; p++)
			m->trims = true;
		if (*p == '\0')
			continue;
		value = word;
		if (p[1] == '\0') {
			if (++i == c->n)
				return false;
			value = &c->words[i];
		}
		if (!value->known || value->may_split || !take_value(m, *p,
		    value == word ? p + 1 : value->value))
			return false;
		if (*p == 'C')
			m->callback = value;
		/* What stands behind the letter is its value. */
		if (*p == 'C' && value == word)
			return false;
	}
	m->operand = i;
	return true;
}

/* The lines, with what ends them unless that is cut off; *ret_n of them.
 * false: too many. */
static bool
cut_lines(struct syn_walk *w, const struct mapfile *m, const char *p,
    const char *end, struct syn_word *lines, size_t *ret_n)
{
	const char *stop;
	size_t n, k = 0;

	for (n = 0; p < end; p = stop, k++) {
		stop = memchr(p, m->delim, (size_t)(end - p));
		stop = stop != NULL ? stop + 1 : end;
		if (k < m->skip)
			continue;
		if (m->most > 0 && n == m->most)
			break;
		if (n == LINES_MAX)
			return false;
		lines[n] = (struct syn_word){ .known = true,
		    .len = (size_t)(stop - p) };
		if (stop[-1] == m->delim && (m->trims || m->delim == '\0'))
			lines[n].len--;
		lines[n].value = arena_memdup0(w->arena, p, lines[n].len);
		n++;
	}
	*ret_n = n;
	return true;
}

/* CALLBACK INDEX LINE, as bash writes it and reads it again. */
static void
run_callback(struct syn_walk *w, const struct mapfile *m, size_t index,
    const struct syn_word *line)
{
	struct buf text = BUF_INIT_MAX(SYN_LEN_MAX);
	char number[32];
	const char *p;

	snprintf(number, sizeof number, " %zu ", index);
	buf_put(&text, m->callback->value, m->callback->len);
	buf_puts(&text, number);
	buf_puts(&text, "'");
	for (p = line->value; *p != '\0'; p++)
		if (*p == '\'')
			buf_puts(&text, "'\\''");
		else
			buf_putc(&text, *p);
	buf_puts(&text, "'");
	if (buf_overflow(&text))
		syn_tell_broken(w, m->callback->value, m->callback->len,
		    SYN_WHY_CAP);
	else
		syn_walk_code(w, text.data, text.len);
	buf_done(&text);
}

static void
run_callbacks(struct syn_walk *w, const struct mapfile *m,
    const struct syn_word *lines, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((i + 1) % m->quantum == 0)
			run_callback(w, m, m->origin + i, &lines[i]);
}

/* While they run, the array is half of what it will be. */
static void
forget_array(const struct syn_call *c, const struct mapfile *m)
{
	if (m->operand < c->n)
		syn_forget_word(c->w, &c->words[m->operand]);
}

/* mapfile with a known text; false: something else. */
bool
syn_mapfile_lines(const struct syn_call *c)
{
	struct mapfile m = { .delim = '\n', .quantum = QUANTUM };
	struct syn_word lines[LINES_MAX];
	const struct syn_redir *redir;
	const struct syn_items *items;
	const struct syn_word *name;
	struct buf text = BUF_INIT_MAX(SYN_LEN_MAX + 1);
	size_t n = 0;
	bool good;

	if (c->command->n_assigns > 0 || !read_options(c, &m) ||
	    (redir = syn_text_redir(c->command, m.fd)) == NULL ||
	    !redir->target.known || memchr(redir->target.value, '\0',
	    redir->target.len) != NULL || !syn_spend(c->w, redir->target.len))
		return false;
	buf_put(&text, redir->target.value, redir->target.len);
	if (redir->op == SYN_REDIR_HERESTRING)
		buf_puts(&text, "\n");
	good = !buf_overflow(&text) && (text.len == 0 || cut_lines(c->w, &m,
	    text.data, text.data + text.len, lines, &n));
	buf_done(&text);
	if (!good)
		return false;
	if (m.callback != NULL) {
		forget_array(c, &m);
		run_callbacks(c->w, &m, lines, n);
		forget_array(c, &m);
		return true;
	}
	if (m.operand >= c->n || m.keeps || n == 0)
		return false;
	name = &c->words[m.operand];
	items = syn_is_plain(name) && !name->may_split ?
	    syn_array_of(c->w, lines, n) : NULL;
	if (items == NULL)
		return false;
	syn_env_slot(c->w, name->value, name->len)->array = true;
	syn_env_set_items(c->w, name->value, name->len, items);
	return true;
}

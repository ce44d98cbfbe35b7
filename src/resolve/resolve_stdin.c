/* SPDX-License-Identifier: ISC */
/*
 * A shell that reads its program from standard input: the text stands in
 * the line when it is a here-document, a here-string, or what a plain
 * `echo`, `printf` or `cat <<E` in front of the pipe will print.
 */
#include "resolve_int.h"

#include <string.h>

#include "aegsh/base/buf.h"

static const struct syn_word *
stdin_text(const struct syn_command *c)
{
	const struct syn_redir *r;
	size_t i;

	for (i = c->n_redirs; i-- > 0;) {
		r = &c->redirs[i];
		if (r->fd == 0 && r->fd_name == NULL)
			return r->op == SYN_REDIR_HEREDOC ||
			    r->op == SYN_REDIR_HERESTRING ? &r->target : NULL;
	}
	return NULL;
}

static bool
moves_stdin(const struct syn_command *c)
{
	size_t i;

	for (i = 0; i < c->n_redirs; i++)
		if (c->redirs[i].fd == 0)
			return true;
	return false;
}

/* The command in front of it in its pipeline. */
static const struct syn_command *
upstream(const struct syn_facts *facts, const struct syn_command *c)
{
	const struct syn_command *p;
	size_t i = (size_t)(c - facts->commands);

	if (c->pipe_index == 0 || moves_stdin(c))
		return NULL;
	while (i-- > c->parent) {
		p = &facts->commands[i];
		if (p->parent == c->parent)
			return p->pipeline == c->pipeline &&
			    p->pipe_index + 1 == c->pipe_index ? p : NULL;
	}
	return NULL;
}

/* Backslash escapes of echo -e, printf %b and printf formats. */
static void
put_escaped(struct buf *out, const char *p, const char *end)
{
	static const char from[] = "abefnrtv\\\"'", to[] =
	    "\a\b\033\f\n\r\t\v\\\"'";
	const char *hit;
	int value, digits;

	while (p < end) {
		if (*p != '\\' || p + 1 == end) {
			buf_putc(out, *p++);
			continue;
		}
		p++;
		if (*p == 'x') {
			for (p++, value = digits = 0; digits < 2 && p < end;
			    digits++, p++) {
				hit = strchr("00112233445566778899aAbBcCdDeEfF",
				    *p);
				if (hit == NULL || *p == '\0')
					break;
				value = value * 16 + (int)(hit -
				    "00112233445566778899aAbBcCdDeEfF") / 2;
			}
			buf_putc(out, (char)value);
		} else if (*p >= '0' && *p <= '7') {
			digits = *p == '0' ? 4 : 3;
			for (value = 0; digits > 0 && p < end && *p >= '0' &&
			    *p <= '7'; digits--, p++)
				value = value * 8 + (*p - '0');
			buf_putc(out, (char)value);
		} else if ((hit = strchr(from, *p)) != NULL && *p != '\0') {
			buf_putc(out, to[hit - from]);
			p++;
		} else {
			buf_putc(out, '\\');
		}
	}
}

static void
print_echo(struct buf *out, const struct syn_word *argv, size_t argc)
{
	bool escapes = false;
	size_t i = 1, start;

	for (; i < argc && argv[i].len > 1 && argv[i].value[0] == '-' &&
	    strspn(argv[i].value + 1, "neE") == argv[i].len - 1; i++)
		escapes = strchr(argv[i].value, 'e') != NULL;
	for (start = i; i < argc; i++) {
		if (i > start)
			buf_putc(out, ' ');
		if (escapes)
			put_escaped(out, argv[i].value,
			    argv[i].value + argv[i].len);
		else
			buf_put(out, argv[i].value, argv[i].len);
	}
	buf_putc(out, '\n');
}

/* Formats of %s and %b, as bash repeats them over the arguments. */
static bool
print_printf(struct buf *out, const struct syn_word *argv, size_t argc)
{
	const char *f, *end, *start;
	size_t i = 1, used;

	if (i < argc && strcmp(argv[i].value, "--") == 0)
		i++;
	if (i >= argc || argv[i].value[0] == '-')
		return false;
	f = argv[i].value;
	end = f + argv[i].len;
	i++;
	do {
		used = i;
		for (start = f; start < end;) {
			const char *percent = memchr(start, '%',
			    (size_t)(end - start));

			put_escaped(out, start,
			    percent != NULL ? percent : end);
			if (percent == NULL)
				break;
			if (percent + 1 == end)
				return false;
			start = percent + 2;
			if (percent[1] == '%') {
				buf_putc(out, '%');
			} else if (percent[1] == 's' || percent[1] == 'b') {
				if (i >= argc)
					continue;
				if (percent[1] == 'b')
					put_escaped(out, argv[i].value,
					    argv[i].value + argv[i].len);
				else
					buf_put(out, argv[i].value,
					    argv[i].len);
				i++;
			} else {
				return false;
			}
		}
	} while (i < argc && i > used);
	return true;
}

/* What the command prints, where its words tell. */
static bool
output_of(struct walk *w, const struct syn_command *c, struct syn_word *ret)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	const struct syn_word *text;
	const char *name;
	bool known = true, done = false;
	size_t i;

	if (c->n_words == 0 || !c->words[0].known)
		return false;
	name = c->words[0].value;
	for (i = 0; i < c->n_words; i++)
		known &= c->words[i].known;
	if (strcmp(name, "cat") == 0 && c->n_words == 1 &&
	    (text = stdin_text(c)) != NULL) {
		*ret = *text;
		return true;
	}
	for (i = 0; i < c->n_redirs; i++)
		if (c->redirs[i].fd == 1)
			return false;
	if (strcmp(name, "echo") == 0) {
		print_echo(&out, c->words, c->n_words);
		done = true;
	} else if (strcmp(name, "printf") == 0) {
		done = print_printf(&out, c->words, c->n_words);
	}
	if (done && !buf_overflow(&out))
		*ret = resolve_word_new(w, out.data != NULL ? out.data : "",
		    out.len, known);
	else
		done = false;
	buf_done(&out);
	return done;
}

bool
resolve_stdin_text(struct walk *w, const struct spot *at, struct syn_word *ret)
{
	const struct syn_word *text = stdin_text(at->command);
	const struct syn_command *before;

	if (text != NULL) {
		*ret = *text;
		return true;
	}
	before = upstream(at->facts, at->command);
	return before != NULL && output_of(w, before, ret);
}

void
resolve_stdin(struct walk *w, const struct spot *at)
{
	struct syn_word text;

	if (resolve_stdin_text(w, at, &text))
		resolve_program(w, at, &text);
	else if (at->command->pipe_index > 0)
		w->pub.incomplete = true;
}

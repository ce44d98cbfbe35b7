/* SPDX-License-Identifier: ISC */
/*
 * Shell programs inside code of other languages: the string that is handed
 * to system(), popen() and their like, or typed after "!" in an editor.
 * The code is not parsed, only searched: what is found is judged besides,
 * what is not found is still code.
 */
#include "resolve_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/buf.h"

#define CALLS_MAX 32	/* calls followed in one piece of code */

/* Last components: "os.system" and "Kernel.system" are both "system". */
static const char *const calls[] = {
	"Popen", "call", "check_call", "check_output", "cmd", "command",
	"esyscmd",
	"exec", "execSync", "execl", "execle", "execlp", "execute", "execv",
	"execve", "execvp", "getoutput", "getstatusoutput", "passthru",
	"pcntl_exec", "popen", "popen2", "popen3", "proc_open", "qx", "run",
	"sh", "shell", "shell_exec", "spawn", "spawnSync", "spawnl", "spawnlp",
	"syscmd", "system",
};

/* Calls that only dress a string up. */
static const char *const dress[] = { "sprintf", "format", "String", "str",
	"ProcessBuilder" };

struct search {
	const char *start, *p, *end;
	struct buf text;
	bool m4;		/* `…' is a string */
	bool ended;		/* text, by a NUL */
	int found;
};

static bool
is_one_of(const char *const *names, size_t n, const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strlen(names[i]) == len && memcmp(names[i], p, len) == 0)
			return true;
	return false;
}

static bool
is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t
name_at(const struct search *s)
{
	size_t n = 0;

	while (s->p + n < s->end && is_name_byte(s->p[n]))
		n++;
	return n;
}

static void
skip(struct search *s, const char *bytes)
{
	while (s->p < s->end && strchr(bytes, *s->p) != NULL)
		s->p++;
}

/* A NUL ends what a shell is given. */
static void
put_byte(struct search *s, int value)
{
	if ((value & 0xff) == 0)
		s->ended = true;
	if (!s->ended)
		buf_putc(&s->text, (char)value);
}

static void
put_escape(struct search *s)
{
	static const char from[] = "ntrabfve", to[] = "\n\t\r\a\b\f\v\033";
	const char *hit;
	int value = 0, digits;

	if (*s->p == 'x') {
		for (s->p++, digits = 0; digits < 2 && s->p < s->end &&
		    isxdigit((unsigned char)*s->p); digits++, s->p++)
			value = value * 16 + (isdigit((unsigned char)*s->p) ?
			    *s->p - '0' : tolower(*s->p) - 'a' + 10);
		put_byte(s, value);
		return;
	}
	if (*s->p >= '0' && *s->p <= '7') {
		for (digits = 0; digits < 3 && s->p < s->end && *s->p >= '0' &&
		    *s->p <= '7'; digits++, s->p++)
			value = value * 8 + (*s->p - '0');
		put_byte(s, value);
		return;
	}
	hit = *s->p != '\0' ? strchr(from, *s->p) : NULL;
	put_byte(s, hit != NULL ? to[hit - from] : *s->p);
	s->p++;
}

/* One quoted string at *p, appended; false when none begins there. */
static bool
take_string(struct search *s)
{
	char quote;

	if (s->p >= s->end || strchr("\"'`", *s->p) == NULL || *s->p == '\0')
		return false;
	quote = *s->p++;
	if (s->m4 && quote == '`')
		quote = '\'';
	while (s->p < s->end && *s->p != quote) {
		if (*s->p == '\\' && s->p + 1 < s->end) {
			s->p++;
			put_escape(s);
		} else {
			put_byte(s, *s->p++);
		}
	}
	if (s->p < s->end)
		s->p++;
	return true;
}

/* ("rm", "-rf", "/") and (["rm", "-rf", "/"]) are one command; in
 * ("/bin/sh", "-c", "…") the last string is the program, but joined it
 * reads the same. */
static void
take_arguments(struct search *s)
{
	size_t n;

	skip(s, " \t\n([{");
	n = name_at(s);
	if (n > 0 && is_one_of(dress, AEG_NELEM(dress), s->p, n)) {
		s->p += n;
		skip(s, " \t\n([{");
	}
	/* m4 takes what is not quoted, too. */
	if (s->m4 && s->p < s->end && strchr("\"'`", *s->p) == NULL) {
		while (s->p < s->end && *s->p != ')')
			put_byte(s, *s->p++);
		return;
	}
	while (take_string(s)) {
		skip(s, " \t\n");
		if (s->p >= s->end || *s->p != ',')
			break;
		s->p++;
		skip(s, " \t\n[");
		if (s->p < s->end && strchr("\"'", *s->p) != NULL)
			buf_putc(&s->text, ' ');
	}
}

static void
follow(struct walk *w, const struct spot *at, struct search *s)
{
	struct spot inner = *at;
	struct syn_word word;

	if (s->text.len > 0 && s->found++ == CALLS_MAX)
		resolve_over_cap(w);
	if (s->text.len > 0 && s->found <= CALLS_MAX) {
		word = resolve_word_new(w, s->text.data, s->text.len, true);
		inner.more_args = false;
		resolve_program(w, &inner, &word);
	}
	buf_reset(&s->text);
	s->ended = false;
}

/* qx{rm x}, %x(rm x): to the bracket, or letter, that closes it. */
static void
take_quoted(struct search *s)
{
	static const char open[] = "([{<", close[] = ")]}>";
	const char *hit;
	char end;

	if (s->p >= s->end || is_name_byte(*s->p) ||
	    strchr(" \t\n\"'`,;=", *s->p) != NULL)
		return;
	hit = strchr(open, *s->p);
	end = hit != NULL ? close[hit - open] : *s->p;
	for (s->p++; s->p < s->end && *s->p != end; s->p++)
		buf_putc(&s->text, *s->p);
	s->p += s->p < s->end;
}

/* `rm -rf /` in perl, ruby and php; "rm" | getline in awk. */
static void
search_calls(struct walk *w, const struct spot *at, struct search *s,
	bool backquotes)
{
	size_t n;

	while (s->p < s->end) {
		n = name_at(s);
		if (n > 0) {
			bool call = is_one_of(calls, AEG_NELEM(calls), s->p, n);
			bool quoted = backquotes && ((n == 2 &&
			    memcmp(s->p, "qx", 2) == 0) || (n == 1 &&
			    *s->p == 'x' && s->p > s->start &&
			    s->p[-1] == '%'));

			s->p += n;
			if (quoted) {
				take_quoted(s);
				follow(w, at, s);
			} else if (call) {
				take_arguments(s);
				follow(w, at, s);
			}
			continue;
		}
		if (*s->p == '`' && backquotes && take_string(s)) {
			follow(w, at, s);
			continue;
		}
		if ((*s->p == '"' || *s->p == '\'')) {
			/* A string that nobody runs may hold a call in code
			 * of its own: look inside, too. */
			s->p++;
			continue;
		}
		s->p++;
	}
}

static void
follow_rest(struct walk *w, const struct spot *at, struct search *s,
	const char *from, const char *end)
{
	buf_put(&s->text, from, (size_t)(end - from));
	follow(w, at, s);
}

/* open(F, "cmd |"), open("| cmd"), open(F, "-|", "cmd"): strings that begin
 * or end with a bar; gnuplot's plot "< cmd". */
static void
search_bars(struct walk *w, const struct spot *at, struct search *s,
	bool angle)
{
	const char *from;
	size_t len;
	char quote;

	while (s->p < s->end) {
		quote = *s->p++;
		if (quote != '"' && quote != '\'')
			continue;
		from = s->p;
		while (s->p < s->end && *s->p != quote)
			s->p += s->p[0] == '\\' && s->p + 1 < s->end ? 2 : 1;
		len = (size_t)(s->p - from);
		s->p += s->p < s->end;
		if (len < 2 || (from[0] != '|' && from[len - 1] != '|' &&
		    !(angle && from[0] == '<')))
			continue;
		if (len == 2 && memchr(from, '-', 2) != NULL) {
			skip(s, " \t\n,[");
			while (take_string(s)) {
				skip(s, " \t\n,");
				buf_putc(&s->text, ' ');
			}
			follow(w, at, s);
			continue;
		}
		from += from[0] == '|' || from[0] == '<';
		follow_rest(w, at, s, from, s->p - 1 - (s->p[-2] == '|'));
	}
}

/* ":!cmd", "silent !cmd", "r!cmd", "%!cmd": to the end of the line; "q!" and
 * "w! file" are another thing. */
static void
search_bang(struct walk *w, const struct spot *at, struct search *s)
{
	const char *line, *end, *bang;

	for (line = s->p; line < s->end; line = end + 1) {
		end = memchr(line, '\n', (size_t)(s->end - line));
		if (end == NULL)
			end = s->end;
		for (bang = line; bang < end && *bang != '!'; bang++)
			if (strchr(" \t:%.$,;", *bang) == NULL &&
			    !is_name_byte(*bang))
				break;
		while (bang < end && *bang == '!' && bang > line &&
		    isalpha((unsigned char)bang[-1]) && bang[-1] != 'r') {
			for (bang++; bang < end && strchr(" \t", *bang) != NULL;
			    bang++)
				continue;
		}
		if (bang < end && *bang == '!')
			follow_rest(w, at, s, bang + 1, end);
	}
}

/* Lines that begin with a command of the program, in front of a command of
 * the shell: ".shell cmd", "\\! cmd". */
static void
search_heads(struct walk *w, const struct spot *at, struct search *s,
	const char *const *heads)
{
	const char *line, *end, *p, *quote;
	size_t i, n;

	for (line = s->p; line < s->end; line = end + 1) {
		end = memchr(line, '\n', (size_t)(s->end - line));
		if (end == NULL)
			end = s->end;
		p = line + strspn(line, " \t");
		for (i = 0; p < end && heads[i] != NULL; i++) {
			n = strlen(heads[i]);
			if ((size_t)(end - p) <= n ||
			    strncasecmp(p, heads[i], n) != 0)
				continue;
			/* .read "|cmd" */
			quote = n > 1 && strchr("\"'", heads[i][n - 2]) !=
			    NULL ? memchr(p + n, heads[i][n - 2],
			    (size_t)(end - p) - n) : NULL;
			follow_rest(w, at, s, p + n,
			    quote != NULL ? quote : end);
		}
	}
}

static const char *const sql_heads[] = { ".shell ", ".system ", ".read |",
	".read \"|", ".read '|", ".once |", ".once \"|", ".once '|",
	".output |", ".output \"|", ".output '|", ".import |", ".import \"|",
	".import '|", "\\!", "system ", "\\o |", "\\g |", "pager ", "\\P ",
	NULL };
static const char *const gdb_heads[] = { "shell ", "make ", "pipe ",
	"platform shell ", NULL };
static const char *const mail_heads[] = { "~!", "~|", "~<!", "~< !", "~r !",
	"~^", "!", "shell ", NULL };
static const char *const ftp_heads[] = { "shell ", NULL };

/* dc: "!" and the rest of the line; "!<", "!=", "!>" compare. */
static void
search_dc(struct walk *w, const struct spot *at, struct search *s)
{
	const char *p = s->p, *end;

	while ((p = memchr(p, '!', (size_t)(s->end - p))) != NULL) {
		p++;
		if (p < s->end && strchr("<=>", *p) != NULL)
			continue;
		end = memchr(p, '\n', (size_t)(s->end - p));
		if (end == NULL)
			end = s->end;
		follow_rest(w, at, s, p, end);
		p = end;
	}
}

/* %(cmd) of rpm's macros. */
static void
search_macros(struct walk *w, const struct spot *at, struct search *s)
{
	const char *p = s->p, *from;
	int depth;

	while ((p = memmem(p, (size_t)(s->end - p), "%(", 2)) != NULL) {
		from = p += 2;
		for (depth = 1; p < s->end; p++) {
			depth += *p == '(';
			depth -= *p == ')';
			if (depth == 0)
				break;
		}
		follow_rest(w, at, s, from, p);
	}
}

/* COPY x FROM PROGRAM 'cmd' */
static void
search_program(struct walk *w, const struct spot *at, struct search *s)
{
	const char *p = s->p;

	for (; p < s->end; p++) {
		if (strncasecmp(p, "program", 7) != 0)
			continue;
		s->p = p + 7;
		skip(s, " \t\n");
		if (take_string(s))
			follow(w, at, s);
	}
}

/* Behind the next, not escaped, end: as sed reads it, brackets are nothing
 * special. */
static const char *
sed_part(const char *p, const char *end, char delimiter)
{
	while (p < end && *p != delimiter)
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p + (p < end);
}

/* Behind the addresses: 1, $, 1~2, /x/I, \cxc, +2, ~4, !. */
static const char *
sed_address(const char *p, const char *end)
{
	for (;;) {
		p += strspn(p, " \t0123456789$,!+~");
		if (p < end && *p == '/')
			p = sed_part(p + 1, end, '/');
		else if (p + 1 < end && *p == '\\')
			p = sed_part(p + 2, end, p[1]);
		else
			return p;
		p += strspn(p, "IM");
	}
}

/* To the end of a text, whose lines go on behind a backslash. */
static const char *
sed_text(const char *p, const char *end)
{
	while (p < end && *p != '\n')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p;
}

/* sed: "e cmd", "1ecmd" behind addresses; s///e runs what it makes. */
static void
search_sed(struct walk *w, const struct spot *at, struct search *s)
{
	const char *end = s->end, *p = s->p, *from;

	while (p < end) {
		p = sed_address(p + strspn(p, " \t\n;{}"), end);
		from = p;
		if (p >= end)
			break;
		if (*p == 's' && p + 1 < end) {
			p = sed_part(sed_part(p + 2, end, p[1]), end, p[1]);
			from = p;
			p += strspn(p, "gpeiImM0123456789");
			w->pub.incomplete |= memchr(from, 'e',
			    (size_t)(p - from)) != NULL;
			if (p < end && *p == 'w')
				p = sed_text(p, end);
		} else if (*p == 'y' && p + 1 < end) {
			p = sed_part(sed_part(p + 2, end, p[1]), end, p[1]);
		} else if (*p == 'e') {
			p = sed_text(p, end);
			from += 1 + strspn(from + 1, " \t");
			/* Alone it runs the line that it is at. */
			if (from >= p || strchr(";}#", *from) != NULL)
				w->pub.incomplete = true;
			if (from < p)
				follow_rest(w, at, s, from, p);
		} else if (strchr("aicrRwW:#", *p) != NULL) {
			p = sed_text(p, end);
		} else if (strchr("btT", *p) != NULL) {
			p += strcspn(p, "\n;}");
		} else {
			p++;
		}
	}
}

/* tcl: exec cmd, spawn cmd, system cmd, without quotes. */
static void
search_tcl(struct walk *w, const struct spot *at, struct search *s)
{
	static const char *const words[] = { "exec ", "spawn ", "system " };
	const char *p;
	size_t n, i, len;

	for (i = 0; i < AEG_NELEM(words); i++) {
		len = strlen(words[i]);
		for (p = s->p; (p = memmem(p, (size_t)(s->end - p), words[i],
		    len)) != NULL; p += len) {
			if (p > s->p && is_name_byte(p[-1]))
				continue;
			n = strcspn(p + len, "\n;]}");
			follow_rest(w, at, s, p + len, p + len + n);
		}
	}
}

/* awk: "cmd" | getline, print | "cmd". */
static void
search_pipes(struct walk *w, const struct spot *at, struct search *s)
{
	bool piped = false;

	while (s->p < s->end) {
		if (*s->p == '"') {
			take_string(s);
			skip(s, " \t");
			piped |= s->p < s->end && *s->p == '|' &&
			    !(s->p + 1 < s->end && s->p[1] == '|');
			if (piped)
				follow(w, at, s);
			buf_reset(&s->text);
			piped = false;
			continue;
		}
		if (*s->p == '|')
			piped = !(s->p + 1 < s->end && s->p[1] == '|') &&
			    !(s->p > s->start && s->p[-1] == '|');
		else if (strchr(" \t&", *s->p) == NULL)
			piped = false;
		s->p++;
	}
}

static bool
is_language(const char *language, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(*names, language) == 0)
			return true;
	return false;
}

void
resolve_calls(struct walk *w, const struct spot *at, const char *language,
	const struct syn_word *code)
{
	static const char *const bangs[] = { "vim", "ed", "gdb", "bc", "ftp",
		"gnuplot", NULL };
	static const char *const quotes[] = { "perl", "ruby", "php", "julia",
		"gnuplot", "mutt", NULL };
	static const char *const bars[] = { "perl", "ruby", "gnuplot", NULL };
	struct search s = { .start = code->value, .p = code->value,
		.end = code->value + code->len,
		.text = BUF_INIT_MAX(SYN_LEN_MAX) };

	if (strcmp(language, "make") == 0) {
		resolve_calls_of_make(w, at, code);
		return;
	}
	if (strcmp(language, "sed") == 0) {
		search_sed(w, at, &s);
	} else if (strcmp(language, "sql") == 0) {
		search_heads(w, at, &s, sql_heads);
		search_program(w, at, &s);
	}
	if (strcmp(language, "gdb") == 0)
		search_heads(w, at, &s, gdb_heads);
	if (strcmp(language, "mail") == 0)
		search_heads(w, at, &s, mail_heads);
	if (strcmp(language, "ftp") == 0)
		search_heads(w, at, &s, ftp_heads);
	if (strcmp(language, "dc") == 0)
		search_dc(w, at, &s);
	if (strcmp(language, "rpm") == 0)
		search_macros(w, at, &s);
	if (strcmp(language, "tcl") == 0)
		search_tcl(w, at, &s);
	if (strcmp(language, "awk") == 0)
		search_pipes(w, at, &s);
	s.p = s.start;
	if (is_language(language, bars))
		search_bars(w, at, &s, strcmp(language, "gnuplot") == 0);
	s.m4 = strcmp(language, "m4") == 0;
	s.p = s.start;
	if (is_language(language, bangs))
		search_bang(w, at, &s);
	s.p = s.start;
	if (strcmp(language, "shell") != 0 && strcmp(language, "sed") != 0)
		search_calls(w, at, &s, is_language(language, quotes));
	buf_done(&s.text);
}

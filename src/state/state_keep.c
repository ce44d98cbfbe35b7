/* SPDX-License-Identifier: ISC */
/*
 * Variables that live on without being exported: those of the user, not
 * bash's own, as assignments that we quote anew.  Nothing of bash's output
 * is passed on as it stands.
 */
#include "state/state_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

/* What bash sets for itself, and what describes this session; and all that
 * begins with BASH or AEGSH_. */
static const char *const own[] = { "COLUMNS", "COMP_WORDBREAKS", "COPROC",
	"DIRSTACK",
	"EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS",
	"HISTCMD", "HOSTNAME", "HOSTTYPE", "IFS", "LINENO", "LINES", "MACHTYPE",
	"OLDPWD", "OPTARG", "OPTERR", "OPTIND", "OSTYPE", "PIPESTATUS",
	"POSIXLY_CORRECT", "PPID", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD",
	"RANDOM", "SECONDS", "SHELL", "SHELLOPTS", "SHLVL", "SRANDOM", "TERM",
	"UID", "_" };

bool
state_keeps_name(const char *name)
{
	size_t i;

	if (text_starts(name, "BASH") || text_starts(name, "AEGSH_"))
		return false;
	for (i = 0; i < AEG_NELEM(own); i++)
		if (strcmp(name, own[i]) == 0)
			return false;
	/* What may not be exported to later lines may not be there either. */
	return state_refuses(name, "\n$(") == NULL;
}

static void
put_quoted(struct buf *out, const char *value, size_t len)
{
	size_t i;

	buf_putc(out, '\'');
	for (i = 0; i < len; i++)
		if (value[i] == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, value[i]);
	buf_putc(out, '\'');
}

void
state_keep_value(struct strv *plain, const char *name, const char *value)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_putf(&out, "%s=", name);
	put_quoted(&out, value, strlen(value));
	strv_add(plain, out.data);
}

/* [key]= at p; the position behind it, or NULL. */
static const char *
take_key(const char *p, const char *end, struct buf *out)
{
	struct buf key = BUF_INIT;

	if (p == end || *p != '[')
		return NULL;
	p++;
	if (p < end && (*p == '"' || *p == '$'))
		p = word_value(p, end, &key);
	else
		for (; p < end && *p != ']' && *p != '\0'; p++)
			buf_putc(&key, *p);
	if (p != NULL && end - p >= 2 && p[0] == ']' && p[1] == '=') {
		buf_putc(out, '[');
		put_quoted(out, key.len > 0 ? key.data : "", key.len);
		buf_puts(out, "]=");
		p += 2;
	} else {
		p = NULL;
	}
	buf_done(&key);
	return p;
}

const char *
state_keep_array(struct strv *plain, const char *name, char kind,
    const char *p, const char *end)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(STATE_PLAIN_MAX);
	struct buf value = BUF_INIT;

	buf_putf(&out, "declare -%c %s=(", kind, name);
	for (p++; p != NULL && p < end && *p != ')';) {
		if (*p == ' ') {
			p++;
			continue;
		}
		p = take_key(p, end, &out);
		if (p == NULL)
			break;
		p = word_value(p, end, &value);
		put_quoted(&out, value.len > 0 ? value.data : "", value.len);
		buf_putc(&out, ' ');
		buf_reset(&value);
	}
	buf_done(&value);
	if (p == NULL || p == end)
		return NULL;
	buf_putc(&out, ')');
	if (!buf_overflow(&out))
		strv_add(plain, out.data);
	return p + 1;
}

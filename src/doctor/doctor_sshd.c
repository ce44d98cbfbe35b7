/* SPDX-License-Identifier: ISC */
/*
 * sshd_config(5): what it sets, in order, with what it includes; and the
 * ways past a shell that are in it.  Of most keywords the first one holds;
 * in a Match block it holds for whom it matches.
 */
#include "doctor_int.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define INCLUDE_DEPTH 16
#define DIRECTIVES_MAX 4096
#define CONFIG "/etc/ssh/sshd_config"

static void read_file(struct doctor *d, const char *path, const char *match,
	unsigned depth);

static void
include(struct doctor *d, const struct sshd_directive *s, unsigned depth)
{
	AEG_AUTO(strv_done) struct strv names = STRV_INIT;
	size_t i;

	for (i = 0; i < s->n_words; i++)
		doctor_glob(d, s->word[i][0] == '/' ? s->word[i] :
		    doctor_printf(d, "/etc/ssh/%s", s->word[i]), &names);
	for (i = 0; i < names.n && depth < INCLUDE_DEPTH; i++)
		read_file(d, names.v[i], s->match, depth + 1);
}

static void
add(struct doctor *d, const struct sshd_directive *s)
{
	if (d->n_sshd == DIRECTIVES_MAX)
		return;
	d->sshd = arena_grow(d->mem, d->sshd, d->n_sshd, d->n_sshd + 1,
	    sizeof *d->sshd);
	d->sshd[d->n_sshd++] = *s;
}

/* "Keyword value", "Keyword=value", "Keyword = value". */
static bool
split(struct doctor *d, char *line, struct sshd_directive *ret)
{
	char *words[SSHD_WORDS_MAX], *p;
	size_t n, i;

	p = line + strspn(line, " \t");
	ret->text = arena_memdup0(d->mem, p, strcspn(p, "\r"));
	p += strcspn(p, " \t=\"#");
	if (*p == '=')
		*p = ' ';
	else if (p[strspn(p, " \t")] == '=')
		p[strspn(p, " \t")] = ' ';
	n = doctor_words(line, words, SSHD_WORDS_MAX);
	if (n == 0)
		return false;
	for (p = words[0]; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	ret->name = words[0];
	ret->n_words = n - 1;
	ret->word = arena_alloc(d->mem, n * sizeof *ret->word);
	for (i = 1; i < n; i++)
		ret->word[i - 1] = words[i];
	return true;
}

static void
read_file(struct doctor *d, const char *path, const char *match,
    unsigned depth)
{
	char *text = doctor_read(d, path, NULL), *line;
	struct sshd_directive s = {
		.file = arena_memdup0(d->mem, path, strlen(path)),
		.match = match,
	};

	while (text != NULL && (line = strsep(&text, "\n")) != NULL) {
		s.line++;
		if (!split(d, line, &s))
			continue;
		if (strcmp(s.name, "match") == 0)
			s.match = s.n_words == 1 && strcasecmp(s.word[0],
			    "all") == 0 ? NULL : s.text;
		else if (strcmp(s.name, "include") == 0)
			include(d, &s, depth);
		else
			add(d, &s);
	}
}

void
doctor_read_sshd(struct doctor *d)
{
	read_file(d, CONFIG, NULL, 0);
}

/* ---- checks ------------------------------------------------------------- */

bool
doctor_is_aegsh(const char *command)
{
	AEG_AUTOFREE char *first = (char *)xmemdup0(command,
	    strcspn(command, " \t"));

	return strcmp(path_base(first), "aegsh") == 0;
}

static const char *
shown(struct doctor *d, const struct sshd_directive *s)
{
	return s->match == NULL ? s->text :
	    doctor_printf(d, "%s (%s)", s->text, s->match);
}

static void
found(struct doctor *d, enum doctor_check check,
    const struct sshd_directive *s)
{
	doctor_find(d, check, s->file, s->line, shown(d, s));
}

/* The one that holds where no Match does, or NULL. */
static const struct sshd_directive *
global(const struct doctor *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->n_sshd; i++)
		if (d->sshd[i].match == NULL &&
		    strcmp(d->sshd[i].name, name) == 0 &&
		    d->sshd[i].n_words > 0)
			return &d->sshd[i];
	return NULL;
}

static bool
says(const struct sshd_directive *s, const char *word)
{
	return s->n_words > 0 && strcasecmp(s->word[0], word) == 0;
}

/* Variables that no client should be able to set. */
static const char *
dangerous(const char *pattern)
{
	static const char *const names[] = { "LD_PRELOAD", "BASH_ENV", "PATH",
		"ENV", "LD_LIBRARY_PATH", "LD_AUDIT", "SHELLOPTS", "IFS",
		"PYTHONPATH", "PERL5OPT", "PERL5LIB", "RUBYOPT",
		"NODE_OPTIONS", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL",
		"GIT_EXTERNAL_DIFF", "EDITOR", "PAGER", "LESSOPEN",
		"PROMPT_COMMAND", "SSH_ORIGINAL_COMMAND", "HOME", "GCONV_PATH",
		"TMPDIR", "AEGSH_X" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (fnmatch(pattern, names[i], 0) == 0)
			return names[i];
	return NULL;
}

static void
check_accept_env(struct doctor *d, const struct sshd_directive *s)
{
	const char *name;
	size_t i;

	for (i = 0; i < s->n_words; i++) {
		name = dangerous(s->word[i]);
		if (name == NULL)
			continue;
		doctor_find(d, CHECK_ACCEPT_ENV, s->file, s->line,
		    doctor_printf(d, "%s: lets in %s", shown(d, s), name));
		return;
	}
}

static void
check_subsystem(struct doctor *d, const struct sshd_directive *s)
{
	struct stat st;

	if (s->n_words < 2 || strcmp(s->word[0], "sftp") != 0)
		return;
	if (strcmp(s->word[1], "internal-sftp") == 0)
		found(d, CHECK_INTERNAL_SFTP, s);
	else if (s->word[1][0] == '/' && (doctor_stat(d, s->word[1],
	    &st) != 0 || (st.st_mode & 0111) == 0))
		found(d, CHECK_SFTP_SERVER, s);
}

static void
check_force(struct doctor *d, const struct sshd_directive *s)
{
	if (s->n_words == 0 || says(s, "none"))
		return;
	if (strcmp(s->word[0], "internal-sftp") == 0)
		found(d, CHECK_INTERNAL_SFTP, s);
	else if (!doctor_is_aegsh(s->word[0]))
		found(d, CHECK_FORCE_OTHER, s);
}

/* Where something is on unless it is turned off. */
static void
check_default(struct doctor *d, const char *name, enum doctor_check check,
    const char *by_default)
{
	const struct sshd_directive *s = global(d, name);
	size_t i;

	if (s == NULL)
		doctor_find(d, check, CONFIG, 0, by_default);
	else if (!says(s, "no"))
		found(d, check, s);
	for (i = 0; i < d->n_sshd; i++)
		if (d->sshd[i].match != NULL && strcmp(d->sshd[i].name,
		    name) == 0 && !says(&d->sshd[i], "no") && s != NULL &&
		    says(s, "no"))
			found(d, check, &d->sshd[i]);
}

static bool
is_used(const struct doctor *d)
{
	size_t i;

	for (i = 0; i < d->n_accounts; i++)
		if (d->account[i].ours)
			return true;
	for (i = 0; i < d->n_sshd; i++)
		if (strcmp(d->sshd[i].name, "forcecommand") == 0 &&
		    d->sshd[i].n_words > 0 &&
		    doctor_is_aegsh(d->sshd[i].word[0]))
			return true;
	return d->opts.managed;
}

static void
check_no_force(struct doctor *d)
{
	const struct sshd_directive *s = global(d, "forcecommand");
	const struct doctor_account *a;
	size_t i;

	if (!d->opts.managed || (s != NULL && !says(s, "none")))
		return;
	for (i = 0; i < d->n_accounts; i++) {
		a = &d->account[i];
		if (a->other && a->uid != 0)
			doctor_find(d, CHECK_NO_FORCE, "/etc/passwd", a->line,
			    doctor_printf(d, "%s has %s", a->name, a->shell));
	}
}

void
doctor_check_sshd(struct doctor *d)
{
	const struct sshd_directive *s;
	bool sftp = false;
	size_t i;

	if (d->n_sshd == 0 || !is_used(d))
		return;
	for (i = 0; i < d->n_sshd; i++) {
		s = &d->sshd[i];
		if (strcmp(s->name, "subsystem") == 0) {
			sftp = sftp || says(s, "sftp");
			check_subsystem(d, s);
		} else if (strcmp(s->name, "forcecommand") == 0) {
			check_force(d, s);
		} else if (strcmp(s->name, "acceptenv") == 0) {
			check_accept_env(d, s);
		} else if (strcmp(s->name, "permituserenvironment") == 0 &&
		    s->n_words > 0 && !says(s, "no")) {
			found(d, CHECK_USER_ENV, s);
		}
	}
	if (!sftp)
		doctor_find(d, CHECK_NO_SFTP, CONFIG, 0, NULL);
	check_default(d, "permituserrc", CHECK_USER_RC,
	    "PermitUserRC is yes where nothing is said");
	check_default(d, "allowtcpforwarding", CHECK_FORWARDING,
	    "AllowTcpForwarding is yes where nothing is said");
	check_no_force(d);
}

/* SPDX-License-Identifier: ISC */
/*
 * Which path sets a path falls into.  A path may hold "*" where a part of
 * it is not known, and the wildcards of an unquoted word: then a set
 * counts when the word could become one of its paths.
 */
#include "policy_view_int.h"

#include <fnmatch.h>
#include <string.h>

/* A wildcard word says something about a set only by what it spells out:
 * bytes other than wildcards that it must share with the pattern. */
#define SPELLED_MIN 4
#define SPELLED_FILE_MIN 3	/* of one file, whose name it says a part of */
#define WILD_WORD_MAX 256	/* bytes of a word that is tried as a path */
#define HOMES 4		/* the account's, by two names, $HOME, any */

struct target {
	const char *path;
	size_t len;
	const char *home_rest;	/* below a home directory, or NULL */
	bool other_home;	/* … a further one: the rest was tried */
	const char *base;	/* last component */
	bool exact;
	size_t literal;		/* bytes before the first wildcard */
};

static const char *
rest_below(const char *path, size_t len, const char *dir, size_t dir_len)
{
	if (dir_len < 2 || len < dir_len || memcmp(path, dir, dir_len) != 0)
		return NULL;
	if (len == dir_len)
		return path + len;
	return path[dir_len] == '/' ? path + dir_len + 1 : NULL;
}

static void
add_rest(const char *rest, const char **rests, size_t *n)
{
	size_t i;

	for (i = 0; rest != NULL && i < *n; i++)
		if (rests[i] == rest)
			return;
	if (rest != NULL)
		rests[(*n)++] = rest;
}

/* What follows the home directory in a path, for whomever's home it is; one
 * may lie in another. */
static size_t
below_homes(const struct view *v, const char *path, size_t len,
	const char *rests[HOMES])
{
	static const char *const parents[] = { "/home/", "/Users/" };
	const char *rest, *slash;
	size_t i, n, n_rests = 0;

	add_rest(rest_below(path, len, v->home, v->home_len), rests, &n_rests);
	add_rest(rest_below(path, len, v->real_home, v->real_home_len), rests,
	    &n_rests);
	add_rest(rest_below(path, len, v->env_home, v->env_home_len), rests,
	    &n_rests);
	if (n_rests > 0)
		return n_rests;
	rest = rest_below(path, len, "/root", 5);
	for (i = 0; rest == NULL && i < AEG_NELEM(parents); i++) {
		n = strlen(parents[i]);
		if (len <= n || memcmp(path, parents[i], n) != 0)
			continue;
		slash = memchr(path + n, '/', len - n);
		rest = slash != NULL ? slash + 1 : path + len;
	}
	/* ~user/… comes as it was written. */
	if (rest == NULL && path[0] == '~') {
		slash = memchr(path, '/', len);
		rest = slash != NULL ? slash + 1 : path + len;
	}
	add_rest(rest, rests, &n_rests);
	return n_rests;
}

/* Of all of these there are many in a line with wildcards. */
static bool
is_spelled(char c)
{
	switch (c) {
	case '*':
	case '?':
	case '[':
	case ']':
	case '\\':
	case '/':
		return false;
	}
	return true;
}

static size_t
spelled(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += is_spelled(*text);
	return n;
}

/* The same of a pattern, in which a bracket is one byte of many. */
static size_t
spelled_by(const char *pattern)
{
	const char *close;
	size_t n = 0;

	for (; *pattern != '\0'; pattern++) {
		if (*pattern == '[' && (close = strchr(pattern, ']')) != NULL)
			pattern = close;
		else if (is_spelled(*pattern) || *pattern == ']')
			n++;
	}
	return n;
}

/* One of the words that a word with wildcards may become. */
static bool
instance(const char *word, char fill, char *ret, size_t size)
{
	const char *close;
	size_t n = 0;

	for (; *word != '\0'; word++) {
		if (n + 1 >= size)
			return false;
		if (*word == '[' && (close = strchr(word, ']')) != NULL) {
			ret[n++] = word[1];
			word = close;
		} else {
			ret[n++] = *word == '*' || *word == '?' ? fill : *word;
		}
	}
	ret[n] = '\0';
	return true;
}

/* Names of devices go on with a letter or a digit. */
static bool
may_become(const char *word, const char *pattern)
{
	char one[WILD_WORD_MAX];

	return (instance(word, 'a', one, sizeof one) &&
	    fnmatch(pattern, one, FNM_PATHNAME) == 0) ||
	    (instance(word, '0', one, sizeof one) &&
	    fnmatch(pattern, one, FNM_PATHNAME) == 0);
}

static bool
below(const char *path, const char *text, size_t text_len)
{
	return strncmp(path, text, text_len) == 0 &&
	    (path[text_len] == '\0' || path[text_len] == '/' || text_len == 0 ||
	    text[text_len - 1] == '/');
}

/* Some leading components of the path match the pattern. */
static bool
below_glob(const char *path, const char *text)
{
	return fnmatch(text, path, FNM_PATHNAME | FNM_LEADING_DIR) == 0;
}

static bool
match_exact(const struct pol_pattern *pat, const char *text, const char *path)
{
	if (pat->flags & POL_PAT_GLOB)
		return pat->flags & POL_PAT_BELOW ? below_glob(path, text) :
		    fnmatch(text, path, FNM_PATHNAME) == 0;
	if (pat->flags & POL_PAT_BELOW)
		return below(path, text, strlen(text));
	return strcmp(path, text) == 0;
}

/* What a word says before its first wildcard stands there in all that it may
 * become: where the text begins otherwise, nothing else need be tried. */
static bool
starts_alike(const char *word, const char *text)
{
	return strncmp(word, text, strcspn(word, "*?[\\")) == 0;
}

/* A last component that is only "*" names nothing in particular. */
static bool
says_nothing(const char *word)
{
	const char *base = strrchr(word, '/');

	base = base != NULL ? base + 1 : word;
	return spelled(base) == 0;
}

static bool
match_wild(const struct pol_pattern *pat, const char *text, const char *word)
{
	size_t literal = strcspn(word, "*?[");

	/* What might be the exception need not be it. */
	if (pat->flags & POL_PAT_EXCEPT)
		return false;
	if (pat->flags & POL_PAT_BELOW) {
		/* Known up to a component below the directory. */
		if (literal > pat->prefix && !(pat->flags & POL_PAT_GLOB) &&
		    below(word, text, strlen(text)))
			return true;
		return !(pat->flags & POL_PAT_GLOB) &&
		    starts_alike(word, text) && spelled(word) >=
		    SPELLED_MIN && fnmatch(word, text, FNM_LEADING_DIR) == 0;
	}
	if (pat->flags & POL_PAT_GLOB)
		return strncmp(word, text, pat->prefix) == 0 &&
		    literal >= pat->prefix && !says_nothing(word) &&
		    spelled(word) >= spelled_by(text) &&
		    (fnmatch(text, word, FNM_PATHNAME) == 0 ||
		    may_become(word, text));
	return starts_alike(word, text) && !says_nothing(word) &&
	    spelled(word) >= SPELLED_FILE_MIN &&
	    spelled(word) * 3 >= spelled(text) && fnmatch(word, text, 0) == 0;
}

/* As many of the path's last components as the pattern has, or NULL. */
static const char *
last_components(const struct target *t, const char *text)
{
	const char *path = t->base;

	for (text = strchr(text, '/'); text != NULL;
	    text = strchr(text + 1, '/')) {
		if (path - t->path < 2)
			return NULL;
		for (path--; path > t->path && path[-1] != '/'; path--)
			continue;
	}
	return path;
}

static bool
matches(const struct policy *p, const struct pol_pattern *pat,
	const struct target *t)
{
	const char *text = pol_string(p, pat->text), *path = t->path;
	size_t left;

	if (t->other_home && (pat->flags & POL_PAT_HOME) == 0)
		return false;
	if (pat->flags & POL_PAT_HOME) {
		path = t->home_rest;
		if (path == NULL) {
			/* "$h/.bashrc": whose home is not known. */
			if (t->exact || t->literal > 0)
				return false;
			path = t->path + strspn(t->path, "*/");
			if (path == t->path || *path == '\0')
				return false;
			if (!(pat->flags & (POL_PAT_GLOB | POL_PAT_BELOW)))
				return strcmp(path, text) == 0;
			return match_exact(pat, text, path);
		}
	} else if (pat->flags & POL_PAT_NAME) {
		path = last_components(t, text);
		if (path == NULL)
			return false;
	}
	if (t->exact) {
		/* The cheap refusal first: it is almost always enough, and
		 * prefixes of one bucket differ behind rather than in front. */
		left = t->len - (size_t)(path - t->path);
		if (pat->prefix > left || (pat->prefix > 0 &&
		    (path[pat->prefix - 1] != text[pat->prefix - 1] ||
		    memcmp(path, text, pat->prefix) != 0)))
			return false;
		return match_exact(pat, text, path);
	}
	if (strpbrk(path, "*?[") == NULL)
		return match_exact(pat, text, path);
	return match_wild(pat, text, path);
}

/* ---- patterns by their first bytes --------------------------------------- */

/* Most patterns can be told from a path by one byte: that after "/" for
 * absolute ones, the second of what lies below a home (the first is mostly
 * a dot), the first of a name.  Byte 0 holds those that can't. */
enum kind { ABSOLUTE, IN_HOME, BY_NAME, N_KINDS };

struct pol_buckets {
	bool filled;
	uint16_t first[N_KINDS][257];	/* into index, by kind and byte */
	uint16_t index[];
};

static enum kind
kind_of(const struct pol_pattern *pat)
{
	return pat->flags & POL_PAT_HOME ? IN_HOME :
	    pat->flags & POL_PAT_NAME ? BY_NAME : ABSOLUTE;
}

static size_t
byte_at(enum kind kind)
{
	return kind == BY_NAME ? 0 : 1;
}

static unsigned char
bucket_of(const struct policy *p, const struct pol_pattern *pat)
{
	size_t at = byte_at(kind_of(pat));

	/* The first byte is that of another component than the last. */
	if ((pat->flags & POL_PAT_NAME) &&
	    strchr(pol_string(p, pat->text), '/') != NULL)
		return 0;
	return pat->prefix > at ? (unsigned char)pol_string(p, pat->text)[at] :
	    0;
}

static struct pol_buckets *
buckets_new(const struct policy *p)
{
	uint32_t n = pol_count(p, POL_SEC_PATTERNS);
	struct pol_buckets *b;

	/* More than the compiler lets through; the offsets are small. */
	if (n > UINT16_MAX)
		return NULL;
	b = xmalloc(sizeof *b + n * sizeof b->index[0]);
	b->filled = false;
	return b;
}

static void
fill_buckets(const struct policy *p, struct pol_buckets *b)
{
	const struct pol_pattern *pats = pol_section(p, POL_SEC_PATTERNS);
	uint32_t i, n = pol_count(p, POL_SEC_PATTERNS), sum = 0, count;
	uint16_t *end;
	int kind, byte;

	memset(b->first, 0, sizeof b->first);
	for (i = 0; i < n; i++)
		b->first[kind_of(&pats[i])][bucket_of(p, &pats[i])]++;
	for (kind = 0; kind < N_KINDS; kind++)
		for (byte = 0; byte < 256; byte++) {
			count = b->first[kind][byte];
			b->first[kind][byte] = (uint16_t)sum;
			sum += count;
		}
	end = xcalloc(N_KINDS * 257, sizeof *end);
	memcpy(end, b->first, sizeof b->first);
	for (i = 0; i < n; i++) {
		uint16_t *at = &end[kind_of(&pats[i]) * 257 +
		    bucket_of(p, &pats[i])];

		b->index[(*at)++] = (uint16_t)i;
	}
	for (kind = 0; kind < N_KINDS; kind++)
		b->first[kind][256] = kind + 1 < N_KINDS ?
		    b->first[kind + 1][0] : (uint16_t)n;
	free(end);
	b->filled = true;
}

static uint64_t
sets_not_home(const struct policy *p)
{
	const struct pol_set *sets = pol_section(p, POL_SEC_SETS);
	uint64_t bits = 0;
	uint32_t i;

	for (i = 0; i < pol_count(p, POL_SEC_SETS); i++)
		if (sets[i].not_home)
			bits |= (uint64_t)1 << i;
	return bits;
}

static uint64_t
set_bit(const struct policy *p, const char *name)
{
	const struct pol_set *sets = pol_section(p, POL_SEC_SETS);
	uint32_t i;

	for (i = 0; i < pol_count(p, POL_SEC_SETS); i++)
		if (strcmp(pol_string(p, sets[i].name), name) == 0)
			return (uint64_t)1 << i;
	return 0;
}

void
pol_sets_prepare(struct policy *p)
{
	p->buckets = buckets_new(p);
	p->jail_open = set_bit(p, "jail-open");
	p->sinks = set_bit(p, "sinks");
	p->programs = set_bit(p, "programs");
	p->not_home = sets_not_home(p);
}

struct hits {
	uint64_t sets, except;
};

static void
try_pattern(const struct view *v, const struct target *t, uint32_t i,
	struct hits *h)
{
	const struct pol_pattern *all = pol_section(v->policy,
	    POL_SEC_PATTERNS), *pat = &all[i];
	uint64_t bit = (uint64_t)1 << pat->set;
	uint64_t *in = pat->flags & POL_PAT_EXCEPT ? &h->except : &h->sets;

	if ((*in & bit) == 0 && matches(v->policy, pat, t))
		*in |= bit;
}

static void
try_bucket(const struct view *v, const struct target *t, enum kind kind,
	unsigned char byte, struct hits *h)
{
	const struct pol_buckets *b = v->policy->buckets;
	uint16_t i;

	for (i = b->first[kind][byte]; i < b->first[kind][byte + 1]; i++)
		try_pattern(v, t, b->index[i], h);
}

/* The bucket of one byte of text, and the one for patterns without it. */
static void
try_kind(const struct view *v, const struct target *t, enum kind kind,
	const char *text, struct hits *h)
{
	size_t at = byte_at(kind);
	unsigned char byte = strnlen(text, at + 1) > at ?
	    (unsigned char)text[at] : 0;

	try_bucket(v, t, kind, 0, h);
	if (byte != 0)
		try_bucket(v, t, kind, byte, h);
}

static uint64_t
sets_of(const struct view *v, const char *path, size_t len, bool exact)
{
	struct target t = { .path = path, .len = len, .exact = exact };
	const char *slash = strrchr(path, '/');
	struct hits h = { 0, 0 };
	uint32_t i, n = pol_count(v->policy, POL_SEC_PATTERNS);
	const char *rests[HOMES];
	size_t n_rests = below_homes(v, path, len, rests), home;

	t.literal = strcspn(path, "*?[");
	t.base = slash != NULL ? slash + 1 : path;
	if (exact && v->policy->buckets != NULL) {
		if (!v->policy->buckets->filled)
			fill_buckets(v->policy, v->policy->buckets);
		try_kind(v, &t, ABSOLUTE, path, &h);
		for (home = 0; home < n_rests; home++) {
			t.home_rest = rests[home];
			try_kind(v, &t, IN_HOME, t.home_rest, &h);
		}
		try_kind(v, &t, BY_NAME, t.base, &h);
	} else {
		for (home = 0; home < n_rests || home == 0; home++) {
			t.home_rest = home < n_rests ? rests[home] : NULL;
			t.other_home = home > 0;
			for (i = 0; i < n; i++)
				try_pattern(v, &t, i, &h);
		}
	}
	h.sets &= ~h.except;
	if ((h.sets & v->policy->not_home) != 0 && view_in_home(v, path))
		h.sets &= ~v->policy->not_home;
	return h.sets;
}

/* Trees of which no directory is another root. */
static bool
is_own_tree(const char *path)
{
	static const char *const trees[] = { "/usr/", "/opt/", "/home/",
		"/var/", "/srv/", "/tmp/", "/etc/", "/root/", "/proc/" };
	size_t i;

	for (i = 0; i < AEG_NELEM(trees); i++)
		if (strncmp(path, trees[i], strlen(trees[i])) == 0)
			return true;
	return false;
}

/* "/h/etc/shadow", "/mnt/disk/etc/shadow": the same file of another root
 * that is mounted there; where it begins, or NULL. */
static const char *
other_root(const char *path)
{
	const char *at = path;
	size_t i;

	for (i = 0; i < 2 && at != NULL && at[0] == '/'; i++) {
		at = strchr(at + 1, '/');
		if (at != NULL && (strncmp(at, "/etc/", 5) == 0 ||
		    strncmp(at, "/root/", 6) == 0 ||
		    strncmp(at, "/home/", 6) == 0 ||
		    strncmp(at, "/var/spool/", 11) == 0))
			return is_own_tree(path) ? NULL : at;
		/* Mount points below these have a name of their own. */
		if (strncmp(path, "/mnt/", 5) != 0 &&
		    strncmp(path, "/media/", 7) != 0)
			return NULL;
	}
	return NULL;
}

uint64_t
view_sets(const struct view *v, const char *path, size_t len, bool exact)
{
	const char *inner = other_root(path);
	uint64_t sets = sets_of(v, path, len, exact);

	if (inner != NULL)
		sets |= sets_of(v, inner, len - (size_t)(inner - path), exact);
	return sets;
}

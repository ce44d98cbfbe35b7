/* SPDX-License-Identifier: ISC */
/*
 * Code that a package manager fetches from an address which the line names,
 * instead of from its registry, and runs: `npx http://…`, `pip install
 * git+https://…`, `go run example.org/x@latest`.  Nobody can judge what will
 * be there, so the address itself is handed out as code.
 */
#include "resolve_int.h"

#include <string.h>

enum fetch_kind {
	FETCH_URL = 0,		/* https://…, git+ssh://… */
	FETCH_NODE,		/* the same, github:u/r, u/r, git@host:r */
	FETCH_FLAKE,		/* the same without u/r */
	FETCH_GO,		/* host.name/path@version */
};

struct fetch_row {
	const char *name;
	const char *grammar;	/* see resolve_opts_init() */
	const char *verbs;	/* the first operand, one of these; or NULL */
	const char *option;	/* options whose values are addresses */
	bool all;		/* each operand, not only the first */
	enum fetch_kind kind;
};

#define NPM_GRAMMAR "c:p:w:C: call: package: workspace: prefix: cwd: " \
	"dir: filter: registry: userconfig:"
#define PIP_GRAMMAR "r:c:e:i:f:t:b:d:w: requirement: constraint: editable: " \
	"index-url: extra-index-url: find-links: target: prefix: root: " \
	"dest: wheel-dir: python: proxy: cert: log:"
#define UV_GRAMMAR "p:w:c:i:r:e: python: with: with-editable: from: " \
	"constraint: index-url: index: requirements: editable: project: " \
	"directory: extra: group: env-file: package: python-platform:"

/* One program may have several rows. */
static const struct fetch_row rows[] = {
	{ "bun", NPM_GRAMMAR, "x create c", NULL, false, FETCH_NODE },
	{ "bun", NPM_GRAMMAR, "i install add a", NULL, true, FETCH_NODE },
	{ "bunx", NPM_GRAMMAR, NULL, "p package", false, FETCH_NODE },
	{ "cargo", "F: git: branch: tag: rev: root: target: path: "
	    "registry: index: features: version: vers: profile:",
	    "install add", "git", false, FETCH_URL },
	{ "cpan", "", NULL, NULL, true, FETCH_URL },
	{ "cpanm", "L:l: mirror: save-dists:", NULL, NULL, true, FETCH_URL },
	{ "deno", "c:r:L: config: import-map: allow-net:: allow-read:: "
	    "allow-write:: allow-env:: allow-run:: reload::",
	    "run serve test bench", NULL, false, FETCH_URL },
	{ "easy_install", "d:f:i:s: install-dir: find-links: index-url:", NULL,
	    NULL, true, FETCH_URL },
	{ "go", "~ C: modfile: overlay: p: tags: ldflags: gcflags: exec: mod:",
	    "run", NULL, false, FETCH_GO },
	{ "luarocks", " tree: server: only-server: lua-version:",
	    "install build", NULL, true, FETCH_URL },
	{ "nix", " arg: argstr: expr: f: file: I: command: c: inputs-from: "
	    "override-input:", "run shell develop build profile bundle",
	    NULL, true, FETCH_FLAKE },
	{ "npm", NPM_GRAMMAR, "exec x init create innit", "p package",
	    false, FETCH_NODE },
	{ "npm", NPM_GRAMMAR, "i in ins inst insta instal install isntall "
	    "add update up it install-test", NULL, true, FETCH_NODE },
	{ "npx", NPM_GRAMMAR, NULL, "p package", false, FETCH_NODE },
	{ "pip", PIP_GRAMMAR, "install download wheel",
	    "r requirement c constraint e editable", true, FETCH_URL },
	{ "pipenv", PIP_GRAMMAR, "install", "r requirements e editable", true,
	    FETCH_URL },
	{ "pipx", PIP_GRAMMAR " spec: pip-args: suffix: index-url:", "run",
	    "spec", false, FETCH_URL },
	{ "pipx", PIP_GRAMMAR " spec: pip-args: suffix: index-url:",
	    "install inject upgrade reinstall", "spec", true, FETCH_URL },
	{ "pnpm", NPM_GRAMMAR, "dlx create", "p package", false,
	    FETCH_NODE },
	{ "pnpm", NPM_GRAMMAR, "i install add update up", NULL, true,
	    FETCH_NODE },
	{ "pnpx", NPM_GRAMMAR, NULL, "p package", false, FETCH_NODE },
	{ "poetry", "C:P: directory: project: group: source:", "add", NULL,
	    true, FETCH_URL },
	{ "uv", UV_GRAMMAR, "run", "with from with-editable", false,
	    FETCH_URL },
	{ "uv", UV_GRAMMAR, "tool pip add", "with from with-editable r "
	    "requirements e editable", true, FETCH_URL },
	{ "uvx", UV_GRAMMAR, NULL, "with from with-editable", false,
	    FETCH_URL },
	{ "yarn", NPM_GRAMMAR, "dlx create", "p package", false,
	    FETCH_NODE },
	{ "yarn", NPM_GRAMMAR, "add global up upgrade", NULL, true,
	    FETCH_NODE },
};

static bool
starts(const char *s, const char *with)
{
	return strncasecmp(s, with, strlen(with)) == 0;
}

static bool
is_url(const char *s)
{
	const char *scheme = strstr(s, "://"), *p = scheme;

	if (scheme == NULL)
		return false;
	while (p > s && (p[-1] == '+' || p[-1] == '-' || p[-1] == '.' ||
	    (p[-1] >= '0' && p[-1] <= '9') ||
	    ((p[-1] | 32) >= 'a' && (p[-1] | 32) <= 'z')))
		p--;
	return scheme - p < 4 || strncasecmp(scheme - 4, "file", 4) != 0;
}

static bool
is_flake(const char *s)
{
	static const char *const hosts[] = { "github:", "gitlab:", "gist:",
		"bitbucket:", "sourcehut:", "git:", "git+", "tarball+" };
	size_t i;

	for (i = 0; i < AEG_NELEM(hosts); i++)
		if (starts(s, hosts[i]))
			return strstr(s, "file://") == NULL;
	return is_url(s);
}

/* name@address, @scope/name@address: where the address begins. */
static const char *
without_name(const char *s)
{
	const char *at = strchr(s + (s[0] == '@'), '@');
	const char *end = s + strcspn(s, ":");

	return at != NULL && at < end && (at[1] == '\0' ||
	    is_flake(at + 1)) ? at + 1 : s;
}

static bool
is_node(const char *s)
{
	const char *at, *slash;

	s = without_name(s);
	if (is_flake(s))
		return true;
	if (s[0] == '\0' || strchr("@./~", s[0]) != NULL)
		return false;
	/* git@host:path */
	at = strchr(s, '@');
	if (at != NULL && strchr(at, ':') != NULL &&
	    memchr(s, '/', (size_t)(at - s)) == NULL)
		return true;
	/* user/repository of GitHub's */
	slash = strchr(s, '/');
	return slash != NULL && slash[1] != '\0' &&
	    slash[1 + strcspn(slash + 1, "/#")] != '/' &&
	    memchr(s, ':', (size_t)(slash - s)) == NULL;
}

static bool
is_go(const char *s)
{
	size_t n = strcspn(s, "/");

	return s[n] == '/' && s[0] != '.' && memchr(s, '.', n) != NULL;
}

static bool
is_address(const struct syn_word *word, size_t skip, enum fetch_kind kind)
{
	const char *s = word->value + skip;

	switch (kind) {
	case FETCH_URL:
		return is_url(s);
	case FETCH_NODE:
		return is_node(s);
	case FETCH_FLAKE:
		return is_flake(s);
	case FETCH_GO:
		return is_go(s);
	}
	return false;
}

bool
resolve_is_fetched(const struct syn_word *word)
{
	return is_address(word, 0, FETCH_NODE);
}

static void
tell(struct walk *w, const struct fetch_row *row, const struct syn_word *word,
	size_t skip, size_t by)
{
	struct syn_word text;

	if (skip > word->len || !is_address(word, skip, row->kind))
		return;
	text = resolve_word_tail(w, word, skip);
	resolve_add_code(w, "package", &text, by);
}

static void
read_row(struct walk *w, const struct fetch_row *row, size_t by)
{
	const struct resolved *item = &w->items[by];
	bool verb = row->verbs != NULL;
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	resolve_opts_init(&o, row->grammar, item->argv, item->argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_VALUE && row->option != NULL &&
		    resolve_opt_is(&opt, row->option))
			tell(w, row, &o.argv[opt.value_word], opt.value_skip,
			    by);
		if (kind != RESOLVE_OPT_OPERAND)
			continue;
		if (!verb) {
			tell(w, row, &o.argv[opt.word], 0, by);
			if (!row->all)
				return;
		} else if (!resolve_in_list(row->verbs, &o.argv[opt.word])) {
			return;
		} else {
			/* The verb's options follow it. */
			o.ended = verb = false;
		}
	}
}

void
resolve_find_fetched(struct walk *w, size_t by)
{
	const char *name = w->items[by].name;
	size_t i, len = strlen(name);

	/* pip3, pip3.11 */
	if (starts(name, "pip"))
		while (len > 3 && strchr("0123456789.", name[len - 1]) != NULL)
			len--;
	for (i = 0; i < AEG_NELEM(rows); i++)
		if (rows[i].name[0] == name[0] &&
		    strlen(rows[i].name) == len &&
		    memcmp(rows[i].name, name, len) == 0)
			read_row(w, &rows[i], by);
}

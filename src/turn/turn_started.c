/* SPDX-License-Identifier: ISC */
/*
 * A program has started under a line: what does policy say of it?  This runs
 * in the line's supervisor, a copy of aegsh as it was when the line began,
 * before main() of that program.
 *
 * Its words are taken for a line of their own, so that a shell's -c, a
 * wrapper and all that is known of options mean the same as at the prompt.
 * Nobody is asked and no model: the process waits.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

#define LINE_ROOM 64		/* for what follows the words */
/* What is not done for each program has its own room on the stack: all of it is
 * filled with zeros when a function begins. */
#define ALONE __attribute__((noinline))

/* The name by which it was called says more than that of the file behind
 * links (nc, of nc.traditional), where it leads there.  Owned. */
static char *
word_of(const struct supervise_image *m)
{
	AEG_AUTOFREE char *full = path_canon(m->called[0] == '/' ? "/" :
	    m->cwd, m->called);
	AEG_AUTOFREE char *real = full != NULL ? realpath(full, NULL) : NULL;

	return xstrdup(real != NULL && strcmp(real, m->path) == 0 ? full :
	    m->path);
}

static void
put_word(struct buf *line, const char *p, size_t n)
{
	if (line->len > 0)
		buf_putc(line, ' ');
	text_quote(line, p, n);
}

static void
put_words(const struct supervise_image *m, struct buf *line)
{
	const char *p = m->argv, *end = p + m->argv_len;
	AEG_AUTOFREE char *word = word_of(m);
	size_t n = strnlen(p, (size_t)(end - p));
	AEG_AUTOFREE char *first = xmemdup0(p, n);
	const char *name = path_base(first), *file = path_base(m->path);

	put_word(line, word, strlen(word));
	if (policy_is_multicall(file) && strcmp(name, file) != 0)
		put_word(line, name, strlen(name));
	for (p += n + 1; p < end; p += n + 1) {
		n = strnlen(p, (size_t)(end - p));
		/* A quote becomes four bytes. */
		if (line->len + 4 * n + LINE_ROOM > SYN_LEN_MAX)
			break;
		put_word(line, p, n);
	}
	/* What was not read may be anything. */
	if (m->cut || p < end)
		buf_puts(line, " \"$(:)\"");
}

/* ---- helpers ------------------------------------------------------------- */

#define ALIKE 3		/* first letters, at least */

/* apt and apt-get, man and man-db */
static bool
is_alike(const char *a, size_t a_len, const char *b)
{
	size_t b_len = strlen(b), n = a_len < b_len ? a_len : b_len;

	return n >= ALIKE && memcmp(a, b, n) == 0;
}

static bool
is_in_its_place(const char *path, const char *program)
{
	const char *p = text_starts(path, "/usr/lib/") ? path + 9 :
	    text_starts(path, "/usr/libexec/") ? path + 13 : NULL;
	bool found = false;
	size_t n;

	for (; p != NULL && strchr(p, '/') != NULL; p += n + 1) {
		n = strcspn(p, "/");
		/* What lies there has its name for people. */
		if ((n == 3 && memcmp(p, "bin", n) == 0) ||
		    (n == 4 && memcmp(p, "sbin", n) == 0))
			return false;
		found = found || is_alike(p, n, program);
	}
	return found;
}

/*
 * One of a program's own, which has a name in that program's directory alone:
 * both are root's, and the program is none that starts what it is told to.
 */
static bool ALONE
is_of_parent(const struct supervise_image *m)
{
	char parent[PATH_MAX];

	supervise_parent(m, parent, sizeof parent);
	return is_in_its_place(m->path, path_base(parent)) &&
	    !turn_gives_shells(parent) &&
	    !resolve_is_shell(path_base(parent)) &&
	    conf_trust_is_roots(m->path) && conf_trust_is_roots(parent);
}

static bool
is_helper(const struct supervise_image *m)
{
	return text_starts(m->path, "/usr/lib") && is_of_parent(m);
}

/* ---- judging ------------------------------------------------------------- */

/* Of the one that asked last: most are in the same directory. */
static const struct state *
state_in(const struct turn *t, const char *cwd)
{
	static struct state *state;
	const char *path = state_get(t->opts.state, "PATH");
	AEG_AUTOFREE char *setting = NULL;
	char *envp[2] = { NULL, NULL };

	if (state != NULL && strcmp(state_cwd(state), cwd) == 0)
		return state;
	setting = xasprintf("PATH=%s", path != NULL ? path : "");
	envp[0] = setting;
	state_free(state);
	state = state_new_at(envp, cwd);
	return state;
}

static void
judge_facts(const struct turn *t, const struct supervise_image *m,
    bool helper, const struct syn_facts *facts, struct policy_verdict *ret)
{
	const struct state *state = state_in(t, m->cwd[0] == '/' ? m->cwd :
	    "/");
	struct resolve_set *resolved = NULL;
	struct policy_input in = { .origin = POLICY_ORIGIN_COMMAND,
		.facts = facts, .state = state, .uid = t->opts.uid,
		.store = t->store, .project = t->project, .home = &t->home,
		.started = true, .helper = helper ? m->path : NULL };

	if (resolve_facts(facts, state, &resolved) == 0) {
		in.resolved = resolved;
		policy_eval(t->policy, &in, ret, NULL);
	}
	resolve_free(resolved);
}

static enum policy_action
judge(const struct turn *t, const struct supervise_image *m, bool helper,
    char *ret_said, size_t size)
{
	static const struct syn_options whole = { .at_end = true };
	AEG_AUTO(buf_done) struct buf line = BUF_INIT_MAX(SYN_LEN_MAX);
	struct policy_verdict v = { .action = POLICY_BLOCK,
		.rule = "unreadable",
		.reason = "its words are no line that could be judged" };
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;

	put_words(m, &line);
	if (!buf_overflow(&line) && syn_parse(line.data, line.len, &whole,
	    &tree, &diag) == SYN_TREE) {
		facts = syn_facts_new(tree, NULL);
		judge_facts(t, m, helper, facts, &v);
		snprintf(ret_said, size, "%s: %s [%s]",
		    policy_action_name(v.action), v.reason, v.rule);
		syn_facts_free(facts);
		syn_free(tree);
		return v.action;
	}
	snprintf(ret_said, size, "%s: %s [%s]", policy_action_name(v.action),
	    v.reason, v.rule);
	return v.action;
}

/* ---- again and again ----------------------------------------------------- */

#define SEEN 256		/* starts that are remembered */
#define SEEN_LEN ((size_t)4096)	/* of all that each was judged by */
#define SEEN_NS ((int64_t)1000000000)	/* rules know the time, and the disk */

/* A loop starts the same program with the same words. */
struct seen {
	char *key;		/* or NULL */
	size_t len;
	int64_t at_ns;
	enum policy_action action;
	char said[SUPERVISE_SAID_MAX];
};

static unsigned rules;		/* how often they may have changed */

void
turn_renew(void *ctx)
{
	struct turn *t = ctx;

	/* What the other process has open is not ours to write; it tells of
	 * them, too. */
	t->audit = NULL;
	turn_refresh_policy(t);
	rules++;
}

static void
put_key(struct buf *key, const struct supervise_image *m, bool helper)
{
	buf_put(key, &helper, sizeof helper);
	buf_put(key, &rules, sizeof rules);
	buf_put(key, m->path, strlen(m->path) + 1);
	buf_put(key, m->called, strlen(m->called) + 1);
	buf_put(key, m->cwd, strlen(m->cwd) + 1);
	buf_put(key, m->argv, m->argv_len);
}

static struct seen *
place_of(const struct buf *key)
{
	static struct seen seen[SEEN];
	uint64_t n = 0xcbf29ce484222325U;	/* FNV-1a */
	size_t i;

	for (i = 0; i < key->len; i++)
		n = (n ^ (unsigned char)key->data[i]) * 0x100000001b3U;
	return &seen[n % SEEN];
}

static enum policy_action
judge_or_recall(const struct turn *t, const struct supervise_image *m,
    char *ret_said, size_t size)
{
	AEG_AUTO(buf_done) struct buf key = BUF_INIT_MAX(SEEN_LEN);
	int64_t now = clock_mono_ns();
	const bool helper = is_helper(m);
	struct seen *s;

	put_key(&key, m, helper);
	if (m->cut || buf_overflow(&key))
		return judge(t, m, helper, ret_said, size);
	s = place_of(&key);
	if (s->key == NULL || s->len != key.len || now - s->at_ns > SEEN_NS ||
	    memcmp(s->key, key.data, key.len) != 0) {
		free(s->key);
		s->key = xmemdup0(key.data, key.len);
		s->len = key.len;
		s->at_ns = now;
		s->action = judge(t, m, helper, s->said, sizeof s->said);
	}
	snprintf(ret_said, size, "%s", s->said);
	return s->action;
}

/* ---- a shell inside of something else ------------------------------------ */

#define SHELL_WORDS_MAX 256	/* that are read of a shell's */

/* What people leave to a shell by a key or a word of its own. */
bool
turn_gives_shells(const char *path)
{
	static const char *const names[] = {
		"cgdb", "ed", "emacs", "ex", "find", "ftp", "gawk", "gdb",
		"gnuplot", "htop", "info", "irb", "joe", "less", "lftp",
		"lua", "lynx", "mail", "mailx", "man", "mawk", "mc", "more",
		"most", "mutt", "mysql", "nano", "ncdu", "neomutt", "node",
		"nvim", "perl", "php", "pico", "psql", "python", "ranger",
		"ruby", "sftp", "sqlite3", "tclsh", "telnet", "tnftp", "vi",
		"view", "vim", "w3m"
	};
	const char *base = path_base(path);
	size_t i, len;

	for (i = 0; i < AEG_NELEM(names); i++) {
		len = strlen(names[i]);
		/* python3.11, vim.basic, lua5.4, emacs-nox */
		if (strncmp(base, names[i], len) == 0 &&
		    (base[len] == '\0' || strchr(".-0123456789",
		    base[len]) != NULL))
			return true;
	}
	return false;
}

/* Its whole words, up to SHELL_WORDS_MAX of them, which argv borrows; from the
 * shell's name on (busybox sh). */
static size_t
take_words(const struct supervise_image *m, bool multicall,
    struct syn_word *argv)
{
	const char *p = m->argv, *end = p + m->argv_len;
	size_t argc = 0, n;

	for (; p < end && argc < SHELL_WORDS_MAX; p += n + 1) {
		n = strnlen(p, (size_t)(end - p));
		if (p + n == end)
			break;
		if (p == m->argv && multicall &&
		    policy_is_multicall(path_base(p)))
			continue;
		argv[argc++] = (struct syn_word){ .value = p, .len = n,
			.known = true };
	}
	return argc;
}

static bool ALONE
is_told_nothing(const struct supervise_image *m, bool multicall)
{
	struct syn_word argv[SHELL_WORDS_MAX];
	struct resolved item = { .kind = RESOLVE_FILE, .argv = argv,
		.name = path_base(m->path) };
	struct resolve_files f;

	item.argc = take_words(m, multicall, argv);
	if (multicall && item.argc > 0)
		item.name = path_base(argv[0].value);
	return (!multicall || resolve_is_shell(item.name)) &&
	    resolve_files(&item, &f) && f.input && supervise_at_terminal(m);
}

/* It reads what a person types: no command, no script. */
static bool
is_interactive(const struct supervise_image *m)
{
	const char *name = path_base(m->path);
	const bool multicall = policy_is_multicall(name);

	return (multicall || resolve_is_shell(name)) &&
	    is_told_nothing(m, multicall);
}

/* Below what gives people shells, which ret_said says then. */
static bool ALONE
is_escape(const struct supervise_image *m, char *ret_said, size_t size)
{
	char parent[PATH_MAX];

	supervise_parent(m, parent, sizeof parent);
	if (!turn_gives_shells(parent))
		return false;
	snprintf(ret_said, size, "a shell inside of %s: leave that and type "
	    "the command here [shell-escape]", path_base(parent));
	return true;
}

/* ---- no shells ----------------------------------------------------------- */

/* ld-linux-x86-64.so.2, ld-2.36.so, ld-musl-x86_64.so.1: started by name it
 * maps any file, which need not be one that may be started. */
static bool
is_loader(const char *base)
{
	return text_starts(base, "ld-") && strstr(base, ".so") != NULL;
}

/* Why it is a shell where there may be none, or NULL. */
static const char *
is_denied(const struct turn *t, const struct supervise_image *m)
{
	const char *base = path_base(m->path);
	AEG_AUTOFD int fd = -1;
	char exe[32];

	if (!sandbox_denies_shells(t->sandbox))
		return NULL;
	if (text_starts(m->path, "/memfd:"))
		return "it lies in memory, as the line's own bash does";
	if (is_loader(base))
		return "the dynamic loader can start what may not be";
	if (resolve_is_shell(base) || policy_is_multicall(base))
		return "it is a shell";
	snprintf(exe, sizeof exe, "/proc/%d/exe", (int)m->pid);
	fd = open(exe, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "it cannot be looked into";
	return sandbox_is_shell(t->sandbox, fd) ? "it is a copy of a shell, "
	    "or of the dynamic loader" : NULL;
}

/* What stands for sudo: who it asks judges what it asks for. */
static bool
is_shim(const char *path)
{
	const char *dir = sysdirs()->libexec;

	return text_starts(path, dir) &&
	    strcmp(path + strlen(dir), "/aegsh-elevate") == 0;
}

bool
turn_may_start(void *ctx, const struct supervise_image *m, char *ret_said,
    size_t size)
{
	const struct turn *t = ctx;
	char said[SUPERVISE_SAID_MAX];
	AEG_AUTO(buf_done) struct buf inert = BUF_INIT;
	const char *why;
	bool shim = is_shim(m->path);
	enum policy_action action = shim ? POLICY_ALLOW :
	    judge_or_recall(t, m, said, sizeof said);
	bool may = true;

	if (shim)
		snprintf(said, sizeof said, "asks to run a command as another "
		    "user, which is judged by itself");
	switch (sandbox_started(t->sandbox)) {
	case SANDBOX_STARTED_WARN:
		may = action != POLICY_BLOCK && action != POLICY_WARN;
		break;
	case SANDBOX_STARTED_BLOCK:
		may = action != POLICY_BLOCK;
		break;
	case SANDBOX_STARTED_RECORD:
		break;
	}
	if (is_interactive(m) && is_escape(m, said, sizeof said))
		may = may && sandbox_escape(t->sandbox) !=
		    SANDBOX_ESCAPE_KILL;
	why = is_denied(t, m);
	if (why != NULL) {
		snprintf(said, sizeof said, "no shell may run below a line: "
		    "%s [descendant-shells]", why);
		may = false;
	}
	text_inert(&inert, said, strlen(said), 0);
	buf_putc(&inert, '\0');
	snprintf(ret_said, size, "%s", inert.data);
	return may;
}

/* SPDX-License-Identifier: ISC */
/* One source through libconfuse into the arrays of struct ir. */
#include "policy_ir.h"

#include <confuse.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/conf.h"

#define OPTS_MAX (2 * POL_COND_COUNT + 16)

struct parser {
	struct ir *ir;
	const struct pol_source *source;
	struct scan scan;
	struct err *err;
	cfg_opt_t rule[OPTS_MAX];
};

/* libconfuse hands its complaints to a function without a context. */
static struct err *complaint;
static const char *complaint_path;

static void complain(cfg_t *cfg, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void
complain(cfg_t *cfg, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof text, fmt, ap);
	err_set(complaint, ERR_SYNTAX, "%s:%d: %s", complaint_path,
	    cfg != NULL ? cfg->line : 0, text);
}

static const char *
keep(struct parser *ps, const char *text)
{
	return text == NULL ? NULL :
	    arena_memdup0(ps->ir->arena, text, strlen(text));
}

static struct ir_list
keep_list(struct parser *ps, cfg_t *sec, const char *key)
{
	struct ir_list list = { NULL, 0 };
	unsigned i, n = cfg_size(sec, key);

	if (n > 0)
		list.v = arena_alloc(ps->ir->arena, n * sizeof *list.v);
	for (i = 0; i < n; i++)
		list.v[list.n++] = keep(ps, cfg_getnstr(sec, key, i));
	return list;
}

/* Line of the nth section of a kind. */
static unsigned
line_of(const struct parser *ps, const char *kind, unsigned nth)
{
	size_t i;

	for (i = 0; i < ps->scan.n; i++)
		if (strcmp(ps->scan.v[i].kind, kind) == 0 && nth-- == 0)
			return ps->scan.v[i].line;
	return 0;
}

static int
wrong(struct parser *ps, unsigned line, const char *what, const char *word)
{
	return err_set(ps->err, ERR_SYNTAX, "%s:%u: %s '%s'",
	    ps->source->path, line, what, word);
}

/* What a user's layer cannot do is left out, and told. */
static int
leave_out(struct parser *ps, unsigned line, const char *what,
	const char *name)
{
	AEG_AUTOFREE char *text = xasprintf("%s:%u: %s '%s' is left out: "
	    "a user's rules can only forbid", ps->source->path, line, what,
	    name);
	const char *note = keep(ps, text);

	IR_PUSH(ps->ir, ps->ir->notes, ps->ir->n_notes, note);
	return 0;
}

static int
parse_says(struct parser *ps, struct ir_rule *r, const char *word)
{
	static const char *const words[] = { "block", "warn", "evidence",
		"allow" };
	size_t i;

	if (word == NULL)
		return wrong(ps, r->line, "no decision in rule", r->id);
	for (i = 0; i < AEG_NELEM(words); i++)
		if (strcmp(words[i], word) == 0) {
			r->says = (enum pol_says)i;
			return 0;
		}
	return wrong(ps, r->line, "unknown decision", word);
}

static int
parse_conds(struct parser *ps, cfg_t *sec, struct ir_rule *r)
{
	char key[48];
	unsigned id;
	int twin;

	for (id = 0; id < POL_COND_COUNT; id++)
		for (twin = 0; twin < 2; twin++) {
			snprintf(key, sizeof key, "%s%s", twin ? "not_" : "",
			    pol_cond_row(id)->key);
			if (cfg_size(sec, key) == 0)
				continue;
			if (cfg_size(sec, key) > POL_LIST_MAX)
				return wrong(ps, r->line, "too long a list",
				    key);
			r->conds[r->n_conds++] = (struct ir_cond){
				.id = id | (twin ? POL_COND_NOT : 0),
				.args = keep_list(ps, sec, key) };
		}
	return 0;
}

static int
parse_rule(struct parser *ps, cfg_t *sec, unsigned nth)
{
	struct ir_rule *r = arena_alloc(ps->ir->arena, sizeof *r);
	long score = cfg_getint(sec, "score");
	size_t i;
	int rc;

	r->id = keep(ps, cfg_title(sec));
	r->file = ps->source->path;
	r->line = line_of(ps, "rule", nth);
	r->layer = ps->source->layer;
	for (i = 0; i < ps->ir->n_rules; i++)
		if (strcmp(ps->ir->rules[i]->id, r->id) == 0)
			return err_set(ps->err, ERR_SYNTAX, "%s:%u: rule '%s' "
			    "stands already in %s:%u", r->file, r->line, r->id,
			    ps->ir->rules[i]->file, ps->ir->rules[i]->line);
	rc = parse_says(ps, r, cfg_getstr(sec, "decision"));
	if (rc < 0)
		return rc;
	r->reason = keep(ps, cfg_getstr(sec, "reason"));
	if (r->id[0] == '\0')
		return wrong(ps, r->line, "a rule without a name:", r->id);
	if (r->reason == NULL || r->reason[0] == '\0')
		return wrong(ps, r->line, "no reason in rule", r->id);
	r->instead = keep(ps, cfg_getstr(sec, "instead"));
	r->technique = keep(ps, cfg_getstr(sec, "technique"));
	r->set = keep(ps, cfg_getstr(sec, "set"));
	if (score < 0 || score > (long)POL_EVIDENCE_MAX ||
	    (score > 0) != (r->says == POL_SAYS_EVIDENCE))
		return wrong(ps, r->line, "a score from 1 to 1000 belongs to "
		    "evidence, and to nothing else: rule", r->id);
	r->score = (unsigned)score;
	r->any_words = cfg_getbool(sec, "any_words");
	r->examples = keep_list(ps, sec, "example");
	r->counterexamples = keep_list(ps, sec, "counterexample");
	rc = parse_conds(ps, sec, r);
	if (rc < 0)
		return rc;
	if (r->n_conds == 0)
		return wrong(ps, r->line, "no condition in rule", r->id);
	if (r->layer == POL_USER && r->says == POL_SAYS_ALLOW)
		return leave_out(ps, r->line, "rule that allows,", r->id);
	IR_PUSH(ps->ir, ps->ir->rules, ps->ir->n_rules, r);
	return 0;
}

static int
parse_program(struct parser *ps, cfg_t *sec, unsigned nth)
{
	struct ir_program *g = arena_alloc(ps->ir->arena, sizeof *g);

	g->names = keep(ps, cfg_title(sec));
	g->file = ps->source->path;
	g->line = line_of(ps, "program", nth);
	g->options = keep(ps, cfg_getstr(sec, "options"));
	g->operands = keep(ps, cfg_getstr(sec, "operands"));
	g->when = keep_list(ps, sec, "when");
	g->values = keep_list(ps, sec, "values");
	g->turns = keep_list(ps, sec, "turns");
	g->examples = keep_list(ps, sec, "example");
	g->counterexamples = keep_list(ps, sec, "counterexample");
	/* It could say that a word is no path. */
	if (ps->source->layer == POL_USER)
		return leave_out(ps, g->line, "program", g->names);
	IR_PUSH(ps->ir, ps->ir->programs, ps->ir->n_programs, g);
	return 0;
}

static int
parse_paths(struct parser *ps, cfg_t *sec, unsigned nth)
{
	struct ir_paths *set = arena_alloc(ps->ir->arena, sizeof *set);
	size_t i;

	set->name = keep(ps, cfg_title(sec));
	set->file = ps->source->path;
	set->line = line_of(ps, "paths", nth);
	set->layer = ps->source->layer;
	set->why = keep(ps, cfg_getstr(sec, "why"));
	set->paths = keep_list(ps, sec, "path");
	set->except = keep_list(ps, sec, "except");
	set->not_home = cfg_getbool(sec, "not_home");
	for (i = 0; i < ps->ir->n_paths; i++) {
		if (strcmp(ps->ir->paths[i]->name, set->name) != 0)
			continue;
		/* Some sets are what rules leave alone. */
		if (set->layer == POL_USER &&
		    ps->ir->paths[i]->layer != POL_USER)
			return leave_out(ps, set->line, "addition to the paths",
			    set->name);
		if (set->except.n > 0 || set->not_home)
			return wrong(ps, set->line, "only paths can be added "
			    "to the set", set->name);
	}
	IR_PUSH(ps->ir, ps->ir->paths, ps->ir->n_paths, set);
	return 0;
}

static int
parse_names(struct parser *ps, cfg_t *sec, unsigned nth)
{
	struct ir_names *set = arena_alloc(ps->ir->arena, sizeof *set);

	set->name = keep(ps, cfg_title(sec));
	set->file = ps->source->path;
	set->line = line_of(ps, "names", nth);
	set->members = keep_list(ps, sec, "name");
	if (ir_find_names(ps->ir, set->name) != NULL)
		return wrong(ps, set->line, "these names stand already:",
		    set->name);
	IR_PUSH(ps->ir, ps->ir->names, ps->ir->n_names, set);
	return 0;
}

static int
tristate(cfg_t *sec, const char *key)
{
	return cfg_size(sec, key) == 0 ? -1 : (int)cfg_getbool(sec, key);
}

static int
parse_profile(struct parser *ps, cfg_t *sec, unsigned nth)
{
	struct ir_profile *f = arena_alloc(ps->ir->arena, sizeof *f);

	f->name = keep(ps, cfg_title(sec));
	f->file = ps->source->path;
	f->line = line_of(ps, "profile", nth);
	f->extends = keep(ps, cfg_getstr(sec, "extends"));
	f->sandbox = keep(ps, cfg_getstr(sec, "sandbox"));
	f->unknown = keep(ps, cfg_getstr(sec, "unknown"));
	f->unknown_evidence = keep(ps, cfg_getstr(sec, "unknown_evidence"));
	f->rank = cfg_size(sec, "rank") == 0 ? -1 : cfg_getint(sec, "rank");
	f->ask_at = cfg_size(sec, "ask_at") == 0 ? -1 :
	    cfg_getint(sec, "ask_at");
	f->enabled = tristate(sec, "enabled");
	f->jail = tristate(sec, "jail");
	f->clean = tristate(sec, "clean_environment");
	f->search_path = keep(ps, cfg_getstr(sec, "search_path"));
	f->keep = keep_list(ps, sec, "keep_variables");
	f->elevate = keep(ps, cfg_getstr(sec, "elevate"));
	f->elevated = keep(ps, cfg_getstr(sec, "elevated"));
	f->elevated_in = keep(ps, cfg_getstr(sec, "elevated_sandbox"));
	f->elevated_shell = keep(ps, cfg_getstr(sec, "elevated_shell"));
	f->elevated_bare = keep_list(ps, sec, "elevated_direct");
	f->elevate_keep = keep_list(ps, sec, "elevate_variables");
	f->project = keep_list(ps, sec, "project");
	f->use = keep_list(ps, sec, "use");
	f->override = keep_list(ps, sec, "override");
	f->layer = ps->source->layer;
	if (f->layer == POL_USER)
		return leave_out(ps, f->line, "profile", f->name);
	if (ir_find_profile(ps->ir, f->name) != NULL)
		return wrong(ps, f->line, "this profile stands already:",
		    f->name);
	IR_PUSH(ps->ir, ps->ir->profiles, ps->ir->n_profiles, f);
	return 0;
}

static const char *const match_keys[POL_MATCH_COUNT][2] = {
	[POL_MATCH_USER] = { "user", "not_user" },
	[POL_MATCH_GROUP] = { "group", "not_group" },
	[POL_MATCH_HOST] = { "host", "not_host" },
	[POL_MATCH_ORIGIN] = { "origin", "not_origin" },
};

static int
parse_match(struct parser *ps, cfg_t *sec, unsigned nth)
{
	struct ir_match *m = arena_alloc(ps->ir->arena, sizeof *m);
	size_t ask, not, i, n = 0;

	m->name = keep(ps, cfg_title(sec));
	m->file = ps->source->path;
	m->line = line_of(ps, "match", nth);
	m->layer = ps->source->layer;
	m->profile = keep(ps, cfg_getstr(sec, "profile"));
	for (ask = 0; ask < POL_MATCH_COUNT; ask++)
		for (not = 0; not < 2; not++) {
			m->asks[ask][not] = keep_list(ps, sec,
			    match_keys[ask][not]);
			n += m->asks[ask][not].n;
			if (m->asks[ask][not].n > POL_LIST_MAX)
				return wrong(ps, m->line, "too long a list",
				    match_keys[ask][not]);
		}
	if (m->layer == POL_USER)
		return leave_out(ps, m->line, "match", m->name);
	if (m->profile == NULL)
		return wrong(ps, m->line, "no profile in match", m->name);
	if (n == 0)
		return wrong(ps, m->line, "no condition in match", m->name);
	for (i = 0; i < ps->ir->n_matches; i++)
		if (strcmp(ps->ir->matches[i]->name, m->name) == 0)
			return wrong(ps, m->line, "this match stands already:",
			    m->name);
	IR_PUSH(ps->ir, ps->ir->matches, ps->ir->n_matches, m);
	return 0;
}

/* The rule section's keys: the fixed ones, then each condition twice. */
static void
build_rule_opts(struct parser *ps)
{
	const cfg_opt_t fixed[] = {
		CFG_STR("decision", NULL, CFGF_NODEFAULT),
		CFG_STR("reason", NULL, CFGF_NODEFAULT),
		CFG_STR("instead", NULL, CFGF_NODEFAULT),
		CFG_STR("technique", NULL, CFGF_NODEFAULT),
		CFG_STR("set", "common", CFGF_NONE),
		CFG_INT("score", 0, CFGF_NONE),
		CFG_BOOL("any_words", cfg_false, CFGF_NONE),
		CFG_STR_LIST("example", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("counterexample", NULL, CFGF_NODEFAULT),
	};
	const cfg_opt_t end = CFG_END();
	unsigned id;
	size_t n = AEG_NELEM(fixed);

	memcpy(ps->rule, fixed, sizeof fixed);
	for (id = 0; id < POL_COND_COUNT; id++) {
		const cfg_opt_t plain = CFG_STR_LIST(pol_cond_row(id)->key,
		    NULL, CFGF_NODEFAULT);
		cfg_opt_t twin = plain;
		char key[48];

		snprintf(key, sizeof key, "not_%s", pol_cond_row(id)->key);
		twin.name = keep(ps, key);
		ps->rule[n++] = plain;
		ps->rule[n++] = twin;
	}
	ps->rule[n] = end;
}

static int
parse_sections(struct parser *ps, cfg_t *cfg)
{
	static const struct {
		const char *kind;
		int (*parse)(struct parser *, cfg_t *, unsigned);
	} kinds[] = {
		{ "names", parse_names }, { "paths", parse_paths },
		{ "program", parse_program }, { "rule", parse_rule },
		{ "profile", parse_profile }, { "match", parse_match },
	};
	unsigned i, j;
	int rc;

	for (i = 0; i < AEG_NELEM(kinds); i++)
		for (j = 0; j < cfg_size(cfg, kinds[i].kind); j++) {
			rc = kinds[i].parse(ps,
			    cfg_getnsec(cfg, kinds[i].kind, j), j);
			if (rc < 0)
				return rc;
		}
	return 0;
}

static int
parse_with(struct parser *ps, cfg_opt_t *all)
{
	const struct pol_source *source = ps->source;
	AEG_AUTOFREE char *bare = xmemdup0(source->text, source->len);
	cfg_t *cfg = cfg_init(all, CFGF_NONE);
	int rc;

	complaint = ps->err;
	complaint_path = source->path;
	cfg_set_error_function(cfg, complain);
	conf_blank_comments(bare, source->len);
	rc = cfg_parse_buf(cfg, bare) == CFG_SUCCESS ? 0 : ERR_SYNTAX;
	/* libconfuse is silent about a name of no letters. */
	if (rc < 0 && ps->err->text[0] == '\0')
		err_set(ps->err, ERR_SYNTAX, "%s: can't be read",
		    source->path);
	if (rc == 0)
		rc = parse_sections(ps, cfg);
	complaint = NULL;
	cfg_free(cfg);
	return rc;
}

int
ir_parse(struct ir *ir, const struct pol_source *source, struct err *err)
{
	struct parser ps = { .ir = ir, .source = source, .err = err };
	cfg_opt_t names[] = { CFG_STR_LIST("name", NULL, CFGF_NODEFAULT),
		CFG_END() };
	cfg_opt_t paths[] = { CFG_STR("why", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("path", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("except", NULL, CFGF_NODEFAULT),
		CFG_BOOL("not_home", cfg_false, CFGF_NONE), CFG_END() };
	cfg_opt_t program[] = { CFG_STR("options", NULL, CFGF_NODEFAULT),
		CFG_STR("operands", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("when", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("values", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("turns", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("example", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("counterexample", NULL, CFGF_NODEFAULT),
		CFG_END() };
	cfg_opt_t profile[] = { CFG_STR("extends", NULL, CFGF_NODEFAULT),
		CFG_STR("sandbox", NULL, CFGF_NODEFAULT),
		CFG_STR("unknown", NULL, CFGF_NODEFAULT),
		CFG_STR("unknown_evidence", NULL, CFGF_NODEFAULT),
		CFG_INT("rank", 0, CFGF_NODEFAULT),
		CFG_INT("ask_at", 0, CFGF_NODEFAULT),
		CFG_BOOL("enabled", cfg_false, CFGF_NODEFAULT),
		CFG_BOOL("jail", cfg_false, CFGF_NODEFAULT),
		CFG_BOOL("clean_environment", cfg_false, CFGF_NODEFAULT),
		CFG_STR("search_path", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("keep_variables", NULL, CFGF_NODEFAULT),
		CFG_STR("elevate", NULL, CFGF_NODEFAULT),
		CFG_STR("elevated", NULL, CFGF_NODEFAULT),
		CFG_STR("elevated_sandbox", NULL, CFGF_NODEFAULT),
		CFG_STR("elevated_shell", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("elevated_direct", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("elevate_variables", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("project", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("use", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("override", NULL, CFGF_NODEFAULT), CFG_END() };
	cfg_opt_t match[] = { CFG_STR("profile", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("user", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("not_user", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("group", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("not_group", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("host", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("not_host", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("origin", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("not_origin", NULL, CFGF_NODEFAULT), CFG_END() };
	cfg_opt_t all[7];
	int rc;

	rc = scan_source(ir, source, &ps.scan, err);
	/* cfg_parse_buf() reads past the end of an empty text. */
	if (rc < 0 || source->len == 0)
		return rc;
	build_rule_opts(&ps);
	memcpy(all, (cfg_opt_t[]){
		CFG_SEC("names", names, CFGF_MULTI | CFGF_TITLE),
		CFG_SEC("paths", paths, CFGF_MULTI | CFGF_TITLE |
		    CFGF_NO_TITLE_DUPES),
		CFG_SEC("program", program, CFGF_MULTI | CFGF_TITLE |
		    CFGF_NO_TITLE_DUPES),
		CFG_SEC("rule", ps.rule, CFGF_MULTI | CFGF_TITLE |
		    CFGF_NO_TITLE_DUPES),
		CFG_SEC("profile", profile, CFGF_MULTI | CFGF_TITLE |
		    CFGF_NO_TITLE_DUPES),
		CFG_SEC("match", match, CFGF_MULTI | CFGF_TITLE |
		    CFGF_NO_TITLE_DUPES),
		CFG_END() }, sizeof all);
	return parse_with(&ps, all);
}

struct ir *
ir_new(void)
{
	struct arena *arena = arena_new();
	struct ir *ir = arena_alloc(arena, sizeof *ir);

	ir->arena = arena;
	return ir;
}

void
ir_free(struct ir *ir)
{
	if (ir != NULL)
		arena_free(ir->arena);
}

const struct ir_names *
ir_find_names(const struct ir *ir, const char *name)
{
	size_t i;

	for (i = 0; i < ir->n_names; i++)
		if (strcmp(ir->names[i]->name, name) == 0)
			return ir->names[i];
	return NULL;
}

const struct ir_profile *
ir_find_profile(const struct ir *ir, const char *name)
{
	size_t i;

	for (i = 0; i < ir->n_profiles; i++)
		if (strcmp(ir->profiles[i]->name, name) == 0)
			return ir->profiles[i];
	return NULL;
}

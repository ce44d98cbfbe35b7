/* SPDX-License-Identifier: ISC */
/* How the lines of a profile are watched while they run, and what of them is
 * kept for the next. */
#include "sandbox_int.h"

#include <limits.h>
#include <string.h>

#include "aegsh/base/mem.h"

/* Which of the names the value is.  what: all of them, for a person. */
static int
read_word(const struct sandbox_profile *p, const char *key, const char *value,
    const char *const *names, size_t n, const char *what, struct err *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(names[i], value) == 0)
			return (int)i;
	return err_set(err, ERR_UNKNOWN_NAME, "%s: %s is %s, not '%s'",
	    p->text.file, key, what, value);
}

int
sandbox_read_watch(struct sandbox_profile *p, struct err *err)
{
	static const char *const lines[] = {
		[SANDBOX_SUPERVISE_ALL] = "all",
		[SANDBOX_SUPERVISE_SCRIPTS] = "scripts",
		[SANDBOX_SUPERVISE_NONE] = "none",
	};
	static const char *const started[] = {
		[SANDBOX_STARTED_WARN] = "warn",
		[SANDBOX_STARTED_BLOCK] = "block",
		[SANDBOX_STARTED_RECORD] = "record",
	};
	static const char *const umask[] = { "tighten", "any" };
	static const char *const escape[] = {
		[SANDBOX_ESCAPE_KILL] = "kill",
		[SANDBOX_ESCAPE_RECORD] = "record",
	};
	static const char *const addresses[] = { "ignore", "record" };
	static const char *const shells[] = { "deny", "allow" };
	static const char *const survivors[] = { "end", "keep" };
	static const char *const then[] = {
		[SANDBOX_OUTPUT_KILL] = "kill",
		[SANDBOX_OUTPUT_TRUNCATE] = "truncate",
	};
	int rc;

	rc = read_word(p, "supervise", p->text.supervise, lines,
	    AEG_NELEM(lines), "all, scripts or none", err);
	if (rc < 0)
		return rc;
	p->supervise = (enum sandbox_supervise)rc;
	rc = read_word(p, "started", p->text.started, started,
	    AEG_NELEM(started), "block, warn or record", err);
	if (rc < 0)
		return rc;
	p->started = (enum sandbox_started)rc;
	rc = read_word(p, "shell-escape", p->text.escape, escape,
	    AEG_NELEM(escape), "kill or record", err);
	if (rc < 0)
		return rc;
	p->escape = (enum sandbox_escape)rc;
	rc = read_word(p, "descendant-shells", p->text.shells, shells,
	    AEG_NELEM(shells), "allow or deny", err);
	if (rc < 0)
		return rc;
	p->no_shells = rc == 0;
	rc = read_word(p, "addresses", p->text.addresses, addresses,
	    AEG_NELEM(addresses), "ignore or record", err);
	if (rc < 0)
		return rc;
	p->addresses = rc == 1;
	if (p->addresses && p->supervise != SANDBOX_SUPERVISE_ALL)
		return err_set(err, ERR_RANGE, "%s: addresses = record needs "
		    "supervise = all", p->text.file);
	if (p->no_shells && p->supervise != SANDBOX_SUPERVISE_ALL)
		return err_set(err, ERR_RANGE, "%s: descendant-shells = deny "
		    "needs supervise = all", p->text.file);
	rc = read_word(p, "umask", p->text.umask, umask, AEG_NELEM(umask),
	    "tighten or any", err);
	if (rc < 0)
		return rc;
	p->loosens_umask = rc == 1;
	rc = read_word(p, "limit-output-then", p->text.output_then, then,
	    AEG_NELEM(then), "truncate or kill", err);
	if (rc < 0)
		return rc;
	p->output_then = (enum sandbox_output)rc;
	rc = read_word(p, "survivors", p->text.survivors, survivors,
	    AEG_NELEM(survivors), "keep or end", err);
	if (rc < 0)
		return rc;
	p->ends_survivors = rc == 0;
	return 0;
}

static const char *const limit_names[SANDBOX_LIMIT_COUNT] = {
	[SANDBOX_LIMIT_CPU] = "limit-cpu",
	[SANDBOX_LIMIT_MEMORY] = "limit-memory",
	[SANDBOX_LIMIT_PROCESSES] = "limit-processes",
	[SANDBOX_LIMIT_FILES] = "limit-files",
	[SANDBOX_LIMIT_FILE_SIZE] = "limit-file-size",
	[SANDBOX_LIMIT_CORE] = "limit-core",
	[SANDBOX_LIMIT_SPACE] = "limit-address-space",
	[SANDBOX_LIMIT_CHILDREN] = "limit-children",
	[SANDBOX_LIMIT_TIME] = "limit-time",
	[SANDBOX_LIMIT_OUTPUT] = "limit-output",
};

const char *
sandbox_limit_name(enum sandbox_limit limit)
{
	return limit_names[limit];
}

bool
sandbox_limit_is_shared(enum sandbox_limit limit)
{
	return limit == SANDBOX_LIMIT_CPU || limit == SANDBOX_LIMIT_MEMORY ||
	    limit == SANDBOX_LIMIT_CHILDREN || limit == SANDBOX_LIMIT_TIME ||
	    limit == SANDBOX_LIMIT_OUTPUT;
}

static uint64_t
line_limit(const struct sandbox_profile *p, enum sandbox_limit limit)
{
	return p->text.limit[limit] > 0 ? (uint64_t)p->text.limit[limit] : 0;
}

void
sandbox_line_limits(const struct sandbox_profile *p,
    struct sandbox_line_limits *ret)
{
	uint64_t children = line_limit(p, SANDBOX_LIMIT_CHILDREN);

	*ret = (struct sandbox_line_limits){
		.children = children < UINT_MAX ? (unsigned)children : UINT_MAX,
		.cpu_s = line_limit(p, SANDBOX_LIMIT_CPU),
		.time_s = line_limit(p, SANDBOX_LIMIT_TIME),
		.memory = line_limit(p, SANDBOX_LIMIT_MEMORY) << 20,
		.output = line_limit(p, SANDBOX_LIMIT_OUTPUT) << 20,
		.output_then = p->output_then,
	};
}

enum sandbox_supervise
sandbox_supervise(const struct sandbox_profile *p)
{
	return p->supervise;
}

bool
sandbox_records_addresses(const struct sandbox_profile *p)
{
	return p->addresses;
}

enum sandbox_started
sandbox_started(const struct sandbox_profile *p)
{
	return p->started;
}

enum sandbox_escape
sandbox_escape(const struct sandbox_profile *p)
{
	return p->escape;
}

bool
sandbox_ends_survivors(const struct sandbox_profile *p)
{
	return p->ends_survivors;
}

bool
sandbox_loosens_umask(const struct sandbox_profile *p)
{
	return p->loosens_umask;
}

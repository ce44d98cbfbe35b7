/* SPDX-License-Identifier: ISC */
/* From a profile to descriptors and programs, with all that may fail or
 * allocate; what the profile requires and cannot be had ends here. */
#include "sandbox_int.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define RESTRICT_LOG_SAME_EXEC_OFF 1U	/* LANDLOCK_RESTRICT_SELF_…, ABI 7 */

static bool
may_mount(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	return syscall(SYS_capget, &head, data) == 0 &&
	    (data[0].effective & 1U << CAP_SYS_ADMIN) != 0;
}

static bool
has_seccomp(void)
{
	uint32_t action = SECCOMP_RET_ERRNO;

	return sandbox_seccomp_arch() != NULL && syscall(SYS_seccomp,
	    SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

unsigned
sandbox_layers_asked(int abi)
{
	unsigned layers = SANDBOX_NNP | SANDBOX_RLIMITS;

	if (abi >= 1)
		layers |= SANDBOX_LANDLOCK_FS;
	if (abi >= 4)
		layers |= SANDBOX_LANDLOCK_NET;
	if (abi >= 6)
		layers |= SANDBOX_LANDLOCK_SCOPE;
	if (has_seccomp())
		layers |= SANDBOX_SECCOMP;
	if (may_mount())
		layers |= SANDBOX_COVER;
	return layers;
}

static int
check_layers(const struct sandbox_profile *p, unsigned have, int abi,
    struct err *err)
{
	unsigned lack = p->required & ~have;
	unsigned layer = lack & -lack;		/* its lowest bit */

	if (lack == 0)
		return 0;
	if ((layer & (SANDBOX_LANDLOCK_FS | SANDBOX_LANDLOCK_NET |
	    SANDBOX_LANDLOCK_SCOPE)) != 0) {
		if (abi < 0)
			return err_set(err, ERR_LAYER, "sandbox layer %s: "
			    "this kernel has no Landlock: %s",
			    sandbox_layer_name((enum sandbox_layer)layer),
			    strerror(-abi));
		return err_set(err, ERR_LAYER, "sandbox layer %s: this "
		    "kernel's Landlock (ABI %d) is too old",
		    sandbox_layer_name((enum sandbox_layer)layer), abi);
	}
	return err_set(err, ERR_LAYER, "sandbox layer %s: %s",
	    sandbox_layer_name((enum sandbox_layer)layer),
	    layer == SANDBOX_COVER ?
	    "private mounts need CAP_SYS_ADMIN: Operation not permitted" :
	    "this kernel cannot do it: Function not implemented");
}

/* Nobody may change, remove or plant what aegsh believes or keeps. */
static int
check_places(const struct sandbox_profile *p, struct err *err)
{
	const char *const places[] = { p->store, p->conf };
	const struct sandbox_grant *g;
	size_t i;

	for (i = 0; i < AEG_NELEM(places) && !p->open; i++) {
		if (places[i] == NULL || sandbox_covered(p, places[i]) != NULL)
			continue;
		g = sandbox_changed_by(p, places[i]);
		if (g != NULL)
			return err_set(err, ERR_TRUST, "sandbox profile %s "
			    "lets commands change %s, where aegsh keeps %s",
			    p->name, g->path,
			    i == 0 ? places[i] : "the operator's settings");
	}
	return 0;
}

/* By kind: which, and in what unit the profile says it. */
static const struct {
	int resource;
	rlim_t unit;
} limits[SANDBOX_LIMIT_COUNT] = {
	[SANDBOX_LIMIT_CPU] = { RLIMIT_CPU, 1 },
	[SANDBOX_LIMIT_MEMORY] = { -1, 0 },
	[SANDBOX_LIMIT_PROCESSES] = { RLIMIT_NPROC, 1 },
	[SANDBOX_LIMIT_FILES] = { RLIMIT_NOFILE, 1 },
	[SANDBOX_LIMIT_FILE_SIZE] = { RLIMIT_FSIZE, 1024 * 1024 },
	[SANDBOX_LIMIT_CORE] = { RLIMIT_CORE, 1024 * 1024 },
	[SANDBOX_LIMIT_SPACE] = { RLIMIT_AS, 1024 * 1024 },
	[SANDBOX_LIMIT_CHILDREN] = { -1, 0 },
	[SANDBOX_LIMIT_TIME] = { -1, 0 },
	[SANDBOX_LIMIT_OUTPUT] = { -1, 0 },
};

int
sandbox_limit_resource(enum sandbox_limit limit)
{
	return limits[limit].resource;
}

static void
add_limits(struct sandbox *s, const struct sandbox_profile *p)
{
	size_t i;

	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++) {
		if (p->text.limit[i] < 0 || limits[i].resource < 0)
			continue;
		s->limit[s->n_limits].resource = limits[i].resource;
		s->limit[s->n_limits].most =
		    (rlim_t)p->text.limit[i] * limits[i].unit;
		/* Past the count over all of the line, which tells why. */
		s->limit[s->n_limits++].most += limits[i].resource ==
		    RLIMIT_CPU ? 1 : 0;
	}
}

/* What lies under another cover is out of reach already. */
static bool
is_nested(const struct sandbox_profile *p, size_t i)
{
	size_t k;

	for (k = 0; k < p->n_covers; k++) {
		if (k != i && path_under(p->covers[i].path, p->covers[k].path)
		    && (k < i || strcmp(p->covers[i].path,
		    p->covers[k].path) != 0))
			return true;
	}
	return false;
}

static int
higher_first(const void *a, const void *b)
{
	size_t one = strlen(*(char *const *)a), other =
	    strlen(*(char *const *)b);

	return one == other ? 0 : one < other ? -1 : 1;
}

/* The directories above what is covered, each once. */
static void
add_above(struct sandbox *s)
{
	size_t i, k;

	for (i = 0; i < s->n_covers; i++) {
		const char *path = s->covers[i].path;
		size_t n = strlen(path);

		while (n > 1) {
			while (path[--n] != '/')
				;
			for (k = 0; k < s->above.n; k++) {
				if (strlen(s->above.v[k]) == n &&
				    strncmp(s->above.v[k], path, n) == 0)
					break;
			}
			if (n > 0 && k == s->above.n)
				strv_addf(&s->above, "%.*s", (int)n, path);
		}
	}
	if (s->above.n > 1)
		qsort(s->above.v, s->above.n, sizeof *s->above.v,
		    higher_first);
}

/* What isn't there can't be covered; nothing of aegsh's lies there either. */
static void
add_covers(struct sandbox *s, const struct sandbox_profile *p)
{
	size_t i;

	for (i = 0; i < p->n_covers; i++) {
		if (is_nested(p, i) || access(p->covers[i].path, F_OK) < 0)
			continue;
		s->covers[s->n_covers].path = xstrdup(p->covers[i].path);
		s->covers[s->n_covers++].readonly = p->covers[i].readonly;
	}
	add_above(s);
}

static int
fill(struct sandbox *s, const struct sandbox_profile *p, int abi,
    struct err *err)
{
	unsigned landlock = s->layers & (SANDBOX_LANDLOCK_FS |
	    SANDBOX_LANDLOCK_NET | SANDBOX_LANDLOCK_SCOPE);
	int rc = 0;

	if (landlock != 0)
		rc = sandbox_landlock_create(p, abi, landlock, &s->ruleset,
		    &s->handled, err);
	/* What the proof is refused, on purpose, is no news. */
	if (abi >= 7)
		s->restrict_flags = RESTRICT_LOG_SAME_EXEC_OFF;
	if (rc == 0 && s->layers & SANDBOX_SECCOMP &&
	    !sandbox_filter_find(p, abi, &s->filter, &s->filter_len)) {
		rc = sandbox_seccomp_build(p, abi, &s->own_filter,
		    &s->filter_len, err);
		s->filter = s->own_filter;
	}
	if (rc < 0)
		return rc;
	add_limits(s, p);
	add_covers(s, p);
	if (p->store != NULL && !p->open) {
		s->witness = xstrdup(p->store);
		s->witness_file = p->copy != NULL ? xstrdup(p->copy) : NULL;
	}
	return 0;
}

static int
check(const struct sandbox_profile *p, unsigned have, int abi,
    struct err *err)
{
	int rc;

	if (!p->complete)
		return err_set(err, ERR_LAYER, "sandbox profile %s: its places "
		    "were not looked up", p->name);
	rc = check_layers(p, have, abi, err);

	return rc < 0 ? rc : check_places(p, err);
}

int
sandbox_check(const struct sandbox_profile *p, struct err *err)
{
	int abi = sandbox_landlock_abi();

	return check(p, sandbox_layers_asked(abi), abi, err);
}

int
sandbox_begin(const struct sandbox_profile *p, struct sandbox **ret,
    struct err *err)
{
	int abi = sandbox_landlock_abi(), rc;
	unsigned have = sandbox_layers_asked(abi);
	struct sandbox *s;

	rc = check(p, have, abi, err);
	if (rc < 0)
		return rc;
	/* What isn't required is set up where it can be had. */
	if (p->n_covers == 0)
		have &= ~(unsigned)SANDBOX_COVER;
	if (p->connect.all && p->bind.all)
		have &= ~(unsigned)SANDBOX_LANDLOCK_NET;
	if (p->unscoped)
		have &= ~(unsigned)SANDBOX_LANDLOCK_SCOPE;
	s = xcalloc(1, sizeof *s);
	s->layers = have;
	s->ruleset = s->line_ruleset = -1;
	rc = fill(s, p, abi, err);
	if (rc < 0) {
		sandbox_free(s);
		return err_context(err, "sandbox profile %s", p->name);
	}
	*ret = s;
	return 0;
}

int
sandbox_finish(const struct sandbox_profile *p, struct sandbox *s,
    struct err *err)
{
	int rc = 0;

	if (s->ruleset >= 0 && !s->filled)
		rc = sandbox_landlock_fill(p, &s->handled, s->ruleset,
		    &s->n_rules, err);
	if (rc < 0)
		return err_context(err, "sandbox profile %s", p->name);
	s->filled = true;
	return 0;
}

int
sandbox_prepare(const struct sandbox_profile *p, struct sandbox **ret,
    struct err *err)
{
	struct sandbox *s = NULL;
	int rc = sandbox_begin(p, &s, err);

	if (rc == 0)
		rc = sandbox_finish(p, s, err);
	if (rc == 0 && s->ruleset >= 0)
		rc = sandbox_landlock_line(sandbox_landlock_abi(),
		    &s->line_ruleset, err);
	if (rc < 0)
		sandbox_free(s);
	else
		*ret = s;
	return rc;
}

void
sandbox_free(struct sandbox *s)
{
	size_t i;

	if (s == NULL)
		return;
	io_close(&s->ruleset);
	io_close(&s->line_ruleset);
	free(s->witness);
	free(s->witness_file);
	free(s->own_filter);
	for (i = 0; i < s->n_covers; i++)
		free(s->covers[i].path);
	strv_done(&s->above);
	free(s);
}

/* SPDX-License-Identifier: ISC */
/*
 * Landlock (landlock(7)): rulesets by path and port, every right that the
 * running kernel knows handled.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define RULE_NET_PORT 2		/* LANDLOCK_RULE_NET_PORT, ABI 4 */

struct net_port {
	uint64_t access, port;
};

static int
create(const struct sandbox_handled *r, size_t size)
{
	int fd = (int)syscall(SYS_landlock_create_ruleset, r, size, 0);

	return fd < 0 ? -errno : fd;	/* close-on-exec by itself */
}

int
sandbox_landlock_abi(void)
{
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? -errno : abi;
}

static size_t
size_for(int abi)
{
	return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

uint64_t
sandbox_landlock_fs(int abi)
{
	static const struct {
		int abi;
		unsigned rights;	/* bits below this */
	} table[] = { { 9, 17 }, { 5, 16 }, { 3, 15 }, { 2, 14 }, { 1, 13 } };
	struct sandbox_handled r = { 0, 0, 0 };
	uint64_t known = 0;
	size_t i;
	int fd;

	for (i = 0; known == 0 && i < AEG_NELEM(table); i++) {
		if (abi >= table[i].abi)
			known = (1ULL << table[i].rights) - 1;
	}
	/* Newer than this table: ask for one bit more, as long as it goes. */
	while (abi > 9 && known < UINT32_MAX) {
		r.fs = known << 1 | 1;
		fd = create(&r, size_for(abi));
		if (fd < 0)
			break;
		close(fd);
		known = r.fs;
	}
	return known;
}

static int
add_rule(int ruleset, const struct landlock_path_beneath_attr *rule)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset,
	    LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}

/* 1 when a rule came of it. */
static int
add_place(int ruleset, int fd, const char *path, uint64_t fs, struct err *err)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = fd };

	rule.allowed_access = fs;
	if (add_rule(ruleset, &rule) == 0)
		return 1;
	/* EINVAL: rights of directories, on something else.  (What became a
	 * link meanwhile gets a rule that nothing ever asks for.) */
	rule.allowed_access = fs & SANDBOX_FS_OF_FILE;
	if (errno == EINVAL && rule.allowed_access == 0)
		return 0;
	if (errno == EINVAL && add_rule(ruleset, &rule) == 0)
		return 1;
	/* Places in no file system of their own (EBADFD) take no rules. */
	if (errno == EBADFD)
		return 0;
	return err_sys(err, errno, "landlock rule for %s", path);
}

static int
open_place(int dir, const char *name)
{
	return openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int
add_path(int ruleset, const char *path, uint64_t fs, struct err *err)
{
	AEG_AUTOFD int fd = open_place(AT_FDCWD, path);

	return fd < 0 ? 0 : add_place(ruleset, fd, path, fs, err);
}

/* A ruleset that is being filled.  Places that were opened one behind the
 * other, to numbers without a gap, are closed by one call. */
#define RUN 32
struct fill {
	int ruleset;
	uint64_t handled;
	size_t n;
	int first;
	unsigned opened;
};

static void
close_run(struct fill *f)
{
	unsigned first = (unsigned)f->first;

	if (f->opened > 0)
		(void)syscall(SYS_close_range, first, first + f->opened - 1,
		    0);
	f->opened = 0;
}

static int
add_name(struct fill *f, const struct sandbox_rule *r, uint64_t fs,
    struct err *err)
{
	int fd = open_place(r->dir, r->name);

	if (fd < 0 && errno == EMFILE && f->opened > 0) {
		close_run(f);
		fd = open_place(r->dir, r->name);
	}
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		return err_sys(err, errno, "landlock rule for %s", r->path);
	/* Gone, or not for this user: then nothing there is granted. */
	if (fd < 0)
		return 0;
	if (f->opened == RUN || fd != f->first + (int)f->opened)
		close_run(f);
	if (f->opened == 0)
		f->first = fd;
	f->opened++;
	return add_place(f->ruleset, fd, r->path, fs, err);
}

static int
add_one(void *ctx, const struct sandbox_rule *r, struct err *err)
{
	struct fill *f = ctx;
	uint64_t fs = r->fs & f->handled;
	int rc;

	if (r->fs == 0)
		close_run(f);
	if (fs == 0)
		return 0;
	rc = r->fd >= 0 ? add_place(f->ruleset, r->fd, r->path, fs, err) :
	    add_name(f, r, fs, err);
	f->n += rc > 0;
	return rc < 0 ? rc : 0;
}

static int
add_ports(int ruleset, const struct sandbox_ports *ports, uint64_t access,
    struct err *err)
{
	size_t i;

	for (i = 0; !ports->all && i < ports->n; i++) {
		struct net_port rule = { access, ports->port[i] };

		if (syscall(SYS_landlock_add_rule, ruleset, RULE_NET_PORT,
		    &rule, 0) < 0)
			return err_sys(err, errno, "landlock rule for port %u",
			    (unsigned)ports->port[i]);
	}
	return 0;
}

int
sandbox_landlock_fill(const struct sandbox_profile *p,
    const struct sandbox_handled *r, int fd, size_t *ret_rules,
    struct err *err)
{
	uint64_t newer = r->fs & ~SANDBOX_FS_KNOWN;
	struct fill f = { .ruleset = fd, .handled = r->fs };
	int rc;

	if (r->fs == 0 && r->net == 0) {
		*ret_rules = 0;
		return 0;
	}
	rc = sandbox_rules_make(p, add_one, &f, err);
	close_run(&f);
	/* Rights that this program has no name for stay as they are on the
	 * kernels that it knows. */
	if (rc >= 0 && newer != 0)
		rc = add_path(fd, "/", newer, err);
	if (rc >= 0 && r->net & SANDBOX_NET_CONNECT_TCP)
		rc = add_ports(fd, &p->connect, SANDBOX_NET_CONNECT_TCP, err);
	if (rc >= 0 && r->net & SANDBOX_NET_BIND_TCP)
		rc = add_ports(fd, &p->bind, SANDBOX_NET_BIND_TCP, err);
	*ret_rules = f.n;
	return rc < 0 ? rc : 0;
}

int
sandbox_landlock_create(const struct sandbox_profile *p, int abi,
    unsigned layers, int *ret_fd, struct sandbox_handled *ret,
    struct err *err)
{
	struct sandbox_handled r = { 0, 0, 0 };
	int fd;

	if (layers & SANDBOX_LANDLOCK_FS)
		r.fs = sandbox_landlock_fs(abi);
	if (layers & SANDBOX_LANDLOCK_NET) {
		r.net |= p->connect.all ? 0 : SANDBOX_NET_CONNECT_TCP;
		r.net |= p->bind.all ? 0 : SANDBOX_NET_BIND_TCP;
	}
	if (layers & SANDBOX_LANDLOCK_SCOPE)
		r.scoped = SANDBOX_SCOPE_ABSTRACT | SANDBOX_SCOPE_SIGNAL;
	fd = create(&r, size_for(abi));
	if (fd < 0)
		return err_sys(err, -fd, "landlock ruleset");
	*ret_fd = fd;
	*ret = r;
	return 0;
}

int
sandbox_landlock_line(int abi, int *ret_fd, struct err *err)
{
	/*
	 * A domain of its own is all that is wanted.  One must handle some
	 * right: making block devices, which is granted everywhere here and
	 * so left to the outer domain.  REFER is refused by every domain that
	 * does not grant it, handled or not.
	 */
	const struct sandbox_handled r = {
		SANDBOX_FS_MAKE_BLOCK | (abi >= 2 ? SANDBOX_FS_REFER : 0), 0, 0
	};
	int fd = create(&r, size_for(abi)), rc;

	if (fd < 0)
		return err_sys(err, -fd, "landlock ruleset");
	rc = add_path(fd, "/", r.fs, err);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}

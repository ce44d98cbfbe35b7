/* SPDX-License-Identifier: ISC */
/* Which path sets a path falls into, known, partly known, or in disguise. */
#include "judge.h"
#include "policy/policy_view_int.h"
#include "tap.h"

static struct policy *policy;

/* path, the sets that must and must not hold; a path with "*" or "?" is
 * one that is not all known. */
static const struct {
	const char *path, *in, *out;
} cases[] = {
	{ "/etc/shadow", "secrets keys accounts", "starts" },
	{ "/etc/shadow-", "secrets", NULL },
	{ "/etc/shadowx", NULL, "secrets accounts" },
	{ "/etc", "roots floor-roots", "accounts" },
	{ "/", "roots floor-roots", NULL },
	{ "/home/user", "homes", "secrets" },
	{ "/home/user/.ssh/id_rsa", "secrets keys", NULL },
	{ "/home/other/.ssh/id_rsa", "secrets keys", NULL },
	{ "/root/.ssh/id_rsa", "secrets keys", NULL },
	{ "/Users/x/.ssh/id_rsa", "secrets keys", NULL },
	{ "~bob/.ssh/id_rsa", "secrets keys", NULL },
	{ "/home/user/.ssh/id_rsa.pub", NULL, "secrets keys" },
	{ "/home/user/.ssh/config", "own-starts", "secrets" },
	{ "/home/user/.ssh", "secrets keys", NULL },
	{ "/srv/keys/id_ed25519", "secrets keys", NULL },
	{ "/srv/app/wp-config.php", "secrets", NULL },
	{ "/dev/sda", "disks floor-disks", "noise" },
	{ "/dev/sda1", "disks floor-disks", NULL },
	{ "/dev/null", "sinks nothing", "disks noise" },
	{ "/dev/mapper/control", NULL, "disks" },
	{ "/dev/tcp/192.0.2.1/80", "sockets", NULL },
	{ "/etc/cron.d/x", "starts", NULL },
	{ "/etc/cron.d", "starts", NULL },
	{ "/etc/cronx", NULL, "starts" },
	{ "/h/etc/shadow", "secrets accounts", NULL },
	{ "/mnt/etc/shadow", "secrets", NULL },
	{ "/mnt/disk/etc/shadow", "secrets", NULL },
	{ "/usr/local/etc/shadow", NULL, "secrets" },
	{ "/home/user/p/etc/shadow", NULL, "secrets accounts" },
	{ "/tmp/.x/p", "temp temp-hidden", NULL },
	{ "/tmp/.X11-unix/X0", "temp", "temp-hidden" },
	{ "/tmp/x", "temp", "temp-hidden" },
	{ "/etc/aegsh/aegsh.conf", "floor-aegsh", NULL },
	{ "/e?c/sh??ow", "secrets", NULL },
	{ "/etc/sh[a]dow", "secrets", NULL },
	{ "/etc/*", NULL, "secrets accounts" },
	{ "/etc/*release*", NULL, "secrets" },
	{ "/home/*/.ssh/id_rsa", "secrets", NULL },
	{ "*/.bashrc", "own-starts", NULL },
	{ "*/.ssh/authorized_keys", "own-starts authorized", NULL },
	{ "/srv/p/.git/hooks/post-merge", "own-starts", NULL },
	{ "/srv/p/hooks/post-merge", NULL, "own-starts" },
	{ "/.git/hooks/x", "own-starts", NULL },
	{ "*", NULL, "secrets accounts own-starts roots" },
	{ "/proc/*/environ", "secrets", NULL },
	{ "*.php", NULL, "secrets" },
};

static bool
in_set(uint64_t sets, const char *name, size_t len)
{
	const struct pol_set *all = pol_section(policy, POL_SEC_SETS);
	uint32_t i;

	for (i = 0; i < pol_count(policy, POL_SEC_SETS); i++) {
		const char *text = pol_string(policy, all[i].name);

		if (strlen(text) == len && memcmp(text, name, len) == 0)
			return sets >> i & 1;
	}
	OKF(false, "there is a set %.*s", (int)len, name);
	return false;
}

static bool
all_of(uint64_t sets, const char *names, bool want)
{
	size_t n;

	for (; names != NULL && *names != '\0'; names += n) {
		names += strspn(names, " ");
		n = strcspn(names, " ");
		if (n > 0 && in_set(sets, names, n) != want) {
			printf("# %.*s\n", (int)n, names);
			return false;
		}
	}
	return true;
}

static const struct {
	const char *dir, *text, *want;
	bool bent;
} folds[] = {
	{ "/a/b", "c", "/a/b/c", false },
	{ "/a/b", "../c", "/a/c", false },
	{ "/a/b", "../../../..", "/", false },
	{ "/a/b", "/c//d/./e/", "/c/d/e", false },
	{ "/a/b", ".", "/a/b", false },
	{ "/", "..", "/", false },
	{ "/a", "/proc/self/root/etc/x", "/etc/x", true },
	{ "/a", "/proc/1/root/proc/2/root/etc/x", "/etc/x", true },
	{ "/a", "/proc/self/task/9/root/etc", "/etc", true },
	{ "/a", "/proc/self/root", "/", true },
	{ "/a", "/proc/self/rooted", "/proc/self/rooted", false },
	{ "/a", "~bob/x", "~bob/x", false },
	{ "/a", "/proc/*/root/etc", "/etc", true },
};

int
main(void)
{
	struct err err = ERR_INIT;
	struct state *state;
	struct view v = { .home = "/home/user", .home_len = 10 };
	size_t i, len;
	uint64_t sets;
	bool bent;

	judge_places();
	state = judge_state();
	IS_INTN(policy_load("admin", NULL, &policy, &err), 0, err.text);
	v.policy = policy;
	v.arena = arena_new();
	for (i = 0; i < AEG_NELEM(cases); i++) {
		sets = view_sets(&v, cases[i].path, strlen(cases[i].path),
		    strpbrk(cases[i].path, "*?[") == NULL);
		OKF(all_of(sets, cases[i].in, true) &&
		    all_of(sets, cases[i].out, false), "%s", cases[i].path);
	}
	for (i = 0; i < AEG_NELEM(folds); i++) {
		bent = false;
		IS_STRN(view_fold(&v, folds[i].dir, folds[i].text,
		    strlen(folds[i].text), &len, &bent), folds[i].want,
		    folds[i].text);
		OKF(len == strlen(folds[i].want) && bent == folds[i].bent,
		    "%s: its length, and whether it is a detour",
		    folds[i].text);
	}
	arena_free(v.arena);
	policy_free(policy);
	state_free(state);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* Users and groups: the same as the name service of libc says. */
#include "aegsh/base/names.h"
#include "tap.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

#define MOST 50

static bool
same(const struct names_user *u, const struct passwd *pw)
{
	return u->uid == pw->pw_uid && u->gid == pw->pw_gid &&
	    strcmp(u->name, pw->pw_name) == 0 &&
	    strcmp(u->note, pw->pw_gecos) == 0 &&
	    strcmp(u->home, pw->pw_dir) == 0 &&
	    strcmp(u->shell, pw->pw_shell) == 0;
}

static void
test_users(void)
{
	struct strv names = STRV_INIT;
	struct passwd *pw;
	size_t i;

	setpwent();
	while (names.n < MOST && (pw = getpwent()) != NULL)
		strv_add(&names, pw->pw_name);
	endpwent();
	OKF(names.n > 0, "there are users");
	for (i = 0; i < names.n; i++) {
		AEG_AUTO(names_user_done) struct names_user a = { 0 },
		    b = { 0 };
		uid_t uid;

		pw = getpwnam(names.v[i]);
		uid = pw != NULL ? pw->pw_uid : 0;
		OKF(pw != NULL && names_user_by_name(names.v[i], &a) == 0 &&
		    same(&a, pw), "%s by name", names.v[i]);
		pw = getpwuid(uid);
		OKF(pw != NULL && names_user_by_uid(uid, &b) == 0 &&
		    same(&b, pw), "%s by number", names.v[i]);
	}
	strv_done(&names);
}

static void
test_unknown(void)
{
	static const char *const names[] = { "", "0", "4294967295", "nobody:x",
	    "-0", "no such user", "--help", "root\n", "#" };
	struct names_user u = { .home = NULL };
	uid_t uid = 4000000000U;
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		IS_INTN(names_user_by_name(names[i], &u), -ENOENT, names[i]);
	while (getpwuid(uid) != NULL)
		uid++;
	IS_INT(names_user_by_uid(uid, &u), -ENOENT);
	OKF(u.home == NULL, "the result is untouched");
}

struct seen {
	size_t n, stop;
	bool root;
};

static int
see(void *ctx, const struct names_user *u)
{
	struct seen *s = ctx;

	s->root |= u->uid == 0;
	return ++s->n == s->stop;
}

static void
test_all(void)
{
	struct seen all = { 0 }, one = { .stop = 1 }, two = { 0 };

	names_users(100000, see, &all);
	OKF(all.root && all.n > 1, "all users, root among them");
	names_users(100000, see, &one);
	IS_INTN((intmax_t)one.n, 1, "until it is enough");
	names_users(2, see, &two);
	IS_INTN((intmax_t)two.n, 2, "no more than wanted");
}

static void
test_groups(void)
{
	gid_t groups[2] = { 0, 0 };
	struct names_groups of = { .gids = groups, .n = 2 };
	struct err err = ERR_INIT;
	struct group *g;
	size_t n = 0;

	setgrent();
	while (n++ < MOST && (g = getgrent()) != NULL) {
		groups[1] = g->gr_gid;
		IS_INTN(names_in_group(g->gr_name, &of, &err), 1,
		    g->gr_name);
		groups[1] = g->gr_gid + 1;
		groups[0] = g->gr_gid + 1;
		IS_INTN(names_in_group(g->gr_name, &of, &err), 0,
		    g->gr_name);
	}
	endgrent();
	of.n = 0;
	IS_INTN(names_in_group("root", &of, &err), 0, "in no group");
	of.n = 2;
	IS_INTN(names_in_group("no such group", &of, &err), 0,
	    "no such group");
}

int
main(void)
{
	test_users();
	test_unknown();
	test_all();
	test_groups();
	return tap_done();
}

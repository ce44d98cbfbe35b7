/* SPDX-License-Identifier: ISC */
/* Users and groups of a name service behind the files: one that answers,
 * that is not there, that never ends, that never stops. */
#include "aegsh/base/names.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

#define MANY 5000		/* groups of one user */

static char *called;

/* What getent does from now on; "called" has its process and how many words
 * it was given, a line each time. */
static void
service(const char *does)
{
	AEG_AUTOFREE char *text = xasprintf("#!/bin/sh\n"
	    "echo $$ $# >>'%s'\n%s\n", called, does);

	unlink(called);
	scratch_write("getent", text, strlen(text), 0755);
}

/* How often it was called; the last process and count of words. */
static int
calls(int *ret_pid, int *ret_words)
{
	FILE *f = fopen(called, "r");
	int n = 0;

	while (f != NULL && fscanf(f, "%d %d", ret_pid, ret_words) == 2)
		n++;
	if (f != NULL)
		fclose(f);
	return n;
}

static void
answers(void)
{
	gid_t gids[MANY];
	struct names_groups of = { .gids = gids, .n = 2 };
	struct names_user u = { 0 };
	struct err err = ERR_INIT;
	int pid = 0, words = 0;
	size_t i;

	for (i = 0; i < MANY; i++)
		gids[i] = (gid_t)(4000000000U + i);
	service("case \"$1 $3\" in\n"
	    "'passwd ada' | 'passwd 54111')\n"
	    "	echo 'ada:x:54111:7::/home/ada:/bin/zsh' ;;\n"
	    "'group in') echo 'in:x:4000000001:' ;;\n"
	    "'group out') echo 'out:x:77:' ;;\n"
	    "'group 4000000000') ;;\n"
	    "*) exit 2 ;;\n"
	    "esac");
	IS_INT(names_user_by_name("ada", &u), 0);
	OK(u.uid == 54111 && u.gid == 7 && strcmp(u.shell, "/bin/zsh") == 0);
	names_user_done(&u);
	IS_INT(names_user_by_name("bob", &u), -ENOENT);
	IS_INT(names_in_group("in", &of, &err), 1);
	IS_INT(names_in_group("out", &of, &err), 0);
	OK(of.unsure == NULL);
	IS_INT(names_groups_sure(&of, &err), 0);

	/* However many groups somebody has and however many are asked. */
	of.n = MANY;
	unlink(called);
	IS_INT(names_in_group("none", &of, &err), 0);
	IS_INT(names_in_group("neither", &of, &err), 0);
	IS_INT(names_groups_sure(&of, &err), 0);
	IS_INTN(calls(&pid, &words), 3, "one call for all numbers");
	IS_INTN(words, 2 + MANY, "which has each of them");
}

static void
is_away(void)
{
	gid_t gids[] = { 4000000000U };
	struct names_groups of = { .gids = gids, .n = 1 };
	struct err err = ERR_INIT;

	service("exit 2");
	IS_INT(names_in_group("none", &of, &err), 0);
	IS_INT(names_groups_sure(&of, &err), -ENOENT);
	OK(strstr(err.text, "group none") != NULL);
	service("exit 3");
	IS_INT(names_in_group("none", &of, &err), -EIO);
	service("kill -9 $$");
	IS_INT(names_in_group("none", &of, &err), -EIO);
	service("exec yes none:x:1:");
	IS_INT(names_in_group("none", &of, &err), ERR_TOO_LONG);
}

static void
hangs(void)
{
	static const char *const ways[][2] = {
		{ "after half an answer",
		    "echo none:x:1:\nexec tail -f /dev/null" },
		{ "after its answer",
		    "exec >/dev/null\nexec tail -f /dev/null" },
	};
	gid_t gids[] = { 4000000000U };
	struct names_groups of = { .gids = gids, .n = 1 };
	struct err err = ERR_INIT;
	int pid = 0, words = 0;
	size_t i;

	for (i = 0; i < AEG_NELEM(ways); i++) {
		service(ways[i][1]);
		IS_INTN(names_in_group("none", &of, &err), -ETIMEDOUT,
		    ways[i][0]);
		OK(strstr(err.text, "did not answer") != NULL);
		OKF(calls(&pid, &words) == 1 && kill(pid, 0) < 0 &&
		    errno == ESRCH, "and it is ended");
	}
}

int
main(void)
{
	char *getent, *files;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	getent = scratch_path("getent");
	files = scratch_path("nsswitch");
	called = scratch_path("called");
	scratch_rules("nsswitch", "passwd: files ldap\n"
	    "group: files ldap\n");
	setenv("AEGSH_TEST_GETENT", getent, 1);
	setenv("AEGSH_TEST_NSSWITCH", files, 1);
	answers();
	is_away();
	hangs();
	free(files);
	free(getent);
	free(called);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
#include "aegsh/base/keyfile.h"
#include "scratch.h"
#include "tap.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

int
main(void)
{
	static const unsigned char zero[32];
	const char *dir = scratch_new();
	AEG_AUTOFREE char *path = scratch_path("k");
	unsigned char a[32] = { 0 }, b[32] = { 0 };
	struct err err = ERR_INIT;
	struct stat st;

	IS_INT(keyfile_load(dir, "k", a, sizeof a, &err), 0);
	OKF(memcmp(a, zero, sizeof a) != 0, "the key is not empty");
	IS_INT(keyfile_load(dir, "k", b, sizeof b, &err), 0);
	OKF(memcmp(a, b, sizeof a) == 0, "it stays the same");
	OK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
	memcpy(b, zero, sizeof b);
	OK(chmod(path, 0640) == 0);
	IS_INTN(keyfile_load(dir, "k", b, sizeof b, &err), ERR_TRUST,
	    "readable by a group");
	OK(chmod(path, 0600) == 0);
	IS_INTN(keyfile_load(dir, "k", b, 16, &err), ERR_TRUST,
	    "of another length");
	OKF(memcmp(b, zero, sizeof b) == 0, "the result is untouched");
	OK(unlink(path) == 0 && symlink("/dev/zero", path) == 0);
	OKF(keyfile_load(dir, "k", b, sizeof b, &err) < 0, "a link: %s",
	    err.text);
	OK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	OKF(keyfile_load(dir, "k", b, sizeof b, &err) < 0, "a pipe: %s",
	    err.text);
	OKF(keyfile_load("/nonexistent", "k", b, sizeof b, &err) < 0,
	    "no directory: %s", err.text);
	IS_INT(keyfile_random(b, sizeof b, &err), 0);
	OKF(memcmp(a, b, sizeof a) != 0, "random bytes");
	return tap_done();
}

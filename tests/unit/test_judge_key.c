/* SPDX-License-Identifier: ISC */
#include "judge/judge_int.h"
#include "tap.h"
#include "scratch.h"

#include "aegsh/base/mem.h"

static int
read_key(const char *bytes, size_t len, mode_t mode, struct buf *ret,
    struct err *err)
{
	AEG_AUTOFREE char *path = scratch_path("key");

	unlink(path);
	scratch_write("key", bytes, len, mode);
	return judge_key_read(path, getuid(), ret, err);
}

int
main(void)
{
	static const struct {
		const char *bytes;
		mode_t mode;
		int want;
	} rows[] = {
		{ "sk-abc\n", 0600, 0 }, { "sk-abc", 0640, 0 },
		{ "sk-abc \r\n\n", 0400, 0 }, { "sk-abc", 0440, 0 },
		{ "sk-abc", 0644, ERR_TRUST }, { "sk-abc", 0604, ERR_TRUST },
		{ "sk-abc", 0660, ERR_TRUST }, { "sk-abc", 0700, ERR_TRUST },
		{ "sk-abc", 0601, ERR_TRUST },
		{ "", 0600, ERR_SYNTAX }, { "\n", 0600, ERR_SYNTAX },
		{ "a b", 0600, ERR_SYNTAX },
		{ "a\r\nX-Evil: 1", 0600, ERR_SYNTAX },
		{ "k\xc3\xa4y", 0600, ERR_SYNTAX },
	};
	static char big[JUDGE_KEY_MAX + 1];
	AEG_AUTOFREE char *gone = NULL;
	struct err err = ERR_INIT;
	size_t i;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct buf key = BUF_INIT;

		err = (struct err)ERR_INIT;
		OKF(read_key(rows[i].bytes, strlen(rows[i].bytes),
		    rows[i].mode, &key, &err) == rows[i].want,
		    "row %zu: %s", i, err.text);
		if (rows[i].want == 0)
			IS_STR(key.data, "sk-abc");
		OKF(strstr(err.text, "sk-") == NULL,
		    "row %zu: no key in the message", i);
		buf_done(&key);
	}
	memset(big, 'k', sizeof big);
	{
		struct buf key = BUF_INIT;

		IS_INT(read_key(big, sizeof big, 0600, &key, NULL),
		    ERR_TOO_LONG);
		IS_INT(read_key(big, sizeof big - 1, 0600, &key, NULL), 0);
		buf_done(&key);
		gone = scratch_path("gone");
		OK(judge_key_read(gone, getuid(), &key, &err) < 0);
	}
	return tap_done();
}

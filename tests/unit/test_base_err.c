/* SPDX-License-Identifier: ISC */
#include "aegsh/base/err.h"
#include "tap.h"

#include <errno.h>

int
main(void)
{
	struct err e = ERR_INIT;
	char big[ERR_TEXT_MAX * 2];

	IS_INT(err_set(&e, ERR_SYNTAX, "line %d", 3), ERR_SYNTAX);
	IS_STR(e.text, "line 3");
	IS_INT(err_context(&e, "file %s", "x"), ERR_SYNTAX);
	IS_STR(e.text, "file x: line 3");
	IS_INT(err_sys(&e, ENOENT, "open %s", "/x"), -ENOENT);
	IS_STR(e.text, "open /x: No such file or directory");
	IS_INTN(err_set(NULL, -5, "x"), -5, "no place for the text is fine");
	memset(big, 'a', sizeof big);
	big[sizeof big - 1] = '\0';
	err_set(&e, -1, "%s", big);
	err_context(&e, "%s", big);
	IS_INTN(strlen(e.text), ERR_TEXT_MAX - 1, "long text is cut");
	IS_STR(err_str(ERR_LAYER), "required sandbox layer missing");
	IS_STR(err_str(-ENOENT), "No such file or directory");
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
#include "aegsh/base/buf.h"
#include <stdlib.h>

#include "tap.h"

int
main(void)
{
	struct buf b = BUF_INIT_MAX(8);
	struct strv v = STRV_INIT;
	char *s;

	buf_puts(&b, "abc");
	buf_putf(&b, "%d", 42);
	IS_STR(b.data, "abc42");
	buf_puts(&b, "wxyz");
	OKF(buf_overflow(&b), "a put past the maximum is remembered");
	IS_STRN(b.data, "abc42", "and changes nothing");
	buf_putc(&b, 'x');
	IS_STRN(b.data, "abc42", "nor does a later put that would fit");
	s = buf_take(&b);
	IS_STR(s, "abc42");
	free(s);
	s = buf_take(&b);
	IS_STRN(s, "", "an empty buffer gives an empty string");
	free(s);
	buf_putf(&b, "%0300d", 1);
	OKF(buf_overflow(&b), "long formatted text obeys the maximum");
	buf_done(&b);
	b.max = 1000;
	buf_putf(&b, "%0300d", 1);
	IS_INT(b.len, 300);
	buf_done(&b);

	OK(strv_peek(&v)[0] == NULL);
	strv_addf(&v, "%s=%d", "A", 1);
	strv_add(&v, "B=2");
	OK(strv_has(&v, "B=2"));
	OK(!strv_has(&v, "B="));
	IS_INT(v.n, 2);
	IS_STR(v.v[0], "A=1");
	OK(v.v[2] == NULL);
	strv_done(&v);
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
#include "conf/conf_int.h"
#include "tap.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"

/* What a file says: its settings as "name=value@line …", or its error. */
static const struct {
	const char *text, *want;
} cases[] = {
	{ "", "" },
	{ "\n\n# only a comment\n", "" },
	{ "# one, two /* three ${HOME}\n", "" },
	{ "mode = managed\n", "mode=managed@1" },
	{ "mode=managed", "mode=managed@1" },
	{ "mode = \"managed\"\n", "mode=managed@1" },
	{ "mode = 'managed' # really\n", "mode=managed@1" },
	{ "\nask-timeout = 5000\n\ndebug = on\n",
	    "ask-timeout=5000@2 debug=yes@4" },
	{ "endpoint = https://host/v1\n", "endpoint=https://host/v1@1" },
	{ "prompt = '\\u@\\h \\$ '\n", "prompt=\\u@\\h \\$ @1" },
	{ "model = \"\"\n", "model=@1" },
	{ "mode = managed\r\n", "mode=managed@1" },
	/* A comment is no more than its line. */
	{ "# a\n  # b\n\ndebug = on # c\nask-timeout = 5000\n",
	    "ask-timeout=5000@5 debug=yes@4" },
	{ "// a\ndebug = on // b\nask-timeout = 5000\n",
	    "ask-timeout=5000@3 debug=yes@2" },
	{ "model = 'a#b'#c\ncontact = \"d // # \\\" #e\" # f\ndebug = on\n",
	    "model=a#b@1 contact=d // # \" #e@2 debug=yes@3" },
	{ "model = a//b\nendpoint = x#y\ndebug = on\n",
	    "endpoint=x@2 model=a//b@1 debug=yes@3" },
	{ "# a\n# b\nmoed = managed\n", "!-4996 f:3: no such option 'moed'" },
	{ "# a\nmode = open\n",
	    "!-4997 f:2: mode is one of: managed personal; not 'open'" },
	{ "moed = managed\n", "!-4996 f:1: no such option 'moed'" },
	{ "debug = no\n\nAsk-timeout = 1\n",
	    "!-4996 f:3: no such option 'Ask-timeout'" },
	{ "mode = open\n",
	    "!-4997 f:1: mode is one of: managed personal; not 'open'" },
	{ "\n\nask-timeout = 5\n", "!-4997 f:3: ask-timeout is a number from "
	    "100 to 60000, not '5'" },
	{ "mode = managed\nmode = personal\n",
	    "!-5000 f:2: mode was set in line 1 already" },
	{ "mode = managed mode = personal\n",
	    "!-5000 f:1: mode was set in line 1 already" },
	{ "mode = { managed }\n", "!-5000 f:1: unexpected token '{'" },
	{ "mode\n", "!-5000 f:2: premature end of file" },
	{ "mode = \"managed\n", "!-5000 f:2: premature end of file" },
	{ "mode = managed personal\n",
	    "!-4996 f:1: no such option 'personal'" },
	{ "debug = yes\n}\n", "!-5000 f:2: unexpected closing brace" },
	{ "model = ${HOME}\n",
	    "!-5000 f:1: '${': the environment sets nothing here" },
	{ "\nmodel = \"a${HOME}\"\n",
	    "!-5000 f:2: '${': the environment sets nothing here" },
	{ "/* mode = managed\n", "!-5000 f:1: '/*': comments begin with #" },
	{ "model = \"a\\\nb\"\n", "!-5000 f:1: a backslash ends the line" },
	{ "model = 'a\n# ${HOME}\nb'\n",
	    "!-5000 f:3: model has a control character" },
	{ "include('/etc/passwd')\n", "!-4996 f:1: no such option 'include'" },
};

static void
run(const char *text, size_t len, const char *want)
{
	struct conf_setting set[CONF_COUNT] = { { NULL, 0, 0 } };
	struct buf got = BUF_INIT;
	struct err err = ERR_INIT;
	int id, rc;

	rc = conf_file_parse("f", text, len, set, &err);
	if (rc < 0)
		buf_putf(&got, "!%d %s", rc, err.text);
	for (id = 0; id < CONF_COUNT; id++) {
		if (rc == 0 && set[id].text != NULL)
			buf_putf(&got, "%s%s=%s@%d", got.len > 0 ? " " : "",
			    conf_row((enum conf_id)id)->name, set[id].text,
			    set[id].line);
		free(set[id].text);
	}
	IS_STRN(got.data != NULL ? got.data : "", want,
	    want[0] != '\0' ? want : "(nothing)");
	buf_done(&got);
}

int
main(void)
{
	char *big;
	size_t i;

	setenv("HOME", "/nowhere", 1);
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		run(cases[i].text, strlen(cases[i].text), cases[i].want);
	run("debug = yes\0mode", 15, "!-5000 f:1: there is a NUL byte in it");
	big = xmalloc(CONF_FILE_MAX + 2);
	memset(big, '#', CONF_FILE_MAX + 1);
	big[CONF_FILE_MAX] = '\0';
	run(big, CONF_FILE_MAX, "");
	big[CONF_FILE_MAX] = '#';
	big[CONF_FILE_MAX + 1] = '\0';
	run(big, CONF_FILE_MAX + 1, "!-4999 f: longer than 262144 bytes");
	free(big);
	return tap_done();
}

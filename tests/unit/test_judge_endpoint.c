/* SPDX-License-Identifier: ISC */
#include "judge/judge_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"

static const struct {
	const char *text, *url, *label, *unix_path;
	unsigned port;
	bool plain, is_name;
} good[] = {
	{ "https://api.example.org/v1",
	    "https://api.example.org/v1/chat/completions",
	    "api.example.org:443", NULL, 443, false, true },
	{ "https://api.example.org:8443/v1/",
	    "https://api.example.org:8443/v1/chat/completions",
	    "api.example.org:8443", NULL, 8443, false, true },
	{ "https://h/deploy/x?api-version=1",
	    "https://h/deploy/x/chat/completions?api-version=1", "h:443",
	    NULL, 443, false, true },
	{ "https://192.0.2.1", "https://192.0.2.1/chat/completions",
	    "192.0.2.1:443", NULL, 443, false, false },
	{ "http://127.0.0.1:11434/v1",
	    "http://127.0.0.1:11434/v1/chat/completions", "127.0.0.1:11434",
	    NULL, 11434, true, false },
	{ "http://127.9.8.7/v1", "http://127.9.8.7/v1/chat/completions",
	    "127.9.8.7:80", NULL, 80, true, false },
	{ "http://[::1]:8080", "http://[::1]:8080/chat/completions",
	    "[::1]:8080", NULL, 8080, true, false },
	{ "http://LocalHost:1/v1", "http://LocalHost:1/v1/chat/completions",
	    "LocalHost:1", NULL, 1, true, true },
	{ "unix:/run/llm.sock", "http://localhost/v1/chat/completions",
	    "/run/llm.sock", "/run/llm.sock", 0, true, false },
	{ "unix:/run/llm.sock:/api/",
	    "http://localhost/api/chat/completions", "/run/llm.sock",
	    "/run/llm.sock", 0, true, false },
};

static const struct {
	const char *text;
	int code;
} bad[] = {
	{ "", ERR_SYNTAX },
	{ "api.example.org", ERR_SYNTAX },
	{ "ftp://127.0.0.1/v1", ERR_SYNTAX },
	{ "file:///etc/passwd", ERR_SYNTAX },
	{ "https://", ERR_SYNTAX },
	{ "https:///v1", ERR_SYNTAX },
	{ "https://key@h/v1", ERR_SYNTAX },
	{ "https://u:p@h/v1", ERR_SYNTAX },
	{ "https://h/v1#x", ERR_SYNTAX },
	{ "https://h:0/v1", ERR_RANGE },
	{ "https://h:99999/v1", ERR_SYNTAX },
	{ "https://h/v1\n", ERR_SYNTAX },
	{ "https://h\xe2\x80\xae/v1", ERR_SYNTAX },
	{ "http://api.example.org/v1", ERR_REFUSED },
	{ "http://192.0.2.1/v1", ERR_REFUSED },
	{ "http://128.0.0.1/v1", ERR_REFUSED },
	{ "http://0.0.0.0/v1", ERR_REFUSED },
	{ "http://[2001:db8::1]/v1", ERR_REFUSED },
	{ "http://[::ffff:192.0.2.1]/v1", ERR_REFUSED },
	{ "http://localhost.example.org/v1", ERR_REFUSED },
	{ "http://127.0.0.1.example.org/v1", ERR_REFUSED },
	{ "http://127.0.0.1@example.org/v1", ERR_SYNTAX },
	{ "unix:run/llm.sock", ERR_SYNTAX },
	{ "unix:/run/llm.sock:v1", ERR_SYNTAX },
	{ "unix:/1234567890123456789012345678901234567890123456789012345678"
	    "9012345678901234567890123456789012345678901234567890",
	    ERR_SYNTAX },
};

int
main(void)
{
	struct judge_endpoint e = { .url = NULL };
	struct err err;
	size_t i;

	for (i = 0; i < AEG_NELEM(good); i++) {
		if (judge_endpoint_parse(good[i].text,
		    &judge_format_openai, "m", &e, NULL) != 0) {
			OKF(false, "%s is taken", good[i].text);
			continue;
		}
		IS_STRN(e.url, good[i].url, good[i].text);
		IS_STRN(e.label, good[i].label, good[i].text);
		IS_STRN(e.unix_path, good[i].unix_path, good[i].text);
		OKF(e.port == good[i].port && e.plain == good[i].plain &&
		    e.is_name == good[i].is_name, "%s: facts", good[i].text);
		judge_endpoint_done(&e);
	}
	for (i = 0; i < AEG_NELEM(bad); i++) {
		err = (struct err)ERR_INIT;
		IS_INTN(judge_endpoint_parse(bad[i].text,
		    &judge_format_openai, "m", &e, &err), bad[i].code,
		    bad[i].text[0] != '\0' ? "refused" : "empty");
		OKF(e.url == NULL && err.text[0] != '\0', "bad row %zu: %s", i,
		    err.text);
	}
	return tap_done();
}

/* SPDX-License-Identifier: ISC */
/* Files with endpoints: what is taken, what is refused, and where. */
#include "aegsh/validator_chain.h"
#include "tap.h"

#include <string.h>

static void
test_good(void)
{
	static const char text[] = "# ours\n"
	    "  quorum=2\n"
	    "[a.b-C_1]\n"
	    "url = \"https://h/v1\"  \n"
	    "model= m:7b\n"
	    "format = gemini\n"
	    "key-file = /k\n"
	    "ca-file = \"/c d\"\n"
	    "proxy = http://p:1\n"
	    "timeout = 100\n"
	    "attempts = 5\n"
	    "price-in = 0.000001\n"
	    "price-out = 12.5\n"
	    "\n"
	    "[b]\n"
	    "url = u";
	struct val_chain c = VAL_CHAIN_INIT;
	const struct val_endpoint *e = c.setup.endpoints;
	struct err err = ERR_INIT;

	IS_INT(val_chain_parse("F", text, sizeof text - 1, &c, &err), 0);
	OK(c.setup.n == 2 && c.setup.quorum == 2);
	IS_STR(e[0].name, "a.b-C_1");
	IS_STR(e[0].url, "https://h/v1");
	IS_STR(e[0].model, "m:7b");
	IS_STR(e[0].format, "gemini");
	IS_STR(e[0].key_file, "/k");
	IS_STR(e[0].ca_file, "/c d");
	IS_STR(e[0].proxy, "http://p:1");
	OK(e[0].timeout_ms == 100 && e[0].attempts == 5);
	OK(e[0].price_in == 1 && e[0].price_out == 12500000);
	IS_STR(e[1].format, "openai-chat");
	OK(e[1].timeout_ms == 0 && e[1].attempts == 2 && e[1].price_in == 0);
	IS_STR(e[1].key, "");
	val_chain_done(&c);
	val_chain_done(&c);
}

static void
test_bad(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "F: no [NAME]" },
		{ "[a]\n", "F: [a] has no url" },
		{ "[a\nurl = u\n", "F:1: a section is [NAME]" },
		{ "[]\n", "F:1: a section's name" },
		{ "[a]x\n", "F:1: a section is [NAME]" },
		{ "[0123456789012345678901234567890123]\n", "F:1: a section" },
		{ "[a]\nurl = u\n[a]\nurl = u\n", "F:3: [a] is there" },
		{ "url = u\n", "F:1: only quorum" },
		{ "quorum = 0\n", "F:1: quorum is a number" },
		{ "quorum = 9\n", "F:1: quorum is a number" },
		{ "quorum = 2\n[a]\nurl = u\n", "F: quorum is 2" },
		{ "[a]\nurl\n", "F:2: not of the form" },
		{ "[a]\nurl = \"u\n", "F:2: a quote is open" },
		{ "[a]\nurl = \"u\" x\n", "F:2: a quote is open" },
		{ "[a]\nurl = a\"b\n", "F:2: quotes and backslashes" },
		{ "[a]\nurl = a\\b\n", "F:2: quotes and backslashes" },
		{ "[a]\nurls = u\n", "F:2: no such setting: 'urls'" },
		{ "[a]\nURL = u\n", "F:2: no such setting" },
		{ "[a]\nformat = openai-cha\n", "F:2: format is one of" },
		{ "[a]\nformat = \"openai-chat gemini\"\n", "F:2: format is" },
		{ "[a]\nformat = \"\"\n", "F:2: format is one of" },
		{ "[a]\ntimeout = 99\n", "F:2: timeout is a number" },
		{ "[a]\ntimeout = 60001\n", "F:2: timeout is a number" },
		{ "[a]\nattempts = 0\n", "F:2: attempts is a number" },
		{ "[a]\nprice-in = -1\n", "F:2: a price is" },
		{ "[a]\nprice-in = 1.\n", "F:2: a price is" },
		{ "[a]\nprice-in = 1.2345678\n", "F:2: a price is" },
		{ "[a]\nprice-in = 1.2x\n", "F:2: a price is" },
		{ "[a]\nprice-in = 1000001\n", "F:2: a price is" },
		{ "[a]\nprice-in = 00000000000000000000001\n", "F:2: not a" },
		{ "[a]\nkey-env = A-B\n", "F:2: key-env is the name" },
		{ "[a]\nkey-credential = ../x\n", "F:2: key-credential" },
		{ "[a]\nkey-credential = \"\"\n", "F:2: key-credential" },
		{ "[a]\nurl = \x01\n", "F: control" },
		{ "[a]\nurl = \xff\n", "F: control" },
		{ "[a]\nurl = \xe2\x80\xae\n", "F: control" },
	};
	static const char nul[] = "[a]\nurl = u\0v\n";
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct val_chain c = VAL_CHAIN_INIT;
		struct err err = ERR_INIT;

		OKF(val_chain_parse("F", rows[i].text, strlen(rows[i].text),
		    &c, &err) < 0 && strncmp(err.text, rows[i].words,
		    strlen(rows[i].words)) == 0 && c.setup.n == 0,
		    "row %zu: %s", i, err.text);
	}
	struct val_chain c = VAL_CHAIN_INIT;
	OKF(val_chain_parse("F", nul, sizeof nul - 1, &c, NULL) < 0,
	    "a NUL is refused");
}

int
main(void)
{
	test_good();
	test_bad();
	return tap_done();
}

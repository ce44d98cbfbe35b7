/* SPDX-License-Identifier: ISC */
/*
 * The operator's files of the validator: endpoints ('c' in front) and rules
 * for redaction ('r').  What is taken holds to its limits; what is refused
 * says where.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/redact.h"
#include "aegsh/validator_chain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
chain(const char *text, size_t len)
{
	struct val_chain c = VAL_CHAIN_INIT;
	struct buf packed = BUF_INIT;
	struct val_setup got;
	struct err err = ERR_INIT;
	size_t i;

	if (val_chain_parse("F", text, len, &c, &err) < 0) {
		must(strncmp(err.text, "F:", 2) == 0);
		return;
	}
	must(c.setup.n >= 1 && c.setup.n <= VAL_CHAIN_MAX);
	must(c.setup.quorum >= 1 && c.setup.quorum <= c.setup.n);
	for (i = 0; i < c.setup.n; i++)
		must(c.setup.endpoints[i].url[0] != '\0' &&
		    strlen(c.setup.endpoints[i].name) < VAL_NAME_MAX &&
		    c.setup.endpoints[i].attempts >= 1);
	/* What is taken travels whole, or says that it is too long. */
	if (val_setup_pack(&c.setup, &packed, NULL) == 0) {
		must(val_setup_unpack(packed.data, packed.len, &got,
		    NULL) == 0 && got.n == c.setup.n);
		for (i = 0; i < got.n; i++)
			must(strcmp(got.endpoints[i].url,
			    c.setup.endpoints[i].url) == 0);
	}
	buf_done(&packed);
	val_chain_done(&c);
}

static void
rules(const char *text, size_t len)
{
	static const char line[] = "x --token a1b2c3d4e5f6 ACME-0123456789abcd"
	    " y; rm -rf /";
	struct redact *r = redact_new();
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;

	if (redact_rules_add(r, "F", text, len, &err) < 0)
		must(strncmp(err.text, "F:", 2) == 0 ||
		    strncmp(err.text, "more", 4) == 0);
	redact_text(r, &out, line, sizeof line - 1);
	must(strstr(out.data, "; ") != NULL && strstr(out.data, " /") != NULL);
	buf_done(&out);
	redact_free(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1 || size > 65536)
		return 0;
	if (data[0] == 'c')
		chain((const char *)data + 1, size - 1);
	else if (data[0] == 'r')
		rules((const char *)data + 1, size - 1);
	return 0;
}

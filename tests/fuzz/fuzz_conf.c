/* SPDX-License-Identifier: ISC */
/*
 * A settings file of any bytes: it is refused with file and line, or every
 * value it sets passes the check of its row again.
 */
#include "conf/conf_int.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf_setting set[CONF_COUNT] = { { NULL, 0, 0 } };
	AEG_AUTOFREE char *text = xmemdup0(data, size);
	struct err err = ERR_INIT;
	int id, rc;

	rc = conf_file_parse("f", text, size, set, &err);
	must(rc == 0 || (err.code == rc && strncmp(err.text, "f:", 2) == 0),
	    "an error says where");
	for (id = 0; id < CONF_COUNT; id++) {
		int64_t number = -1;

		if (rc == 0 && set[id].text != NULL) {
			must(conf_value_check(conf_row((enum conf_id)id),
			    set[id].text, &number, NULL) == 0 &&
			    number == set[id].number && set[id].line >= 1,
			    "a value is one of its row");
			must(memmem(data, size, "${", 2) == NULL ||
			    memchr(data, '#', size) != NULL,
			    "the environment sets nothing");
		}
		free(set[id].text);
	}
	return 0;
}

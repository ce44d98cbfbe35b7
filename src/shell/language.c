/* SPDX-License-Identifier: ISC */
/*
 * The person's language, at a prompt.  What programs read is English whatever
 * the environment says; and of that only the name of a language is taken,
 * for a catalogue that the operator has installed.
 */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/tr.h"
#include "shell/shell_int.h"

static const char *
wanted(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return "";
}

void
shell_speak(void)
{
	char names[2][TR_NAME_SIZE];
	size_t i, n = tr_names(wanted(), names);

	if (n == 0 || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		return;
	for (i = 0; i < n; i++) {
		AEG_AUTOFREE char *path = xasprintf(
		    "%s/%s/LC_MESSAGES/aegsh.mo", sysdirs()->locale, names[i]);
		AEG_AUTO(buf_done) struct buf text = BUF_INIT;
		struct err err = ERR_INIT;

		/* One that is not there, or not to be trusted, is left out:
		 * there is nothing that it could have said. */
		if (conf_trust_read(path, (uid_t)-1, TR_MAX, &text, &err) ==
		    0 && tr_use(text.data, text.len, &err) == 0)
			return;
	}
}

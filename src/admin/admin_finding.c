/* SPDX-License-Identifier: ISC */
/* What a check found, of aegsh or of a user's environment: the same for
 * both, as a document and as text. */
#include "admin_int.h"

json_t *
admin_evidence_json(const char *file, unsigned line, const char *text)
{
	json_t *o = json_object();

	admin_json_text(o, "file", file);
	json_object_set_new(o, "line", line > 0 ? json_integer(line) :
	    json_null());
	admin_json_text(o, "text", text);
	return o;
}

void
admin_say_finding(struct admin *a, const char *severity, const char *id,
    const char *what)
{
	admin_say(a, "%s %s\n", severity, id);
	admin_say_folded(a, 2, "  %s.", what);
}

void
admin_say_evidence(struct admin *a, const char *file, unsigned line,
    const char *text)
{
	admin_say(a, "  %s", file != NULL ? file : "");
	if (file != NULL && line > 0)
		admin_say(a, ":%u", line);
	admin_say(a, "%s%s\n", file != NULL && text != NULL ? ": " : "",
	    text != NULL ? text : "");
}

void
admin_say_remedy(struct admin *a, const char *remedy)
{
	admin_say_folded(a, 2, "  %s", remedy);
}

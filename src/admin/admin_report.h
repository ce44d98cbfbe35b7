/* SPDX-License-Identifier: ISC */
/*
 * A report: counted from rows into one JSON document, which is what --json
 * prints and what the text and the page are made of.
 */
#ifndef AEGSH_ADMIN_REPORT_H
#define AEGSH_ADMIN_REPORT_H

#include "admin_read.h"

struct admin_report;

/* Rows from since_ns on are counted; older ones only tell what is usual. */
struct admin_report *admin_report_new(int64_t since_ns);
void admin_report_free(struct admin_report *r);
void admin_report_add(struct admin_report *r, const struct audit_row *row);
/*
 * {"since", "advisory", "lines", "users": [{"user", "sessions", "lines",
 * "refused", "failed", "unfinished", "confirmed", "declined", "secrets",
 * "first", "last", "rules": [{"rule", "lines"}],
 * "programs": [{"program", "lines"}],
 * "unusual": [{"program", "lines", "last"}]}],
 * "sessions": [{"user", "session", "host", "tty", "first", "last", "lines",
 * "refused", "confirmed", "declined"}], "sessions_left_out",
 * "days": [{"day", "lines", "refused"}], "hours": [24 numbers]}
 */
json_t *admin_report_document(struct admin_report *r);

/* What is said of one whose document has "advisory". */
extern const char admin_report_advisory[];

/* A moment as the document has it, for people: to the second, and in which
 * zone; owned. */
char *admin_report_moment(const char *text);

/* One page that needs nothing else: no script, no font, no address. */
void admin_report_html(struct admin *a, const json_t *document);

#endif

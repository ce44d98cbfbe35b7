/* SPDX-License-Identifier: ISC */
/* A store changed behind the back of its room, as who can write it could. */
#ifndef TESTS_STORE_SQL_H
#define TESTS_STORE_SQL_H

#include <sqlite3.h>

#include "scratch.h"

/* In the database of DIR of the scratch directory. */
static inline void
store_sql(const char *dir, const char *text)
{
	char path[4096];
	sqlite3 *db = NULL;

	snprintf(path, sizeof path, "%s/%s/audit.db", scratch_dir, dir);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(db));
		exit(99);
	}
	sqlite3_close(db);
}

#endif

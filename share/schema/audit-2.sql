-- SPDX-License-Identifier: ISC
-- From schema 1 to 2.  The column "interpreter" is added by the program,
-- because some stores of schema 1 have it already.
--
-- spool: how far the records of audit.spool are in the store; the id is
-- that of the spool, which begins anew with another one.

CREATE TABLE spool (
	id BLOB NOT NULL CHECK (length(id) = 8),
	slot INTEGER NOT NULL
) STRICT;

-- What an outcome looks for, and what --unfinished lists: few rows.
CREATE INDEX commands_open ON commands (session)
	WHERE ran = 1 AND status IS NULL;
CREATE INDEX sessions_open ON sessions (uuid) WHERE end_wall_ns IS NULL;

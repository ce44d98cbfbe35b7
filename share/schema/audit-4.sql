-- SPDX-License-Identifier: ISC
-- From schema 3 to 4.
--
-- The chain: one row for each thing that was recorded, in the order in
-- which it was.  kind says what: 1 a session that began, 2 its end, 3 a
-- line (intent), 4 its outcome, 5 a line and its outcome at once, 6 an
-- event, 7 a tombstone, 8 a session and 9 a line that outlived a deletion,
-- 10 a program, 11 a file, 12 an output.  row is its number in its table.
-- link is the SHA-256 of the link before and of the row; aegsh-audit(5)
-- gives the bytes.  What is older than the chain is not part of it.

ALTER TABLE sessions ADD COLUMN remote_port INTEGER;

ALTER TABLE commands ADD COLUMN argv BLOB;
ALTER TABLE commands ADD COLUMN votes TEXT;
ALTER TABLE commands ADD COLUMN answered_by TEXT;
ALTER TABLE commands ADD COLUMN tokens_in INTEGER;
ALTER TABLE commands ADD COLUMN tokens_out INTEGER;
ALTER TABLE commands ADD COLUMN cost INTEGER;
ALTER TABLE commands ADD COLUMN judge_ns INTEGER;
ALTER TABLE commands ADD COLUMN start_ns INTEGER;

CREATE TABLE execs (
	id INTEGER PRIMARY KEY,
	command INTEGER NOT NULL REFERENCES commands (id),
	writer TEXT NOT NULL CHECK (writer IN ('stand-alone', 'broker')),
	wall_ns INTEGER NOT NULL,
	mono_ns INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	ppid INTEGER NOT NULL,
	path BLOB NOT NULL,
	argv BLOB,
	decision TEXT
) STRICT;
CREATE INDEX execs_command ON execs (command);

CREATE TABLE files (
	id INTEGER PRIMARY KEY,
	command INTEGER NOT NULL REFERENCES commands (id),
	writer TEXT NOT NULL CHECK (writer IN ('stand-alone', 'broker')),
	wall_ns INTEGER NOT NULL,
	mono_ns INTEGER NOT NULL,
	path BLOB NOT NULL,
	change TEXT NOT NULL
	    CHECK (change IN ('made', 'changed', 'removed')),
	old_sha256 BLOB CHECK (length(old_sha256) = 32),
	new_sha256 BLOB CHECK (length(new_sha256) = 32)
) STRICT;
CREATE INDEX files_command ON files (command);

CREATE TABLE outputs (
	id INTEGER PRIMARY KEY,
	command INTEGER NOT NULL REFERENCES commands (id),
	writer TEXT NOT NULL CHECK (writer IN ('stand-alone', 'broker')),
	stream INTEGER NOT NULL CHECK (stream IN (1, 2)),
	head BLOB NOT NULL,
	tail BLOB,
	bytes INTEGER NOT NULL,
	cut INTEGER NOT NULL CHECK (cut IN (0, 1))
) STRICT;
CREATE INDEX outputs_command ON outputs (command);

CREATE TABLE chain (
	seq INTEGER PRIMARY KEY,
	kind INTEGER NOT NULL,
	row INTEGER NOT NULL,
	link BLOB NOT NULL CHECK (length(link) = 32)
) STRICT;

-- One row: what the store is called, and how far each table had got.
CREATE TABLE origin (
	store BLOB NOT NULL CHECK (length(store) = 16),
	sessions INTEGER NOT NULL,
	commands INTEGER NOT NULL,
	events INTEGER NOT NULL
) STRICT;
INSERT INTO origin (store, sessions, commands, events) SELECT
	randomblob(16),
	(SELECT coalesce(max(id), 0) FROM sessions),
	(SELECT coalesce(max(id), 0) FROM commands),
	(SELECT coalesce(max(id), 0) FROM events);

-- Every so many links, and when a session ends: the root of the tree over
-- the links after the head before, up to seq.
CREATE TABLE heads (
	id INTEGER PRIMARY KEY,
	wall_ns INTEGER NOT NULL,
	seq INTEGER NOT NULL UNIQUE,
	link BLOB NOT NULL CHECK (length(link) = 32),
	root BLOB NOT NULL CHECK (length(root) = 32),
	public_key BLOB CHECK (length(public_key) = 32),
	signature BLOB CHECK (length(signature) = 64)
) STRICT;

-- A deletion: the chain now begins after seq, whose link is kept; root is
-- of the tree over the links that went.
CREATE TABLE tombstones (
	id INTEGER PRIMARY KEY,
	wall_ns INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	link BLOB NOT NULL CHECK (length(link) = 32),
	root BLOB NOT NULL CHECK (length(root) = 32),
	removed INTEGER NOT NULL
) STRICT;

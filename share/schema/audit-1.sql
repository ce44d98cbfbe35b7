-- SPDX-License-Identifier: ISC
-- The audit store, schema 1.  aegsh-audit(5) explains each column.  A
-- released schema file never changes: a later one alters it, and
-- src/audit/audit_schema.c lists them in order.
--
-- Times are nanoseconds: wall since 1970, mono since the boot named by the
-- session's boot_id.  writer says who wrote the row: a stand-alone shell
-- (its user could have written it as well) or the broker.

CREATE TABLE sessions (
	id INTEGER PRIMARY KEY,
	uuid BLOB NOT NULL CHECK (length(uuid) = 16),
	writer TEXT NOT NULL CHECK (writer IN ('stand-alone', 'broker')),
	boot_id TEXT NOT NULL,
	start_wall_ns INTEGER NOT NULL,
	start_mono_ns INTEGER NOT NULL,
	end_wall_ns INTEGER,
	end_mono_ns INTEGER,
	pid INTEGER NOT NULL,
	uid INTEGER NOT NULL,
	loginuid INTEGER,
	user TEXT NOT NULL,
	tty TEXT,
	remote TEXT,
	origin TEXT,
	host TEXT,
	version TEXT,
	profile TEXT,
	policy_hash TEXT
) STRICT;

CREATE TABLE commands (
	id INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (id),
	uuid BLOB NOT NULL CHECK (length(uuid) = 16),
	writer TEXT NOT NULL CHECK (writer IN ('stand-alone', 'broker')),
	wall_ns INTEGER NOT NULL,
	mono_ns INTEGER NOT NULL,
	line BLOB NOT NULL,
	sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
	cwd BLOB,
	origin TEXT,
	decision TEXT NOT NULL,
	source TEXT,
	rule TEXT,
	reason TEXT,
	model TEXT,
	answer TEXT,
	confidence INTEGER,
	latency_ns INTEGER,
	ran INTEGER NOT NULL CHECK (ran IN (0, 1)),
	status INTEGER,
	signal INTEGER,
	duration_ns INTEGER,
	cpu_ns INTEGER,
	maxrss_kib INTEGER,
	note TEXT
) STRICT;

CREATE TABLE events (
	id INTEGER PRIMARY KEY,
	session INTEGER REFERENCES sessions (id),
	writer TEXT NOT NULL CHECK (writer IN ('stand-alone', 'broker')),
	wall_ns INTEGER NOT NULL,
	mono_ns INTEGER NOT NULL,
	kind TEXT NOT NULL,
	text TEXT
) STRICT;

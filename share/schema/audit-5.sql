-- SPDX-License-Identifier: ISC
-- From schema 4 to 5.
--
-- From here on each row gets its link.  What a store of schema 4 took in
-- has none, and is older than the chain, like all before it.

UPDATE origin SET
	sessions = (SELECT coalesce(max(id), 0) FROM sessions),
	commands = (SELECT coalesce(max(id), 0) FROM commands),
	events = (SELECT coalesce(max(id), 0) FROM events)
	WHERE NOT EXISTS (SELECT 1 FROM chain);

-- SPDX-License-Identifier: ISC
-- From schema 5 to 6.
--
-- What lines wrote: of each stream its beginning and end, without secrets,
-- and where the line stands in the file of its session's output, with the
-- hash of that part.  None of these rows had been written before.

ALTER TABLE outputs ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outputs ADD COLUMN redacted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outputs ADD COLUMN file_offset INTEGER;
ALTER TABLE outputs ADD COLUMN file_length INTEGER;
ALTER TABLE outputs ADD COLUMN file_sha256 BLOB
    CHECK (length(file_sha256) = 32);

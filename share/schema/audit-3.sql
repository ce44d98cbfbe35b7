-- SPDX-License-Identifier: ISC
-- From schema 2 to 3.
--
-- redacted: how many secrets of the line were replaced by tags before it
-- was recorded.  sha256 is the hash of the line as it stands here.

ALTER TABLE commands ADD COLUMN redacted INTEGER NOT NULL DEFAULT 0;

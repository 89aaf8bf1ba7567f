-- A database of SQLite, as the first version of its format made it: read by tests/server/records/test_kept.py.
BEGIN TRANSACTION;
CREATE TABLE fairplay_store (
	format VARCHAR(64) NOT NULL,
	PRIMARY KEY (format)
);
INSERT INTO "fairplay_store" VALUES('fairplay secrets 1');
CREATE TABLE secrets (
	record_id VARCHAR(128) NOT NULL,
	player VARCHAR(64) NOT NULL,
	secret VARCHAR(256) NOT NULL,
	PRIMARY KEY (record_id, player)
);
INSERT INTO "secrets" VALUES('g1','ann','s3cret');
INSERT INTO "secrets" VALUES('g1','bob','other');
COMMIT;

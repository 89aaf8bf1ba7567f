-- A database of SQLite, as the first version of its format made it: read by tests/server/records/test_kept.py.
BEGIN TRANSACTION;
CREATE TABLE accounts (
	"key" VARCHAR(64) NOT NULL,
	name VARCHAR(64) NOT NULL,
	role VARCHAR(16) NOT NULL,
	subject VARCHAR(256) NOT NULL,
	PRIMARY KEY ("key")
);
INSERT INTO "accounts" VALUES('ann','Ann','operator','ann''s laptop');
INSERT INTO "accounts" VALUES('bob','Bob','player','');
INSERT INTO "accounts" VALUES('cy','Cy','','');
CREATE TABLE fairplay_store (
	format VARCHAR(64) NOT NULL,
	PRIMARY KEY (format)
);
INSERT INTO "fairplay_store" VALUES('fairplay accounts 1');
CREATE TABLE invitations (
	id VARCHAR(16) NOT NULL,
	digest BLOB NOT NULL,
	role VARCHAR(16) NOT NULL,
	left_count INTEGER NOT NULL,
	expires_s BIGINT,
	PRIMARY KEY (id)
);
INSERT INTO "invitations" VALUES('8c9d0e1f',X'404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F','organiser',3,1900000000);
INSERT INTO "invitations" VALUES('11223344',X'606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F','player',1,NULL);
CREATE TABLE owners (
	kind VARCHAR(16) NOT NULL,
	id VARCHAR(128) NOT NULL,
	account VARCHAR(64) NOT NULL,
	PRIMARY KEY (kind, id)
);
INSERT INTO "owners" VALUES('game','g1','ann');
INSERT INTO "owners" VALUES('game','g2','ann');
INSERT INTO "owners" VALUES('tournament','t','bob');
CREATE TABLE tokens (
	id VARCHAR(16) NOT NULL,
	digest BLOB NOT NULL,
	account VARCHAR(64) NOT NULL,
	expires_s BIGINT,
	PRIMARY KEY (id)
);
INSERT INTO "tokens" VALUES('0a1b2c3d',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F','ann',NULL);
INSERT INTO "tokens" VALUES('4e5f6a7b',X'202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F','bob',1900000000);
CREATE TABLE version (
	number INTEGER NOT NULL,
	PRIMARY KEY (number)
);
INSERT INTO "version" VALUES(11);
COMMIT;

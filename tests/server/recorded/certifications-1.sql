-- A database of SQLite, as the first version of its format made it: read by tests/server/records/test_kept.py.
BEGIN TRANSACTION;
CREATE TABLE certifications (
	number INTEGER NOT NULL, 
	account VARCHAR(64) NOT NULL, 
	message BLOB NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "certifications" VALUES(1,'bob',X'0A0830613162326333641204666973681A03616E6E30037801');
INSERT INTO "certifications" VALUES(2,'',X'0A0834653566366137621201711A0263793002');
CREATE TABLE fairplay_store (
	format VARCHAR(64) NOT NULL, 
	PRIMARY KEY (format)
);
INSERT INTO "fairplay_store" VALUES('fairplay certifications 1');
CREATE TABLE reports (
	number INTEGER NOT NULL, 
	form VARCHAR(16) NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (number, form)
);
INSERT INTO "reports" VALUES(1,'certificate.json',X'7B7D');
INSERT INTO "reports" VALUES(1,'junit.xml',X'3C782F3E');
COMMIT;

-- A GRDB database: player, team, tables in the forms that GRDB apps declare
-- Made from descriptions of the schema and dumps of real stores, not by GRDB.
PRAGMA journal_mode=WAL;  -- DatabasePool; a DatabaseQueue stays in DELETE mode
BEGIN;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('createTeam'),('createPlayer'),('v2 addAddress');
-- db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id"); t.column("name", .text).notNull() }
CREATE TABLE "team" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL);
CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "uuid" BLOB NOT NULL, "name" TEXT NOT NULL, "score" INTEGER NOT NULL, "isActive" BOOLEAN NOT NULL DEFAULT 0, "level" TEXT, "rating" DOUBLE, "createdAt" DATETIME NOT NULL, "birthday" DATE, "balance" TEXT, "price" NUMERIC, "website" TEXT, "avatar" BLOB, "address" TEXT, "tags" JSON, "teamId" INTEGER REFERENCES "team"("id") ON DELETE SET NULL, "label" TEXT GENERATED ALWAYS AS ("name" || ' #' || "score") VIRTUAL);
CREATE INDEX "player_on_teamId" ON "player"("teamId");
-- a table with a text key and no rowid, one with other strategies, a view
CREATE TABLE "setting" ("key" TEXT NOT NULL PRIMARY KEY, "value" ANY) WITHOUT ROWID;
CREATE TABLE "event" ("id" TEXT NOT NULL PRIMARY KEY, "at1970" DOUBLE, "atMs" INTEGER, "at2001" DOUBLE, "iso" TEXT);
CREATE TABLE "membership" ("teamId" INTEGER NOT NULL, "playerId" INTEGER NOT NULL, "since" DATE, PRIMARY KEY ("teamId", "playerId"));
CREATE VIEW "activePlayer" AS SELECT "id", "name", "score" * 2 AS "double" FROM "player" WHERE "isActive";
INSERT INTO "team" VALUES(1,'Red'),(2,'Blue');
INSERT INTO "player" ("id","uuid","name","score","isActive","level","rating","createdAt","birthday","balance","price","website","avatar","address","tags","teamId") VALUES
 (1,X'e621e1f8c36c495a93fc0c247a3e6e5f','Arthur',1000,1,'gold',0.1,'2024-02-29 23:59:59.999','1984-05-06','19.90','19.90','https://example.com/',X'00FF','{"street":"Rue 1","zip":75001,"geo":{"lat":48.85,"lng":2.35}}','["a","b"]',1),
 (2,X'00000000000000000000000000000001','Béa 👋',9007199254740993,0,NULL,NULL,'1969-12-31 00:00:00.000',NULL,'12345678901234567890.123456789',1000,NULL,X'','{"street":null}','[]',NULL),
 (3,X'000102030405060708090A0B0C0D0E0F','',-9223372036854775808,1,'bronze',-0.0,'0001-01-01 00:00:00.000','2001-01-01','-0.01','0.10','',NULL,NULL,NULL,2);
INSERT INTO "setting" VALUES('theme','dark'),('volume',0.5),('count',7),('blob',X'01'),('nothing',NULL);
INSERT INTO "event" VALUES('E621E1F8-C36C-495A-93FC-0C247A3E6E5F',1709251199.999,1709251199999,730943999.999,'2024-02-29T23:59:59Z'),('e621e1f8-c36c-495a-93fc-0c247a3e6e60',0,0,0,NULL);
INSERT INTO "membership" VALUES(1,1,'2024-01-01'),(2,1,NULL);
COMMIT;

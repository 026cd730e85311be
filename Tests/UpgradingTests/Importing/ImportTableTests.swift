import Foundation
import Molt
import TestSupport
import Testing

@Suite("A step that imports a table")
struct ImportTableTests {
    private static let columns: KeyValuePairs<PropertyPath, TableColumn> = [
        "name": .text("ZNAME"), "age": .integer("ZAGE"), "rank": .integer("ZRANK"), "views": .integer("ZVIEWS"),
        "isActive": .boolean("ZISACTIVE"), "born": .date("ZBIRTHDATE", .since2001), "ratio": .float("ZRATIO"),
        "score": .double("ZSCORE"), "balance": .decimal("ZBALANCE"), "homepage": .text("ZHOMEPAGE"),
        "id": .uuid("ZIDENTIFIER"), "avatar": .data("ZAVATAR"), "photo": .externalData("ZPHOTO"),
        ["place", "latitude"]: .double("ZLATITUDE"),
        ["place", "city"]: .text("ZCITY").of("ZADDRESS", through: "ZADDRESS"),
    ]

    private func people(
        of foreign: ForeignStore,
        _ table: String = "ZPERSON",
        entity: String? = "Person",
        onConflict policy: ConflictPolicy<Record> = .fail
    ) -> MigrationStep {
        .importTable(
            table,
            of: foreign.url,
            entity: entity,
            as: "Person",
            key: .integer("Z_PK"),
            keyPrefix: "person/",
            columns: Self.columns,
            onConflict: policy
        )
    }

    // MARK: Core Data

    @Test func `reads a store of Core Data, with its subentities, and what is in its log`() throws {
        let foreign = try ForeignStore("core-data")
        let photos = foreign.scratch.file(".Old_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        try Data("large".utf8).write(to: photos.appending(path: Self.photo))
        let writer = try SQLite(foreign.url)
        try writer.run(ForeignStore.sql("core-data-log"))
        let before = try Data(contentsOf: foreign.url)
        let log = try Data(contentsOf: foreign.scratch.file("Old.sqlite-wal"))
        #expect(!log.isEmpty)
        let found = try foreign.contents(try foreign.importing(people(of: foreign)))
        #expect(found.count == 9)
        #expect(
            found["person/1"] == #"""
                {"name":"Anna 👋","age":42,"rank":-7,"views":9007199254740993,"isActive":true,"born":-347155200.5,"ratio":0.1,"score":0.1,"balance":19.9,"homepage":"https://example.com/a%20b?q=1","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","avatar":"AP8Q","photo":"iVBORyBzbWFsbA==","place":{"latitude":50.9413,"city":"Köln"}}
                """#
        )
        #expect(found["person/2"] == "{}")
        #expect(
            found["person/4"]?.contains(#""views":-9223372036854775808,"isActive":true,"born":-63114076800"#) == true
        )
        #expect(found["person/6"] == #"{"name":"Carl","place":{"city":"Köln"}}"#)
        #expect(found["person/9"] == #"{"name":"only in the log","born":782462929}"#)
        #expect(found["person/3"]?.contains("\"photo\":\"\(Data("large".utf8).base64EncodedString())\"") == true)
        #expect(try Data(contentsOf: foreign.url) == before)
        #expect(try Data(contentsOf: foreign.scratch.file("Old.sqlite-wal")) == log)
    }

    private static let photo = "6F9619FF-8B86-D011-B42D-00C04FC964FF"

    @Test func `imports one entity of a table, and asks for it`() throws {
        let foreign = try ForeignStore("core-data")
        try foreign.failure(people(of: foreign, entity: nil))
            .expect(.suiteFailed, says: #""Person", "Customer", "Employee""#, "entity:")
        try foreign.failure(people(of: foreign, entity: "Emploee")).expect(
            .suiteFailed,
            says: "did you mean \"Employee\""
        )
        let cache = try foreign.importing(people(of: foreign, entity: "Employee"))
        #expect(try foreign.contents(cache).keys.sorted() == ["person/7", "person/8"])
    }

    /// The columns that have what no Core Data writes, by the number of the row.
    private static let odd = [
        101: "ZAGE", 102: "ZAGE", 104: "ZVIEWS", 105: "ZISACTIVE", 106: "ZNAME", 107: "ZNAME", 110: "ZBIRTHDATE",
        111: "ZBIRTHDATE", 112: "ZBIRTHDATE", 113: "ZSCORE", 115: "ZBALANCE", 116: "ZIDENTIFIER", 119: "ZPHOTO",
        120: "ZPHOTO", 121: "ZPHOTO", 122: "ZCITY",
    ]

    @Test func `names the row and the column of a value that is not of its kind, and imports nothing`() throws {
        let foreign = try ForeignStore("core-data", "core-data-odd")
        let connection = try SQLite(foreign.url)
        for (row, column) in Self.odd {
            try connection.run("DELETE FROM ZPERSON WHERE Z_PK NOT IN (SELECT Z_PK FROM ZPERSON WHERE Z_PK > 100)")
            try connection.run("CREATE TABLE one AS SELECT * FROM ZPERSON WHERE Z_PK = \(row)")
            defer { try? connection.run("DROP TABLE one") }
            let error = try foreign.failure(people(of: foreign, "one"))
            error.expect(.typeMismatch, key: "person/\(row)", type: "Person", says: "the row 1 of", "\"\(column)\"")
            #expect(!error.description.contains("forty") && !error.description.contains("secret"))
        }
    }

    @Test func `quarantines such rows under the policy, with their values as they were`() throws {
        let foreign = try ForeignStore("core-data", "core-data-odd")
        let step = people(of: foreign).onFailure(.quarantine(upTo: .unlimited))
        let cache = try foreign.importing(step)
        let rows = try cache.quarantined()
        #expect(Set(rows.map(\.key)) == Set(Self.odd.keys.map { "person/\($0)" } + ["person/3"]))
        let text = try #require(rows.first { $0.key == "person/101" })
        #expect(
            String(decoding: text.content, as: UTF8.self).hasPrefix(
                #"{"Z_PK":101,"ZNAME":"text in a number","ZAGE":"forty-two""#
            )
        )
        #expect(try cache.contains("person/109") && cache.contains("person/\(Int64.max)"))
        #expect(cache.report.entries[0].counts.quarantined == rows.count)
        // They are not in the form of records.
        let retried = try cache.retryQuarantined(with: [Migration(to: 1, "import", step)])
        #expect(retried.allSatisfy { "\($0)".contains("could not import it") })
        #expect(try cache.quarantined().count == rows.count)
    }

    @Test func `quarantines a row with the key of one before, and one without a key`() throws {
        let foreign = try ForeignStore("grdb")
        let connection = try SQLite(foreign.url)
        try connection.run("CREATE TABLE twice (id TEXT, n INTEGER)")
        try connection.run("INSERT INTO twice VALUES ('a', 1), ('a', 'x'), ('', 2), (NULL, 3), ('b', 4)")
        let step = MigrationStep.importTable(
            "twice",
            of: foreign.url,
            as: "T",
            key: .text("id"),
            columns: ["n": .integer("n")]
        )
        let cache = try foreign.importing(step.onFailure(.quarantine(upTo: .unlimited)))
        #expect(try cache.quarantined().map(\.key) == ["a, the row 2", "the row 3", "the row 4"])
        #expect(try foreign.contents(cache) == ["a": #"{"n":1}"#, "b": #"{"n":4}"#])
    }

    @Test func `leaves out a null of the row that it refers to, and needs no collations of the other library`() throws {
        let foreign = try ForeignStore("core-data")
        let street = MigrationStep.importTable(
            "ZPERSON",
            of: foreign.url,
            entity: "Person",
            as: "P",
            key: .integer("Z_PK"),
            columns: ["street": .text("ZSTREET").of("ZADDRESS", through: "ZADDRESS")]
        )
        let found = try foreign.contents(try foreign.importing(street))
        #expect(found["1"] == #"{"street":"Domplatz 1"}"# && found["3"] == "{}")
    }

    @Test func `reports rows of an entity that the database does not name`() throws {
        let foreign = try ForeignStore("core-data")
        try SQLite(foreign.url).run("INSERT INTO ZPERSON (Z_PK, Z_ENT) VALUES (123, 99), (124, NULL)")
        // One has a photo whose file is missing.
        let cache = try foreign.importing(people(of: foreign).onFailure(.quarantine(upTo: 1)))
        #expect(try cache.count() == 7)
        #expect(cache.report.description.contains("rows of entities that the database does not name: 2"))
    }

    @Test func `brings many-to-many relationships into records, as the guide does`() throws {
        let foreign = try ForeignStore()
        let url = foreign.url
        try SQLite(url).run(
            """
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(2, 'Person', 0, 3), (5, 'Tag', 0, 2);
            CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID BLOB, ZNAME VARCHAR);
            INSERT INTO ZPERSON VALUES(1, 2, 1, zeroblob(16), 'Ada'), (2, 2, 1, randomblob(16), 'Bob');
            CREATE TABLE ZTAG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO ZTAG VALUES(1, 5, 1, 'friend'), (2, 5, 1, 'vip');
            CREATE TABLE Z_2TAGS(Z_2PEOPLE INTEGER, Z_5TAGS INTEGER, PRIMARY KEY(Z_2PEOPLE, Z_5TAGS));
            INSERT INTO Z_2TAGS VALUES(1, 2), (1, 1);
            """
        )
        let people = MigrationStep.importTable(
            "ZPERSON",
            of: url,
            as: "Person",
            key: .uuid("ZID"),
            columns: ["name": .text("ZNAME")]
        )
        // swift-format-ignore
        let tags = MigrationStep.importTable(
            "Z_2TAGS", of: url, as: "Person", key: .uuid("ZID").of("ZPERSON", through: "Z_2PEOPLE"),
            columns: ["tag": .text("ZNAME").of("ZTAG", through: "Z_5TAGS")],
            onConflict: .merge { person, row in
                person["tags"] = .array((person["tags"]?.array ?? []) + [.string(try row.string("tag"))])
            }
        )
        let found = try foreign.contents(try foreign.importing(people, tags))
        #expect(found.values.sorted() == [#"{"name":"Ada","tags":["vip","friend"]}"#, #"{"name":"Bob"}"#])
    }

    // MARK: GRDB

    @Test func `reads the forms of GRDB`() throws {
        let foreign = try ForeignStore("grdb")
        let step = MigrationStep.importTable(
            "player",
            of: foreign.url,
            as: "Player",
            key: .uuid("uuid"),
            columns: [
                "name": .text("name"), "isActive": .boolean("isActive"), "created": .date("createdAt", .text),
                "birthday": .date("birthday", .text), "balance": .decimal("balance"), "address": .json("address"),
                "tags": .json("tags"), "team": .text("name").of("team", through: "teamId", key: "id"),
                "label": .text("label"),
            ]
        )
        let found = try foreign.contents(try foreign.importing(step))
        #expect(
            found["E621E1F8-C36C-495A-93FC-0C247A3E6E5F"] == #"""
                {"name":"Arthur","isActive":true,"created":730943999.999,"birthday":-525657600,"balance":19.90,"address":{"street":"Rue 1","zip":75001,"geo":{"lat":48.85,"lng":2.35}},"tags":["a","b"],"team":"Red","label":"Arthur #1000"}
                """#
        )
        #expect(found["00000000-0000-0000-0000-000000000001"]?.contains("12345678901234567890.123456789") == true)
    }

    @Test func `reads tables without row numbers, views and dates in other forms`() throws {
        let foreign = try ForeignStore("grdb")
        let setting = MigrationStep.importTable(
            "setting",
            of: foreign.url,
            as: "Setting",
            key: .text("key"),
            columns: ["value": .integer("value")]
        )
        try foreign.failure(setting).expect(.typeMismatch, says: "row", "\"value\"", "an integer expected")
        let event = MigrationStep.importTable(
            "event",
            of: foreign.url,
            as: "Event",
            key: .uuid("id"),
            columns: [
                "a": .date("at1970", .since1970), "b": .date("atMs", .millisecondsSince1970),
                "c": .date("at2001", .since2001), "d": .date("iso", .text),
            ]
        )
        let active = MigrationStep.importTable(
            "activePlayer",
            of: foreign.url,
            as: "Player",
            key: .integer("id"),
            columns: ["score": .double("double")]
        )
        let found = try foreign.contents(try foreign.importing(event, active))
        #expect(
            found["E621E1F8-C36C-495A-93FC-0C247A3E6E5F"]
                == #"{"a":730943999.999,"b":730943999.999,"c":730943999.999,"d":730943999}"#
        )
        #expect(found["1"] == #"{"score":2000}"#)
    }

    // MARK: The form of the records

    @Test func `writes dates and data with the migration's coders, and later migrations go on`() throws {
        let foreign = try ForeignStore("core-data")
        let coding = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
            encoder.dataEncodingStrategy = .custom { data, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(data.count)
            }
        }
        let step = MigrationStep.importTable(
            "ZPERSON",
            of: foreign.url,
            entity: "Customer",
            as: "Person",
            key: .integer("Z_PK"),
            columns: ["since": .date("ZSINCE", .since2001), "name": .text("ZNAME"), "avatar": .data("ZTITLE")]
        )
        try foreign.failure(step).expect(.typeMismatch, property: "avatar", says: "data expected, text found")
        let good = MigrationStep.importTable(
            "ZPERSON",
            of: foreign.url,
            entity: "Person",
            as: "Person",
            key: .integer("Z_PK"),
            columns: ["since": .date("ZSINCE", .since2001), "name": .text("ZNAME"), "avatar": .data("ZAVATAR")]
        )
        let migrations: MigrationRegistry = [
            Migration(to: 1, "import", good).coding(coding),
            Migration(to: 2, "rename", .renameProperty("Person", "name", to: "fullName")),
        ]
        let found = try foreign.contents(CodableCache(at: foreign.store, migrations: migrations))
        #expect(found["6"] == #"{"since":"2025-10-18T06:48:48Z","fullName":"Carl"}"#)
        #expect(found["1"] == #"{"fullName":"Anna 👋","avatar":3}"#)
    }

    @Test func `has a fingerprint that depends on what is declared, but not on the file's place`() throws {
        func fingerprint(_ file: String, _ column: TableColumn, key: TableColumn = .integer("id")) -> String {
            let url = URL(filePath: file)
            let step = MigrationStep.importTable("t", of: url, as: "T", key: key, columns: ["a": column])
            return Migration(to: 1, "import", step).fingerprint
        }
        let first = fingerprint("/a/b.sqlite", .date("a", .since2001))
        #expect(first == fingerprint("/c/d.sqlite", .date("a", .since2001)))
        let others = [
            fingerprint("/a", .date("a", .since1970)), fingerprint("/a", .text("a")), fingerprint("/a", .text("b")),
            fingerprint("/a", .text("a"), key: .uuid("id")), fingerprint("/a", .text("a").of("u", through: "a")),
        ]
        #expect(Set([first] + others).count == 6)
    }

    @Test func `is invalid if its declaration cannot be carried out`() {
        func faults(_ key: TableColumn, _ columns: KeyValuePairs<PropertyPath, TableColumn>) -> Int {
            let step = MigrationStep.importTable("t", of: URL(filePath: "/t"), as: "T", key: key, columns: columns)
            return MigrationRegistry([Migration(to: 1, "import", step)]).faults.count
        }
        #expect(faults(.integer("id"), ["a": .text("a"), "b": .text("a")]) == 0)
        #expect(faults(.date("id", .text), ["a": .text("a")]) == 1)
        #expect(faults(.text("id"), [:]) == 1)
        #expect(faults(.text("id"), ["a": .text("a"), ["a", "b"]: .text("b")]) == 1)
        #expect(faults(.text("id"), [["a", .each]: .text("a")]) == 1)
    }

    // MARK: Sources that change, and records that conflict

    @Test func `sees one state of the database, although another connection writes it meanwhile`() throws {
        let foreign = try ForeignStore("grdb")
        try SQLite(foreign.url).run("PRAGMA journal_mode=WAL")
        try Self.makeTable(of: 600, in: foreign)
        let writers = Log<SQLite.Failure?>()
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { [url = foreign.url] point in
            // Between the first rows and the last ones.
            guard point.kind == .insert, writers.count == 0 else { return }
            do {
                try SQLite(url).run(
                    "UPDATE many SET n = -1; DELETE FROM many WHERE id > 550; INSERT INTO many VALUES (0, 0)"
                )
                writers.append(nil)
            } catch {
                writers.append(error as? SQLite.Failure)
            }
        }
        let migrations: MigrationRegistry = [Migration(to: 1, "import", Self.many(of: foreign))]
        let cache = try CodableCache(at: foreign.store, migrations: migrations, configuration: configuration)
        #expect(writers.all.map { $0?.message } == [nil])
        let expected = (1...600).map { ("\($0)", #"{"n":\#($0)}"#) }
        #expect(try foreign.contents(cache) == Dictionary(uniqueKeysWithValues: expected))
        #expect(try SQLite(foreign.url).text("SELECT count(*) FROM many") == "551")
    }

    private static func makeTable(of count: Int, in foreign: ForeignStore) throws {
        let numbers = "WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < \(count))"
        try SQLite(foreign.url).run(
            "CREATE TABLE many (id INTEGER PRIMARY KEY, n INTEGER); \(numbers) INSERT INTO many SELECT i, i FROM number"
        )
    }

    private static func many(of foreign: ForeignStore) -> MigrationStep {
        .importTable("many", of: foreign.url, as: "Many", key: .integer("id"), columns: ["n": .integer("n")])
    }

    @Test func `stops at two different rows with one key, whatever the policy for rows, and takes equal ones once`()
        throws
    {
        let foreign = try ForeignStore("grdb")
        let connection = try SQLite(foreign.url)
        try connection.run("CREATE TABLE twice (id TEXT, n INTEGER)")
        try connection.run("INSERT INTO twice VALUES ('a', 1), ('b', 2), ('a', 1), ('b', 3)")
        let step = MigrationStep.importTable(
            "twice",
            of: foreign.url,
            as: "T",
            key: .text("id"),
            columns: ["n": .integer("n")]
        )
        for step in [step, step.onFailure(.quarantine(upTo: .unlimited))] {
            try foreign.failure(step).expect(.keyExists, key: "b", type: "T", says: "onConflict:")
        }
        try connection.run("DELETE FROM twice WHERE n = 3")
        #expect(try foreign.contents(foreign.importing(step)) == ["a": #"{"n":1}"#, "b": #"{"n":2}"#])
    }

    @Test func `stops if a row refers to several, because more would arrive than there are`() throws {
        let foreign = try ForeignStore("grdb")
        try SQLite(foreign.url).run(
            """
            CREATE TABLE owner (id INTEGER, name TEXT); CREATE TABLE pet (id INTEGER, owner INTEGER);
            INSERT INTO owner VALUES (1, 'A'), (1, 'A'); INSERT INTO pet VALUES (7, 1);
            """
        )
        let step = MigrationStep.importTable(
            "pet",
            of: foreign.url,
            as: "Pet",
            key: .integer("id"),
            columns: ["owner": .text("name").of("owner", through: "owner", key: "id")]
        )
        try foreign.failure(step).expect(.stepFailed, says: "should give 1 record, and has given 2")
    }

    @Test func `names the store, and not the other database, if there is no room for what it imports`() throws {
        let foreign = try ForeignStore("grdb")
        try Self.makeTable(of: 5_000, in: foreign)
        let before = try Data(contentsOf: foreign.url)
        let migrations: MigrationRegistry = [Migration(to: 1, "import", Self.many(of: foreign))]
        var configuration = MoltConfiguration()
        configuration.hooks.pageLimit = 40
        let error = MoltError.thrown {
            try CodableCache(at: foreign.store, migrations: migrations, configuration: configuration)
        }
        error?.expect(.storeFailed, store: foreign.store.path, says: "disk is full")
        #expect(error?.isOutOfSpace == true && error?.suite == nil)
        #expect(try Data(contentsOf: foreign.url) == before)
        #expect(try CodableCache(at: foreign.store, migrations: migrations).count() == 5_000)
    }

    // MARK: Names and files

    @Test func `names what the database lacks`() throws {
        let foreign = try ForeignStore("core-data")
        func step(_ table: String, _ column: TableColumn) -> MigrationStep {
            .importTable(
                table,
                of: foreign.url,
                entity: "Person",
                as: "P",
                key: .integer("Z_PK"),
                columns: ["a": column]
            )
        }
        try foreign.failure(step("ZPERSONS", .text("ZNAME"))).expect(.suiteFailed, says: "did you mean \"ZPERSON\"")
        // SQLite would take an unknown name in double quotes for a string.
        try foreign.failure(step("ZPERSON", .text("ZNAMES"))).expect(.suiteFailed, says: "did you mean \"ZNAME\"")
        let dangling = TableColumn.text("ZSTREE").of("ZADDRESS", through: "ZADDRESS")
        try foreign.failure(step("ZPERSON", dangling)).expect(.suiteFailed, says: "\"ZADDRESS\"", "\"ZSTREET\"")
        #expect(try foreign.contents(try foreign.importing(step("zperson", .text("zname")))).count == 8)
    }

    @Test func `treats a missing file as empty, and refuses one that is no database, is damaged or in use`() throws {
        let foreign = try ForeignStore("grdb")
        func step(_ url: URL) -> MigrationStep {
            .importTable("team", of: url, as: "Team", key: .integer("id"), columns: ["name": .text("name")])
        }
        let missing = try foreign.importing(step(foreign.scratch.file("none.sqlite")))
        #expect(try missing.count() == 0 && missing.report.description.contains("there is no such file"))
        missing.close()
        try FileManager.default.removeItem(at: foreign.store)
        let text = foreign.scratch.file("text.sqlite")
        try Data(repeating: 0x41, count: 5_000).write(to: text)
        try foreign.failure(step(text)).expect(.suiteFailed, says: "cannot be read")
        try Data().write(to: text)
        try foreign.failure(step(text)).expect(.suiteFailed, says: "has no table \"team\"")
        try foreign.failure(step(foreign.scratch.url)).expect(.suiteFailed)
        // A file that was cut off.
        let writer = try SQLite(foreign.url)
        try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        let whole = try Data(contentsOf: foreign.url)
        try whole.dropLast(2_048).write(to: text)
        try foreign.failure(step(text)).expect(.suiteFailed, says: "the end of the file is missing")
        try writer.run("PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE")
        var configuration = MoltConfiguration()
        configuration.timeout = .milliseconds(20)
        let busy = MoltError.thrown {
            try CodableCache(
                at: foreign.store,
                migrations: [Migration(to: 1, "i", step(foreign.url))],
                configuration: configuration
            )
        }
        busy?.expect(.busy, says: "is in use")
    }

    @Test func `is counted by a dry run, which shows samples and imports nothing`() throws {
        let foreign = try ForeignStore("grdb")
        try CodableCache(at: foreign.store, migrations: []).close()
        let step = MigrationStep.importTable(
            "team",
            of: foreign.url,
            as: "Team",
            key: .integer("id"),
            columns: ["name": .text("name")]
        )
        let report = try CacheFile(at: foreign.store).dryRunAndWait([Migration(to: 1, "import", step)], samples: 5)
        #expect(report.entries[0].counts.created == 2 && report.entries[0].counts.read == 2)
        #expect(report.entries[0].steps[0].samples.map(\.key) == ["1", "2"])
        #expect(try CacheFile(at: foreign.store).version() == 0)
    }
}

import Foundation
import Generators
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite("Fixture files")
struct FixtureFileTests {
    private static let ledger: [LedgerEntry] = {
        var applied = LedgerEntry(
            name: "alien-becomes-person",
            version: 2,
            appliedAt: Date(timeIntervalSince1970: 0),
            moltVersion: ""
        )
        applied.fingerprint = "abc"
        var deferred = LedgerEntry(
            name: "to-group",
            version: 2,
            outcome: .deferred,
            appliedAt: Date(timeIntervalSince1970: 1_700_000_000.25),
            moltVersion: "0.1"
        )
        deferred.duration = 0.1
        deferred.counts.read = 3
        deferred.counts.dropped = 1
        deferred.attachedCounts = ["standard": 4]
        deferred.appVersion = "2.0"
        deferred.corrections = [
            LedgerCorrection(.markedPending, reason: "r", date: Date(timeIntervalSince1970: 1_700_000_000.5)),
            LedgerCorrection(
                .acceptedEdit,
                reason: "",
                date: Date(timeIntervalSince1970: 1_700_000_001),
                appVersion: "2.1"
            ),
        ]
        return [applied, deferred]
    }()

    static let example = StoreFixture(
        version: 2,
        ledger: ledger,
        records: [
            .init(
                "john",
                "Person",
                .json(#"{"fullName":"J: \"{[,","age":18446744073709551615,"n":[1.50,-0,1E+2],"n":{"a":{},"b":[]}}"#),
                expiration: Date(timeIntervalSince1970: 1_790_000_000.5),
                version: 1
            ),
            .init("photo", "Data", .data(Data([0, 1, 2]))),
            .init("odd", "Person", .json(#"{ "a" : 1 }"#)),
            .init("damaged", "Person", .init(bytes: [0x22, 0xFF, 0x22], isData: false)),
            .init("cut", "Person", .json(#"{"a":"#)),
            .init("", "", .json("")),
            .init("42", "Int", .json("42")),
        ],
        suites: [
            Molt.Suite("group.example"): [:],
            .standard: [
                "theme": "dark",
                "count": 1,
                "a key": .dictionary([
                    "list": ["a", true, 2.5, .unsigned(.max)],
                    "since": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
                ]),
                "bytes": .data(Data([255])),
                "none": .double(.nan),
            ],
        ]
    )

    static let text = #"""
        {
          "format": 1,
          "schemaVersion": 2,
          "ledger": [
            {
              "name": "alien-becomes-person",
              "version": 2,
              "fingerprint": "abc"
            },
            {
              "name": "to-group",
              "version": 2,
              "outcome": "deferred",
              "attachedCounts": {"standard": 4},
              "appliedAt": 1700000000.25,
              "duration": 0.1,
              "counts": {
                "read": 3,
                "dropped": 1
              },
              "appVersion": "2.0",
              "moltVersion": "0.1",
              "corrections": [
                {
                  "kind": "markedPending",
                  "reason": "r",
                  "date": 1700000000.5
                },
                {
                  "kind": "acceptedEdit",
                  "reason": "",
                  "date": 1700000001,
                  "appVersion": "2.1"
                }
              ]
            }
          ],
          "records": [
            {
              "key": "john",
              "type": "Person",
              "expires": 1790000000.5,
              "version": 1,
              "content": {
                "fullName": "J: \"{[,",
                "age": 18446744073709551615,
                "n": [1.50, -0, 1E+2],
                "n": {
                  "a": {},
                  "b": []
                }
              }
            },
            {
              "key": "photo",
              "type": "Data",
              "data": "AAEC"
            },
            {
              "key": "odd",
              "type": "Person",
              "text": "{ \"a\" : 1 }"
            },
            {
              "key": "damaged",
              "type": "Person",
              "bytes": "Iv8i"
            },
            {
              "key": "cut",
              "type": "Person",
              "text": "{\"a\":"
            },
            {
              "key": "",
              "type": "",
              "text": ""
            },
            {
              "key": "42",
              "type": "Int",
              "content": 42
            }
          ],
          "suites": {
            "standard": {
              "a key": {
                "dictionary": {
                  "list": [
                    "a",
                    true,
                    {"double": 2.5},
                    {"unsigned": 18446744073709551615}
                  ],
                  "since": {"date": 0.5}
                }
              },
              "bytes": {"data": "/w=="},
              "count": {"int": 1},
              "none": {"double": "nan"},
              "theme": "dark"
            },
            "suite group.example": {}
          }
        }

        """#

    @Test func `A fixture is written as readable JSON, and read back unchanged`() throws {
        #expect(Self.example.json == Self.text)
        #expect(try StoreFixture(json: Self.text) == Self.example)
    }

    @Test func `White space in a handwritten file is ignored, and every other byte of a content is kept`() throws {
        let fixture = try StoreFixture(
            json:
                "{\"schemaVersion\" :\t3,\r\n\"records\":[ { \"type\":\"T\" , \"content\" : { \"a b\" :\n [ 1 , 2.0 ],"
                + "\"\\u0061 \\\" \" :\"x : y\" } ,\"key\":\"\\u006b\\n\"} ],\"format\":1 }  "
        )
        let content = StoreFixture.Content.json(#"{"a b":[1,2.0],"\u0061 \" ":"x : y"}"#)
        #expect(fixture == StoreFixture(version: 3, records: [.init("k\n", "T", content)]))
    }

    @Test func `A ledger row needs only a name and a version`() throws {
        let text = #"{"format":1,"schemaVersion":1,"ledger":[{"name":"a","version":1}]}"#
        let row = LedgerEntry(name: "a", version: 1, appliedAt: Date(timeIntervalSince1970: 0), moltVersion: "")
        let fixture = try StoreFixture(json: text)
        #expect(fixture == StoreFixture(version: 1, ledger: [row]))
        #expect(fixture == fixture.withoutTimes())
    }

    @Test func `A ledger without times states what was applied, but not when`() throws {
        let fixture = Self.example.withoutTimes()
        var expected = Self.example
        expected.ledger[1].appliedAt = Date(timeIntervalSince1970: 0)
        expected.ledger[1].duration = 0
        expected.ledger[1].counts = MigrationReport.Counts()
        expected.ledger[1].appVersion = ""
        expected.ledger[1].moltVersion = ""
        expected.ledger[1].corrections = []
        #expect(fixture == expected)
        #expect(!fixture.json.contains("appliedAt"))
    }

    @Test(arguments: [Molt.Suite.standard] + ["group.example", "standard", " \u{301}x"].map { Molt.Suite($0) })
    func `A suite that is the store is named in the file`(suite: Molt.Suite) throws {
        let fixture = StoreFixture(primary: .suite(suite), version: 1, suites: [suite: ["a": 1]])
        #expect(fixture.json.contains(#""primary": "\#(suite.attachedName)""#))
        #expect(try StoreFixture(json: fixture.json) == fixture)
    }

    @Test func `Deeply nested content is written as a string`() throws {
        for depth in [64, 65, 509, 510, 600] {
            let content = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let fixture = StoreFixture(version: 0, records: [.init("k", "T", .json(content))])
            #expect(fixture.json.contains(#""content""#) == (depth == 64))
            #expect(try StoreFixture(json: fixture.json) == fixture)
        }
    }

    @Test func `An expiry is preserved to the last bit`() throws {
        var random = SeededGenerator(seed: 7)
        var dates = [0, 0.1, -1, 1_790_000_000.1, 1e300, .infinity].map { Date(timeIntervalSince1970: $0) }
        dates += (0..<TestRun.choose(40, long: 200)).map { _ in
            Date(timeIntervalSinceReferenceDate: Double.random(in: 0..<2_000_000_000, using: &random))
        }
        dates += [.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude)]
        for date in dates {
            let fixture = StoreFixture(version: 0, records: [.init("k", "T", .json("1"), expiration: date)])
            #expect(try StoreFixture(json: fixture.json).records[0].expiration == date)
        }
    }

    @Test func `JSON data and JSON text of a setting are written as JSON, and other values as they are`() throws {
        let inlined = [#"{"url":"a\/b","n":1.50,"n":[{"deep":null}]}"#, "[]", #"[{"json":1},{"jsonText":"é"}]"#]
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        let others = [#"{ "a":1}"#, " {}", "[1]\n", "[draft]", "7", "\"a\"", "{\"a\":", "", "bplist00", deep]
        func settings(_ text: String, _ name: String) throws -> [String: PropertyListValue]? {
            try StoreFixture(json: #"{"format":1,"schemaVersion":0,"suites":{"standard":{"\#(name)":\#(text)}}}"#)
                .suites[.standard]
        }
        for text in inlined + others {
            let values: [(String, PropertyListValue)] = [("json", .data(Data(text.utf8))), ("jsonText", .string(text))]
            for (name, value) in values {
                let fixture = StoreFixture(version: 0, suites: [.standard: ["a": ["inner": [value]]]])
                #expect(fixture.json.contains("\"\(name)\": ") == inlined.contains(text), "\(fixture.json)")
                #expect(try StoreFixture(json: fixture.json) == fixture, "\(text)")
                guard inlined.contains(text) else { continue }
                let spaced = text.replacing(",", with: " ,\n ")
                #expect(try settings(#"{"\#(name)": \#(spaced)}"#, "a") == ["a": value])
            }
        }
        #expect(try settings(#"{"data":"eyJhIjpbMSwyXX0="}"#, "a") == ["a": .data(Data(#"{"a":[1,2]}"#.utf8))])
        #expect(try settings(#""{\"a\":[1,2]}""#, "a") == ["a": #"{"a":[1,2]}"#])
    }

    @Test func `Settings can be decoded from the file with a JSONDecoder`() throws {
        let settings = try #require(Self.example.suites[.standard])
        let start = try #require(Self.text.range(of: "\"suites\": {\n    \"standard\": ")).upperBound
        let end = try #require(Self.text.range(of: ",\n    \"suite group")).lowerBound
        let text = #"{"dictionary":"# + Self.text[start..<end] + "}"
        let coded = try JSONDecoder().decode(PropertyListValue.self, from: Data(text.utf8))
        #expect(coded == .dictionary(settings))
    }

    @Test func `A random fixture and its JSON are unchanged after writing and reading`() throws {
        for seed in 0..<TestRun.choose(60, long: 300) as Range<UInt64> {
            let fixture = RandomFixture.make(seed: seed)
            let text = fixture.json
            let read = try StoreFixture(json: text)
            #expect(read == fixture, "seed \(seed)")
            // Equal strings may differ in their bytes.
            #expect(read.records.map { Array($0.key.utf8) } == fixture.records.map { Array($0.key.utf8) })
            #expect(read.json == text, "seed \(seed)")
        }
    }

    // MARK: Files

    @Test func `A file is written once, and overwritten only on request`() throws {
        try ScratchDirectory.with { folder in
            let url = folder.appending(path: "v2.json")
            try Self.example.write(to: url)
            #expect(try String(contentsOf: url, encoding: .utf8) == Self.text)
            let other = StoreFixture(version: 9)
            try TestingError.expect(.fileExists, file: url) { try other.write(to: url) }
            #expect(try StoreFixture(contentsOf: url) == Self.example)
            try other.write(to: url, overwriting: true)
            #expect(try StoreFixture(contentsOf: url) == other)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["v2.json"])
        }
    }

    @Test func `A file that cannot be read or written is named in the error`() throws {
        let url = URL(filePath: "/nowhere/at/all.json")
        try TestingError.expect(.unreadable, file: url) { try StoreFixture(contentsOf: url) }
        let unwritable = try TestingError.expect(.unwritable, file: url) { try Self.example.write(to: url) }
        #expect(unwritable.underlying != nil)
    }
}

import Foundation
import Molt
import MoltTesting
import Testing

@Suite("Differences between stores")
struct StoreDifferenceTests {
    /// Returns the lines for two stores with one record each.
    private func lines(_ expected: String, _ found: String) -> [String] {
        let stores = [expected, found].map {
            StoreFixture(version: 1, records: [.init("john", "Person", .json($0))])
        }
        return StoreDifference(expected: stores[0], found: stores[1]).lines
    }

    @Test func `Stores with the same records in any order have no difference`() throws {
        let records: [StoreFixture.Record] = [
            .init("a", "Person", .json(#"{"name":"A"}"#)), .init("b", "Data", .data(Data([1, 2]))),
        ]
        let one = StoreFixture(version: 1, records: records, suites: [.standard: [:]])
        let other = StoreFixture(version: 1, records: records.reversed())
        let difference = StoreDifference(expected: one, found: other)
        #expect(difference.isEmpty)
        #expect(difference.description == "no difference")
        try one.requireEqual(to: other)
    }

    @Test func `A property is named by its path, and one more element in an array is one difference`() {
        let expected = #"{"name":"John","address":{"city":"Paris","lines":["a","b","c"]},"old":1}"#
        let found = #"{"name":"John","address":{"city":"London","lines":["a","x","c"]},"new":[2]}"#
        #expect(
            lines(expected, found) == [
                #""john".address.city: expected "Paris", found "London""#,
                #""john".address.lines[1]: expected "b", found "x""#,
                #""john".old: missing, expected 1"#,
                #""john".new: unexpected, found [2]"#,
            ]
        )
        #expect(lines("[1,2,3]", "[1,9,2,3]") == [#""john"[1]: unexpected, found 9"#])
        #expect(lines("[1,1,1]", "[1,1]") == [#""john"[2]: missing, expected 1"#])
    }

    @Test(arguments: [
        (#"{"n":1}"#, #"{"n":1.0}"#, #""john".n: expected 1, found 1.0"#),
        (#"{"n":-0}"#, #"{"n":0e3}"#, #""john".n: expected -0, found 0e3"#),
        (#"{"n":120e1}"#, #"{"n":1.2E+3}"#, #""john".n: expected 120e1, found 1.2E+3"#),
        (
            #"{"n":18446744073709551615}"#, #"{"n":18446744073709551614}"#,
            #""john".n: expected 18446744073709551615, found 18446744073709551614"#
        ),
        (#"{"n":0e99999999999999999999}"#, #"{"n":0}"#, #""john".n: expected 0e99999999999999999999, found 0"#),
        (#"{"n":10e9223372036854775807}"#, #"{"n":1}"#, #""john".n: expected 10e9223372036854775807, found 1"#),
        (#"{"n":0.1e-9223372036854775808}"#, #"{"n":1}"#, #""john".n: expected 0.1e-9223372036854775808, found 1"#),
        (
            #"{"n":1e-99999999999999999999}"#, #"{"n":1e99999999999999999999}"#,
            #""john".n: expected 1e-99999999999999999999, found 1e99999999999999999999"#
        ),
        (
            #"{"s":"é"}"#, #"{"s":"\u00e9"}"#,
            #""john".s: expected "é", found "\u00e9"; the text is the same, but written with other escapes"#
        ),
        (
            #"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#,
            #""john": the same properties in another order: expected a, b, found b, a"#
        ),
        (#"{"a":1}"#, #"{"a": 1}"#, #""john": the same value in other bytes, from byte 5: expected 1}, found  1}"#),
        (#"{"a b":1}"#, #"{"a b":"1"}"#, #""john"["a b"]: expected 1, found "1""#),
        (#"{"a":1}"#, #"{"a":1"#, #""john": the same value in other bytes, from byte 6: expected }, found nothing"#),
    ])
    func `A value that differs only in its bytes is reported as such`(expected: String, found: String, line: String) {
        #expect(lines(expected, found) == [line])
    }

    @Test func `Long values are shortened to the part that differs`() throws {
        let text = String(repeating: "a", count: 200)
        let line = try #require(lines("\"\(text)b\"", "\"\(text)c\"").first)
        #expect(line.contains("ab\", found"))
        #expect(line.contains("ac\""))
        #expect(line.count < 100)
        let names = (1...30).map { "\"name\($0)\":0," }.joined()
        let order = try #require(lines("{\(names)\"a\":1,\"b\":2}", "{\(names)\"b\":2,\"a\":1}").first)
        #expect(order.contains("30, a, b, found "))
        #expect(order.hasSuffix("30, b, a"))
    }

    @Test func `Records are compared by everything that is stored of them`() {
        let expected = StoreFixture(
            version: 2,
            records: [
                .init("gone", "Person", .json("{}")),
                .init("type", "Person", .json("1")),
                .init("expiry", "Person", .json("1"), expiration: Date(timeIntervalSince1970: 0)),
                .init("data", "Data", .data(Data([1, 2, 3]))),
                .init("kind", "Data", .data(Data([1]))),
                .init("row", "Person", .json("1"), version: 1),
                .init("\u{E9}", "Person", .json("1")),
            ]
        )
        let found = StoreFixture(
            version: 2,
            records: [
                .init("type", "Alien", .json("1")),
                .init("expiry", "Person", .json("1")),
                .init("data", "Data", .data(Data([1, 7]))),
                .init("kind", "Data", .json("1")),
                .init("row", "Person", .json("1")),
                .init("e\u{301}", "Person", .json("1")),
                .init("new", "Group", .json("[1]")),
            ]
        )

        #expect(
            StoreDifference(expected: expected, found: found).lines == [
                #""gone": missing, expected a Person: {}"#,
                #""type": type name: expected Person, found Alien"#,
                #""expiry": expires: expected 1970-01-01T00:00:00Z, found never"#,
                #""data": expected data of 3 bytes, found 2 bytes; they differ from byte 1: expected 02 03, found 07"#,
                #""kind": expected raw data of 1 byte, found 1"#,
                #""row": last written at version: expected 1, found 2"#,
                "\"\u{E9}\": missing, expected a Person: 1",
                "\"e\u{301}\": unexpected, a Person: 1",
                #""new": unexpected, a Group: [1]"#,
            ]
        )
    }

    @Test func `The ledger is compared without times, counts, releases and fingerprints`() {
        var row = LedgerEntry(name: "a", version: 1, appliedAt: Date(timeIntervalSince1970: 0))
        row.fingerprint = "1"
        var other = row
        other.appliedAt = Date()
        other.duration = 5
        other.counts.read = 7
        other.appVersion = "2"
        other.moltVersion = "9"
        other.fingerprint = "2"
        let expected = StoreFixture(version: 1, ledger: [row])
        #expect(StoreDifference(expected: expected, found: StoreFixture(version: 1, ledger: [other])).isEmpty)

        other.outcome = .createdAtVersion
        let extra = LedgerEntry(name: "b", version: 2, appliedAt: Date())
        let found = StoreFixture(version: 2, ledger: [other, extra])

        #expect(
            StoreDifference(expected: expected, found: found).lines == [
                "schema version: expected 1, found 2",
                #"ledger: "a": outcome: expected ran, found bornFresh"#,
                #"ledger: "b" (version 2) is unexpected"#,
            ]
        )
        #expect(StoreDifference(expected: found, found: expected).lines.last == #"ledger: "b" (version 2) is missing"#)
    }

    @Test func `Settings are compared by suite, key and path`() {
        let group = Molt.Suite("group.example")
        let expected = StoreFixture(
            version: 1,
            suites: [
                .standard: ["theme": "dark", "gone": 1, "profile": #"{"mail":"a"}"#, "size": "[1]"],
                group: ["list": [["name": "a"], 2], "number": 1, "data": .data(Data([1])), "flag": true],
            ]
        )
        let found = StoreFixture(
            version: 1,
            suites: [
                .standard: ["theme": "light", "profile": #"{"mail":"b"}"#, "size": .data(Data("[1]".utf8))],
                group: ["list": [["name": "b"]], "number": 1.0, "data": .data(Data([2])), "flag": 1, "new": [1]],
            ]
        )

        #expect(
            StoreDifference(expected: expected, found: found).lines == [
                #"suite standard, "gone": missing, expected {"int":1}"#,
                #"suite standard, "profile".jsonText.mail: expected "a", found "b""#,
                #"suite standard, "size".jsonText: missing, expected [1]"#,
                #"suite standard, "size".json: unexpected, found [1]"#,
                #"suite standard, "theme": expected "dark", found "light""#,
                #"suite group.example, "data".data: expected "AQ==", found "Ag==""#,
                #"suite group.example, "flag": expected true, found {"int":1}"#,
                #"suite group.example, "list"[0].dictionary.name: expected "a", found "b""#,
                #"suite group.example, "list"[1]: missing, expected {"int":2}"#,
                #"suite group.example, "new": unexpected, found [{"int":1}]"#,
                #"suite group.example, "number".int: missing, expected 1"#,
                #"suite group.example, "number".double: unexpected, found 1"#,
            ]
        )
    }

    @Test func `Only the first of many differences are shown`() {
        let records = (0..<50).map { StoreFixture.Record("key \($0)", "Person", .json("1")) }
        let expected = StoreFixture(version: 1, records: records)
        let difference = StoreDifference(expected: expected, found: StoreFixture(version: 1))
        let shown = difference.description.split(separator: "\n")
        #expect(shown.count == 21)
        #expect(shown.last == "and 30 more")
    }

    @Test func `A different store is an error that lists the differences`() throws {
        let expected = StoreFixture(version: 1, records: [.init("a", "Person", .json("1"))])
        let error = try TestingError.expect(.different) {
            try StoreFixture(version: 1).requireEqual(to: expected)
        }
        #expect(error.description == "The store is not as expected:\n\"a\": missing, expected a Person: 1")
    }
}

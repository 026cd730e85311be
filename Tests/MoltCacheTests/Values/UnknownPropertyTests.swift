import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite struct `Properties that a type does not declare` {
    private struct Address: Codable, Equatable, Sendable {
        var city: String
        var zip: String?
    }

    private enum Contact: Codable, Equatable, Sendable {
        case mail(String)
        case phone(number: String)
    }

    /// An older model; the newer one has more properties everywhere.
    private struct Person: Codable, Equatable, Sendable {
        var name: String
        var nick: String?
        var home: Address?
        var places: [String: Address]?
        var past: [Address]?
        var contact: Contact?
    }

    private struct Writer: Encodable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "w"
    }

    private let scratch: ScratchDirectory
    private let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        let configuration = CodableCache.Configuration {
            $0.keepsUnknownProperties = true
            // The older and the newer model have the same version here.
            $0.mismatches = .ignore
        }
        cache = try CodableCache(at: scratch.file(), configuration: configuration)
    }

    private func store(_ json: String) throws {
        try cache.set(document: Data(json.utf8), ofType: "Person", writtenAt: 0, forKey: "p")
    }

    private func expect(_ json: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try cache.core.lookUp("p").content.map { String(decoding: $0.data, as: UTF8.self) }
        #expect(found == json, sourceLocation: sourceLocation)
    }

    @Test func `are kept byte for byte, in nested objects and dictionaries, too`() throws {
        try store(
            #"{"name":"a","nick":"n","photo": [1.50, {"x":"\u00e9"}],"home":{"city":"A","zip":"1","geo":{ "lat":1e2 }},"#
                + #""places":{"work":{"city":"B","floor":3},"gone":{"city":"C"}},"past":[{"city":"D","old":true}]}"#
        )
        let new = Person(
            name: "b",
            home: Address(city: "Z"),
            places: ["work": Address(city: "Y"), "new": Address(city: "X")],
            past: [Address(city: "W")]
        )
        try cache.set(new, forKey: "p")
        try expect(
            #"{"home":{"city":"Z","geo":{ "lat":1e2 }},"name":"b","past":[{"city":"W"}],"#
                + #""places":{"new":{"city":"X"},"work":{"city":"Y","floor":3}},"photo":[1.50, {"x":"\u00e9"}]}"#
        )
        try cache.expect(new, forKey: "p")
        // A batch and an update do the same.
        try cache.batch { batch in
            try batch.set(Person(name: "c"), forKey: "p")
            try batch.set(Person(name: "d"), forKey: "p")
        }
        try expect(#"{"name":"d","photo":[1.50, {"x":"\u00e9"}]}"#)
        #expect(try cache.update(Person.self, forKey: "p") { $0.nick = "e" }?.nick == "e")
        try expect(#"{"name":"d","nick":"e","photo":[1.50, {"x":"\u00e9"}]}"#)
        try cache.batch { batch in
            batch.remove(forKey: "p")
            try batch.set(Person(name: "f"), forKey: "p")
        }
        try expect(#"{"name":"f"}"#)
    }

    @Test func `are not kept of another type, another case, an expired or undecodable record, or by default`() throws {
        try store(#"{"name":"a","contact":{"fax":{"_0":"1"}}}"#)
        try cache.set(Person(name: "b", contact: .mail("m")), forKey: "p")
        try expect(#"{"contact":{"mail":{"_0":"m"}},"name":"b"}"#)
        try store(#"{"name":"a","contact":{"phone":{"number":"1","country":"US"}},"x":1}"#)
        try cache.set(Person(name: "b", contact: .phone(number: "2")), forKey: "p")
        try expect(#"{"contact":{"phone":{"number":"2","country":"US"}},"name":"b","x":1}"#)
        try cache.set(Writer(), forKey: "p")
        try expect(#"{"name":"w"}"#)

        let others: [(String, String)] = [("Other", #"{"name":"a","x":1}"#), ("Person", "[1]"), ("Person", "1")]
        for (type, json) in others {
            try cache.set(document: Data(json.utf8), ofType: type, writtenAt: 0, forKey: "p")
            try cache.set(Person(name: "b"), forKey: "p")
            try expect(#"{"name":"b"}"#)
        }
        try cache.set(
            document: Data(#"{"x":1}"#.utf8),
            ofType: "Person",
            writtenAt: 0,
            forKey: "p",
            expiry: .after(seconds: 0)
        )
        try cache.set(Person(name: "b"), forKey: "p")
        try expect(#"{"name":"b"}"#)
        try store(#"{"name":"a","x":1}"#)
        let other = try CodableCache(at: scratch.file())
        try other.set(Person(name: "c"), forKey: "p")
        try expect(#"{"name":"c"}"#)
    }

    @Test func `are found by the names that the decoder gives to coding keys`() throws {
        struct Item: Codable {
            var fullName: String
            var nickName: String?
        }
        let snake = RecordCoding { encoder, decoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let registry = MigrationRegistry().coding(snake)
        let cache = try CodableCache(
            at: scratch.file("snake.molt"),
            migrations: registry,
            configuration: .init { $0.keepsUnknownProperties = true }
        )
        let json = #"{"full_name":"a","nick_name":"b","photo_url":"c"}"#
        try cache.set(document: Data(json.utf8), ofType: "Item", writtenAt: 0, forKey: "i")
        try cache.set(Item(fullName: "d"), forKey: "i")
        let found = try cache.core.lookUp("i").content.map { String(decoding: $0.data, as: UTF8.self) }
        #expect(found == #"{"full_name":"d","photo_url":"c"}"#)
    }

    @Test func `of an outdated record are those that the migrations on read leave`() throws {
        cache.close()
        let url = scratch.file("old.molt")
        let old = try CodableCache(at: url)
        try old.set(document: Data(#"{"mail":"m","x":1}"#.utf8), ofType: "Person", writtenAt: 0, forKey: "p")
        old.close()
        let renaming = MigrationStep.renameProperty("Person", "mail", to: "name")
        let new = try CodableCache(
            at: url,
            migrations: [Migration(to: 1, "name", renaming).onRead()],
            configuration: .init {
                $0.keepsUnknownProperties = true
                $0.runsBackfill = false
            }
        )
        try new.set(Person(name: "b"), forKey: "p")
        let found = try new.core.lookUp("p").content.map { String(decoding: $0.data, as: UTF8.self) }
        #expect(found == #"{"name":"b","x":1}"#)
    }

    @Test func `stay those of the last writer when another one writes at the same time`() throws {
        let other = try CodableCache(at: scratch.file())
        try store(#"{"name":"a","n":0}"#)
        var calls = 0
        try cache.update(Person.self, forKey: "p") { person in
            calls += 1
            person.name += "!"
            guard calls == 1 else { return }
            try other.set(document: Data(#"{"name":"b","n":1}"#.utf8), ofType: "Person", writtenAt: 0, forKey: "p")
        }
        #expect(calls == 2)
        try expect(#"{"name":"b!","n":1}"#)
        #expect(try cache.update(Person.self, forKey: "none") { $0.name = "" } == nil)
        try cache.set(Person(name: "a"), forKey: "q", expiry: .after(seconds: 3_600))
        let expiration = try cache.entry(Person.self, forKey: "q")?.expiration
        try cache.update(Person.self, forKey: "q") { $0.name = "b" }
        #expect(try cache.entry(Person.self, forKey: "q")?.expiration == expiration)
        #expect(throws: TestFailure.expected) {
            try cache.update(Person.self, forKey: "q") { _ in throw TestFailure.expected }
        }
        try cache.expect(Person(name: "b"), forKey: "q")
    }
}

import Foundation
import Molt
import TestSupport
import Testing

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
        let configuration = MoltConfiguration {
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
        let found = try cache.storedText(forKey: "p")
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
            #"{"home":{"city":"Z","geo":{ "lat":1e2 }},"name":"b","past":[{"city":"W","old":true}],"#
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

    // MARK: Kinds of types

    /// An enum that encodes itself.
    private enum Media: Codable, Equatable, Sendable {
        case video(Int)
        case photo

        private enum CodingKeys: CodingKey { case kind, data }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let data = try container.decodeIfPresent([String: Int].self, forKey: .data)
            self = try container.decode(String.self, forKey: .kind) == "video" ? .video(data?["l"] ?? 0) : .photo
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            guard case .video(let length) = self else { return try container.encode("photo", forKey: .kind) }
            try container.encode("video", forKey: .kind)
            try container.encode(["l": length], forKey: .data)
        }
    }

    private struct Wrapped<Value: Codable>: Codable {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private class Base: Codable {
        var name: String

        init(_ name: String) {
            self.name = name
        }
    }

    private final class Employee: Base {
        private enum CodingKeys: CodingKey { case bonus }

        override init(_ name: String) {
            super.init(name)
        }

        required init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .bonus)
            try super.init(from: decoder)
        }
    }

    /// Sets a value over a stored one.
    private func expect<Value: Codable>(
        _ value: Value,
        over stored: String,
        gives json: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try cache.set(
            document: Data(stored.utf8),
            ofType: RecordTypeName.of(Value.self),
            writtenAt: 0,
            forKey: "p"
        )
        try cache.set(value, forKey: "p")
        try expect(json, sourceLocation: sourceLocation)
    }

    @Test func `are kept in wrappers, subclasses and dictionaries, and not mixed with those of another case`() throws {
        struct Holder: Codable {
            @KeepingUnknown var contact: Contact?
            var media: Media?
            var home: Wrapped<Address?>?

            init(_ contact: Contact? = nil, _ media: Media? = nil, _ home: Address? = nil) {
                self.contact = contact
                self.media = media
                self.home = home.map { Wrapped($0) }
            }
        }
        try expect(
            Holder(.mail("m")),
            over: #"{"contact":{"fax":{"_0":"1"}},"x":1}"#,
            gives: #"{"contact":{"mail":{"_0":"m"}},"x":1}"#
        )
        try expect(
            Holder(nil, .video(9)),
            over: #"{"media":{"kind":"photo","data":{"w":1,"h":2},"y":3}}"#,
            gives: #"{"media":{"data":{"l":9},"kind":"video"}}"#
        )
        try expect(
            Holder(nil, nil, Address(city: "Z")),
            over: #"{"home":{"city":"A","geo":1}}"#,
            gives: #"{"home":{"city":"Z","geo":1}}"#
        )
        try expect(
            Employee("b") as Base,
            over: #"{"name":"a","bonus":5,"x":1}"#,
            gives: #"{"name":"b","x":1}"#
        )
        try expect(
            ["a": Address(city: "Z")],
            over: #"{"a":{"city":"A","geo":1},"b":{"city":"B"}}"#,
            gives: #"{"a":{"city":"Z","geo":1}}"#
        )
        // Two spellings of one letter are two names.
        try expect(
            Address(city: "Z"),
            over: "{\"city\":\"A\",\"\u{e9}\":1,\"e\u{301}\":2}",
            gives: "{\"city\":\"Z\",\"\u{e9}\":1,\"e\u{301}\":2}"
        )
    }

    // MARK: Arrays

    private enum Part: Codable, Equatable, Sendable {
        case rule
        case text(String, bold: Bool?)
    }

    private struct Errand: Codable, Equatable, Sendable, Identifiable {
        var id: Int
        var title: String
        var steps: [Address]?
    }

    /// Its identity is another one each time that it is decoded.
    private struct Note: Codable, Equatable, Sendable, Identifiable {
        private enum CodingKeys: CodingKey { case text }
        let id = UUID()
        var text: String
    }

    private struct Lists: Codable, Equatable, Sendable, RecordType {
        static var recordTypeName: String { "Lists" }
        var places: [Address]?
        var parts: [Part]?
        var tasks: [Errand?]?
        var notes: [Note]?
        var table: [[Address]]?
        var byKind: [Kind: Address]?
        @KeepingUnknownElements var kept: [Address]

        enum Kind: String, Codable { case home, work }
    }

    private struct Labels: Codable, Sendable, RecordType {
        static var recordTypeName: String { "Labels" }
        var labels: Set<Label>

        struct Label: Codable, Hashable, Sendable { var name: String }
    }

    /// Changes a value that a newer release has stored, as this one does.
    private func expectKept<Value: Codable>(
        _ stored: String,
        as type: Value.Type = Value.self,
        gives json: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout Value) -> Void
    ) throws {
        let name = RecordTypeName.of(Value.self)
        for way in 0..<3 {
            try cache.set(document: Data(stored.utf8), ofType: name, writtenAt: 0, forKey: "p")
            var value = try #require(try cache.value(type, forKey: "p"))
            change(&value)
            switch way {
            case 0: try cache.set(value, forKey: "p")
            case 1: try cache.batch { try $0.set(value, forKey: "p") }
            default: try cache.update(type, forKey: "p") { change(&$0) }
            }
            try expect(json, sourceLocation: sourceLocation)
        }
    }

    private func expectLists(
        _ stored: String,
        gives json: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout Lists) -> Void
    ) throws {
        try expectKept(stored, as: Lists.self, gives: json, sourceLocation: sourceLocation, change)
    }

    @Test func `are kept in elements that did not change, wherever those are now`() throws {
        let stored = #"{"places":[{"city":"A", "x":1.50},{"city":"B","x":2},{"city":"C","x":{"y":[3]}}]}"#
        try expectLists(stored, gives: #"{"kept":[],"places":[{"city":"C","x":{"y":[3]}},{"city":"A", "x":1.50}]}"#) {
            $0.places = [Address(city: "C"), Address(city: "A")]
        }
        try expectLists(
            stored,
            gives:
                #"{"kept":[],"places":[{"city":"N"},{"city":"A", "x":1.50},{"city":"Z"},{"city":"C","x":{"y":[3]}}]}"#
        ) { lists in
            lists.places?[1].city = "Z"
            lists.places?.insert(Address(city: "N"), at: 0)
        }
        // Only an element at its place is the same one.
        try expectLists(
            stored,
            gives: #"{"kept":[],"places":[{"city":"A", "x":1.50},{"city":"Z","x":2},{"city":"C","x":{"y":[3]}}]}"#
        ) { $0.places?[1].city = "Z" }
        try expectLists(
            stored,
            gives: #"{"kept":[],"places":[{"city":"B","x":2},{"city":"C","x":{"y":[3]}},{"city":"N"}]}"#
        ) {
            $0.places?.removeFirst()
            $0.places?.append(Address(city: "N"))
        }
        try expectLists(
            #"{"table":[[{"city":"A","x":1}],[{"city":"B","x":2},{"city":"C","x":3}]]}"#,
            gives: #"{"kept":[],"table":[[{"city":"B","x":2},{"city":"C","x":3}],[{"city":"A","x":1}]]}"#
        ) { $0.table?.reverse() }
        try expectLists(
            #"{"table":[[{"city":"A","x":1}],[{"city":"B","x":2},{"city":"C","x":3}]]}"#,
            gives: #"{"kept":[],"table":[[{"city":"A","x":1}],[{"city":"B","x":2},{"city":"D","x":3}]]}"#
        ) { $0.table?[1][1].city = "D" }
    }

    @Test func `are kept in payloads, optional elements, dictionaries of any keys, and beside unknown elements`() throws
    {
        let parts = #"{"parts":[{"text":{"_0":"a","color":7}},{"rule":{}},{"text":{"_0":"b","color":8}}]}"#
        try expectLists(
            parts,
            gives: #"{"kept":[],"parts":[{"text":{"_0":"b","color":8}},{"text":{"_0":"a","color":7}}]}"#
        ) {
            $0.parts?.remove(at: 1)
            $0.parts?.reverse()
        }
        try expectLists(
            parts,
            gives: #"{"kept":[],"parts":[{"text":{"_0":"z","bold":true,"color":7}},{"rule":{}},{"rule":{}}]}"#
        ) {
            $0.parts?[0] = .text("z", bold: true)
            $0.parts?[2] = .rule
        }
        try expectLists(
            #"{"byKind":["work",{"city":"A","x":1},"home",{"city":"B","x":2}]}"#,
            gives: #"{"byKind":["work",{"city":"B","x":1}],"kept":[]}"#
        ) { $0.byKind = [.work: Address(city: "B")] }
        let kept = #"{"kept":[{"city":"A","x":1},{"fax":1,"y":1.0},{"city":"B","x":2}]}"#
        try expectLists(kept, gives: #"{"kept":[{"city":"B","x":2},{"fax":1,"y":1.0},{"city":"A","x":1}]}"#) {
            $0.kept.reverse()
        }
        try expectLists(kept, gives: #"{"kept":[{"city":"A","x":1},{"fax":1,"y":1.0},{"city":"Z","x":2}]}"#) {
            $0.kept[1].city = "Z"
        }
        // A set has no places.
        try expectKept(
            #"{"labels":[{"name":"a","x":1},{"name":"b","x":2}]}"#,
            gives: #"{"labels":[{"name":"c"}]}"#
        ) { (labels: inout Labels) in
            labels.labels = [.init(name: "c")]
        }
        try expectKept(#"{"labels":[{"name":"a","x":1}]}"#, gives: #"{"labels":[{"name":"b"}]}"#) {
            (labels: inout Labels) in
            labels.labels = [.init(name: "b")]
        }
        try expectKept(#"[{"city":"A","x":1},{"city":"B","x":2}]"#, gives: #"[{"city":"B","x":2}]"#) {
            (places: inout [Address]) in
            places.removeFirst()
        }
    }

    @Test func `follow the identity of an element that has one`() throws {
        let stored =
            #"{"tasks":[{"id":1,"title":"a","x":1,"steps":[{"city":"A","y":1}]},null,{"id":2,"title":"b","x":2}]}"#
        try expectLists(
            stored,
            gives: #"{"kept":[],"tasks":[{"id":2,"title":"b!","x":2},"#
                + #"{"id":1,"steps":[{"city":"Z","y":1}],"title":"a","x":1}]}"#
        ) { lists in
            lists.tasks = lists.tasks.map { [$0[2], $0[0]] }
            lists.tasks?[0]?.title += "!"
            lists.tasks?[1]?.steps?[0].city = "Z"
        }
        try expectLists(stored, gives: #"{"kept":[],"tasks":[{"id":7,"title":"c"},null,{"id":2,"title":"b","x":2}]}"#) {
            $0.tasks?[0] = Errand(id: 7, title: "c")
        }
        try expectLists(#"{"notes":[{"text":"a","x":1}]}"#, gives: #"{"kept":[],"notes":[{"text":"b","x":1}]}"#) {
            $0.notes?[0].text = "b"
        }
    }

    @Test func `are added in time that grows with their number`() throws {
        // Quadratic work would take a minute.
        let many = (0..<100_000).map { #""x\#($0)":1"# }.joined(separator: ",")
        try store(#"{"name":"a",\#(many)}"#)
        try cache.set(Person(name: "b"), forKey: "p")
        try expect(#"{"name":"b",\#(many)}"#)
    }

    @Test func `are not those of a value that the same batch has replaced`() throws {
        try store(#"{"name":"a","x":1}"#)
        try cache.batch { batch in
            try batch.set([1], forKey: "p")
            try batch.set(Person(name: "b"), forKey: "p")
        }
        try expect(#"{"name":"b"}"#)
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
        let found = try cache.storedText(forKey: "i")
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
        let found = try new.storedText(forKey: "p")
        #expect(found == #"{"name":"b","x":1}"#)
    }

    /// Writes while it is decoded.
    private struct Interfering: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        @TaskLocal static var write: (@Sendable () throws -> Void)?
        private enum CodingKeys: CodingKey { case name }
        var name: String

        init(name: String) {
            self.name = name
        }

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            try Self.write?()
        }
    }

    /// The type may belong to an actor.
    @Test func `are found out where a batch is made, and not where it is written`() async throws {
        try store(#"{"name":"a","n":0}"#)
        let decodings = Log<Int>()
        let note = { @Sendable in decodings.append(1) }
        // A value that was read is not read again to see whether it can be overwritten.
        #expect(try cache.value(Interfering.self, forKey: "p")?.name == "a")
        try Interfering.$write.withValue(note) {
            try cache.batch { try $0.set(Interfering(name: "c"), forKey: "p") }
        }
        #expect(decodings.all == [1])
        try expect(#"{"name":"c","n":0}"#)
    }

    @Test func `are read again if another writer comes first`() throws {
        let other = try CodableCache(at: scratch.file())
        let writes = Log<Int>()
        try store(#"{"name":"a","n":0}"#)
        let write = { @Sendable () throws in
            guard writes.all.isEmpty else { return }
            writes.append(1)
            try other.set(document: Data(#"{"name":"b","n":1}"#.utf8), ofType: "Person", writtenAt: 0, forKey: "p")
        }
        try Interfering.$write.withValue(write) {
            try cache.set(Interfering(name: "c"), forKey: "p")
        }
        #expect(writes.all == [1])
        try expect(#"{"name":"c","n":1}"#)
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
        calls = 0
        try cache.update(Person.self, forKey: "q") { person in
            person.name = "b"
            calls += 1
            // The same value, with another expiry.
            if calls == 1 { try other.set(Person(name: "a"), forKey: "q", expiry: expiration.map { .at($0 + 1) }) }
        }
        #expect(calls == 2)
        #expect(try cache.entry(Person.self, forKey: "q")?.expiration == expiration.map { $0 + 1 })
        #expect(throws: TestFailure.expected) {
            try cache.update(Person.self, forKey: "q") { _ in throw TestFailure.expected }
        }
        try cache.expect(Person(name: "b"), forKey: "q")
    }
}

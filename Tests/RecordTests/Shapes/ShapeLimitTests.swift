import Foundation
import Molt
import Testing

/// Taking a shape does not look into instances, has a bounded cost, and keeps nothing that users typed.
@Suite("Limits of taking a shape")
struct ShapeLimitTests: ShapeSuite {
    @Test func `The stored properties of an instance are not reflected`() throws {
        let shape = TypeShape.of(Described())
        #expect(Described.mirrors.withLock { $0 } == 0)
        guard case .object(let object) = shape.form else { return #expect(Bool(false)) }
        #expect(object.members == nil)
        #expect(object.properties["name"]?.text == "String")
    }

    @Test func `An instance with an unowned reference to a deallocated object has a shape`() throws {
        var owner: Owner? = Owner()
        let owned = try Owned(#require(owner))
        owner = nil
        expectNoDrift(among: owned)
    }

    @Test func `The cost is bounded for a value of any size`() throws {
        let library = Library()
        let content = try JSONEncoder().encode(library)
        Count.reset()
        let shape = TypeShape.of(library, content: content)
        // Only the walk counts, because the content is given.
        #expect(Count.encodings("Library") == 1 && Count.decodings("Library") == 1)
        // 500 values, and two of each type on the path that are encoded to be read.
        #expect(Count.encodings("Word") <= 500 + 2 * 400 + 2 * 20 + 2)
        #expect(Count.decodings("Word") <= 8000 + 2 * 400 + 2 * 20 + 2)
        #expect(shape.differences(from: .of(library)).isEmpty)
        let other = TypeShape.of(OtherLibrary()).differences(from: shape)
        let changed = "Property \"Library.shelves[].books[].words[].text\" changed from \"String\" to \"Int\"."
        #expect(other.map(\.description) == [changed])
        Count.reset()
        _ = TypeShape.of((0..<10_000).map { _ in Word() })
        // 16 elements, and two of them again to be read.
        #expect(Count.encodings("Word") == 16 + 2)
    }

    @Test func `The cases of an enum are examined once`() {
        _ = TypeShape.of((0..<16).map { _ in Letter.a })
        #expect(Letter.encodings.withLock { $0 } <= 4)
    }

    @Test func `A type of Foundation has one name on every platform`() {
        let names: [(String, String)] = [
            ("NSDecimal", "Decimal"), ("Decimal", "Decimal"), ("Measurement<NSUnitLength>", "Measurement<UnitLength>"),
            ("Measurement<UnitLength>", "Measurement<UnitLength>"),
            ("Dictionary<String, _NSRange>", "Dictionary<String, Range>"),
            ("NSsomething, CGFloat", "NSsomething, CGFloat"),
        ]
        for (name, portable) in names { #expect(StaticShape.portable(name) == portable) }
    }
}

private final class Described: Codable, CustomReflectable {
    static let mirrors = Locked(0)
    var name = "a"

    enum CodingKeys: CodingKey { case name }

    init() {}

    var customMirror: Mirror {
        Self.mirrors.withLock { $0 += 1 }
        return Mirror(self, children: [])
    }
}

private final class Owner {}

private final class Owned: Encodable {
    unowned let owner: Owner
    var name = "a"

    enum CodingKeys: CodingKey { case name }

    init(_ owner: Owner) { self.owner = owner }
}

/// The numbers of encoded and decoded values, used by one test only.
private enum Count {
    private static let counts = Locked<[String: Int]>([:])

    static func reset() { counts.withLock { $0 = [:] } }
    static func encode(_ name: String) { counts.withLock { $0["+" + name, default: 0] += 1 } }
    static func decode(_ name: String) { counts.withLock { $0["-" + name, default: 0] += 1 } }
    static func encodings(_ name: String) -> Int { counts.withLock { $0["+" + name] ?? 0 } }
    static func decodings(_ name: String) -> Int { counts.withLock { $0["-" + name] ?? 0 } }
}

private struct Library: Codable {
    var shelves = (0..<20).map { _ in Shelf() }

    enum CodingKeys: CodingKey { case shelves }

    init() {}

    init(from decoder: any Decoder) throws {
        Count.decode("Library")
        shelves = try decoder.container(keyedBy: CodingKeys.self).decode([Shelf].self, forKey: .shelves)
    }

    func encode(to encoder: any Encoder) throws {
        Count.encode("Library")
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(shelves, forKey: .shelves)
    }
}

private struct Shelf: Codable { var books = (0..<20).map { _ in Book() } }
private struct Book: Codable { var words = (0..<20).map { _ in Word() } }

private struct Word: Codable {
    var text = "a"

    enum CodingKeys: CodingKey { case text }

    init() {}

    init(from decoder: any Decoder) throws {
        Count.decode("Word")
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    }

    func encode(to encoder: any Encoder) throws {
        Count.encode("Word")
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
    }
}

private struct OtherLibrary: Codable, RecordType {
    static var recordTypeName: String { "Library" }
    struct Shelf: Codable { var books = [Book()] }
    struct Book: Codable { var words = [Word()] }
    struct Word: Codable { var text = 1 }
    var shelves = [Shelf()]
}

private enum Letter: String, Codable, CaseIterable {
    case a, b, c

    static let encodings = Locked(0)

    func encode(to encoder: any Encoder) throws {
        Self.encodings.withLock { $0 += 1 }
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

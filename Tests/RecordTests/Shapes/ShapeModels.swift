import Foundation
import Molt
import Testing

/// What the suites about shapes have in common.
protocol ShapeSuite {}

extension ShapeSuite {
    /// Expects the differences of two types, also if the shape of the old one is from a file.
    func expectDrift(
        from old: some Encodable,
        to new: some Encodable,
        _ sentences: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let shape = TypeShape.of(old)
        let stored = try JSONDecoder().decode(TypeShape.self, from: try JSONEncoder().encode(shape))
        for shape in [shape, stored] {
            let found = TypeShape.of(new).differences(from: shape).map(\.description)
            #expect(found == sentences, sourceLocation: sourceLocation)
        }
    }

    func expectShape(
        of value: some Encodable,
        _ json: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try self.json(value) == json, sourceLocation: sourceLocation)
    }

    func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(TypeShape.of(value)), as: UTF8.self)
    }

    /// Compares each value with each: alone, in a property and in a list, and with the shape of both.
    func expectNoDrift(among values: any Encodable..., sourceLocation: SourceLocation = #_sourceLocation) {
        func inProperty(_ value: some Encodable) -> TypeShape { .of(Holder(value)) }
        func inList(_ value: some Encodable) -> TypeShape { .of([value]) }
        for (one, other) in values.flatMap({ one in values.map { (one, $0) } }) {
            for (old, new) in [
                (TypeShape.of(one), TypeShape.of(other)), (inProperty(one), inProperty(other)),
                (inList(one), inList(other)),
            ] {
                let both = old.merged(with: new)
                let found = [new.differences(from: old), both.differences(from: old), new.differences(from: both)]
                #expect(found.joined().isEmpty, sourceLocation: sourceLocation)
            }
        }
    }
}

/// A property of any type.
struct Holder<Value: Encodable>: Encodable, RecordType {
    static var recordTypeName: String { "Holder" }
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// The versions of one type, which share a name in the store.
protocol PersonVersion: Codable, Sendable, RecordType {}
protocol ContactVersion: Codable, Sendable, RecordType {}
protocol ColorVersion: Codable, Sendable, CaseIterable, RecordType {}
extension PersonVersion { static var recordTypeName: String { "Person" } }
extension ContactVersion { static var recordTypeName: String { "Contact" } }
extension ColorVersion { static var recordTypeName: String { "Color" } }

enum Before {
    struct Person: PersonVersion {
        var name = "John"
        var age = 41
        var nickname: String?
    }

    struct Address: Codable, Sendable {
        var street = "Main Street"
        var zip = 1
    }

    struct Contact: ContactVersion {
        var home = Address()
        var others = [Address()]
    }

    enum Color: String, ColorVersion {
        case red, green, blue
    }

    enum Figure: Codable, RecordType {
        static var recordTypeName: String { "Figure" }
        case circle(radius: Double)
        case square(side: Double)
        case nothing
    }
}

enum After {
    /// Each property has changed in another way.
    struct Person: PersonVersion {
        var name: String? = "John"
        var age = "41"
        var mail = ""
    }

    struct PersonInAnotherOrder: PersonVersion {
        var nickname: String?
        var age = 41
        var name = "John"
    }

    struct PersonWithNickname: PersonVersion {
        var name = "John"
        var age = 41
        var nickname = ""
    }

    struct Place: Codable {
        var street = "Main Street"
        var zip = 1
    }

    struct Location: Codable {
        var latitude = 1.0
    }

    struct ContactWithPlace: ContactVersion {
        var home = Place()
        var others = [Place()]
    }

    struct ContactWithLocations: ContactVersion {
        var home = Location()
        var others = [Location()]
    }

    enum ColorWithoutBlue: String, ColorVersion {
        case red, green
    }
}

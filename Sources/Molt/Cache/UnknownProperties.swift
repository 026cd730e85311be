internal import Foundation

/// Adds properties to the content of a value that the stored content has and the value's type does not declare.
///
/// A property is declared if a coding key of the type has its name. The keys are those of the containers that decoding
/// the value asks for, so a type must be decodable. A declared property that the new content lacks was encoded as nil;
/// it is not added.
struct UnknownProperties: Sendable {
    // Metatypes are immutable.
    nonisolated(unsafe) private let type: any Decodable.Type
    private let coding: RecordCoding
    /// What the type declares; nil until it is asked.
    private var reading: ShapeReading?

    /// - Returns: Nil for a type that is only encodable.
    init?(of type: Any.Type, _ coding: RecordCoding) {
        guard let type = type as? any Decodable.Type else { return nil }
        self.type = type
        self.coding = coding
    }

    /// Finds out what the type declares for a content, by the app's own code, which may belong to the current actor.
    ///
    /// - Returns: Nil if the content cannot be decoded.
    func reading(_ content: Data) -> UnknownProperties? {
        guard reading == nil else { return self }
        let reading = ShapeReading(includesNested: true)
        guard (try? type.read(content, with: coding, into: reading)) != nil else { return nil }
        var copy = self
        copy.reading = reading
        return copy
    }

    /// The new content with the properties of the stored one that the type does not declare.
    ///
    /// It is unchanged if one of the two is not an object, or if the new content cannot be decoded.
    func added(to new: Data, from stored: Data) -> Data {
        guard var object = Self.object(Array(new)), let other = Self.object(Array(stored)),
            Self.hasMore(other, than: object), let reading = reading(new)?.reading
        else { return new }
        add(from: other, to: &object, reading)
        var bytes: [UInt8] = []
        object.write(to: &bytes)
        return Data(bytes)
    }

    private func add(from stored: SplicedObject, to object: inout SplicedObject, _ reading: ShapeReading) {
        guard !reading.keyTypes.isEmpty else { return }
        let (places, ownPlaces) = (stored.places, object.places)
        // The payload of another case is no part of this one.
        let isCase = reading.isCase
        if isCase { guard places.count == 1, ownPlaces.count == 1 else { return } }
        for name in stored.names {
            guard let index = places[ExactName(name)] else { continue }
            let code = codeName(name)
            guard let own = ownPlaces[ExactName(name)] else {
                guard !isCase, !reading.declares(code), object.lastIndex(of: name) == nil else { continue }
                stored.withValue(at: index) { value in object.append(name) { $0.append(contentsOf: value) } }
                continue
            }
            guard let nested = reading.nested[code], let other = stored.child(at: index),
                var child = object.child(at: own)
            else { continue }
            add(from: other, to: &child, nested)
            guard !child.isUnchanged else { continue }
            object.set(own) { child.write(to: &$0) }
        }
    }

    /// The name of a property as the decoder passes it to coding keys.
    private func codeName(_ name: String) -> String {
        if case .useDefaultKeys = coding.decoder.keyDecodingStrategy { return name }
        let object = RecordValue.object([name: .null]).description
        return (try? coding.decoder.decode(OnlyName.self, from: Data(object.utf8)))?.name ?? name
    }

    /// Whether an object, or one in it at the same place, has a property that the other lacks.
    private static func hasMore(_ object: SplicedObject, than other: SplicedObject) -> Bool {
        let otherPlaces = other.places
        return object.places.contains { name, index in
            guard let otherIndex = otherPlaces[name] else { return true }
            guard let child = object.child(at: index), let otherChild = other.child(at: otherIndex) else {
                return false
            }
            return hasMore(child, than: otherChild)
        }
    }

    private static func object(_ bytes: [UInt8]) -> SplicedObject? {
        var object = SplicedObject(bytes: bytes)
        guard (try? object.read()) != nil, object.kind == .object else { return nil }
        return object
    }
}

extension SplicedObject {
    /// The place of the last property of each name.
    fileprivate var places: [ExactName: Int] {
        Dictionary(names.enumerated().map { (ExactName($1), $0) }) { $1 }
    }
}

extension ShapeReading {
    /// Whether a coding key has a name.
    fileprivate func declares(_ name: String) -> Bool { keyTypes.contains { $0.init(stringValue: name) != nil } }
}

extension Decodable {
    /// Decodes a value, and records the coding keys that it declares.
    fileprivate static func read(_ content: Data, with coding: RecordCoding, into reading: ShapeReading) throws {
        _ = try coding.decoder.decode(ReadValue<Self>.self, from: content, configuration: reading)
    }
}

/// Decodes the name of the only property of an object.
private struct OnlyName: Decodable {
    let name: String

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "There is no key.")
            )
        }
        name = key.stringValue
    }
}

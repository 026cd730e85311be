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
    private let declared: DeclaredNames

    /// - Parameter declared: Saves what is found out about types, for the next values.
    /// - Returns: Nil for a type that is only encodable.
    init?(of type: Any.Type, _ coding: RecordCoding, _ declared: DeclaredNames) {
        guard let type = type as? any Decodable.Type else { return nil }
        self.type = type
        self.coding = coding
        self.declared = declared
    }

    /// The new content with the properties of the stored one that the type does not declare.
    ///
    /// It may have to be decoded, by the app's own code, which may belong to the current actor. It is unchanged if it
    /// cannot be decoded, or if one of the two is neither an object nor an array.
    func added(to new: Data, from stored: Data) -> Data {
        guard let merge = ContentMerge(new, over: stored) else { return new }
        let missing = merge.missing
        return addedAtOnce(missing, merge, new) ?? addedByReading(missing, merge, new, stored)
    }

    /// The same without the app's code; nil if only decoding tells what the type declares.
    func addedAtOnce(to new: Data, from stored: Data) -> Data? {
        guard let merge = ContentMerge(new, over: stored) else { return new }
        return addedAtOnce(merge.missing, merge, new)
    }

    private func addedAtOnce(_ missing: ContentMerge.MissingProperties, _ merge: ContentMerge, _ new: Data) -> Data? {
        switch missing {
        case .nothing:
            return new
        case .inside:
            return nil
        case .properties(let properties):
            // Every key of a dictionary is declared.
            if type is any ShapedDictionary.Type { return new }
            let names = properties.map { ExactName(merge.stored.name(of: $0)) }
            guard let areDeclared = declared.areDeclared(names, of: type) else { return nil }
            return Data(merge.adding(zip(properties, areDeclared).filter { !$1 }.map(\.0)))
        }
    }

    private func addedByReading(
        _ missing: ContentMerge.MissingProperties,
        _ merge: ContentMerge,
        _ new: Data,
        _ stored: Data
    ) -> Data {
        let reading = ShapeReading(.nested)
        guard (try? type.read(new, with: coding, into: reading)) != nil else { return new }
        if case .properties(let properties) = missing, reading.isOfEveryValue, !(type is AnyClass) {
            let names = properties.map { merge.stored.name(of: $0) }
            declared.add(names.map { (ExactName($0), reading.declares(coding.codeName($0))) }, of: type)
        }
        let former = merge.stored.hasNestedElements ? ShapeReading(.nested) : nil
        if let former, (try? type.read(stored, with: coding, into: former)) == nil {
            return Data(merge.added(reading, nil, coding))
        }
        return Data(merge.added(reading, former, coding))
    }
}

/// Which properties types declare, as far as values have shown it.
///
/// Only types that declare the same for every value are here.
final class DeclaredNames: Sendable {
    private let names = Locked<[ObjectIdentifier: [ExactName: Bool]]>([:])
    /// The most names of one type; a type with more asks the decoder each time.
    private static let limit = 256

    /// Whether a type declares each of some names; nil if that has not been shown of all.
    func areDeclared(_ wanted: [ExactName], of type: any Any.Type) -> [Bool]? {
        guard wanted.count <= Self.limit else { return nil }
        return names.withLock { names in
            guard let answers = names[ObjectIdentifier(type)] else { return nil }
            var found: [Bool] = []
            for name in wanted {
                guard let isDeclared = answers[name] else { return nil }
                found.append(isDeclared)
            }
            return found
        }
    }

    func add(_ found: [(ExactName, Bool)], of type: any Any.Type) {
        names.withLock { names in
            var answers = names[ObjectIdentifier(type)] ?? [:]
            guard answers.count + found.count <= Self.limit else { return }
            for (name, isDeclared) in found { answers[name] = isDeclared }
            names[ObjectIdentifier(type)] = answers
        }
    }
}

extension ShapeReading {
    func declares(_ name: String) -> Bool { keyTypes.contains { $0.init(stringValue: name) != nil } }

    /// Whether other values of the type have the same properties.
    ///
    /// A type that asks for several kinds of keys may ask for others when it decodes another value.
    fileprivate var isOfEveryValue: Bool { keyTypes.count == 1 && !isCase }
}

extension RecordCoding {
    /// The name of a property as the decoder passes it to coding keys.
    func codeName(_ name: String) -> String {
        if case .useDefaultKeys = decoder.keyDecodingStrategy { return name }
        let object = RecordValue.object([name: .null]).description
        guard case .object(let members)? = try? decoder.decode(CodedValue.self, from: Data(object.utf8)) else {
            return name
        }
        return members.keys.first ?? name
    }
}

extension Decodable {
    /// Decodes a value, and records the coding keys that it declares.
    fileprivate static func read(_ content: Data, with coding: RecordCoding, into reading: ShapeReading) throws {
        _ = try coding.decoder.decode(ReadValue<Self>.self, from: content, configuration: reading)
    }
}

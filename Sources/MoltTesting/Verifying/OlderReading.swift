internal import Foundation
internal import Molt

/// What a release that knows an older shape of a type would miss in a record that migrations have changed.
///
/// Only what migrations have changed counts: a problem that the record had before is none.
struct OlderReading {
    struct Problem: Hashable {
        enum Kind: Hashable {
            /// The release requires the property.
            case missing
            /// The record had the property, and the release can do without it.
            case lost
            /// The release cannot decode what it finds.
            case form(expected: String, found: String)
            /// The release does not know the case of an enum.
            case unknownCase(String)
        }

        /// The path to the property, joined with dots, with `[]` for an element; empty for the type itself.
        var property: String
        var kind: Kind
    }

    private(set) var problems: [Problem] = []
    private let coding: RecordCoding
    /// The shapes of the types around the current place, by name.
    private var enclosing: [String: TypeShape] = [:]

    /// - Parameters:
    ///   - found: The content that the release would read.
    ///   - before: The content before the migrations; nil if the record is new.
    ///   - shape: The shape that the release knows; nil if it is unknown. Both contents must have the same form then.
    ///   - coding: The coders of the release.
    init(
        _ found: StoreFixture.Content,
        before: StoreFixture.Content?,
        shape: TypeShape?,
        coding: RecordCoding
    ) {
        self.coding = coding
        if found.isData {
            let isDeclaredData = shape.map { $0.name == RecordTypeName.of(Data.self) } ?? true
            if !(before?.isData ?? isDeclaredData) { add(.form(expected: "JSON", found: "raw data"), at: "") }
        } else if before?.isData == true {
            add(.form(expected: "raw data", found: "JSON"), at: "")
        } else if let json = Self.json(found) {
            // If it is not JSON, today's type cannot read it either.
            check(json, before.flatMap(Self.json), shape ?? TypeShape("", .unknown), at: "")
        }
    }

    private static func json(_ content: StoreFixture.Content) -> JSONPart? {
        content.isData ? nil : try? JSONPart(String(decoding: content.bytes, as: UTF8.self))
    }

    private mutating func add(_ kind: Problem.Kind, at path: String) {
        let problem = Problem(property: path, kind: kind)
        if !problems.contains(problem) { problems.append(problem) }
    }

    // MARK: Values

    private mutating func check(_ found: JSONPart, _ before: JSONPart?, _ shape: TypeShape, at path: String) {
        guard found.utf8 != before?.utf8, !shape.keepsUnknown else { return }
        switch shape.form {
        case .varying:
            break
        case .unknown:
            compare(found, before, at: path)
        case _ where found.kind == .null:
            if !shape.isOptional { addForm(found, before, shape, at: path) }
        case .reference:
            if let outer = enclosing[shape.name] {
                check(found, before, outer, at: path)
            } else {
                compare(found, before, at: path)
            }
        case .leaf:
            checkLeaf(found, before, shape, at: path)
        case .raw(let raw, let cases, _):
            let count = problems.count
            check(found, before, raw, at: path)
            guard let cases, problems.count == count, !cases.contains(found.rawValue) else { return }
            add(.unknownCase(found.rawValue), at: path)
        case .single(let value):
            // The form of such a type may depend on the value.
            if case .object = value.form, found.kind == .object {
                check(found, before, value, at: path)
            } else {
                compare(found, before, at: path)
            }
        case .object(let object):
            checkObject(found, before, object, shape, at: path)
        case .cases(let cases, let isComplete, _):
            checkCase(found, before, cases, isComplete: isComplete, shape, at: path)
        case .array(let element):
            guard let elements = found.elements else { return addForm(found, before, shape, at: path) }
            checkElements(elements, before?.elements, at: path) { _ in element }
        case .dictionary(let key, let value):
            checkDictionary(found, before, key, value, shape, at: path)
        }
    }

    private mutating func checkLeaf(_ found: JSONPart, _ before: JSONPart?, _ shape: TypeShape, at path: String) {
        guard let type = Self.leaves[shape.name] else { return compare(found, before, at: path) }
        let isDecodable = decodes(type, found) || before.map { !decodes(type, $0) } ?? false
        if !isDecodable { add(.form(expected: shape.text, found: found.kind.rawValue), at: path) }
    }

    private mutating func checkObject(
        _ found: JSONPart,
        _ before: JSONPart?,
        _ object: ObjectShape,
        _ shape: TypeShape,
        at path: String
    ) {
        guard let properties = found.values else { return addForm(found, before, shape, at: path) }
        let outer = enclosing
        enclosing[shape.name] = shape
        defer { enclosing = outer }
        let former = before?.values
        for (name, property) in object.properties.sorted(by: { $0.key < $1.key }) {
            let stored = coding.storedName(of: name)
            let inner = Self.path(name, in: path)
            if let value = properties[stored] {
                check(value, former?[stored], property, at: inner)
            } else if property.isOptional || object.lenient.contains(name) {
                if former?[stored] != nil { add(.lost, at: inner) }
            } else if former == nil || former?[stored] != nil {
                add(.missing, at: inner)
            }
        }
    }

    private mutating func checkCase(
        _ found: JSONPart,
        _ before: JSONPart?,
        _ cases: [String: TypeShape],
        isComplete: Bool,
        _ shape: TypeShape,
        at path: String
    ) {
        guard let members = found.values else { return addForm(found, before, shape, at: path) }
        let codes = Dictionary(cases.map { (coding.storedName(of: $0.key), $0) }) { first, _ in first }
        let former = before?.values
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if let (code, values) = codes[name] {
                check(value, former?[name], values, at: Self.path(code, in: path))
            } else if isComplete, former?[name] == nil {
                add(.unknownCase(name), at: path)
            }
        }
    }

    private mutating func checkDictionary(
        _ found: JSONPart,
        _ before: JSONPart?,
        _ key: TypeShape,
        _ value: TypeShape,
        _ shape: TypeShape,
        at path: String
    ) {
        if let members = found.values {
            let former = before?.values
            for (name, member) in members { check(member, former?[name], value, at: path + "[]") }
            if former?.keys.contains(where: { members[$0] == nil }) == true { add(.lost, at: path + "[]") }
        } else if let elements = found.elements, !["String", "Int"].contains(key.name) {
            // Keys and values alternate.
            checkElements(elements, before?.elements, at: path) { $0.isMultiple(of: 2) ? key : value }
        } else {
            addForm(found, before, shape, at: path)
        }
    }

    private mutating func checkElements(
        _ found: [JSONPart],
        _ before: [JSONPart]?,
        at path: String,
        _ shape: (Int) -> TypeShape
    ) {
        // Otherwise it is unknown which element was which.
        let former = before?.count == found.count ? before : nil
        for (index, element) in found.enumerated() { check(element, former?[index], shape(index), at: path + "[]") }
    }

    /// Compares two values of an unknown type, which must have the same form.
    private mutating func compare(_ found: JSONPart, _ before: JSONPart?, at path: String) {
        guard let before, before.kind != .null else { return }
        guard found.kind == before.kind else {
            return add(.form(expected: before.kind.rawValue, found: found.kind.rawValue), at: path)
        }
        if let properties = found.values, let former = before.values {
            for (name, value) in former.sorted(by: { $0.key < $1.key }) {
                let inner = Self.path(name, in: path)
                if let property = properties[name] {
                    compare(property, value, at: inner)
                } else {
                    add(.lost, at: inner)
                }
            }
        } else if let elements = found.elements, let former = before.elements, elements.count == former.count {
            for (element, value) in zip(elements, former) { compare(element, value, at: path + "[]") }
        }
    }

    /// Adds a problem with a value of another kind, unless it had this kind before.
    private mutating func addForm(_ found: JSONPart, _ before: JSONPart?, _ shape: TypeShape, at path: String) {
        guard found.kind != before?.kind else { return }
        add(.form(expected: shape.text, found: found.kind.rawValue), at: path)
    }

    private static func path(_ name: String, in path: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    // MARK: Leaves

    /// The types whose values show whether they can be decoded, by their names in shapes.
    private static let leaves: [String: any (Decodable & Sendable).Type] = {
        let types: [any (Decodable & Sendable).Type] = [
            Bool.self, String.self, Int.self, Int8.self, Int16.self, Int32.self, UInt.self, UInt8.self, UInt16.self,
            UInt32.self, Float.self, Double.self, Decimal.self, Date.self, Data.self, URL.self, UUID.self,
        ]
        return Dictionary(types.map { (String(describing: $0), $0) }) { first, _ in first }
    }()

    private func decodes<Value: Decodable>(_ type: Value.Type, _ part: JSONPart) -> Bool {
        (try? coding.decoder.decode(type, fromStored: Data(part.utf8))) != nil
    }
}

extension JSONPart {
    /// The properties by name, without those that are null; nil if this is not an object.
    fileprivate var values: [String: JSONPart]? {
        properties.map { Dictionary($0.filter { $0.value.kind != .null }.map { ($0.name, $0.value) }) { $1 } }
    }

    /// The text of a raw value.
    fileprivate var rawValue: String { string ?? text }
}

extension Record {
    /// What happens to a value for which a change has no new value.
    public enum OtherValue: Hashable, Sendable {
        /// It is kept.
        case keep
        /// The record cannot be converted; the code is `typeMismatch`.
        case fail
        /// It is replaced, too.
        case value(RecordValue)
        /// The property, or the element of an array, is removed.
        case remove
    }

    /// Replaces the value of a property with another one.
    ///
    /// ```swift
    /// try order.mapValue("status", ["open": "active", "done": "archived"], otherwise: .fail)
    /// ```
    ///
    /// Null is left as it is, unless `values` names it.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - values: The new values, keyed by the old ones.
    ///   - other: What happens to all other values; by default they are kept.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not named.
    public mutating func mapValue(
        _ path: PropertyPath,
        _ values: [RecordValue: RecordValue],
        otherwise other: OtherValue = .keep
    ) throws {
        let map = ValueMap(values, otherwise: other, at: path)
        if map.isTooDeep { throw tooDeep(path) }
        try mapValue(path, map.prepared(), ifMissing: requirement(of: [path]))
    }

    mutating func mapValue(
        _ path: PropertyPath,
        _ map: ValueMap.Prepared,
        ifMissing: MissingProperty
    ) throws {
        try replaceValue(path, ifMissing: ifMissing) { map.change(of: $0) }
    }

    /// Replaces the value of a property, or the values of elements, with what a closure returns.
    mutating func replaceValue(
        _ path: PropertyPath,
        ifMissing: MissingProperty,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> ValueChange
    ) throws {
        try changeEachPlace(of: [path], ifMissing: ifMissing) { record, paths in
            switch try record.withValue(at: paths[0], body) {
            case nil: return false
            case .kept: break
            case .new(let json): try record.put(json, at: paths[0])
            case .removed: try record.remove(paths[0], ifMissing: .skip)
            case .failed(let problem):
                throw record.error(
                    .typeMismatch,
                    "The property \"\(record.full(paths[0]))\" \(problem).",
                    property: paths[0]
                )
            }
            return true
        }
    }
}

/// The result of a value change.
enum ValueChange: Sendable {
    case kept
    /// It is replaced by JSON.
    case new([UInt8])
    case removed
    /// It cannot be converted; the text says why, after the property's name.
    case failed(String)
}

/// ``Record/OtherValue`` with its value as JSON.
enum OtherJSON: Equatable, Sendable {
    case keep
    case fail
    case remove
    case value(String)
    /// A value that is nested too deeply for its path.
    case tooDeep

    init(_ other: Record.OtherValue, at path: PropertyPath) {
        self =
            switch other {
            case .keep: .keep
            case .fail: .fail
            case .remove: .remove
            case .value(let value): value.json(within: [path]).map { .value($0) } ?? .tooDeep
            }
    }

    var identity: [String] {
        switch self {
        case .keep: ["keep"]
        case .fail: ["fail"]
        case .remove: ["remove"]
        case .value(let json): ["value", json]
        case .tooDeep: ["tooDeep"]
        }
    }

    /// Whether a value may be lost.
    var isLossy: Bool { self != .keep && self != .fail }

    func change(_ problem: String) -> ValueChange {
        switch self {
        case .keep, .tooDeep: .kept
        case .fail:
            .failed("\(problem). Set such records aside with a policy, choose another `otherwise`, or use a closure")
        case .remove: .removed
        case .value(let json): .new(Array(json.utf8))
        }
    }
}

/// A map from old to new values, as JSON.
struct ValueMap: Sendable {
    /// The old values, sorted, with the properties of their objects in the order of names.
    private(set) var oldValues: [String] = []
    /// The new values, in the order of the old ones.
    private(set) var newValues: [String] = []
    private(set) var other: OtherJSON
    private(set) var isTooDeep = false

    init(_ values: [RecordValue: RecordValue], otherwise other: Record.OtherValue, at path: PropertyPath) {
        self.other = OtherJSON(other, at: path)
        var pairs: [(old: String, new: String)] = []
        isTooDeep = self.other == .tooDeep
        for (old, new) in values {
            // A value that is nested too deeply is in no record.
            guard let old = old.sorted.json(within: [path]) else { continue }
            let new = new.json(within: [path])
            if new == nil { isTooDeep = true }
            pairs.append((old, new ?? ""))
        }
        pairs.sort { $0.old.utf8.lexicographicallyPrecedes($1.old.utf8) }
        oldValues = pairs.map(\.old)
        newValues = pairs.map(\.new)
    }

    var identity: [String] { [String(oldValues.count)] + oldValues + newValues + other.identity }

    /// Whether several of the named values become one, or another value may be lost.
    var isLossy: Bool {
        other.isLossy || Set(newValues).count < newValues.count
    }

    func prepared() -> Prepared {
        Prepared(self)
    }

    /// A map that compares bytes.
    struct Prepared: Sendable {
        private let pairs: [(old: [UInt8], new: [UInt8])]
        private let other: ValueChange

        init(_ map: ValueMap) {
            pairs = zip(map.oldValues, map.newValues).map { (Array($0.utf8), Array($1.utf8)) }
            other = map.other.change("has a value that the step does not name")
        }

        func change(of bytes: UnsafeBufferPointer<UInt8>) -> ValueChange {
            if let pair = pairs.first(where: { $0.old.elementsEqual(bytes) }) { return .new(pair.new) }
            // The same string, array or object may have other escapes, white space or order.
            if bytes.contains(0x5C) || bytes.first == 0x5B || bytes.first == 0x7B,
                let sorted = try? RecordValue(checked: bytes).sorted.json(),
                let pair = pairs.first(where: { $0.old == sorted })
            {
                return .new(pair.new)
            }
            return bytes.elementsEqual("null".utf8) ? .kept : other
        }
    }
}

extension RecordValue {
    /// Parses a value that a scanner has accepted.
    init(checked bytes: UnsafeBufferPointer<UInt8>) {
        self = bytes.baseAddress.map { RecordValue(checked: $0, from: 0, to: bytes.count) } ?? .null
    }
}

extension Record {
    /// What happens to a value for which there is no other one.
    public enum OtherValue: Hashable, Sendable {
        /// It is kept.
        case keep
        /// The record cannot be converted; the code is `typeMismatch`.
        case fail
        /// It is replaced, too.
        case value(RecordValue)
        /// The property is removed.
        case remove
    }

    /// Replaces the value of a property by another one.
    ///
    /// ```swift
    /// try order.mapValue("status", ["open": "active", "done": "archived"], otherwise: .fail)
    /// ```
    ///
    /// Null is left as it is, unless `values` names it.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - values: The new values by the old ones.
    ///   - other: What happens to all other values; by default they are kept.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not named.
    public mutating func mapValue(
        _ path: PropertyPath,
        _ values: [RecordValue: RecordValue],
        otherwise other: OtherValue = .keep
    ) throws {
        let map = ValueMap(values, otherwise: other, at: path)
        if map.isTooDeep { throw tooDeep(path, JSONSyntaxError(reason: .tooDeep, offset: 0)) }
        guard try self.map(path, map.prepared()) else { throw missing(path) }
    }

    /// Replaces the value of a property if it exists; returns whether it did.
    @discardableResult
    mutating func map(_ path: PropertyPath, _ map: ValueMap.Prepared) throws -> Bool {
        guard let outcome = withValue(at: path, { map.outcome(for: $0) }) else { return false }
        switch outcome {
        case .kept:
            break
        case .new(let json):
            try put(json, at: path)
        case .removed:
            _ = try removeIfPresent(path)
        case .unknown:
            throw error(
                .typeMismatch,
                "The value of the property \"\(path)\" is not one of the \(map.count) that are named. Name it, or say with "
                    + "`otherwise` what happens to other values.",
                property: path
            )
        }
        return true
    }
}

/// Values by others, as JSON.
struct ValueMap: Hashable, Codable, Sendable {
    /// The old values, sorted.
    private(set) var olds: [String] = []
    /// The new values, in the order of the old ones.
    private(set) var news: [String] = []
    /// "keep", "fail", "remove", or "value" and the value.
    private(set) var other: [String]
    private(set) var isTooDeep = false

    static let keep = ["keep"]

    init(_ values: [RecordValue: RecordValue], otherwise: Record.OtherValue, at path: PropertyPath) {
        var pairs: [(old: String, new: String)] = []
        switch otherwise {
        case .keep: other = Self.keep
        case .fail: other = ["fail"]
        case .remove: other = ["remove"]
        case .value(let value):
            let json = value.json(within: [path])
            other = ["value", json ?? ""]
            isTooDeep = json == nil
        }
        for (old, new) in values {
            // A value that is nested too deeply is in no record.
            guard let old = old.json(within: [path]) else { continue }
            let new = new.json(within: [path])
            if new == nil { isTooDeep = true }
            pairs.append((old, new ?? ""))
        }
        pairs.sort { $0.old.utf8.lexicographicallyPrecedes($1.old.utf8) }
        olds = pairs.map(\.old)
        news = pairs.map(\.new)
    }

    var identity: [String] { [String(olds.count)] + olds + news + other }

    /// Whether several values may become one, or a value may be removed.
    var isLossy: Bool {
        other != Self.keep && other != ["fail"] || Set(news).count < news.count
    }

    func prepared() -> Prepared {
        Prepared(self)
    }

    /// A map that compares bytes first.
    struct Prepared: Sendable {
        enum Outcome {
            case kept
            case new([UInt8])
            case removed
            case unknown
        }

        private let pairs: [(old: [UInt8], new: [UInt8])]
        private let values: [RecordValue: [UInt8]]
        private let other: Outcome
        var count: Int { pairs.count }

        init(_ map: ValueMap) {
            pairs = zip(map.olds, map.news).map { (Array($0.utf8), Array($1.utf8)) }
            values = Dictionary(
                pairs.map { old, new in
                    (old.withUnsafeBufferPointer { Self.value($0) }, new)
                },
                uniquingKeysWith: { first, _ in first }
            )
            other =
                switch map.other.first {
                case "fail": .unknown
                case "remove": .removed
                case "value": .new(Array(map.other[1].utf8))
                default: .kept
                }
        }

        private static func value(_ bytes: UnsafeBufferPointer<UInt8>) -> RecordValue {
            bytes.baseAddress.map { RecordValue(checked: $0, from: 0, to: bytes.count) } ?? .null
        }

        func outcome(for bytes: UnsafeBufferPointer<UInt8>) -> Outcome {
            if let pair = pairs.first(where: { $0.old.elementsEqual(bytes) }) { return .new(pair.new) }
            // The same string or number may be written in another way.
            let isPlain = bytes.first == 0x22 && !bytes.contains(0x5C)
            if !isPlain, let new = values[Self.value(bytes)] { return .new(new) }
            return bytes.elementsEqual("null".utf8) ? .kept : other
        }
    }
}

/// The two bounds of a range, as an array.
///
/// Defaults writes them so since 6.3; JSON text, as earlier ones wrote it, is read too.
public struct DefaultsRangeBridge<Value: DefaultsRange>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The bounds, the lower one first.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Bound.encodeElements(of: [value.lowerBound, value.upperBound])
    }

    /// The range between the bounds.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        if case .string(let text) = stored, let type = Value.self as? any Decodable.Type {
            guard let value = try DefaultsJSON.decode(type, from: text.utf8) as? Value else {
                throw DefaultsError.mismatch("JSON text of \(Value.self)")
            }
            return value
        }
        let bounds = try Value.Bound.decodeElements(of: stored)
        guard bounds.count == 2, let value = Value(from: bounds[0], to: bounds[1]) else {
            throw DefaultsError.mismatch("a range: two bounds, the lower one first")
        }
        return value
    }

    /// A range of the bounds' form.
    public var form: DefaultsForm? {
        Value.isClosed ? .closedRange(of: Value.Bound.defaultsForm) : .range(of: Value.Bound.defaultsForm)
    }
}

/// A range with two bounds: `Range` or `ClosedRange`.
public protocol DefaultsRange {
    /// What it reaches from and to.
    associatedtype Bound: DefaultsSerializable & Comparable

    /// Whether the upper bound belongs to it.
    static var isClosed: Bool { get }
    /// Where it begins.
    var lowerBound: Bound { get }
    /// Where it ends.
    var upperBound: Bound { get }

    /// The range between two bounds; nil when they are in the wrong order.
    init?(from lower: Bound, to upper: Bound)
}

extension Range: DefaultsRange, DefaultsSerializable where Bound: DefaultsSerializable {
    /// False: it ends before its upper bound.
    public static var isClosed: Bool {
        false
    }

    /// The range between two bounds; nil when they are in the wrong order.
    public init?(from lower: Bound, to upper: Bound) {
        guard lower <= upper else { return nil }
        self = lower..<upper
    }

    /// An array of the two bounds.
    public static var bridge: DefaultsRangeBridge<Self> {
        DefaultsRangeBridge()
    }
}

extension ClosedRange: DefaultsRange, DefaultsSerializable where Bound: DefaultsSerializable {
    /// True: its upper bound belongs to it.
    public static var isClosed: Bool {
        true
    }

    /// The range between two bounds; nil when they are in the wrong order.
    public init?(from lower: Bound, to upper: Bound) {
        guard lower <= upper else { return nil }
        self = lower...upper
    }

    /// An array of the two bounds.
    public static var bridge: DefaultsRangeBridge<Self> {
        DefaultsRangeBridge()
    }
}

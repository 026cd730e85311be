/// The two bounds of a `Range`, as an array.
///
/// Defaults writes them so since 6.3; JSON text, as earlier ones wrote it, is read too.
public struct DefaultsRangeBridge<Bound: DefaultsSerializable & Comparable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The bounds, the lower one first.
    public func encode(_ value: Range<Bound>) throws -> PropertyListValue? {
        try Bound.encodeElements(of: [value.lowerBound, value.upperBound])
    }

    /// The range between the bounds.
    public func decode(_ stored: PropertyListValue) throws -> Range<Bound> {
        if let former = try Bound.formerRange(Range<Bound>.self, of: stored) { return former }
        let (lower, upper) = try Bound.decodeBounds(of: stored)
        return lower..<upper
    }

    /// A range of the bounds' form.
    public var form: DefaultsForm? {
        .range(of: Bound.defaultsForm)
    }
}

/// The two bounds of a `ClosedRange`, as an array.
///
/// Defaults writes them so since 6.3; JSON text, as earlier ones wrote it, is read too.
public struct DefaultsClosedRangeBridge<Bound: DefaultsSerializable & Comparable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The bounds, the lower one first.
    public func encode(_ value: ClosedRange<Bound>) throws -> PropertyListValue? {
        try Bound.encodeElements(of: [value.lowerBound, value.upperBound])
    }

    /// The range between the bounds.
    public func decode(_ stored: PropertyListValue) throws -> ClosedRange<Bound> {
        if let former = try Bound.formerRange(ClosedRange<Bound>.self, of: stored) { return former }
        let (lower, upper) = try Bound.decodeBounds(of: stored)
        return lower...upper
    }

    /// A closed range of the bounds' form.
    public var form: DefaultsForm? {
        .closedRange(of: Bound.defaultsForm)
    }
}

extension Range: DefaultsSerializable where Bound: DefaultsSerializable {
    /// An array of the two bounds.
    public static var bridge: DefaultsRangeBridge<Bound> {
        DefaultsRangeBridge()
    }
}

extension ClosedRange: DefaultsSerializable where Bound: DefaultsSerializable {
    /// An array of the two bounds.
    public static var bridge: DefaultsClosedRangeBridge<Bound> {
        DefaultsClosedRangeBridge()
    }
}

extension DefaultsSerializable where Self: Comparable {
    /// The bounds of an array of two, the lower one first.
    fileprivate static func decodeBounds(of stored: PropertyListValue) throws -> (lower: Self, upper: Self) {
        let bounds = try decodeElements(of: stored)
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw DefaultsError.mismatch("two bounds of type \(Self.self), the lower one first")
        }
        return (bounds[0], bounds[1])
    }

    /// The range of a JSON text; nil for what is no text, or when a bound cannot have been JSON.
    fileprivate static func formerRange<Value>(_ type: Value.Type, of stored: PropertyListValue) throws -> Value? {
        guard let text = stored.string, let type = type as? any Decodable.Type else { return nil }
        return try DefaultsJSON.decode(type, from: text.utf8) as? Value
    }
}

/// What tells whether the code of an enum still has a case, as a hand-written `allCases` may hide some.
///
/// Not a part of the shape: one that comes from a file has none.
package struct CaseSource: Hashable, Sendable {
    private enum Source {
        case none
        case raw(any RawRepresentable.Type)
        case keys([any CodingKey.Type])
    }

    // A type is a constant.
    private nonisolated(unsafe) let source: Source

    /// Knows nothing.
    package init() {
        source = .none
    }

    /// Asks a type whether it has a value for a raw value.
    init(_ type: any RawRepresentable.Type) {
        source = .raw(type)
    }

    /// Asks the keys that the compiler made of the cases.
    init(_ keyTypes: [any CodingKey.Type]) {
        source = .keys(keyTypes)
    }

    /// Whether the code has a case, or may have it.
    func knows(_ name: String) -> Bool {
        switch source {
        case .none: false
        case .raw(let type): Self.knows(name, type)
        case .keys(let types): types.contains { $0.init(stringValue: name) != nil }
        }
    }

    private static func knows<Value: RawRepresentable>(_ text: String, _ type: Value.Type) -> Bool {
        guard let rawType = Value.RawValue.self as? any LosslessStringConvertible.Type else { return true }
        guard let raw = rawType.init(text) as? Value.RawValue else { return false }
        return type.init(rawValue: raw) != nil
    }

    /// Whether this is worth more than another one.
    var isKnown: Bool {
        if case .none = source { false } else { true }
    }

    package static func == (one: CaseSource, other: CaseSource) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

/// The code of an enum, which tells whether a case still exists; it is not part of the shape.
package struct CaseSource: Hashable, Sendable {
    private enum Source {
        case none
        case raw(any RawRepresentable.Type)
        case keys([any CodingKey.Type])
    }

    // Metatypes are immutable.
    private nonisolated(unsafe) let source: Source

    package init() {
        source = .none
    }

    /// Creates a source that looks for a value with a raw value.
    init(_ type: any RawRepresentable.Type) {
        source = .raw(type)
    }

    /// Creates a source that looks for a coding key of a case.
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

    var isKnown: Bool {
        if case .none = source { false } else { true }
    }

    package static func == (one: CaseSource, other: CaseSource) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

/// A setting's name with its type and its default.
///
/// ```swift
/// extension DefaultsKeys {
///     static let tags = DefaultsKey<[String]>("tags", default: [])
///     static let period = DefaultsKey<Period?>("period")
/// }
///
/// let period = Suite.standard[.period]
/// try Suite.standard.set(.oneHour, for: .period)
/// ```
///
/// The default exists only in the key and is never written. A key is a constant; list keys in an extension of
/// ``DefaultsKeys``, or declare them anywhere else.
public final class DefaultsKey<Value: DefaultsSerializable>: DefaultsKeys, @unchecked Sendable {
    // Unchecked because its superclass is; the only stored property is a Sendable constant.
    private let makeDefault: @Sendable () -> Value

    /// Creates a key whose default is computed each time it is needed.
    public init(_ name: String, default makeDefault: @escaping @Sendable () -> Value) {
        self.makeDefault = makeDefault
        super.init(name: name, form: Value.defaultsForm)
    }

    /// The value while nothing is set.
    public var defaultValue: Value {
        makeDefault()
    }

    /// Decodes a stored value; returns the default for nil.
    ///
    /// - Throws: ``DefaultsError`` with the code `typeMismatch`, the key and the place inside the value.
    package func value(of stored: PropertyListValue?) throws -> Value {
        guard let stored else { return defaultValue }
        do {
            return try Value.decoded(from: stored)
        } catch {
            throw DefaultsError.wrapping(error, as: .typeMismatch).at(key: name)
        }
    }
}

extension DefaultsKey {
    /// Creates a key with a default.
    public convenience init(_ name: String, default value: Value) where Value: Sendable {
        self.init(name, default: { value })
    }

    /// Creates a key whose value is nil while nothing is set; setting nil removes the setting.
    public convenience init<Wrapped>(_ name: String) where Value == Wrapped? {
        self.init(name, default: { nil })
    }
}

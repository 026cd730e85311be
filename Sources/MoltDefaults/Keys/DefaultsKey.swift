/// A setting's name, with the type of its value and what it is while nothing is set.
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
/// The default is in the key only: it is never written. Keys are listed in an extension of ``DefaultsKeys``, or kept
/// anywhere else: a key is a constant like others.
public final class DefaultsKey<Value: DefaultsSerializable>: DefaultsKeys, @unchecked Sendable {
    // Unchecked as its superclass is: this is a constant, and Sendable.
    private let makeDefault: @Sendable () -> Value

    /// A setting whose default is made anew each time that it is needed.
    public init(_ name: String, default makeDefault: @escaping @Sendable () -> Value) {
        self.makeDefault = makeDefault
        super.init(name: name, form: Value.defaultsForm)
    }

    /// The value while nothing is set.
    public var defaultValue: Value {
        makeDefault()
    }

    /// The value for what is stored; the default for nothing.
    ///
    /// - Throws: ``DefaultsError`` with the code `typeMismatch`, the key and the place inside.
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
    /// A setting with a default.
    public convenience init(_ name: String, default value: Value) where Value: Sendable {
        self.init(name, default: { value })
    }

    /// A setting that is nil while nothing is set; setting nil removes it.
    public convenience init<Wrapped>(_ name: String) where Value == Wrapped? {
        self.init(name, default: { nil })
    }
}

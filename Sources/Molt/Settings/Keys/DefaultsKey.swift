import Foundation

/// A setting's name and the form of its value.
///
/// An app lists its keys in an extension; each is a ``DefaultsKey``:
///
/// ```swift
/// extension DefaultsKeys {
///     static let tags = DefaultsKey<[String]>("tags", default: [])
///     static let period = DefaultsKey<Period?>("period")
/// }
/// ```
public class DefaultsKeys: @unchecked Sendable {
    // Unchecked only because a class with a subclass cannot be checked: all stored properties of this class and of
    // `DefaultsKey` are constants of Sendable types, and no other module can add a subclass.

    /// The setting's key in the suite.
    public let name: String
    /// The form of the value.
    public let form: DefaultsForm

    init(name: String, form: DefaultsForm) {
        self.name = name
        self.form = form
    }

    /// Creates a key for a migration, such as `.key("timeZones", .array(of: .codable))`.
    ///
    /// A migration has its own keys, because those of the app may later change, and the migration must not.
    public static func key(_ name: String, _ form: DefaultsForm) -> DefaultsKeys {
        DefaultsKeys(name: name, form: form)
    }

    /// Called when `suite[.key]` could not read or set a value; writes a line to standard error by default.
    ///
    /// It is called on the thread that used the subscript. An unreadable value is reported at each read.
    public static var onFailure: @Sendable (any Error) -> Void {
        get { failureHandler.withLock { $0 } }
        set { failureHandler.withLock { $0 = newValue } }
    }

    private static let failureHandler = Locked<@Sendable (any Error) -> Void> { error in
        // `write(_:)` terminates the process if standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data("Molt: \(error)\n".utf8))
    }
}

/// A setting's name with its type and its default.
///
/// ```swift
/// let period = Suite.standard[.period]
/// try Suite.standard.set(.oneHour, for: .period)
/// ```
///
/// The default exists only in the key and is never written. A key is a constant; list keys in an extension of
/// ``DefaultsKeys``, or declare them anywhere else.
public final class DefaultsKey<Value: DefaultsSerializable>: DefaultsKeys, @unchecked Sendable {
    private let makeDefault: @Sendable () -> Value

    /// The value while nothing is set.
    public var defaultValue: Value { makeDefault() }

    /// Creates a key whose default is computed each time it is needed.
    ///
    /// - Parameters:
    ///   - name: The name of the key in the suite.
    ///   - makeDefault: Makes the value while nothing is set.
    public init(_ name: String, default makeDefault: @escaping @Sendable () -> Value) {
        self.makeDefault = makeDefault
        super.init(name: name, form: Value.defaultsForm)
    }

    /// Creates a key with a default.
    ///
    /// - Parameters:
    ///   - name: The name of the key in the suite.
    ///   - value: The value while nothing is set.
    public convenience init(_ name: String, default value: Value) where Value: Sendable {
        self.init(name, default: { value })
    }

    /// Creates a key whose value is nil while nothing is set; setting nil removes the setting.
    public convenience init<Wrapped>(_ name: String) where Value == Wrapped? { self.init(name, default: { nil }) }

    /// Decodes a stored value; returns the default for nil.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch`, the key and the place inside the value.
    package func value(of stored: PropertyListValue?) throws -> Value {
        try converting(.typeMismatch) { try stored.map { try Value.decoded(from: $0) } ?? defaultValue }
    }

    /// Runs a conversion and adds the key to its error.
    func converting<Result>(_ code: MoltError.Code, _ convert: () throws -> Result) throws -> Result {
        do {
            return try convert()
        } catch {
            throw MoltError.wrapping(error, as: code).at(key: name)
        }
    }
}

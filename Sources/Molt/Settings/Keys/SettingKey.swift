import Foundation

/// A setting's name and the form of its value.
///
/// An app lists its keys in an extension; each is a ``SettingKey``:
///
/// ```swift
/// extension SettingKeys {
///     static let tags = SettingKey<[String]>("tags", default: [])
///     static let period = SettingKey<Period?>("period")
/// }
/// ```
public class SettingKeys: @unchecked Sendable {
    // Unchecked only because a class with a subclass cannot be checked: all stored properties of this class and of
    // `SettingKey` are constants of Sendable types, and no other module can add a subclass.

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
    public static func key(_ name: String, _ form: DefaultsForm) -> SettingKeys {
        SettingKeys(name: name, form: form)
    }

    /// Called when `suite[.key]` could not read or set a value; writes a line to standard error by default.
    ///
    /// It is called on the thread that used the subscript. An unreadable value is reported at each read.
    public static var onFailure: @Sendable (any Error) -> Void {
        get { failureHandler.withLock { $0 } }
        set { failureHandler.withLock { $0 = newValue } }
    }

    /// What becomes of a stored value that its key cannot read when another value is set with the key.
    ///
    /// By default, it is put into quarantine first. A suite keeps at most 100 such values, with at most 1 000 000 bytes
    /// in all; the oldest are removed first. ``onFailure`` gets the error, and ``Suite/quarantined()`` lists the
    /// values:
    ///
    /// ```swift
    /// for setting in try Suite.standard.quarantined() { print(setting.key, setting.failure) }
    /// ```
    ///
    /// They are in a file of Molt beside the suite, where they are on disk before the suite is changed. If that is not
    /// possible, such as on a full disk or while access is suspended, the new value is set all the same. Removing a
    /// setting, ``Suite/update(set:remove:)``, restores and migrations quarantine nothing.
    public static var unreadableValues: UnreadablePolicy {
        get { unreadablePolicy.withLock { $0 } }
        set { unreadablePolicy.withLock { $0 = newValue } }
    }

    private static let unreadablePolicy = Locked(UnreadablePolicy.quarantine())
    private static let failureHandler = Locked<@Sendable (any Error) -> Void> { error in
        // `write(_:)` terminates the process if standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data("Molt: \(error)\n".utf8))
    }
}

/// A setting's name with its type, its default and how it is stored.
///
/// ```swift
/// let period = Suite.standard[.period]
/// try Suite.standard.set(.oneHour, for: .period)
/// ```
///
/// The default exists only in the key and is never written. A key is a constant; list keys in an extension of
/// ``SettingKeys``, or declare them anywhere else.
///
/// A value is stored as its type is by default. What other code has written in another form is read if it can mean only
/// one thing, as `UserDefaults` reads it: `"YES"` or 1 for a Boolean, `"12"` for an integer, and URLs as
/// `UserDefaults.set(_:forKey:)` writes them. A key with a coding of its own reads nothing else, and may be of a type
/// that is no ``SettingValue``:
///
/// ```swift
/// let toads = SettingKey<[Toad]>("toads", coding: .jsonData, default: [])
/// ```
public final class SettingKey<Value>: SettingKeys, @unchecked Sendable {
    /// How the value is stored.
    package let coding: SettingCoding<Value>
    private let makeDefault: @Sendable () -> Value
    /// Whether values are read that other code has written in another form.
    private let convertsValues: Bool

    /// The value while nothing is set.
    public var defaultValue: Value { makeDefault() }

    /// Creates a key with a coding of its own, whose default is computed each time it is needed.
    ///
    /// - Parameters:
    ///   - name: The name of the key in the suite.
    ///   - coding: How the value is stored.
    ///   - makeDefault: Makes the value while nothing is set.
    public convenience init(
        _ name: String,
        coding: SettingCoding<Value>,
        default makeDefault: @escaping @Sendable () -> Value
    ) {
        self.init(name, coding, convertsValues: false, makeDefault)
    }

    private init(
        _ name: String,
        _ coding: SettingCoding<Value>,
        convertsValues: Bool,
        _ makeDefault: @escaping @Sendable () -> Value
    ) {
        self.coding = coding
        self.convertsValues = convertsValues
        self.makeDefault = makeDefault
        super.init(name: name, form: coding.form)
    }

    /// Creates a key with a coding of its own and a default.
    ///
    /// - Parameters:
    ///   - name: The name of the key in the suite.
    ///   - coding: How the value is stored.
    ///   - value: The value while nothing is set.
    public convenience init(_ name: String, coding: SettingCoding<Value>, default value: Value) where Value: Sendable {
        self.init(name, coding: coding, default: { value })
    }

    /// Creates a key with a coding of its own whose value is nil while nothing is set; setting nil removes the setting.
    public convenience init<Wrapped>(_ name: String, coding: SettingCoding<Wrapped>) where Value == Wrapped? {
        self.init(name, coding: .optional(coding), default: { nil })
    }

    /// Creates a key whose default is computed each time it is needed.
    ///
    /// - Parameters:
    ///   - name: The name of the key in the suite.
    ///   - makeDefault: Makes the value while nothing is set.
    public convenience init(_ name: String, default makeDefault: @escaping @Sendable () -> Value)
    where Value: SettingValue {
        self.init(name, Value.coding, convertsValues: true, makeDefault)
    }

    /// Creates a key with a default.
    ///
    /// - Parameters:
    ///   - name: The name of the key in the suite.
    ///   - value: The value while nothing is set.
    public convenience init(_ name: String, default value: Value) where Value: SettingValue & Sendable {
        self.init(name, default: { value })
    }

    /// Creates a key whose value is nil while nothing is set; setting nil removes the setting.
    public convenience init<Wrapped: SettingValue>(_ name: String) where Value == Wrapped? {
        self.init(name, default: { nil })
    }

    /// Decodes a stored value; returns the default for nil.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch`, the key and the place inside the value.
    package func value(of stored: PropertyListValue?) throws -> Value {
        guard let stored else { return defaultValue }
        return try converting(.typeMismatch) {
            // A path would be read as the text of a relative URL.
            if convertsValues, [URL.self, URL?.self].contains(where: { $0 == Value.self }),
                let url = stored.urlOfDefaults, let value = url as? Value
            {
                return value
            }
            do {
                return try coding.decode(stored)
            } catch {
                guard convertsValues, let value = stored.converted(to: Value.self) else { throw error }
                return value
            }
        }
    }

    /// Encodes a value; returns nil if nothing is to be stored for it.
    ///
    /// - Throws: ``MoltError`` with the key.
    package func stored(_ value: Value) throws -> PropertyListValue? {
        try converting(.cannotStore) { try coding.encode(value) }
    }

    /// Runs a conversion and adds the key to its error.
    private func converting<Result>(_ code: MoltError.Code, _ convert: () throws -> Result) throws -> Result {
        do {
            return try convert()
        } catch {
            throw MoltError.wrapping(error, as: code).at(key: name)
        }
    }
}

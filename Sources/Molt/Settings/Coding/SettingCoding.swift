/// How the values of a type are stored in a suite.
///
/// Each ``SettingValue`` has one; a key can have another one:
///
/// ```swift
/// let toads = SettingKey<[Toad]>("toads", coding: .jsonData, default: [])
/// let seasons = SettingKey<[Season]>("seasons", coding: .array(of: .rawValue), default: [])
/// ```
///
/// For any other form, encode and decode property-list values, such as those that another type is stored as:
///
/// ```swift
/// let rest = SettingCoding<Duration> { duration in
///     try Double.settingCoding.encode(duration / .seconds(1))
/// } decode: { stored in
///     try .seconds(Double.settingCoding.decode(stored))
/// }
/// let pause = SettingKey<Duration>("pause", coding: rest, default: .seconds(5))
/// ```
public struct SettingCoding<Value>: Sendable {
    /// Makes the form, which keys need and values do not; nil if only the closures know it.
    let makeForm: @Sendable () -> DefaultsForm?
    let encoder: @Sendable (Value) throws -> PropertyListValue?
    let decoder: @Sendable (PropertyListValue) throws -> Value
}

extension SettingCoding {
    /// Creates a coding of your own.
    ///
    /// - Parameters:
    ///   - form: The form of the stored values. By default, a migration from another library decodes the JSON text that
    ///     the type was stored as, and encodes it with `encode`.
    ///   - encode: Returns what to store; nil to store nothing.
    ///   - decode: Returns the value; nil or an error if the stored value cannot be read.
    public init(
        form: DefaultsForm? = nil,
        encode: @escaping @Sendable (Value) throws -> PropertyListValue?,
        decode: @escaping @Sendable (PropertyListValue) throws -> Value?
    ) {
        self.init(form, "what the coding of \(Value.self) stores", encode: encode, decode: decode)
    }

    /// Creates a coding that Molt provides.
    ///
    /// - Parameter expected: The stored value in messages, such as "a date".
    init(
        _ form: @autoclosure @escaping @Sendable () -> DefaultsForm?,
        _ expected: @autoclosure @escaping @Sendable () -> String,
        encode: @escaping @Sendable (Value) throws -> PropertyListValue?,
        decode: @escaping @Sendable (PropertyListValue) throws -> Value?
    ) {
        self.init(makeForm: form, encoder: encode) { stored in
            guard let value = try decode(stored) else { throw MoltError.mismatch(expected()) }
            return value
        }
    }

    /// The form of the stored values, for migrations.
    public var form: DefaultsForm {
        if let form = makeForm() { return form }
        // Former JSON text, if any, was encoded by the type itself.
        let kind = DefaultsForm.Kind.decoded { json in
            guard let type = Value.self as? any Decodable.Type,
                let value = try DefaultsJSON.decode(type, from: json) as? Value
            else { throw NoCodableForm(type: "\(Value.self)") }
            return try encodeInside(value)
        } isCurrent: { stored in
            (try? decode(stored)) != nil
        }
        return DefaultsForm(kind)
    }

    /// Encodes a value; returns nil if nothing is to be stored for it.
    ///
    /// - Throws: ``MoltError``, or the error of a custom coding, if the value cannot be stored.
    public func encode(_ value: Value) throws -> PropertyListValue? { try encoder(value) }

    /// Decodes a stored value.
    ///
    /// - Throws: ``MoltError``, or the error of a custom coding, if the value cannot be read.
    public func decode(_ stored: PropertyListValue) throws -> Value { try decoder(stored) }

    /// ``encode(_:)`` for a value inside a container, which cannot hold nil.
    func encodeInside(_ value: Value) throws -> PropertyListValue {
        guard let stored = try encode(value) else {
            throw MoltError(
                .cannotStore,
                "A suite cannot hold nil inside an array or a dictionary.",
                advice: "Leave it out."
            )
        }
        return stored
    }
}

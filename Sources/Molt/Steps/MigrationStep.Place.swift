extension MigrationStep {
    /// The first argument of a step that works on records and on settings: the name of a type, or ``Settings``.
    ///
    /// ```swift
    /// .renameProperty("Person", "mail", to: "email")
    /// .renameProperty(.setting("profile", in: group), "mail", to: "email")
    /// .renameProperty(.settings(withPrefix: "draft.", in: group), "mail", to: "email")
    /// ```
    ///
    /// Only `String` and ``Settings`` are places.
    public protocol Place: Sendable, CustomStringConvertible {
        /// The settings; nil for the records of the type that the description names.
        var _settings: Settings? { get }
    }

    /// The content of settings, on which a step works.
    ///
    /// The content of a setting is the value that the app reads from it, in any of the forms in which suites hold
    /// values; see ``SettingForm``. A step keeps the form. A value that has none of these forms, or cannot have the
    /// property, is left unchanged. The report lists it as ``MigrationReport/KeyOutcome/Outcome/notConvertible``.
    ///
    /// In JSON, what a step does not change stays byte for byte the same. A property list is written anew as a whole,
    /// with equal values. Closures have Foundation's own coders, not those of the registry; for JSON, a migration may
    /// declare others with ``Migration/coding(_:)``.
    ///
    /// `ifMissing: .fail` is about a property: an absent setting never fails.
    ///
    /// A step on settings also runs on a newly created store, because the settings may be older than the store.
    public struct Settings: Place {
        package let place: SettingsPlace

        /// The key, or the prefix with an asterisk.
        public var description: String { place.label }
        /// The settings themselves.
        public var _settings: Settings? { self }
    }
}

extension MigrationStep.Place where Self == MigrationStep.Settings {
    /// The content of a setting.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - suite: The suite.
    ///   - form: The form of the value, if the value does not show it: whether a string such as `[1]` or `7` is
    ///     ``SettingForm/jsonText`` or ``SettingForm/native``, for example. By default, a value is JSON if it may be; a
    ///     string only if it is an object, an array, or a string in quotes.
    public static func setting(_ key: String, in suite: Suite, form: SettingForm? = nil) -> Self {
        Self(place: SettingsPlace(suite, key: key, form: form))
    }

    /// The content of each setting whose key begins with a prefix, which must not be empty.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - suite: The suite.
    ///   - form: The form of the values, if they do not show it; see ``setting(_:in:form:)``.
    public static func settings(withPrefix prefix: String, in suite: Suite, form: SettingForm? = nil) -> Self {
        Self(place: SettingsPlace(suite, prefix: prefix, form: form))
    }
}

extension String: MigrationStep.Place {
    /// Nil: a string names a type of records.
    public var _settings: MigrationStep.Settings? { nil }
}

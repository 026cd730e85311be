extension MigrationStep {
    /// Where a step works: the records of a type, or the content of settings.
    ///
    /// ```swift
    /// .renameProperty("Person", "mail", to: "email")
    /// .renameProperty(.setting("profile", in: group), "mail", to: "email")
    /// .renameProperty(.settings(withPrefix: "draft.", in: group), "mail", to: "email")
    /// ```
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
    public struct Place: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case records(ExactName)
            case settings(SettingsPlace)
        }

        let kind: Kind
    }
}

/// The first argument of a step: the name of a type of records, or a ``MigrationStep/Place``.
///
/// ```swift
/// let type = "Person"
/// .renameProperty(type, "mail", to: "email")
/// .renameProperty(.setting("profile", in: group), "mail", to: "email")
/// ```
public protocol StepPlace: Sendable {
    /// Where the step works.
    var stepPlace: MigrationStep.Place { get }
}

extension String: StepPlace {
    /// The records of the type with this name.
    public var stepPlace: MigrationStep.Place { .records(ofType: self) }
}

extension MigrationStep.Place: StepPlace {
    /// The place itself.
    public var stepPlace: MigrationStep.Place { self }
}

extension StepPlace where Self == MigrationStep.Place {
    /// The records of a type; its name alone is such a place, too.
    public static func records(ofType type: String) -> Self {
        Self(kind: .records(ExactName(type)))
    }

    /// The content of a setting.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - suite: The suite.
    ///   - form: The form of the value, if the value does not show it: whether a string such as `[1]` or `7` is
    ///     ``SettingForm/jsonText`` or ``SettingForm/native``, for example. By default, a value is JSON if it may
    ///     be; a string only if it is an object, an array, or a string in quotes.
    public static func setting(_ key: String, in suite: Suite, form: SettingForm? = nil) -> Self {
        Self(SettingsPlace(suite, key: key, form: form))
    }

    /// The content of each setting whose key begins with a prefix, which must not be empty.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - suite: The suite.
    ///   - form: The form of the values, if they do not show it; see ``setting(_:in:form:)``.
    public static func settings(withPrefix prefix: String, in suite: Suite, form: SettingForm? = nil) -> Self {
        Self(SettingsPlace(suite, prefix: prefix, form: form))
    }
}

extension MigrationStep.Place: ExpressibleByStringInterpolation {
    /// Creates the place of the records of a type.
    public init(stringLiteral type: String) {
        self = .records(ofType: type)
    }
}

/// A setting of a suite, or all with a prefix; it is the same place in whatever form its values are read.
package struct SettingsPlace: Hashable, Sendable {
    package var suite: Suite
    /// The key or the prefix.
    package var name: ExactName
    package var isPrefix: Bool
    /// The form of its values; nil if they show it.
    var form: SettingForm?

    package init(_ suite: Suite, key: String, form: SettingForm? = nil) {
        (self.suite, name, isPrefix, self.form) = (suite, ExactName(key), false, form)
    }

    package init(_ suite: Suite, prefix: String, form: SettingForm? = nil) {
        (self.suite, name, isPrefix, self.form) = (suite, ExactName(prefix), true, form)
    }

    package static func == (place: SettingsPlace, other: SettingsPlace) -> Bool {
        place.suite == other.suite && place.name == other.name && place.isPrefix == other.isPrefix
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(suite)
        hasher.combine(name)
        hasher.combine(isPrefix)
    }

    @Sendable package func includes(_ key: String) -> Bool {
        isPrefix ? key.utf8.starts(with: name.text.utf8) : ExactName.isSame(key, name.text)
    }

    /// Its keys in a suite, sorted; a single key also if it has no value.
    func keys(in settings: SuiteEditor) throws -> [String] {
        isPrefix ? try settings.keys.filter(includes) : [name.text]
    }

    /// The key that replaces one of its keys: a new key, or a new prefix and the rest of the key.
    func newKey(for key: String, _ newName: String) -> String {
        isPrefix ? newName + String(decoding: key.utf8.dropFirst(name.text.utf8.count), as: UTF8.self) : newName
    }

    /// The key, or the prefix with an asterisk.
    package var label: String { isPrefix ? name.text + "*" : name.text }
}

extension MigrationStep.Place {
    init(_ settings: SettingsPlace) {
        self.init(kind: .settings(settings))
    }

    /// The settings; nil for records.
    var settings: SettingsPlace? {
        if case .settings(let settings) = kind { settings } else { nil }
    }

    /// The type of the records; nil for settings.
    package var type: ExactName? {
        if case .records(let type) = kind { type } else { nil }
    }

    /// A property, or the whole content, for descriptions of steps and lists of losses.
    func name(of path: PropertyPath) -> String {
        let name = type?.text ?? settings?.label ?? ""
        return path.count == 0 ? name : path.parts.first == .each ? "\(name)\(path)" : "\(name).\(path)"
    }

    /// The suite at the end of a step's description; empty for records.
    var suffix: String { settings.map { " in \($0.suite)" } ?? "" }

    /// The subject of a sentence about the place.
    var subject: String {
        switch kind {
        case .records(let type): "The type \(type.text)"
        case .settings(let settings) where settings.isPrefix:
            "The settings with the prefix \"\(settings.name.text)\" in \(settings.suite)"
        case .settings(let settings): "The setting \"\(settings.name.text)\" in \(settings.suite)"
        }
    }

    /// The kind and the place of a step for its fingerprint, in a form that never changes.
    func identity(of kind: String) -> [String] {
        switch self.kind {
        case .records(let type): [kind, type.text]
        case .settings(let settings):
            [
                "\(kind) of \(settings.isPrefix ? "settings" : "a setting")", settings.suite.declaredName,
                settings.name.text, settings.form?.identity ?? "",
            ]
        }
    }
}

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
    /// values; see ``SettingForm``. A step keeps the form. A setting in no form that can be read, or whose value cannot
    /// have the properties that a step names, stays as it is and is in the report as
    /// ``MigrationReport/KeyOutcome/Outcome/notConvertible``.
    ///
    /// A step on settings also runs on a newly created store, because the settings may be older than the store.
    public struct Place: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case records(ExactName)
            case settings(SettingsPlace)
        }

        let kind: Kind

        init(_ settings: SettingsPlace) {
            kind = .settings(settings)
        }

        private init(ofType type: String) {
            kind = .records(ExactName(type))
        }

        /// The records of a type; a string literal is the name of a type, too.
        public static func records(ofType type: String) -> Place {
            Place(ofType: type)
        }

        /// The content of a setting.
        public static func setting(_ key: String, in suite: Suite) -> Place {
            Place(SettingsPlace(suite, key: key))
        }

        /// The content of each setting whose key begins with a prefix, which must not be empty.
        public static func settings(withPrefix prefix: String, in suite: Suite) -> Place {
            Place(SettingsPlace(suite, prefix: prefix))
        }
    }
}

extension MigrationStep.Place: ExpressibleByStringInterpolation {
    /// Creates the place of the records of a type.
    public init(stringLiteral type: String) {
        self = .records(ofType: type)
    }
}

/// A setting of a suite, or all with a prefix.
package struct SettingsPlace: Hashable, Sendable {
    package var suite: Suite
    /// The key or the prefix.
    package var name: ExactName
    package var isPrefix: Bool

    init(suite: Suite, name: ExactName, isPrefix: Bool) {
        (self.suite, self.name, self.isPrefix) = (suite, name, isPrefix)
    }

    package init(_ suite: Suite, key: String) {
        self.init(suite: suite, name: ExactName(key), isPrefix: false)
    }

    package init(_ suite: Suite, prefix: String) {
        self.init(suite: suite, name: ExactName(prefix), isPrefix: true)
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
                settings.name.text,
            ]
        }
    }
}

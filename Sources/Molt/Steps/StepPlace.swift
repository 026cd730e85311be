/// Where a step works: the records of a type, or the content of settings.
package struct StepPlace: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case records(ExactName)
        case settings(SettingsPlace)
    }

    let kind: Kind
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

extension StepPlace {
    init(_ settings: SettingsPlace) {
        self.init(kind: .settings(settings))
    }

    package init(_ place: some MigrationStep.Place) {
        if let settings = place._settings { self.init(settings.place) } else { self = .records(ofType: "\(place)") }
    }

    package static func records(ofType type: String) -> StepPlace { StepPlace(kind: .records(ExactName(type))) }

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

public import Molt

/// A setting that the app reads today, for reading it after an upgrade.
///
/// ```swift
/// settings: [
///     .key(.theme, in: .standard),
///     .setting("profile", Profile.self, in: group),
///     .settings(withPrefix: "draft.", Draft.self, in: group),
/// ]
/// ```
///
/// A setting may be absent, because users rarely set all of them. A setting that has its own key in the list is not
/// among those with a prefix.
public struct FixtureSetting: Sendable {
    let suite: Suite
    /// The key or the prefix.
    let name: String
    let isPrefix: Bool
    /// The name of the type that the app reads.
    let typeName: String
    /// The problem with reading a value; nil if there is none.
    let problem: @Sendable (PropertyListValue, RecordCoding) -> String?

    /// Creates a setting that the app reads with a key, such as `suite[.theme]`.
    public static func key<Value>(_ key: DefaultsKey<Value>, in suite: Suite) -> FixtureSetting {
        FixtureSetting(suite: suite, name: key.name, isPrefix: false, typeName: "\(Value.self)") { stored, _ in
            problem { _ = try key.value(of: stored) }
        }
    }

    /// Creates a setting that the app decodes as a type.
    ///
    /// The value may have any `SettingForm`: JSON is decoded with the coders of the registry, and a property list with
    /// `PropertyListDecoder`. As in ``FixtureType/type(_:named:)``, the type is decoded on other threads.
    public static func setting<Value: Decodable & SendableMetatype>(
        _ key: String,
        _ type: Value.Type,
        in suite: Suite
    ) -> FixtureSetting {
        FixtureSetting(named: key, isPrefix: false, type, in: suite)
    }

    /// Creates the settings whose keys begin with a prefix, all of which the app decodes as one type.
    public static func settings<Value: Decodable & SendableMetatype>(
        withPrefix prefix: String,
        _ type: Value.Type,
        in suite: Suite
    ) -> FixtureSetting {
        FixtureSetting(named: prefix, isPrefix: true, type, in: suite)
    }
}

extension FixtureSetting {
    private init<Value: Decodable & SendableMetatype>(
        named name: String,
        isPrefix: Bool,
        _ type: Value.Type,
        in suite: Suite
    ) {
        self.init(suite: suite, name: name, isPrefix: isPrefix, typeName: "\(type)") { stored, coding in
            // A native string may look like JSON, and native data may be anything.
            if let text = stored.string, text is Value { return nil }
            if let data = stored.data, data is Value { return nil }
            return Self.problem {
                _ = try SettingContent(stored, coding: coding).record.decoded(as: Value.self)
            }
        }
    }

    /// The problem with reading a value, without anything of the value.
    private static func problem(_ read: () throws -> Void) -> String? {
        do {
            try read()
            return nil
        } catch let error as SettingContent.Unreadable {
            return "it is \(error.reason)."
        } catch let error as MoltError {
            let place = error.place.map(\.description) ?? ""
            let problem = place.isEmpty ? error.problem : "\"\(place)\": \(error.problem)"
            guard let cause = error.underlying, !(cause is DecodingError || cause is MoltError) else { return problem }
            // The errors of the app's own code may be shown, because fixtures contain no user data.
            return "\(problem)\n\(cause)"
        } catch {
            return String(describing: error)
        }
    }

    func includes(_ key: String, in suite: String) -> Bool {
        suite == self.suite.attachedName && (isPrefix ? key.utf8.starts(with: name.utf8) : key == name)
    }

    /// The key, or the prefix with an asterisk.
    var label: String { isPrefix ? name + "*" : name }
}

/// Reads the settings of upgraded stores as the app does today, and looks for the names of settings that none of them
/// has.
struct SettingCheck {
    private let settings: [FixtureSetting]
    /// The keys that the stores have, by suite.
    private var keys: [String: Set<String>] = [:]

    init(_ settings: [FixtureSetting]) {
        self.settings = settings
    }

    /// Adds the keys of an upgraded store.
    mutating func add(_ store: StoreFixture) {
        for (suite, values) in store.suites { keys[suite.attachedName, default: []].formUnion(values.keys) }
    }

    /// The failures for settings of a store that the app cannot read.
    ///
    /// - Parameter name: The fixture's file or name.
    func failures(in store: StoreFixture, _ migrations: MigrationRegistry, name: String) -> FailureList {
        var failures = FailureList()
        let suites = store.suites.map { ($0.key.attachedName, $0.value) }.sorted { $0.0 < $1.0 }
        for (suite, values) in suites {
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let named = settings.filter { $0.includes(key, in: suite) }
                let isOnlyInPrefixes = named.allSatisfy(\.isPrefix)
                for setting in named where setting.isPrefix == isOnlyInPrefixes {
                    guard let problem = setting.problem(value, migrations.coding) else { continue }
                    let place = "\(Shown.key(key)) of \(suite) cannot be read as \(setting.typeName)"
                    failures.add(.decoding, name, "\(place): \(problem)")
                }
            }
        }
        return failures
    }

    /// The failures for names that no store has, if it has a similar key that is not named.
    ///
    /// Others may be keys that few users have set.
    func failuresOfNames() -> FailureList {
        var failures = FailureList()
        for setting in settings {
            let suite = setting.suite.attachedName
            let known = keys[suite] ?? []
            guard !known.contains(where: { setting.includes($0, in: suite) }) else { continue }
            let others = known.filter { key in !settings.contains { $0.includes(key, in: suite) } }.sorted()
            let names = setting.isPrefix ? others.map { String($0.prefix(setting.name.count)) } : others
            guard let nearest = MigrationReport.UnmatchedName.nearest(to: setting.name, among: names) else { continue }
            failures.add(
                .unmatchedName,
                "catalog",
                "\"\(setting.label)\" of \(suite) in `settings` is in no fixture after its upgrade; did you mean "
                    + "\"\(nearest)\"? Correct the name, or add a fixture that has it."
            )
        }
        return failures
    }
}

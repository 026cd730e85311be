public import Molt

/// A setting that the app reads today, and that `verify` reads after each upgrade; or one that it does not read.
///
/// ```swift
/// settings: [
///     .key(.theme, in: .standard),
///     .setting("profile", Profile.self, in: group),
///     .settings(withPrefix: "draft.", Draft.self, in: group),
///     .unread(withPrefix: "SDK", in: .standard),
/// ]
/// ```
///
/// A setting may be absent, because users rarely set all of them. If a key is in the list itself, prefixes do not apply
/// to it. An error that the app's own code throws while it decodes is printed whole in a failure, and may contain
/// values.
public struct FixtureSetting: Sendable {
    let place: SettingsPlace
    /// The name of the type that the app reads.
    let typeName: String
    /// The coders with which the app reads JSON; nil for Foundation's own.
    private(set) var coding: RecordCoding?
    /// The problem with reading a value, if the registry has these coders; nil if there is none.
    let problem: @Sendable (PropertyListValue, RecordCoding) -> String?
    /// The values that `verify` records; nil for none.
    private(set) var samples: SettingSamples?

    /// Creates a setting that the app reads with a key, such as `suite[.theme]`.
    public static func key<Value>(_ key: SettingKey<Value>, in suite: Suite) -> FixtureSetting {
        FixtureSetting(place: SettingsPlace(suite, key: key.name), typeName: "\(Value.self)") { stored, _ in
            SettingProblem.text { _ = try key.value(of: stored) }
        }
    }

    /// Creates a setting that the app reads with a key, with a sample: a value that the app could set today.
    ///
    /// `FixtureCatalog.verify` sets it in the suite of the fixture of this release, which it records.
    public static func key<Value>(
        _ key: SettingKey<Value>,
        in suite: Suite,
        sample: sending Value
    ) -> FixtureSetting {
        var setting = FixtureSetting.key(key, in: suite)
        setting.samples = SettingSamples(key, sample)
        return setting
    }

    /// Creates a setting that the app encodes as a type, with samples: values that the app could set today.
    ///
    /// ```swift
    /// .setting("profile", Profile.self, in: .standard, samples: [Profile(email: "ada@example.com")])
    /// ```
    ///
    /// `FixtureCatalog.verify` sets the first one in the suite of the fixture of this release, which it records. The
    /// others only show further properties, such as those of another enum case.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - type: The type.
    ///   - suite: The suite.
    ///   - form: The form in which the app stores the value; by default a native value for a string, a Boolean, a
    ///     number, a date or data, and JSON text for any other type. An array or a dictionary needs its form, and so
    ///     does a value that the fixtures of older versions have in another one.
    ///   - coding: The coders with which the app writes and reads JSON; Foundation's own by default. If those of the
    ///     registry would write a sample differently, one of the two must be passed.
    ///   - samples: At least one value.
    public static func setting<Value: Codable & SendableMetatype>(
        _ key: String,
        _ type: Value.Type,
        in suite: Suite,
        form: SettingForm? = nil,
        coding: RecordCoding? = nil,
        samples: sending [Value]
    ) -> FixtureSetting {
        var setting = FixtureSetting.setting(key, type, in: suite, coding: coding)
        setting.samples = SettingSamples(key, samples, as: form, coding: coding)
        return setting
    }

    /// Creates a setting that the app decodes as a type.
    ///
    /// The value may have any `SettingForm`. As in ``FixtureType/type(_:named:)``, the type is decoded on other
    /// threads.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - type: The type.
    ///   - suite: The suite.
    ///   - coding: The coders with which the app reads JSON; Foundation's own by default. If those of the registry read
    ///     another value, one of the two must be passed. A property list is always decoded with `PropertyListDecoder`.
    public static func setting<Value: Decodable & SendableMetatype>(
        _ key: String,
        _ type: Value.Type,
        in suite: Suite,
        coding: RecordCoding? = nil
    ) -> FixtureSetting {
        FixtureSetting(SettingsPlace(suite, key: key), type, coding)
    }

    /// Creates the settings whose keys begin with a prefix, all of which the app decodes as one type.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - type: The type.
    ///   - suite: The suite.
    ///   - coding: The coders with which the app reads JSON; Foundation's own by default.
    public static func settings<Value: Decodable & SendableMetatype>(
        withPrefix prefix: String,
        _ type: Value.Type,
        in suite: Suite,
        coding: RecordCoding? = nil
    ) -> FixtureSetting {
        FixtureSetting(SettingsPlace(suite, prefix: prefix), type, coding)
    }
}

extension FixtureSetting {
    /// Creates a setting of fixtures that the app does not read, such as one of another library.
    ///
    /// ```swift
    /// .unread("SDKLaunches", in: .standard)
    /// ```
    public static func unread(_ key: String, in suite: Suite) -> FixtureSetting {
        FixtureSetting(place: SettingsPlace(suite, key: key), typeName: "") { _, _ in nil }
    }

    /// Creates the settings of fixtures whose keys begin with a prefix, none of which the app reads.
    public static func unread(withPrefix prefix: String, in suite: Suite) -> FixtureSetting {
        FixtureSetting(place: SettingsPlace(suite, prefix: prefix), typeName: "") { _, _ in nil }
    }

    private init<Value: Decodable & SendableMetatype>(
        _ place: SettingsPlace,
        _ type: Value.Type,
        _ coding: RecordCoding?
    ) {
        self.init(place: place, typeName: "\(type)", coding: coding) { stored, registered in
            SettingProblem.with(stored, as: Value.self, coding: coding, registered: registered)
        }
    }

    func includes(_ key: String, in suite: String) -> Bool {
        suite == place.suite.attachedName && place.includes(key)
    }

    /// Whether it is about a key of a suite, by the suite's name as an attached store; of any suite for nil.
    package func names(_ key: String, in suite: String?) -> Bool {
        suite.map { includes(key, in: $0) } ?? place.includes(key)
    }
}

extension Migration {
    /// Converts values that any release of SwiftyUserDefaults wrote to the form of typed keys, which the latest
    /// Defaults reads too.
    ///
    /// ```swift
    /// .swiftyUserDefaults(to: 3, suite: .standard, keys: [.key("tags", .array(of: .string)), .key("frog", .codable)])
    /// ```
    /// Releases 3.x, 4.0 and 5.x differ in their forms of arrays and Codable values, and several of them may have
    /// written the settings. The migration therefore reads all forms: native arrays, JSON data, keyed archives of plain
    /// values, and archives around JSON data. Archives of an app's own objects stay unchanged; a typed key of that
    /// class reads them.
    ///
    /// A setting that already has the new form stays unchanged, and so does one that cannot be converted. The report
    /// contains the outcome of each key.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to.
    ///   - name: A name that is unique in the registry; pass one if two suites are converted.
    ///   - suite: The suite that SwiftyUserDefaults wrote.
    ///   - keys: The keys to convert, each once, declared for this migration; see ``SettingKeys/key(_:_:)``.
    ///   - exceptions: Keys with JSON data or archives of the app's own. Any other key with one that no migration names
    ///     is in ``MigrationPlan/notes``, is in the report as
    ///     ``MigrationReport/KeyOutcome/Outcome/notNamed``, and fails the testing kit's `verify`.
    ///   - strict: Whether a value that cannot be converted, such as truncated JSON, fails the upgrade with the code
    ///     `notConvertible`. False by default: it stays unchanged, to the byte, and the report names it.
    public static func swiftyUserDefaults(
        to version: Int,
        _ name: String = "swifty-user-defaults",
        suite: Suite,
        keys: [SettingKeys],
        except exceptions: [String] = [],
        strict: Bool = false
    ) -> Migration {
        let conversion = SwiftyConversion()
        let step = SettingsConversion(
            kind: "swiftyUserDefaults",
            summary: "convert settings of SwiftyUserDefaults",
            parameters: ["target: defaults \(DefaultsRelease.latest.identity)"],
            suite: suite,
            keys: keys,
            exceptions: exceptions,
            isStrict: strict,
            mayNeedConversion: { SwiftyConversion.mayConvert($0) },
            convert: { conversion.convert($0, as: $1) }
        )
        return Migration(to: version, name, step.step)
    }
}

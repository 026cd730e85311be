extension Migration {
    /// Converts values that Defaults 4 (sindresorhus/Defaults) wrote, for Defaults 5 and later and Molt's typed keys.
    ///
    /// ```swift
    /// .defaultsV4ToV5(to: 3, suite: .standard, keys: [.key("tags", .array(of: .string)), .key("zone", .codable)])
    /// ```
    /// Defaults 4 wrote everything except the simplest types as JSON strings. Since Defaults 5, arrays, sets,
    /// dictionaries and numbers are native, and each Codable value inside them is a JSON string of its own. JSON alone
    /// does not distinguish a date from a number; the conversion therefore needs the keys with their forms.
    ///
    /// A setting that already has the new form stays unchanged, so the migration is safe for settings of any age. A
    /// setting that cannot be converted stays unchanged, too. The report contains the outcome of each key.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to.
    ///   - name: A name that is unique in the registry; pass one if two suites are converted.
    ///   - suite: The suite that Defaults wrote.
    ///   - keys: The keys to convert, each once, declared for this migration; see ``SettingKeys/key(_:_:)``.
    ///   - exceptions: Keys with JSON text of the app's own. Any other key with JSON text that no migration names is
    ///     in ``MigrationPlan/notes``, is in the report as ``MigrationReport/KeyOutcome/Outcome/notNamed``, and
    ///     fails the testing kit's `verify`.
    ///   - release: The release of Defaults that reads the result; the latest by default. Releases differ in the forms
    ///     of `UUID` (since 6.2) and ranges (since 6.3).
    ///   - strict: Whether a value that cannot be converted, such as truncated JSON, fails the upgrade with the code
    ///     `notConvertible`. False by default: it stays unchanged, to the byte, and the report names it.
    public static func defaultsV4ToV5(
        to version: Int,
        _ name: String = "defaults-v4-to-v5",
        suite: Suite,
        keys: [SettingKeys],
        except exceptions: [String] = [],
        readBy release: DefaultsRelease = .latest,
        strict: Bool = false
    ) -> Migration {
        let conversion = DefaultsV4Conversion(target: release)
        let step = SettingsConversion(
            kind: "defaultsV4ToV5",
            summary: "convert settings from Defaults 4 to 5",
            parameters: ["release: \(release.identity)"],
            suite: suite,
            keys: keys,
            exceptions: exceptions,
            isStrict: strict,
            mayNeedConversion: {
                $0.string.map { "[{\"".contains($0.prefix(1)) && (try? JSONPart($0)) != nil } ?? false
            },
            convert: { conversion.convert($0, as: $1) }
        )
        return Migration(to: version, name, step.step)
    }
}

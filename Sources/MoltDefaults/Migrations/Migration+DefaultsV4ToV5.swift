public import MoltCore

extension Migration {
    /// Converts what Defaults 4 (sindresorhus/Defaults) wrote to what Defaults 5 and later read, and Molt's typed keys.
    ///
    /// ```swift
    /// .defaultsV4ToV5(to: 3, suite: .standard, keys: [.tags, .periods, .key("zones", .array(of: .codable))])
    /// ```
    /// Defaults 4 wrote whatever is not one of the plainest types as JSON text; since 5, arrays, sets, dictionaries and
    /// numbers are native, and what is Codable stands as a JSON text of its own at its place in them. The text alone
    /// does not tell a date from a number: hence the keys, with their types or forms.
    ///
    /// A setting that has the new form already is left alone, so it does no harm to run this on settings of any age.
    /// One that cannot be converted stays as it is. What became of each key is in the report.
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to.
    ///   - name: A name that no other migration of the registry has: give one when two suites are converted.
    ///   - suite: The suite that Defaults wrote.
    ///   - keys: The keys to convert, each once.
    ///   - release: The release of Defaults that is to read the result; the latest by default. They differ for `UUID`
    ///     (since 6.2) and ranges (since 6.3).
    ///   - unconvertible: What to do with a setting that cannot be converted; leaves it by default.
    public static func defaultsV4ToV5(
        to version: Int,
        _ name: String = "defaults-v4-to-v5",
        suite: Suite,
        keys: [DefaultsKeys],
        readBy release: DefaultsRelease = .latest,
        unconvertible: UnconvertibleSettings = .leave
    ) -> Migration {
        let conversion = DefaultsV4Conversion(target: release, salvage: unconvertible == .salvage)
        let step = SettingsConversion(
            kind: "defaultsV4ToV5",
            words: "convert settings from Defaults 4 to 5",
            parameters: ["release: \(release.identity)"],
            suite: suite,
            keys: keys,
            unconvertible: unconvertible,
            migration: name,
            convert: { conversion.convert($0, as: $1) }
        )
        return Migration(to: version, name, step.step)
    }
}

public import MoltCore

extension Migration {
    /// Converts what any release of SwiftyUserDefaults wrote to the form of one library, Molt's typed keys by default.
    ///
    /// ```swift
    /// .swiftyUserDefaults(to: 3, suite: .standard, keys: [.launches, .colors, .key("tags", .array(of: .string))])
    /// ```
    /// Releases 3.x, 4.0 and 5.x differ in how they wrote arrays and Codable values, and settings may have been written
    /// by several of them. So whatever a key holds is read: native arrays, data of JSON, keyed archives of plain
    /// values, an archive around data of JSON. Archives of an app's own objects stay as they are: they can be read
    /// through a typed key of that class.
    ///
    /// A setting that has the new form already is left alone; one that cannot be converted stays as it is. What became
    /// of each key is in the report.
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to.
    ///   - name: A name that no other migration of the registry has: give one when two suites are converted.
    ///   - suite: The suite that SwiftyUserDefaults wrote.
    ///   - keys: The keys to convert, each once.
    ///   - target: The library, and the release, that is to read the result; by default what Molt's typed keys and
    ///     today's Defaults read.
    ///   - unconvertible: What to do with a setting that cannot be converted; leaves it by default. What stays data of
    ///     JSON or an archive cannot be salvaged in parts.
    public static func swiftyUserDefaults(
        to version: Int,
        _ name: String = "swifty-user-defaults",
        suite: Suite,
        keys: [DefaultsKeys],
        target: SwiftyTarget = .defaults(.latest),
        unconvertible: UnconvertibleSettings = .leave
    ) -> Migration {
        let conversion = SwiftyConversion(target: target, salvage: unconvertible == .salvage)
        let step = SettingsConversion(
            kind: "swiftyUserDefaults",
            words: "convert settings of SwiftyUserDefaults",
            parameters: ["target: \(target.identity)"],
            suite: suite,
            keys: keys,
            unconvertible: unconvertible,
            migration: name,
            convert: { conversion.convert($0, as: $1) }
        )
        return Migration(to: version, name, step.step)
    }
}

extension MigrationStep {
    /// Takes settings out of a suite, for a closure that stores them elsewhere.
    ///
    /// ```swift
    /// .handOverSettings("token", in: .standard, to: "the Keychain") { key, token in
    ///     guard let token = token.string else { throw Unexpected(key: key) }
    ///     try Keychain.store(token, for: key)
    /// }
    /// ```
    ///
    /// The settings leave the suite in their place among the steps, and wait in the store's file: in that of the cache,
    /// or in the suite's Molt file for a suite without a cache. Later migrations cannot change or remove them. When the
    /// closure gets them, when they are erased and what happens if the closure throws is as for
    /// ``handOverRecords(_:to:_:)``. What the app sets under a key meanwhile stays in the suite.
    ///
    /// - Important: The closure may get a setting more than once: a process may be killed after the closure has stored
    ///   it, and before the file says so. It must not fail because its result is there already. A suite that comes back
    ///   from an older copy is handed over again.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - suite: The suite.
    ///   - destination: Where the closure stores the settings, for plans and reports. It is not part of the
    ///     fingerprint.
    ///   - receive: Stores a setting elsewhere; it gets the key and the value.
    public static func handOverSettings(
        _ keys: String...,
        in suite: Suite,
        to destination: String,
        _ receive: @escaping @Sendable (_ key: String, _ value: PropertyListValue) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            HandOverSettingsStep(
                suite: suite,
                places: keys.map { SettingsPlace(suite, key: $0) },
                destination: destination,
                receive: receive
            )
        )
    }

    /// Takes all settings whose keys begin with a prefix out of a suite, for a closure that stores them elsewhere.
    ///
    /// See ``handOverSettings(_:in:to:_:)``.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - suite: The suite.
    ///   - destination: Where the closure stores the settings, for plans and reports. It is not part of the
    ///     fingerprint.
    ///   - receive: Stores a setting elsewhere; it gets the key, with the prefix, and the value.
    public static func handOverSettings(
        withPrefix prefix: String,
        in suite: Suite,
        to destination: String,
        _ receive: @escaping @Sendable (_ key: String, _ value: PropertyListValue) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            HandOverSettingsStep(
                suite: suite,
                places: [SettingsPlace(suite, prefix: prefix)],
                destination: destination,
                receive: receive
            )
        )
    }

    private init(_ declaration: HandOverSettingsStep) {
        self.init(declaration, .settings(.handOver(declaration)))
    }
}

struct HandOverSettingsStep: StepDeclaration {
    var suite: Suite
    var places: [SettingsPlace]
    var destination: String
    /// Stores a setting elsewhere, after the commit.
    var receive: @Sendable (_ key: String, _ value: PropertyListValue) throws -> Void

    var description: String { "hand over \(places.map(\.label).joined(separator: ", ")) of \(suite) to \(destination)" }
    var identity: [String] {
        let kind = places.contains(where: \.isPrefix) ? "handOverSettingsWithPrefix" : "handOverSettings"
        return [kind, suite.declaredName] + places.map(\.name.text)
    }
    var valueUses: [ValueUse] { [] }
    var losses: [MigrationReport.DataLoss] { [] }

    func check(_ check: inout StepCheck) {
        if places.isEmpty { check.add("No key is named.") }
        for (index, place) in places.enumerated() where !places[..<index].contains(place) {
            check.use(StepPlace(place))
            check.delete(StepPlace(place))
        }
    }
}

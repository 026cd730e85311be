extension MigrationStep {
    /// Removes settings and reports which of them existed.
    ///
    /// ```swift
    /// .removeSettings("fax", "faxPrefix", in: .standard)
    /// ```
    ///
    /// - Important: The values are lost when the upgrade is committed.
    public static func removeSettings(_ keys: String..., in suite: Suite) -> MigrationStep {
        MigrationStep(RemoveSettingsStep(suite: suite, places: keys.map { SettingsPlace(suite, key: $0) }))
    }

    /// Removes all settings whose keys begin with a prefix.
    ///
    /// ```swift
    /// .removeSettings(withPrefix: "draft.", in: .standard)
    /// ```
    ///
    /// - Important: The values are lost when the upgrade is committed.
    public static func removeSettings(withPrefix prefix: String, in suite: Suite) -> MigrationStep {
        MigrationStep(RemoveSettingsStep(suite: suite, places: [SettingsPlace(suite, prefix: prefix)]))
    }

    private init(_ declaration: RemoveSettingsStep) {
        self.init(declaration, .settings(.removeKeys(declaration)))
    }
}

struct RemoveSettingsStep: StepDeclaration {
    var suite: Suite
    var places: [SettingsPlace]

    var description: String { "remove \(places.map(\.label).joined(separator: ", ")) from \(suite)" }
    var identity: [String] {
        let kind = places.contains(where: \.isPrefix) ? "removeKeysWithPrefix" : "removeKeys"
        return [kind, suite.declaredName] + places.map(\.name.text)
    }
    var valueUses: [ValueUse] { [] }
    var losses: [MigrationReport.DataLoss] {
        places.map { MigrationReport.DataLoss($0.isPrefix ? .settings : .setting, $0.label) }
    }

    func check(_ check: inout StepCheck) {
        if places.isEmpty { check.add("No key is named.") }
        for (index, place) in places.enumerated() where !places[..<index].contains(place) {
            check.use(StepPlace(place))
            check.delete(StepPlace(place))
        }
    }
}

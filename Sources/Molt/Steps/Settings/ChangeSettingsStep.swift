extension MigrationStep {
    /// Changes settings of a suite once.
    ///
    /// ```swift
    /// Migration(to: 5, "sounds", .changeSettings(in: .standard, "split the volume") { settings in
    ///     guard let volume = try settings.value(for: SettingKey<Double?>("volume")) else { return }
    ///     try settings.set(.double(volume), forKey: "musicVolume")
    ///     try settings.set(.double(volume), forKey: "speechVolume")
    ///     try settings.removeValue(forKey: "volume")
    /// })
    /// ```
    /// To change a Codable value in a setting, use a step on properties, `transform` or `convert`; see ``Place``.
    ///
    /// The closure also runs on a newly created store, because the settings may be older than the store. It must do
    /// nothing if there is nothing to change. If the settings cannot be read now, for example on a device that has not
    /// been unlocked yet, the migration is deferred.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - summary: A summary of the closure for plans and reports.
    ///   - revision: The revision of the closure, 1 by default; see `MigrationStep.transform(_:revision:_:)`.
    ///   - body: Receives the settings; an error it throws rolls the upgrade back.
    public static func changeSettings(
        in suite: Suite,
        _ summary: String = "change settings",
        revision: Int = 1,
        _ body: @escaping @Sendable (SuiteEditor) throws -> Void
    ) -> MigrationStep {
        let declaration = AttachedStoreStep(
            name: "settings",
            summary: "\(summary) in \(suite)",
            parameters: [suite.declaredName, String(revision)]
        )
        let work = SettingsWork.block(suite) { migration in
            let settings = try migration.suite(suite)
            try migration.note(settings.outcomes(of: body), among: settings.keys)
        }
        return MigrationStep(declaration, .settings(work))
    }
}

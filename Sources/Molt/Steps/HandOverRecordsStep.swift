extension MigrationStep {
    /// Takes the records of a type out of the store, for a closure that stores them elsewhere.
    ///
    /// ```swift
    /// .handOverRecords("Token", to: "the Keychain") { token in
    ///     try Keychain.store(try token.string("value"), for: token.key)
    /// }
    /// ```
    ///
    /// The records leave the type in their place among the steps, and wait in the store's file. Later migrations cannot
    /// change or remove them. Once the upgrade is committed, and all changes to settings are made, the closure gets
    /// each of them, as it was at this step. A record for which the closure returns is erased: the file is rewritten
    /// without it, as after ``deleteType(_:erasing:)``. One for which it throws waits for the next opening, where it
    /// comes after the others. The opening succeeds in either case. ``MigrationReport/work`` says what was handed over,
    /// and ``MigrationPlan/handovers`` what waits.
    ///
    /// - Important: The closure may get a record more than once: a process may be killed after the closure has stored
    ///   the record, and before the file says so. It must not fail because its result is there already. It must throw
    ///   if it has not stored the record, whatever the reason.
    ///
    /// It gets the records one at a time, in their order in the store, while others can read and write the store. Their
    /// properties are decoded with the migration's coders. If it throws for the first one, or for ten, the opening
    /// leaves the others to the next one. A record in whose closure the app has crashed five times waits for another
    /// build of the app; see ``MoltConfiguration/retriesInterruptedUpgrades``. A lock is held meanwhile, so
    /// ``StoreAccess/suspend(timeout:)`` waits for the closure.
    ///
    /// Only the app hands over: neither a process whose ``MoltConfiguration/process`` is a helper or a tool, nor a dry
    /// run or the tests of `MoltTesting`. Records that an import brings in are handed over when the store is next
    /// opened.
    ///
    /// Keep the step in the registry while stores may have records that wait. A step with the same type in another
    /// migration, such as a shortcut, hands them over, too. If there is none, they stay in the file, and each report
    /// says so.
    ///
    /// ``DocumentUpgrade`` refuses a document of the type, because it belongs to no store.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - destination: Where the closure stores the records, for plans and reports. It is not part of the fingerprint.
    ///   - receive: Stores a record elsewhere.
    public static func handOverRecords(
        _ type: String,
        to destination: String,
        _ receive: @escaping @Sendable (Record) throws -> Void
    ) -> MigrationStep {
        let declaration = HandOverRecordsStep(type: type, destination: destination, receive: receive)
        return MigrationStep(declaration, .records(.handOver(type, declaration)))
    }
}

struct HandOverRecordsStep: StepDeclaration {
    var type: String
    var destination: String
    /// Stores a record elsewhere, after the commit.
    var receive: @Sendable (Record) throws -> Void

    var description: String { "hand over the records of type \(type) to \(destination)" }
    var identity: [String] { ["handOverRecords", type] }
    var valueUses: [ValueUse] { [] }
    var losses: [MigrationReport.DataLoss] { [] }

    func check(_ check: inout StepCheck) {
        check.use(.records(ofType: type))
        check.delete(.records(ofType: type))
    }
}

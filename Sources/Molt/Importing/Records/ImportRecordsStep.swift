extension MigrationStep {
    /// Imports records that a closure reads from a source of the app, such as the database of another library.
    ///
    /// ```swift
    /// Migration(to: 1, "from-realm", .importRecords("from Realm", as: "Person") { records in
    ///     let people = try Realm().objects(RealmPerson.self)
    ///     records.expectedCount = people.count
    ///     for person in people { try records.add(PersonV1(person), forKey: person.id) }
    /// })
    /// ```
    ///
    /// The step also runs on a new store. The records have the form of the migration's own version, and go through
    /// later migrations. They are written in batches, so memory does not grow with their number. An error that the
    /// closure throws rolls the whole upgrade back, and the next opening begins anew. With ``onFailure(_:)``, the
    /// closure may reject what it cannot make a record of.
    ///
    /// The transaction of the upgrade lasts until the source is read. The closure must not write to the source: remove
    /// it with ``Migration/removingSource(_:_:)``. In a dry run it reads the source, too.
    ///
    /// Equal records with the same key become one. For different ones, and for a record that is in the store already,
    /// `onConflict` decides; the report counts what was lost.
    ///
    /// - Parameters:
    ///   - summary: Where the records come from, for plans and reports, such as "from Realm".
    ///   - type: The type name of the records.
    ///   - revision: The revision of the closure's code, 1 by default; see ``transform(_:revision:_:)``.
    ///   - policy: The policy for two different records with the same key; by default the upgrade fails with the code
    ///     `keyExists`. A record of another type always makes it fail.
    ///   - body: Adds the records.
    public static func importRecords(
        _ summary: String,
        as type: String,
        revision: Int = 1,
        onConflict policy: ConflictPolicy<Record> = .fail,
        _ body: @escaping @Sendable (ImportedRecords) throws -> Void
    ) -> MigrationStep {
        let declaration = ImportRecordsStep(
            summary: summary,
            type: type,
            kind: ["importRecords", String(revision)],
            policy: policy
        )
        let work = BringWork(type: type, encodes: true, canReject: true) { migration in
            let records = ImportedRecords(type, policy, migration)
            try body(records)
            try records.finish()
        }
        return MigrationStep(declaration, .bring(work))
    }
}

/// The declaration of a step that imports records, without its closure.
struct ImportRecordsStep: StepDeclaration {
    /// Where they come from.
    var summary: String
    /// The type of the records.
    var type: String
    /// The step's kind and its parameters, beside those that all imports have.
    var kind: [String]
    var policy: ConflictPolicy<Record>
    /// One sentence each.
    var faults: [String] = []

    var description: String { "import \(type) \(summary)" }
    var identity: [String] { kind + [type] + (policy.isLossy ? ["onConflict"] + policy.identity : []) }
    var losses: [MigrationReport.DataLoss] { policy.isLossy ? [.merged(type)] : [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        let place = StepPlace.records(ofType: type)
        if type.isEmpty { check.add("No type is named.") }
        for fault in faults { check.add(fault) }
        check.create(place)
        policy.check(&check, at: place)
    }
}

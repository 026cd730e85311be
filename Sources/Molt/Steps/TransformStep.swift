extension MigrationStep {
    /// Changes the records of a type, or the content of settings, in a closure.
    ///
    /// ```swift
    /// .transform("Person") { person in
    ///     if try person.int("age") < 0 { person.drop() }
    /// }
    /// ```
    /// The closure can change a record's content, key and expiry, and drop the record. Of a setting, it can change the
    /// content only; `drop` removes the setting.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - revision: The revision of the closure's code, 1 by default. Increase it when you edit the closure, so that
    ///     stores which an earlier revision has upgraded can be identified. See ``Migration/fingerprint``.
    ///   - body: Changes a record; an error that it throws rolls the upgrade back.
    public static func transform(
        _ place: some Place,
        revision: Int = 1,
        _ body: @escaping @Sendable (inout Record) throws -> Void
    ) -> MigrationStep {
        let edit = RecordEdit(skipsSomeValues: true, mayGiveKey: true, runsClosure: true, change: body)
        return MigrationStep(TransformStep(place: StepPlace(place), revision: revision), at: StepPlace(place), edit)
    }
}

/// The declaration of `transform`, without its closure.
struct TransformStep: StepDeclaration {
    var place: StepPlace
    var revision: Int

    var description: String { "transform \(place.name(of: []))\(place.suffix)" }
    var identity: [String] { place.identity(of: "transform") + [String(revision)] }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        check.use(place)
        // The closure may set any type name.
        check.forgetAll()
    }
}

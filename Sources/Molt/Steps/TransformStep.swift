extension MigrationStep {
    /// Changes each record of a type in place: its properties, key or expiry; it can also drop records.
    ///
    /// ```swift
    /// .transform("Person") { person in
    ///     if try person.int("age") < 0 { person.drop() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - revision: The revision of the closure's code, 1 by default. Increase it when you edit the closure, so that
    ///     stores which an earlier revision has upgraded can be identified. See ``Migration/fingerprint``.
    ///   - body: Changes a record; an error that it throws rolls the upgrade back.
    public static func transform(
        _ type: String,
        revision: Int = 1,
        _ body: @escaping @Sendable (inout Record) throws -> Void
    ) -> MigrationStep {
        let edit = RecordEdit(typeName: type, runsClosure: true, apply: body)
        return MigrationStep(TransformStep(type: type, revision: revision), .edit(edit))
    }
}

/// The declaration of `transform`, without its closure.
struct TransformStep: StepDeclaration {
    var type: String
    var revision: Int

    var description: String { "transform \(type)" }
    var identity: [String] { ["transform", type, String(revision)] }

    func check(_ check: inout StepCheck) {
        check.use(type: type)
        // The closure may set any type name.
        check.forgetAll()
    }
}

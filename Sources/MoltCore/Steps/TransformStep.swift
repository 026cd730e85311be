extension MigrationStep {
    /// Changes each record of a type in place: its properties, its key, its expiry, or whether it stays at all.
    ///
    /// ```swift
    /// .transform("Person") { person in
    ///     if try person.int("age") < 0 { person.drop() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - revision: Which writing of the closure it is, 1 by default: count it up when you edit the closure, so that
    ///     stores which an earlier writing has upgraded are told apart. See ``Migration/fingerprint``.
    ///   - body: Changes a record; what it throws rolls the upgrade back.
    public static func transform(
        _ type: String,
        revision: Int = 1,
        _ body: @escaping @Sendable (inout Record) throws -> Void
    ) -> MigrationStep {
        let edit = RecordEdit(typeName: type, runsClosure: true, apply: body)
        return MigrationStep(TransformStep(type: type, revision: revision), .edit(edit))
    }
}

/// The declaration of `transform`; the closure is beside it.
struct TransformStep: StepDeclaration {
    static let kind = "transform"

    var type: String
    var revision: Int

    var description: String { "transform \(type)" }
    var identity: [String] { [Self.kind, type, String(revision)] }

    func check(_ check: inout StepCheck) {
        check.use(type: type)
        // It may give a record any type name.
        check.forgetAll()
    }
}

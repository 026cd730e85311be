extension MigrationStep {
    /// Decodes the records of a type, or settings, as an old model, and encodes the value that a closure returns.
    ///
    /// ```swift
    /// .convert("Person", from: PersonV1.self, to: PersonV2.self) { old in
    ///     PersonV2(name: old.fullName)
    /// }
    /// ```
    ///
    /// Records keep their key, their expiry and their type name. Properties that the old model does not have are
    /// lost: use `transform` to keep them. The closure runs on all cores.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - old: The old release's model.
    ///   - new: The closure's result type.
    ///   - revision: The revision of the closure's code, 1 by default; see ``transform(_:revision:_:)``.
    ///   - body: Returns the new value; an error that it throws rolls the upgrade back.
    public static func convert<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        _ place: some Place,
        from old: Old.Type,
        to new: New.Type,
        revision: Int = 1,
        _ body: @escaping @Sendable (Old) throws -> New
    ) -> MigrationStep {
        let edit = RecordEdit(
            skipsSomeValues: true,
            isParallel: true,
            runsClosure: true,
            kindOfLoss: .converted
        ) { record in
            try record.replaceUnread(with: body(record.decoded(as: Old.self)))
        }
        let (oldModel, newModel) = (String(describing: old), String(describing: new))
        let declaration = ConvertStep(
            place: StepPlace(place),
            oldModel: oldModel,
            newModel: newModel,
            revision: revision
        )
        return MigrationStep(declaration, at: StepPlace(place), edit)
    }
}

/// The declaration of `convert`, without its closure.
struct ConvertStep: StepDeclaration {
    var place: StepPlace
    /// The models' names in code, for descriptions only, as they may change.
    var oldModel: String
    var newModel: String
    var revision: Int

    var description: String { "convert \(place.name(of: []))\(place.suffix) from \(oldModel) to \(newModel)" }
    var identity: [String] { place.identity(of: "convert") + [String(revision)] }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        check.use(place)
        check.forget(place)
    }
}

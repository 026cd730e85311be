extension MigrationStep {
    /// Deletes all records of a type.
    ///
    /// ```swift
    /// .deleteType("Draft")
    /// .deleteType("Token", erasing: true)
    /// ```
    ///
    /// Without `erasing`, the bytes of the records stay in the file's free space until other records take their place.
    ///
    /// With it, the opening rewrites the file after the upgrade's commit, so that neither the file nor its log has the
    /// bytes any more, nor those of values of the type that were replaced, removed or had expired before. The rewriting
    /// takes as long as copying the file, and needs space for two copies of what is left. If it is not possible, for
    /// example because another process is reading, the file remembers that, and each opening tries again until it
    /// succeeds: see ``MigrationReport/erasure``. A store without a record of the type is rewritten, too, because an
    /// earlier migration may have deleted them.
    ///
    /// Records of the type in quarantine are deleted and erased, too: those with the name, and those to which
    /// ``renameType(_:to:)`` would have given it. So are copies in the temporary directory that a dry run, an import,
    /// an export of the tool or a salvage has left because it was killed.
    ///
    /// What erasing cannot reach:
    /// - backups and files that were set aside, which the report names, and copies in the device's backups or exports;
    /// - records of other types with the same content, also in quarantine, where a block would have changed the type;
    /// - records that a step has taken out of the store before, and that wait to be handed over: see
    ///   ``handOverRecords(_:to:_:)``;
    /// - the changes of a suite that are not made yet, and copies that a dry run or an import is using meanwhile, or
    ///   has left in another temporary directory, as the tool does beside an app in a sandbox;
    /// - what a drive keeps of overwritten and freed blocks, as flash memory does. The device's encryption protects
    ///   that.
    ///
    /// - Important: The records are lost when the upgrade is committed.
    ///
    /// - Parameters:
    ///   - name: The name of the type.
    ///   - isErasing: Whether the bytes of the records are erased from the file; by default they are not.
    public static func deleteType(_ name: String, erasing isErasing: Bool = false) -> MigrationStep {
        MigrationStep(DeleteTypeStep(name: name, isErasing: isErasing), .records(.deleteType(name, erasing: isErasing)))
    }
}

struct DeleteTypeStep: StepDeclaration {
    var name: String
    var isErasing: Bool

    var description: String { (isErasing ? "delete and erase" : "delete") + " the type \(name)" }
    var identity: [String] { ["deleteType", name] + (isErasing ? ["erasing"] : []) }
    var valueUses: [ValueUse] { [] }
    var losses: [MigrationReport.DataLoss] { [.init(.records, name)] }

    func check(_ check: inout StepCheck) {
        check.use(.records(ofType: name))
        check.delete(.records(ofType: name))
    }
}

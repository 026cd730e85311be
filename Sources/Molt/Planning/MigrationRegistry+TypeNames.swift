extension MigrationRegistry {
    /// The name that the type of a record in quarantine would have by now: `renameType` may have changed it.
    ///
    /// It is nil if a step hands the record over before.
    ///
    /// What a block would have changed is not known.
    ///
    /// - Parameters:
    ///   - name: The type's name before the migration in which the record failed.
    ///   - failed: That migration.
    ///   - first: The number of its first step that the record has not been through; the first step has the number 1.
    ///   - step: The step before which the name is asked for.
    func name(ofType name: String, since failed: MigrationID, _ first: Int, before step: ScheduledStep) -> String? {
        var name = name
        let start =
            migrations.firstIndex { $0.name == failed.name } ?? migrations.firstIndex { $0.version > failed.version }
        for migration in migrations[(start ?? migrations.endIndex)...] {
            for (number, declared) in migration.steps.enumerated() {
                if migration.name == step.migration.name, number == step.number { return name }
                if migration.name == failed.name, number + 1 < first { continue }
                switch declared.work {
                case .records(.renameType(let old, let new)) where ExactName.isSame(old, name): name = new
                case .records(.handOver(let type, _)) where ExactName.isSame(type, name): return nil
                default: break
                }
            }
        }
        return name
    }
}

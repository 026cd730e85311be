extension HandoverSource {
    init(_ step: ScheduledStep) {
        self.init(migration: step.migration.id, step: "\(step.declared)")
    }
}

extension MigrationRegistry {
    /// The closure of the app that stores something elsewhere.
    enum HandoverReceiver {
        /// With the coders of the migration that has taken the record.
        case record(RecordCoding, @Sendable (Record) throws -> Void)
        case setting(@Sendable (_ key: String, _ value: PropertyListValue) throws -> Void)
    }

    /// The closure that gets what waits: of the migration that has taken it, or else of the last step that hands over
    /// the same type or key, as in a shortcut.
    func receiver(of item: HandoverTable.Item, from source: HandoverSource) -> HandoverReceiver? {
        let own = migrations.first { $0.name == source.migration.name }
        for migration in [own].compactMap(\.self) + migrations.reversed() {
            for step in migration.steps {
                switch (step.work, item.content) {
                case (.records(.handOver(let type, let declaration)), .record(let record))
                where ExactName.isSame(type, record.typeName):
                    return .record((own ?? migration).coding, declaration.receive)
                case (.settings(.handOver(let declaration)), .setting(let key, let suite, _))
                where declaration.suite.attachedName == suite && declaration.places.contains { $0.includes(key) }:
                    return .setting(declaration.receive)
                default: break
                }
            }
        }
        return nil
    }
}

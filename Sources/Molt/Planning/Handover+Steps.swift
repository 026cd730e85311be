internal import Foundation

extension Handover {
    /// What a step of an upgrade takes out of a store.
    init(by step: ScheduledStep) {
        self.init(migration: step.migration.id, step: Self.identifier(of: step.declared), summary: "\(step.declared)")
    }

    /// What identifies a step, also in another migration: its place, without its destination.
    private static func identifier(of step: MigrationStep) -> String {
        // Encoding strings cannot fail.
        String(
            decoding: (try? JSONEncoder(.withoutEscapingSlashes).encode(step.declaration.identity)) ?? Data(),
            as: UTF8.self
        )
    }

    /// The closure that gets a record or a setting, with the coders of its migration.
    enum Receiver {
        case records(RecordCoding, @Sendable (Record) throws -> Void)
        case settings(@Sendable (_ key: String, _ value: PropertyListValue) throws -> Void)
    }

    /// The closure of a registry that gets what waits.
    ///
    /// It is that of the step itself, or of a step with the same place in another migration, such as a shortcut: of the
    /// last one.
    func receiver(in registry: MigrationRegistry) -> Receiver? {
        let migrations = registry.migrations.filter { $0.name == migration.name } + registry.migrations.reversed()
        for migration in migrations {
            for declared in migration.steps {
                switch declared.work {
                case .records(.handOver(_, let declaration)) where Self.identifier(of: declared) == step:
                    return .records(migration.coding, declaration.receive)
                case .settings(.handOver(let declaration)) where Self.identifier(of: declared) == step:
                    return .settings(declaration.receive)
                case .records, .store, .settings, .adopt, .block, .check: break
                }
            }
        }
        return nil
    }
}

extension Migrator {
    /// Asks whether a store meets the conditions of the migrations that are about to run.
    ///
    /// - Throws: ``MoltError`` with the code `requirementUnmet` and all reasons; the error of a stop.
    func checkRequirements(of plan: MigrationPlan, _ stores: AttachedStores, _ transaction: StoreTransaction) throws {
        guard !plan.isFresh, plan.entries.contains(where: { !$0.requirements.isEmpty }) else { return }
        let attachedWork = AttachedWork(stores)
        attachedWork.prepare(plan)
        defer { attachedWork.end() }
        var unmet: [(migration: MigrationID, reason: String, error: (any Error)?)] = []
        for entry in plan.entries where entry.willRun && !entry.isApplied {
            let migration = entry.declaration
            for requirement in migration.requirements {
                let snapshot = StoreSnapshot(
                    at: plan.from,
                    StoreSnapshot.reading(transaction),
                    attachedWork,
                    of: migration,
                    configuration
                )
                defer { snapshot.expire() }
                do {
                    guard try !requirement.isMet(snapshot) else { continue }
                    unmet.append((migration.id, requirement.reason, nil))
                } catch var error as MoltError where error.isOfOpening(transaction.storeName) {
                    error.migration = error.migration ?? migration.id
                    throw error.with(.unchanged)
                } catch {
                    unmet.append((migration.id, requirement.reason, error))
                }
            }
        }
        guard let first = unmet.first else { return }
        var reasons: [String] = []
        for reason in unmet.map(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
        throw MoltError(
            .requirementUnmet,
            reasons.joined(separator: " "),
            outcome: .unchanged,
            migration: first.migration,
            storeVersion: plan.from,
            registryVersion: plan.to,
            underlying: unmet.lazy.compactMap(\.error).first
        )
    }
}

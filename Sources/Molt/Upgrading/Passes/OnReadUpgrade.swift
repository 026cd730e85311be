/// The migrations on read that a store counts as applied, although not all of its records went through them.
///
/// It upgrades records when they are read, and in the background of an open store. The version of a record tells which of the
/// migrations it still has to go through.
package final class OnReadUpgrade: Sendable {
    /// The migrations, in order.
    package let migrations: [Migration]
    /// The version from which records need no upgrade.
    package let version: Int
    private let changer: RecordChanger
    private let storeName: String
    private let chains = Locked<[(typeName: String, chain: StepChains.Chain)]>([])

    /// Returns nil if no migrations on read remain.
    package init?(
        _ onRead: [MigrationID],
        in registry: MigrationRegistry,
        storeName: String,
        configuration: MoltConfiguration
    ) {
        let names = Set(onRead.map(\.name))
        migrations = registry.migrations.filter { names.contains($0.name) }
        guard let last = migrations.last else { return nil }
        version = last.version
        self.storeName = storeName
        var steps: [UpgradeSchedule.Step] = []
        for case .pass(let group) in UpgradeSchedule(migrations).groups { steps += group }
        changer = RecordChanger(
            steps,
            migrations.map { PendingMigration(backfilling: $0) },
            storeName: storeName,
            configuration: configuration,
            onFailure: registry.failurePolicy
        )
    }

    private func chain(_ typeName: String) -> StepChains.Chain {
        chains.withLock { chains in
            if let known = chains.first(where: { RecordValue.Object.isSame($0.typeName, typeName) }) {
                return known.chain
            }
            let chain = changer.chain(typeName: typeName)
            chains.append((typeName, chain))
            return chain
        }
    }

    /// Sends a record through the migrations that it lacks.
    ///
    /// - Parameters:
    ///   - load: Loads the record.
    ///   - read: Receives the upgraded record; not called if nothing changes.
    /// - Throws: ``MoltError`` that names the migration, the step and the record.
    package func upgrade(
        typeName: String,
        _ load: (inout Record) -> Void,
        _ read: (borrowing Record) -> Void
    ) throws(MoltError) {
        let chain = chain(typeName)
        guard !chain.links.isEmpty else { return }
        var record = Record()
        load(&record)
        var counts = changer.noCounts
        let outcome = changer.change(&record, chain, &counts)
        if let failure = outcome.failure { throw error(failure) }
        if outcome.changedAt != nil { read(record) }
    }

    private func error(_ failure: any Error) -> MoltError {
        var error = failure as? MoltError ?? StepErrors.named(failure, store: storeName)
        error.store = storeName
        return error
    }

    // MARK: Batches

    /// A batch of records and its upgraded contents; the memory is reused.
    package struct Batch {
        package let records: RecordBatch
        /// The new contents of the changed records.
        package fileprivate(set) var contents = RecordContents(rows: [], buffers: [[]])
        /// For each changed record, in the same order, its position in the batch and its changes.
        package fileprivate(set) var changes: [Change] = []
        /// For each migration, the number of records that went through it.
        package fileprivate(set) var readCounts: [Int] = []
        /// The first error of a record that a policy sets aside.
        package fileprivate(set) var toleratedFailure: MoltError?
        /// The first error of any other record.
        package fileprivate(set) var failure: MoltError?

        package struct Change {
            /// The position in the batch.
            package let index: Int
            /// The positions of the migrations that have changed the record.
            package let migrations: [Int]
        }
    }

    package func makeBatch(capacity: Int) -> Batch {
        Batch(records: RecordBatch(capacity: capacity))
    }

    /// Whether records of a type may have to be changed.
    package func changes(typeName: String) -> Bool {
        !chain(typeName).links.isEmpty
    }

    /// Sends the records of a batch through the migrations that they lack.
    ///
    /// - Parameter check: Called between records; its error ends the batch.
    package func upgrade(_ batch: inout Batch, checking check: () throws -> Void) rethrows {
        var typeName = ""
        var chain = StepChains.Chain()
        batch.changes.removeAll(keepingCapacity: true)
        batch.contents.rows.removeAll(keepingCapacity: true)
        batch.contents.buffers[0].removeAll(keepingCapacity: true)
        batch.failure = nil
        batch.toleratedFailure = nil
        var total = changer.noCounts
        var counts = total
        for index in 0..<batch.records.count {
            if index == 0 || !RecordValue.Object.isSame(batch.records[index].typeName, typeName) {
                typeName = batch.records[index].typeName
                chain = self.chain(typeName)
            }
            if index % StopCheck.distance == 0 || chain.runsClosure { try check() }
            counts.reset()
            let outcome = changer.change(&batch.records[index], chain, &counts)
            if let failure = outcome.failure {
                if outcome.failedStage == nil {
                    batch.failure = batch.failure ?? error(failure)
                } else {
                    batch.toleratedFailure = batch.toleratedFailure ?? error(failure)
                }
                continue
            }
            total += counts
            guard let version = outcome.changedAt else { continue }
            let start = batch.contents.buffers[0].count
            batch.records[index].writeContent(to: &batch.contents.buffers[0])
            batch.contents.rows.append(
                RecordContents.Row(
                    id: outcome.id,
                    version: version,
                    isData: batch.records[index].isData,
                    buffer: 0,
                    range: start..<batch.contents.buffers[0].count
                )
            )
            batch.changes.append(
                Batch.Change(
                    index: index,
                    migrations: counts.migrations.indices.filter { counts.migrations[$0].changed > 0 }
                )
            )
        }
        batch.readCounts = total.migrations.map(\.read)
    }
}

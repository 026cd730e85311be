internal import Synchronization

/// The migrations on read that a store counts as applied, although not all of its records went through them.
///
/// It upgrades single records, when they are read and behind the open store. The version of a record tells which of the
/// migrations it still has to go through.
package final class RestUpgrade: Sendable {
    /// The migrations, in order.
    package let migrations: [Migration]
    /// The version of records that need no change; older ones may.
    package let version: Int
    private let changer: RecordChanger
    private let coding: RecordCoding
    private let storeName: String
    private let chains = Mutex<[(typeName: String, chain: StepChains.Chain)]>([])

    /// Creates the rest of a store; nil if there are no such migrations.
    package init?(
        _ onRead: [MigrationID],
        in registry: MigrationRegistry,
        _ coding: RecordCoding,
        storeName: String,
        options: MigrationOptions
    ) {
        let names = Set(onRead.map(\.name))
        migrations = registry.migrations.filter { names.contains($0.name) }
        guard let last = migrations.last else { return nil }
        version = last.version
        self.coding = coding
        self.storeName = storeName
        var steps: [UpgradeSchedule.Step] = []
        for case .pass(let group) in UpgradeSchedule(migrations).groups { steps += group }
        changer = RecordChanger(
            steps,
            migrations.map { PendingMigration(restOf: $0) },
            storeName: storeName,
            options: options
        )
    }

    /// Whether a policy sets records aside that a step cannot convert.
    package var setsRecordsAside: Bool { !changer.alwaysStops }

    /// The numbers of records that went through the migrations.
    package struct Tally {
        fileprivate var pass: PassCounts

        package init(_ rest: RestUpgrade) {
            pass = rest.changer.noCounts
        }

        /// The counts of each migration.
        package var counts: [RecordCounts] { pass.migrations }
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
    /// - Parameter read: Receives the upgraded record and its new version; not called if nothing changes.
    /// - Throws: ``MigrationError`` that names the migration, the step and the record.
    package func upgrade(
        id: Int64 = 0,
        typeName: String,
        key: String,
        content: UnsafeRawBufferPointer,
        isData: Bool,
        expiration: Double?,
        version: Int,
        _ tally: inout Tally,
        _ read: (borrowing Record, Int) -> Void
    ) throws(MigrationError) {
        let chain = chain(typeName)
        guard version < self.version, !chain.links.isEmpty else { return }
        var record = Record(coding: coding)
        var key = key
        func load() {
            key.withUTF8 { key in
                record.load(
                    id: id,
                    typeName: typeName,
                    key: UnsafeRawBufferPointer(key),
                    content: content,
                    isData: isData,
                    expiration: expiration,
                    version: version
                )
            }
        }
        load()
        let outcome = changer.change(&record, chain, &tally.pass)
        if let failure = outcome.failure {
            // The record stays as it is, so nothing of it counts.
            var counts = changer.noCounts
            load()
            _ = changer.change(&record, chain, &counts)
            tally.pass -= counts
            var error = failure as? MigrationError ?? StepFailure.named(failure, store: storeName)
            error.store = storeName
            throw error
        }
        if let version = outcome.changedAt { read(record, version) }
    }
}

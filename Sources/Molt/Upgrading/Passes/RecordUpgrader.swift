/// Sends single records through a chain of migrations, in memory.
///
/// Records that are read or backfilled, documents and records in quarantine go through it. The version of a record
/// tells which of the migrations it still has to go through.
final class RecordUpgrader: Sendable {
    let migrations: [Migration]
    /// The version that records have after the upgrade.
    let version: Int
    /// The version from which records need no upgrade; `Int.max` if those of all versions do.
    let doneFrom: Int
    let steps: [ScheduledStep]
    private let storeName: String?
    private let configuration: MoltConfiguration
    /// The policy for steps without their own.
    let policy: FailurePolicy
    private let changer: RecordChanger
    private let chains = Locked<[(version: Int, typeName: String, chain: StepsByType.Chain)]>([])

    /// Creates an upgrader for records that go through migrations to versions later than their own.
    ///
    /// - Parameters:
    ///   - migrations: Migrations whose steps change single records; other steps are left out.
    ///   - storeName: The store that errors name; nil for documents.
    ///   - policy: The policy for records that a step without its own cannot convert.
    convenience init(
        _ migrations: [Migration],
        storeName: String?,
        configuration: MoltConfiguration,
        onFailure policy: FailurePolicy
    ) {
        var steps: [ScheduledStep] = []
        for group in UpgradeSchedule(migrations.map { PendingMigration(backfilling: $0) }).groups {
            if case .pass(let pass) = group.work { steps += pass }
        }
        self.init(steps, of: migrations, storeName: storeName, configuration: configuration, for: .upgrade(policy))
    }

    /// Creates an upgrader for some steps of migrations.
    init(
        _ steps: [ScheduledStep],
        of migrations: [Migration],
        storeName: String?,
        configuration: MoltConfiguration = MoltConfiguration(),
        for purpose: RecordChanger.Purpose
    ) {
        self.migrations = migrations
        version = migrations.last?.version ?? 0
        doneFrom = steps.map(\.pending.doneFrom).max() ?? 0
        self.steps = steps
        self.storeName = storeName
        self.configuration = configuration
        policy = purpose.policy
        changer = RecordChanger(steps, storeName: storeName ?? "", configuration: configuration, for: purpose)
    }

    // MARK: Types

    /// Whether a step renames or deletes a type.
    var changesTypes: Bool {
        steps.contains { step in
            switch step.recordWork {
            case .renameType, .deleteType, .handOver: true
            case .edit, nil: false
            }
        }
    }

    /// The name that a type has after all steps; nil if one of them deletes it.
    func name(ofType stored: String) -> String? { chain(typeName: stored, from: 0).lastName }

    // MARK: Single records

    /// The steps for records of a type that were stored at a version.
    func chain(typeName: String, from version: Int) -> StepsByType.Chain {
        chains.withLock { chains in
            if let found = chains.first(where: {
                $0.version == version && ExactName.isSame($0.typeName, typeName)
            }) {
                return found.chain
            }
            let first = steps.firstIndex { $0.pending.doneFrom > version } ?? steps.count
            let chain = changer.chain(from: first, typeName: typeName)
            // Documents may have any type name.
            if chains.count < 256 { chains.append((version, typeName, chain)) }
            return chain
        }
    }

    /// Sends a record through the steps of its chain.
    ///
    /// - Throws: ``MoltError`` that names the migration, the step and the record, whatever the policy.
    func upgrade(_ record: inout Record, _ chain: StepsByType.Chain) throws(MoltError) -> RecordResult {
        var counts = changer.noCounts
        let result = changer.change(&record, chain, &counts)
        if let failure = result.error { throw named(failure) }
        return result
    }

    /// The result for a record that the policy may quarantine or drop.
    enum Result {
        case upgraded(RecordResult)
        case unconverted(UnconvertedRecord)
    }

    /// Sends a record through the migrations that it lacks, under the policy.
    ///
    /// - Throws: The error of a record at which the upgrade must stop.
    func upgradeUnderPolicy(_ record: inout Record) throws -> Result {
        let stored = record
        let chain = chain(typeName: record.typeName, from: record.storedVersion)
        var counts = changer.noCounts
        var result = changer.change(&record, chain, &counts)
        result.changedBy = counts.changedLast
        guard let failure = result.error else { return .upgraded(result) }
        guard result.failedStepIndex != nil else { throw named(failure) }
        return .unconverted(try changer.recordBeforeFailure(result, of: stored, chain))
    }

    func outcome(of record: UnconvertedRecord) -> MigrationReport.FailedRecord.Outcome {
        (record.step.onFailure ?? policy).outcome
    }

    func named(_ failure: MoltError) -> MoltError {
        var error = failure
        error.store = storeName
        return error
    }

    /// See ``MoltConfiguration/droppedKeyLifetime``.
    var droppedKeyLifetime: Duration? { configuration.droppedKeyLifetime }

    // MARK: Batches

    var batchSize: Int { configuration.hooks.batchSize }
    var noCounts: PassCounts { changer.noCounts }

    func firstStepIndex(of stepIndex: Int) -> Int { changer.firstStepIndex(of: stepIndex) }

    func counts(of migration: Migration, in counts: [MigrationReport.Counts]) -> MigrationReport.Counts {
        steps.firstIndex { $0.migration.name == migration.name }.map { counts[$0] } ?? MigrationReport.Counts()
    }

    func stepCounts(of migration: Migration, in counts: PassCounts) -> [MigrationReport.Counts] {
        steps.indices.filter { steps[$0].migration.name == migration.name }.map { counts.steps[$0] }
    }

    /// Changes batches of records that go through the same migrations.
    func makeBatchChanger(stoppedBy stopSignal: StopSignal) -> RecordChanger {
        var changer = RecordChanger(
            steps,
            storeName: storeName ?? "",
            configuration: configuration,
            for: .backfill(policy)
        )
        changer.stopSignal = stopSignal
        return changer
    }
}

internal import Foundation

extension MigrationContext {
    /// Visits each record of a type, with its original and the record to change side by side.
    ///
    /// - Parameters:
    ///   - type: The current type name. For an unknown name, no record is visited.
    ///   - body: Receives the record as it was when the block started, and the record to change. Call `new.drop()` to
    ///     delete it. To put another record in its place, delete it with ``delete(_:)`` before you create that one.
    ///     Records that this block created or deleted are not visited. A record's new key or type name is written when
    ///     all records have been visited.
    /// - Throws: ``MoltError``, with an error of `body` as its underlying error. If a record was changed before
    ///   the failure, the error is sticky: the block cannot catch it and go on.
    public func enumerate(_ type: String, _ body: (_ old: Record, _ new: inout Record) throws -> Void) throws {
        try enumerate(type, mergingBy: nil, preparing: nil, body)
    }

    /// Visits each record of a type.
    ///
    /// - Parameters:
    ///   - merging: How records of the type become one that would have the same key; nil if they fail the upgrade.
    ///   - prepare: Called on another thread for each record that is read ahead, as it was when the block started.
    func enumerate(
        _ type: String,
        mergingBy merging: Merging? = nil,
        preparing prepare: (@Sendable (Record) -> Void)? = nil,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws {
        let changes = changeCount
        do {
            try visitAll(type, mergingBy: merging, preparing: prepare, body)
        } catch {
            // Some records are changed and others are not; their new keys and type names are not written.
            if changeCount != changes { failure = failure ?? error }
            throw error
        }
    }

    /// Whether the visited record is as another thread has read it ahead.
    var isReadAhead: Bool { enumerations.last.map { $0.isReadAhead && !$0.isBatchStale } ?? false }

    /// Increases with each record that was changed, deleted, added or quarantined, and with each renamed type.
    private var changeCount: Int {
        counts.changed + counts.dropped + counts.created + counts.quarantined + uncountedChanges
    }

    /// A call of `enumerate` on its way through the records of a type.
    private struct Visit {
        let type: String
        /// The index among the enumerations in progress.
        let level: Int
        /// The round of the changes that are postponed to its end.
        let round: Int
        /// The number of records when it began.
        let count: Int
        var read = 0
        var visited = 0
        var lastID = Int64.min
        var hasPostponed = false
        /// Whether records that it visits later may have been changed, added or removed.
        var hasChangedOthers: Bool
    }

    private func visitAll(
        _ type: String,
        mergingBy merging: Merging?,
        preparing prepare: (@Sendable (Record) -> Void)?,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws {
        enumerations.append(Enumeration(looksForOriginals: hasOriginals))
        defer { enumerations.removeLast() }
        let level = enumerations.count - 1
        // Created records are not visited.
        var visit = Visit(
            type: type,
            level: level,
            round: newRound(),
            count: try perform { try $0.count(ofType: type) },
            hasChangedOthers: counts.created > 0
        )
        let memory = RecordBatch(capacity: configuration.hooks.batchSize)
        var ahead = level == 0 ? try readAhead(type, prepare) : nil
        defer { ahead?.end() }
        while true {
            try configuration.checkCancellation()
            let next = try perform(at: UpgradePoint(.read, "of \(type)")) { records -> RecordBatch? in
                if let ahead { return try ahead.nextBatch() }
                try records.read(into: memory, types: [type], after: visit.lastID, through: firstCreatedID - 1)
                return memory.isEmpty ? nil : memory
            }
            guard let batch = next else { break }
            enumerations[level].isReadAhead = ahead != nil
            enumerations[level].isBatchStale = false
            enumerations[level].isBatchIncomplete = false
            try visitBatch(batch, &visit, body)
            if enumerations[level].isBatchStale || enumerations[level].isBatchIncomplete {
                visit.hasChangedOthers = true
                // What was read ahead may have changed.
                ahead?.end()
                ahead = nil
            }
        }
        try end(visit, merging)
    }

    private func visitBatch(
        _ batch: RecordBatch,
        _ visit: inout Visit,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws {
        let level = visit.level
        // A copy for all records, because copying it takes as long as a short closure.
        let configuration = configuration
        visit.read += batch.count
        var seen = 0
        for index in 0..<batch.count {
            // The visited records must not depend on the batch size.
            if enumerations[level].isBatchIncomplete { break }
            try configuration.checkCancellation()
            let id = batch[index].id
            visit.lastID = id
            seen += 1
            enumerations[level].current = id
            enumerations[level].isCurrentDeleted = false
            enumerations[level].isCurrentWritten = false
            if enumerations[level].isBatchStale {
                let record = try perform { try $0.record(id: id) }
                guard let record, ExactName.isSame(record.typeName, visit.type) else { continue }
                batch[index] = record
            }
            counts.read += 1
            visit.visited += 1
            let isPostponed = try withAutoreleasePool { try visitRecord(&batch[index], visit, body) }
            visit.hasPostponed = isPostponed || visit.hasPostponed
        }
        runner.meter.advance(by: seen)
    }

    /// Checks that no record was missed, and applies the changes of keys and types.
    private func end(_ visit: Visit, _ merging: Merging?) throws {
        // The outermost call scans for all.
        if visit.level == 0 || !visit.hasChangedOthers {
            try perform { try $0.checkVisited(visit.hasChangedOthers ? nil : visit.read, of: visit.count) }
        }
        if visit.visited == 0 { try noteMissing(visit.type) }
        guard visit.hasPostponed else { return }
        if let merging { try mergeRecords(ofType: visit.type, in: visit.round, merging) }
        try perform(at: UpgradePoint(.applyPostponedChanges)) {
            try $0.applyPostponedChanges(round: visit.round, keysFrom: merging?.newKey.path)
        }
    }

    /// Reads the records of a type on another thread, as they were when the block started.
    ///
    /// - Returns: Nil if the block, or a migration before it, has changed the store, or if there is one batch only.
    private func readAhead(
        _ type: String,
        _ prepare: (@Sendable (Record) -> Void)?
    ) throws -> RecordPipeline<RecordBatch>? {
        guard firstCreatedID > configuration.hooks.batchSize else { return nil }
        let reader = try perform { try $0.makeReader(ofTypes: [type], through: firstCreatedID - 1) }
        guard let reader else { return nil }
        let capacity = configuration.hooks.batchSize
        let pipeline = RecordPipeline(
            (RecordBatch(capacity: capacity), RecordBatch(capacity: capacity)),
            on: DispatchQueue(label: "molt.enumerate", qos: .userInitiated),
            stoppedBy: StopSignal { [configuration] in try configuration.checkCancellation() }
        ) { batch in
            try reader.read(into: batch)
        } change: { [coding] batch in
            for index in 0..<batch.count {
                batch[index].coding = coding
                // An error is that of the visit, which reads the content again.
                guard (try? batch[index].read()) != nil else { continue }
                prepare?(batch[index])
            }
        }
        pipeline.atEnd = { [runner] in
            reader.end()
            runner.records.endReading()
        }
        return pipeline
    }

    /// - Returns: Whether a change was postponed to the end of the enumeration.
    private func visitRecord(
        _ record: inout Record,
        _ visit: Visit,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws -> Bool {
        let level = visit.level
        let typeName = record.typeName
        record.coding = coding
        // Complete if another thread has read the record. Copies take as long as a short closure.
        var old = record
        var hasOriginal = false
        var before: Record?
        var revision = record.revision
        let changes = changeCount
        var isAtPoint = false
        do {
            try record.read()
            if enumerations[level].looksForOriginals || !originalTypeNames.isEmpty {
                old = try original(of: record, level)
            } else if !enumerations[level].isReadAhead || enumerations[level].isBatchStale {
                old = record
            }
            hasOriginal = true
            before = runner.notes == nil ? nil : record
            revision = record.revision
            if let atPoint = configuration.hooks.atPoint {
                isAtPoint = true
                try atPoint(UpgradePoint(.record, "\(old.key) of type \(typeName)"))
                isAtPoint = false
            }
            try body(old, &record)
            if let failure = record.failure ?? old.failure { throw failure }
        } catch {
            if !hasOriginal {
                old = record
                old.typeName = originalTypeNames[ExactName(typeName)] ?? typeName
            }
            let error = MoltError(error, in: step, key: old.key, type: typeName, store: runner.storeName)
            if !isAtPoint, changeCount == changes, try removeFailed(old, now: typeName, error) { return false }
            throw error
        }
        if let failure { throw failure }
        let isDeleted = enumerations[level].isCurrentDeleted
        if record.isDropped, !isDeleted { try delete(id: record.id, ofType: typeName, before) }
        guard !record.isDropped, !isDeleted, record.revision != revision else { return false }
        guard !enumerations[level].isCurrentWritten else { throw lostUpdate(key: old.key, type: typeName) }
        let isPostponed = try writeVisited(record, visit)
        if let before { note(before, record) }
        return isPostponed
    }

    /// Writes the content of a visited record that has changed, and postpones the change of its key or type.
    private func writeVisited(_ record: Record, _ visit: Visit) throws -> Bool {
        let isRetyped = !ExactName.isSame(record.typeName, visit.type)
        if isRetyped {
            // The change is written when this enumeration ends; outer enumerations must see it.
            for outer in 0..<visit.level { enumerations[outer].isBatchIncomplete = true }
        }
        return try write(record, isRetyped: isRetyped, round: visit.round, isVisited: true)
    }

    private func original(of record: Record, _ level: Int) throws -> Record {
        var original = record
        if enumerations[level].looksForOriginals {
            // The contents that are not written yet are those of other records.
            if let kept = try perform(writingFirst: false, { try $0.original(id: record.id) }) {
                original = kept
                original.coding = coding
                try original.read()
                if runner.records.readsOriginals { return original }
            }
        }
        guard !originalTypeNames.isEmpty, let typeName = originalTypeNames[ExactName(original.typeName)] else {
            return original
        }
        original.typeName = typeName
        return original
    }
}

extension MigrationContext {
    /// An `enumerate` call in progress.
    struct Enumeration {
        /// The id of the record that its closure is visiting.
        var current: Int64 = 0
        /// Whether that record was deleted through the context.
        var isCurrentDeleted = false
        /// Whether that record was written since the closure received it.
        var isCurrentWritten = false
        /// Whether another thread has read the batch.
        var isReadAhead = false
        /// Whether records of the batch may have been changed or deleted since it was read.
        var isBatchStale = false
        /// Whether records outside the batch may have received the type since it was read.
        var isBatchIncomplete = false
        /// Whether this block may have changed records that are not visited yet.
        var looksForOriginals: Bool
    }
}

/// Records that the closure of `enumerate` could not convert.
extension MigrationContext {
    /// Quarantines or drops a record as it was when the block started, if the policy says so.
    ///
    /// It returns false if the block has used an attached store: the closure's changes there cannot be undone.
    func removeFailed(_ old: Record, now typeName: String, _ error: MoltError) throws -> Bool {
        guard failurePolicy.tolerates(error), failure == nil, usedStores.isEmpty else { return false }
        let cause = MigrationReport.RecordFailure(error, in: step, firstStep: step.number)
        let outcome: MigrationReport.FailedRecord.Outcome
        do {
            outcome = try runner.failures.add(old, cause, error, at: step, of: count(ofType: typeName) + failureCount)
            failureCount += 1
        } catch {
            failure = failure ?? error
            throw error
        }
        if outcome == .dropped {
            try delete(id: old.id, ofType: typeName, old)
            return true
        }
        touchDeleted(old.id)
        counts.quarantined += 1
        let round = newRound()
        try perform(at: UpgradePoint(.postponeChange)) { records in
            if hasOriginals { try records.saveOriginal(id: old.id) }
            let kind = PostponedChange.Kind.quarantine(cause, typeName: old.typeName)
            try records.postpone(PostponedChange(round: round, id: old.id, kind: kind))
            try records.applyPostponedChanges(round: round)
        }
        return true
    }

    /// The error for a record that was changed twice, where one of the changes would be lost.
    func lostUpdate(key: String, type: String) -> MoltError {
        MoltError(
            .stepFailed,
            "The closure changed `new`, and the same record was also written by `update` or a nested `enumerate`: one "
                + "of the two changes would be lost.",
            advice: "Make both changes to `new`.",
            key: key,
            type: type
        )
    }
}

/// The steps that a single record goes through in memory, with the records that a step extracts from it.
///
/// Documents go through them, and records that come into a store after its other records have been through them.
struct DocumentSteps: Sendable {
    private let parts: [Part]
    /// The store that errors name; nil for documents.
    private let storeName: String?

    /// Indirect, because each document goes through each part, and a part is large.
    private indirect enum Part: Sendable {
        /// Steps on single records.
        case pass(RecordUpgrader)
        /// A step that yields more documents.
        case extraction(ExtractRecordsStep, ScheduledStep)
    }

    /// Takes the steps of a schedule; blocks that need a whole store are left out.
    init(_ schedule: UpgradeSchedule, storeName: String?) {
        self.storeName = storeName
        parts = schedule.groups.compactMap { group in
            switch group.work {
            case .pass(let steps):
                return .pass(Self.upgrader(steps, storeName))
            case .block(let step):
                guard case .store(let work) = step.declared.work else { return nil }
                switch work.alone {
                case .extraction(let declaration): return .extraction(declaration, step)
                case .change(let work):
                    let step = ScheduledStep(step, doing: work, onFailure: step.onFailure)
                    return .pass(Self.upgrader([step], storeName))
                }
            }
        }
    }

    private static func upgrader(_ steps: [ScheduledStep], _ storeName: String?) -> RecordUpgrader {
        RecordUpgrader(steps, of: [], storeName: storeName, for: .upgrade(.stop))
    }

    /// A document on its way.
    struct Document: Sendable {
        fileprivate(set) var record: Record
        fileprivate(set) var isChanged = false
        /// Whether it is gone: a step drops it, deletes its type, or hands it over.
        fileprivate(set) var isDropped = false
        /// The step that takes the records of its type out of a store; nil for none.
        fileprivate(set) var handedOverBy: ScheduledStep?
        /// The step that has extracted it; nil for the document that was passed.
        fileprivate var extraction: Extraction?

        /// A class, because most documents have none.
        fileprivate final class Extraction: Sendable {
            let declaration: ExtractRecordsStep
            let step: ScheduledStep
            /// The document that contained it.
            let outer: Record

            init(_ declaration: ExtractRecordsStep, by step: ScheduledStep, from outer: Record) {
                self.declaration = declaration
                self.step = step
                self.outer = outer
            }
        }

        var isExtracted: Bool { extraction != nil }

        /// The error of a call that returns one document and would lose this one; nil if it was not extracted.
        var extractionError: MoltError? {
            guard let extraction else { return nil }
            let error = MoltError(
                .unsupported,
                "The step extracts more documents from this one.",
                advice: "Call `upgradeAll`, and store each document that it returns."
            )
            let outer = extraction.outer
            return MoltError(error, in: extraction.step, key: outer.key, type: outer.typeName, store: nil)
        }

        /// Merges an extracted document into the record that has its key in a store, by the policy of the step.
        ///
        /// - Returns: Whether the record was changed.
        /// - Throws: ``MoltError`` as the step does.
        mutating func merge(into stored: Record, store: String) throws(MoltError) -> Bool {
            guard let extraction else { return false }
            var merged = stored
            do {
                merged.coding = extraction.step.migration.coding
                try merged.read()
                _ = try merged.merge(record, from: extraction.outer, extraction.declaration)
            } catch {
                let outer = extraction.outer
                throw MoltError(error, in: extraction.step, key: outer.key, type: outer.typeName, store: store)
            }
            record = merged
            return merged.revision != stored.revision
        }
    }

    /// Sends a record through the steps of migrations to versions later than its `storedVersion`.
    ///
    /// - Returns: The document, then those that were extracted from it; also those that are gone.
    func upgrade(_ record: Record) throws -> [Document] {
        var documents = [Document(record: record)]
        for part in parts {
            try upgrade(&documents, part, from: record.storedVersion)
            if documents.count > 1 { try checkKeys(of: documents) }
        }
        return documents
    }

    /// Throws if a step has given two documents one key, which a store refuses.
    private func checkKeys(of documents: [Document]) throws(MoltError) {
        var keys: Set<ExactName> = []
        for record in documents.lazy.filter({ !$0.isDropped }).map(\.record)
        where !keys.insert(ExactName(record.key)).inserted {
            throw MoltError(
                .keyExists,
                "The document and those that steps extract from it would be two with the key \"\(record.key)\".",
                advice: "Give each of them a key of its own.",
                store: storeName,
                key: record.key,
                type: record.typeName
            )
        }
    }

    private func upgrade(_ documents: inout [Document], _ part: Part, from version: Int) throws {
        for index in documents.indices where !documents[index].isDropped {
            switch part {
            case .pass(let upgrader):
                let chain = upgrader.chain(typeName: documents[index].record.typeName, from: version)
                let result = try upgrader.upgrade(&documents[index].record, chain)
                documents[index].isChanged = documents[index].isChanged || result.changedAt != nil
                if case .handedOver(let position) = result.fate {
                    documents[index].handedOverBy = upgrader.steps[position]
                }
                documents[index].isDropped = result.isDropped || documents[index].handedOverBy != nil
            case .extraction(let declaration, let step):
                guard step.pending.doneFrom > version,
                    ExactName.isSame(documents[index].record.typeName, declaration.type)
                else { continue }
                try extract(from: index, of: &documents, declaration, step)
            }
        }
    }

    private func extract(
        from index: Int,
        of documents: inout [Document],
        _ declaration: ExtractRecordsStep,
        _ step: ScheduledStep
    ) throws {
        do {
            documents[index].record.coding = step.migration.coding
            let new = try declaration.take(from: &documents[index].record)
            documents[index].isChanged = documents[index].isChanged || !new.isEmpty
            for position in new.rows.indices {
                var record = new.record(position, coding: step.migration.coding)
                try record.read()
                // As in a store, in which a key belongs to one record of whatever type.
                let other = documents.firstIndex { !$0.isDropped && ExactName.isSame($0.record.key, record.key) }
                let outer = documents[index].record
                guard let other else {
                    let extraction = Document.Extraction(declaration, by: step, from: outer)
                    documents.append(Document(record: record, isChanged: true, extraction: extraction))
                    continue
                }
                documents[other].record.coding = step.migration.coding
                _ = try documents[other].record.merge(record, from: outer, declaration)
            }
        } catch {
            let record = documents[index].record
            throw MoltError(error, in: step, key: record.key, type: record.typeName, store: storeName)
        }
    }
}

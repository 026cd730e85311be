/// The steps that a single record goes through in memory, with the records that a step extracts from it.
///
/// Documents go through them, and records that come into a store after its other records have been through them.
package struct DocumentSteps: Sendable {
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
    package struct Document: Sendable {
        package fileprivate(set) var record: Record
        package fileprivate(set) var isChanged = false
        /// Whether it is gone: a step drops it, deletes its type, or hands it over.
        package fileprivate(set) var isDropped = false
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
            switch part {
            case .pass(let upgrader): try upgrade(&documents, through: upgrader, from: record.storedVersion)
            case .extraction(let declaration, let step):
                guard step.pending.doneFrom > record.storedVersion else { continue }
                for index in documents.indices
                where !documents[index].isDropped
                    && ExactName.isSame(documents[index].record.typeName, declaration.type)
                {
                    try extract(from: index, of: &documents, declaration, step)
                }
            }
        }
        return documents
    }

    /// Sends documents through the steps of a pass.
    private func upgrade(_ documents: inout [Document], through upgrader: RecordUpgrader, from version: Int) throws {
        var newKeys: [NewKey] = []
        for index in documents.indices where !documents[index].isDropped {
            let key = documents.count > 1 ? documents[index].record.key : ""
            let chain = upgrader.chain(typeName: documents[index].record.typeName, from: version)
            let result = try upgrader.upgrade(&documents[index].record, chain)
            documents[index].isChanged = documents[index].isChanged || result.changedAt != nil
            if case .handedOver(let position) = result.fate {
                documents[index].handedOverBy = upgrader.steps[position]
            }
            documents[index].isDropped = result.isDropped || documents[index].handedOverBy != nil
            if documents.count > 1, !documents[index].isDropped {
                newKeys += NewKey.all(in: result.postponed, of: index, before: key)
            }
        }
        if !newKeys.isEmpty { try check(newKeys, of: documents, in: upgrader.steps) }
    }

    /// A key that a step of a pass gives to a document.
    private struct NewKey {
        /// The position of the step in the pass.
        let step: Int
        /// The position of the document.
        let document: Int
        let key: ExactName
        let oldKey: ExactName

        /// Those of a document that had a key before the pass, in the order of the steps.
        static func all(in changes: [PostponedChange], of document: Int, before key: String) -> [NewKey] {
            var oldKey = ExactName(key)
            return changes.compactMap { change in
                guard case .key(let key) = change.kind else { return nil }
                defer { oldKey = ExactName(key) }
                return NewKey(step: change.round, document: document, key: ExactName(key), oldKey: oldKey)
            }
        }
    }

    /// Throws if a step gives a document the key of another one, which a store refuses.
    ///
    /// As in a store, documents may exchange keys in one step. Unlike in a store, the key of a document that a later
    /// step of the pass drops is free.
    private func check(_ newKeys: [NewKey], of documents: [Document], in steps: [ScheduledStep]) throws {
        let first = Dictionary(newKeys.map { ($0.document, $0.oldKey) }) { first, _ in first }
        let living = documents.indices.filter { !documents[$0].isDropped }
        var keys = Set(living.map { first[$0] ?? ExactName(documents[$0].record.key) })
        for (step, newKeys) in Dictionary(grouping: newKeys, by: \.step).sorted(by: { $0.key < $1.key }) {
            for new in newKeys { keys.remove(new.oldKey) }
            for new in newKeys where !keys.insert(new.key).inserted {
                throw keyExists(new, documents[new.document].record, in: steps[step])
            }
        }
    }

    private func keyExists(_ new: NewKey, _ record: Record, in step: ScheduledStep) -> MoltError {
        let what = storeName == nil ? "document" : "record"
        var key = "the key \"\(new.key.text)\""
        // Such a key is a value of the record.
        if case .store(.renameKeys(let renaming)) = step.declared.work, let path = renaming.newKey.path {
            key = "a key, from \"\(path)\""
        }
        let error = MoltError(
            .keyExists,
            "The \(what) \"\(new.oldKey.text)\" of type \(record.typeName) would get \(key), which another \(what) from "
                + "the same one has or gets.",
            advice: "Give each of them a key of its own."
        )
        return MoltError(error, in: step, key: new.oldKey.text, type: record.typeName, store: storeName)
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

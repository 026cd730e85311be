/// The steps of a pass that process records of a type.
///
/// Type renames and deletions are resolved here, so records need no lookups on their way. Names are compared by bytes,
/// as in the store.
struct StepsByType: Sendable {
    /// A step in a chain; a class, so that nothing is copied for each record.
    final class ChainStep: Sendable {
        /// The step's position in the pass.
        let index: Int
        /// The position of its migration's first step in the pass.
        let firstIndex: Int
        let scheduled: ScheduledStep
        /// See ``PendingMigration``.
        let recordVersion: Int
        let doneFrom: Int
        let isOnRead: Bool
        /// The record's type name at this step.
        let typeName: String
        let isRenamed: Bool
        let edit: RecordEdit
        /// Stored apart from ``edit``, which each use would copy as a whole.
        let apply: @Sendable (inout Record) throws -> Void
        /// See ``RecordEdit/notedProperties``.
        let notedProperties: [PropertyPath]
        /// The version of the records that it concerns, and of later ones, beside those that the pass has changed; 0
        /// for all.
        let firstVersion: Int
        /// The coders of the values that its closure decodes and encodes.
        let coding: RecordCoding

        /// The step at a position in a pass.
        fileprivate init(_ edit: RecordEdit, at index: Int, of pass: StepsByType, typeName: String, isRenamed: Bool) {
            self.index = index
            firstIndex = pass.firstStepIndices[index]
            scheduled = pass.steps[index]
            recordVersion = scheduled.pending.recordVersion
            doneFrom = scheduled.pending.doneFrom
            isOnRead = scheduled.migration.isOnRead
            self.typeName = typeName
            self.isRenamed = isRenamed
            self.edit = edit
            apply = edit.apply
            notedProperties = edit.notedProperties
            firstVersion = edit.check?.firstVersion(in: scheduled.pending, of: pass.steps) ?? 0
            coding = edit.check?.coding ?? scheduled.migration.coding
        }

        /// The same step with other coders.
        fileprivate init(_ step: ChainStep, _ coding: RecordCoding) {
            index = step.index
            firstIndex = step.firstIndex
            scheduled = step.scheduled
            recordVersion = step.recordVersion
            doneFrom = step.doneFrom
            isOnRead = step.isOnRead
            typeName = step.typeName
            isRenamed = step.isRenamed
            edit = step.edit
            apply = step.apply
            notedProperties = step.notedProperties
            firstVersion = step.firstVersion
            self.coding = coding
        }
    }

    /// The steps for the records of a type.
    struct Chain: Sendable {
        /// The name of the type before these steps.
        let typeName: String
        fileprivate(set) var steps: [ChainStep] = []
        /// The name of the type after all steps of the pass; nil if one after these deletes the type, or takes its
        /// records out of the store.
        fileprivate(set) var lastName: String?
        /// The position of the step that takes the type's records out of the store instead; nil for none.
        fileprivate(set) var handedOverBy: Int?

        var runsClosure: Bool { steps.contains { $0.edit.runsClosure } }

        /// An equal chain with coders that share no state with those of others.
        ///
        /// Each use of a coder changes the reference counts of its parts, for which cores contend: converting a batch
        /// on two cores takes a quarter longer with shared coders.
        var withOwnCoders: Chain {
            var copies: [ObjectIdentifier: RecordCoding] = [:]
            var own = self
            own.steps = steps.map { step in
                let copy = copies[ObjectIdentifier(step.coding)] ?? step.coding.copy()
                copies[ObjectIdentifier(step.coding)] = copy
                return ChainStep(step, copy)
            }
            return own
        }
    }

    private let steps: [ScheduledStep]
    /// For each step, the position of its migration's first one in the pass.
    let firstStepIndices: [Int]

    init(_ steps: [ScheduledStep]) {
        self.steps = steps
        var first = 0
        firstStepIndices = steps.indices.map { index in
            if steps[index].migration.name != steps[first].migration.name { first = index }
            return first
        }
    }

    /// The steps from a position in the pass on, for records that have a type name there.
    func chain(from start: Int = 0, typeName: String) -> Chain {
        var chain = Chain(typeName: typeName)
        var typeName = typeName
        var isRenamed = false
        for index in start..<max(start, steps.count) {
            switch steps[index].recordWork {
            case .renameType(let name, let newName):
                if ExactName.isSame(name, typeName) {
                    typeName = newName
                    isRenamed = true
                }
            case .deleteType(let name, _):
                if ExactName.isSame(name, typeName) {
                    return chain
                }
            case .handOver(let name, _):
                if ExactName.isSame(name, typeName) {
                    chain.handedOverBy = index
                    return chain
                }
            case .edit(let edit, let type):
                guard ExactName.isSame(type, typeName) else { continue }
                chain.steps.append(ChainStep(edit, at: index, of: self, typeName: typeName, isRenamed: isRenamed))
            case nil:
                break
            }
        }
        chain.lastName = typeName
        return chain
    }

    /// The chains of all types whose records a step processes, by type name.
    func all() -> [Chain] {
        Set(steps.compactMap(\.typeName).map(ExactName.init)).map(\.text).sorted()
            .map { chain(typeName: $0) }
            .filter { !$0.steps.isEmpty }
    }

    /// The name that a type has at `end`, given its name at `start`; no step in between may delete the type.
    func name(of typeName: String, from start: Int, before end: Int) -> String {
        var typeName = typeName
        for index in start..<max(start, min(end, steps.count)) {
            guard case .renameType(let name, let newName) = steps[index].recordWork else { continue }
            if ExactName.isSame(name, typeName) { typeName = newName }
        }
        return typeName
    }
}

extension DecodeCheck.OfEdit {
    /// The version from which a record counts as changed by the upgrade, beside those that the pass changes; 0 if all
    /// do.
    fileprivate func firstVersion(in pending: PendingMigration, of pass: [ScheduledStep]) -> Int {
        // A record does not show that an earlier pass has renamed its type.
        let isRenamed = renamings.contains { renaming in
            renaming.migration.version >= pending.changedFrom
                && !pass.contains { $0.migration.id == renaming.migration && $0.number == renaming.number }
        }
        // A late migration leaves records at the version of the store.
        return isRenamed ? 0 : min(pending.changedFrom, pending.recordVersion)
    }
}

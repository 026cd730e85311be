/// The steps of a pass that process records of a type.
///
/// Type renames and deletions are resolved here, so records need no lookups on their way. Names are compared by bytes,
/// as in the store.
struct StepsByType: Sendable {
    /// A step in a chain; a class, so that nothing is copied for each record.
    final class ChainStep: Sendable {
        /// The step's position in the pass.
        let stepIndex: Int
        /// The position of its migration's first step in the pass.
        let firstStepIndex: Int
        let step: ScheduledStep
        /// See ``PendingMigration``.
        let recordVersion: Int
        let doneFrom: Int
        let isOnRead: Bool
        /// The record's type name at this step.
        let typeName: String
        let isRenamed: Bool
        let edit: RecordEdit
        /// The coders of the values that its closure decodes and encodes.
        let coding: RecordCoding

        init(
            _ step: ScheduledStep,
            stepIndex: Int,
            firstStepIndex: Int,
            typeName: String,
            isRenamed: Bool,
            edit: RecordEdit,
            coding: RecordCoding
        ) {
            self.stepIndex = stepIndex
            self.firstStepIndex = firstStepIndex
            self.step = step
            recordVersion = step.pending.recordVersion
            doneFrom = step.pending.doneFrom
            isOnRead = step.migration.isOnRead
            self.typeName = typeName
            self.isRenamed = isRenamed
            self.edit = edit
            self.coding = coding
        }

        /// The same step with other coders.
        convenience init(_ link: ChainStep, _ coding: RecordCoding) {
            self.init(
                link.step,
                stepIndex: link.stepIndex,
                firstStepIndex: link.firstStepIndex,
                typeName: link.typeName,
                isRenamed: link.isRenamed,
                edit: link.edit,
                coding: coding
            )
        }
    }

    struct Chain: Sendable {
        var links: [ChainStep] = []
        /// The name of the record's type after all steps; nil if one after the last link deletes the type.
        var lastName: String?

        var runsClosure: Bool { links.contains { $0.edit.runsClosure } }
    }

    /// The chain of a type, by the type's name before all steps.
    struct TypeChain: Sendable {
        var typeName: String
        var chain: Chain

        /// An equal chain with coders that share no state with those of others.
        ///
        /// Each use of a coder changes the reference counts of its parts, for which cores contend: converting a batch
        /// on two cores takes a quarter longer with shared coders.
        var withOwnCoders: TypeChain {
            var copies: [ObjectIdentifier: RecordCoding] = [:]
            var own = self
            own.chain.links = chain.links.map { link in
                let copy = copies[ObjectIdentifier(link.coding)] ?? link.coding.copy()
                copies[ObjectIdentifier(link.coding)] = copy
                return ChainStep(link, copy)
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
        firstStepIndices = steps.indices.map { stepIndex in
            if steps[stepIndex].migration.name != steps[first].migration.name { first = stepIndex }
            return first
        }
    }

    /// The steps from an index on, for records that have a type name at that step.
    func chain(from stepIndex: Int = 0, typeName: String) -> Chain {
        var typeName = typeName
        var isRenamed = false
        var chain = Chain()
        for index in stepIndex..<max(stepIndex, steps.count) {
            let step = steps[index]
            switch step.action {
            case .renameType(let name, let newName):
                if ExactName.isSame(name, typeName) {
                    typeName = newName
                    isRenamed = true
                }
            case .deleteType(let name):
                if ExactName.isSame(name, typeName) {
                    return chain
                }
            case .edit(let edit):
                guard ExactName.isSame(edit.typeName, typeName) else { continue }
                chain.links.append(
                    ChainStep(
                        step,
                        stepIndex: index,
                        firstStepIndex: firstStepIndices[index],
                        typeName: typeName,
                        isRenamed: isRenamed,
                        edit: edit,
                        coding: step.migration.coding
                    )
                )
            case .run:
                break
            }
        }
        chain.lastName = typeName
        return chain
    }

    /// The chains of all types whose records a step processes, by type name.
    func all() -> [TypeChain] {
        Set(steps.compactMap(\.typeName).map(ExactName.init)).map(\.text).sorted()
            .map { TypeChain(typeName: $0, chain: chain(typeName: $0)) }
            .filter { !$0.chain.links.isEmpty }
    }

    /// The name that a type has at `end`, given its name at `stepIndex`; no step in between may delete the type.
    func name(of typeName: String, from stepIndex: Int, before end: Int) -> String {
        var typeName = typeName
        for index in stepIndex..<max(stepIndex, min(end, steps.count)) {
            guard case .renameType(let name, let newName) = steps[index].action else { continue }
            if ExactName.isSame(name, typeName) { typeName = newName }
        }
        return typeName
    }
}

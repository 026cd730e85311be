/// The steps of a pass that process records of a type.
///
/// Type renames and deletions are resolved here, so records need no lookups on their way. Names are compared by bytes,
/// as in the store.
struct StepChains: Sendable {
    /// A step in a chain; a class, so that nothing is copied for each record.
    final class Link: Sendable {
        /// The step's position in the pass.
        let stage: Int
        let migration: Int
        let number: Int
        /// The record's type name at this step.
        let typeName: String
        let isRenamed: Bool
        let edit: RecordEdit
        /// The coders of the values that its closure decodes and encodes.
        let coding: RecordCoding

        init(_ step: UpgradeSchedule.Step, stage: Int, typeName: String, isRenamed: Bool, edit: RecordEdit) {
            self.stage = stage
            migration = step.migration
            number = step.number
            self.typeName = typeName
            self.isRenamed = isRenamed
            self.edit = edit
            coding = step.coding
        }

        /// The same step with other coders.
        init(_ link: Link, _ coding: RecordCoding) {
            stage = link.stage
            migration = link.migration
            number = link.number
            typeName = link.typeName
            isRenamed = link.isRenamed
            edit = link.edit
            self.coding = coding
        }
    }

    struct Chain: Sendable {
        var links: [Link] = []
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
                return Link(link, copy)
            }
            return own
        }
    }

    private let steps: [UpgradeSchedule.Step]

    init(_ steps: [UpgradeSchedule.Step]) {
        self.steps = steps
    }

    /// The steps from a stage on, for records that have a type name at that stage.
    func chain(from stage: Int = 0, typeName: String) -> Chain {
        var typeName = typeName
        var isRenamed = false
        var chain = Chain()
        for index in stage..<max(stage, steps.count) {
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
                    Link(step, stage: index, typeName: typeName, isRenamed: isRenamed, edit: edit)
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

    /// The name that a type has at `end`, given its name at `stage`; no step in between may delete the type.
    func name(of typeName: String, from stage: Int, before end: Int) -> String {
        var typeName = typeName
        for index in stage..<max(stage, min(end, steps.count)) {
            guard case .renameType(let name, let newName) = steps[index].action else { continue }
            if ExactName.isSame(name, typeName) { typeName = newName }
        }
        return typeName
    }
}

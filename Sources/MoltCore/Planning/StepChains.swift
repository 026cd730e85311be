/// For records of a type, the steps of a pass that look at them.
///
/// Type renames and deletions are followed by name here, so a record needs no lookup while it goes through its steps.
/// Names are compared by their bytes, as the store does.
struct StepChains: Sendable {
    /// A step that looks at a record; a class, so that nothing is copied for each record.
    final class Link: Sendable {
        /// The place of the step in the pass.
        let stage: Int
        let migration: Int
        let number: Int
        /// The record's type name when the step looks at it.
        let typeName: String
        /// Whether a step before this one has renamed the type.
        let isRenamed: Bool
        let edit: RecordEdit

        init(stage: Int, migration: Int, number: Int, typeName: String, isRenamed: Bool, edit: RecordEdit) {
            self.stage = stage
            self.migration = migration
            self.number = number
            self.typeName = typeName
            self.isRenamed = isRenamed
            self.edit = edit
        }
    }

    /// The steps that look at a record.
    struct Chain: Sendable {
        var links: [Link] = []
        /// Whether a step deletes the record's type behind the last link.
        var isDeleted = false
    }

    private let steps: [UpgradeSchedule.Step]

    init(_ steps: [UpgradeSchedule.Step]) {
        self.steps = steps
    }

    /// The steps from a stage on that look at a record which has a type name there.
    func chain(from stage: Int = 0, typeName: String) -> Chain {
        var typeName = typeName
        var isRenamed = false
        var chain = Chain()
        for index in stage..<max(stage, steps.count) {
            let step = steps[index]
            switch step.action {
            case .renameType(let name, let newName):
                if RecordObject.isSame(name, typeName) {
                    typeName = newName
                    isRenamed = true
                }
            case .deleteType(let name):
                if RecordObject.isSame(name, typeName) {
                    chain.isDeleted = true
                    return chain
                }
            case .edit(let edit):
                guard RecordObject.isSame(edit.typeName, typeName) else { continue }
                chain.links.append(
                    Link(
                        stage: index,
                        migration: step.migration,
                        number: step.number,
                        typeName: typeName,
                        isRenamed: isRenamed,
                        edit: edit
                    )
                )
            case .run:
                break
            }
        }
        return chain
    }

    /// The name that a type has before a stage, followed from an earlier one; nothing deletes it in between.
    func name(of typeName: String, from stage: Int, before end: Int) -> String {
        var typeName = typeName
        for index in stage..<max(stage, min(end, steps.count)) {
            guard case .renameType(let name, let newName) = steps[index].action else { continue }
            if RecordObject.isSame(name, typeName) { typeName = newName }
        }
        return typeName
    }

    /// The name that a type has behind all steps; nil when one of them deletes it.
    func finalName(of typeName: String) -> String? {
        var typeName = typeName
        for step in steps {
            switch step.action {
            case .renameType(let name, let newName) where RecordObject.isSame(name, typeName): typeName = newName
            case .deleteType(let name) where RecordObject.isSame(name, typeName): return nil
            default: continue
            }
        }
        return typeName
    }
}

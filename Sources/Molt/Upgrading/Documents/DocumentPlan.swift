/// What an upgrade does to the documents of a type, by the declarations of its steps; see
/// ``DocumentUpgrade/plan(ofType:writtenAt:)``.
package struct DocumentPlan: Encodable, Sendable {
    /// The name that the type had.
    package let typeName: String
    package let from: Int
    package let to: Int
    /// The steps that concern the documents, and those that are extracted from them, in order.
    package private(set) var steps: [Step] = []
    /// The types that documents have afterwards; closures may give others.
    ///
    /// These are the type of the document, unless it is gone, and the types of those that are extracted from it.
    package private(set) var types: [String]

    /// Whether a step takes the records of a type out of the store, which refuses a document of that type.
    package private(set) var isRefused = false

    package struct Step: Sendable {
        /// The name and the version of the migration.
        package let migration: MigrationID
        /// The description of the step.
        package let step: String
    }

    init(ofType typeName: String, from version: Int, to: Int, through migrations: [Migration]) {
        self.typeName = typeName
        from = version
        self.to = to
        types = [typeName]
        for migration in migrations where migration.version > version {
            for step in migration.steps where apply(step.work) {
                steps.append(Step(migration: migration.id, step: step.description))
            }
        }
    }

    /// Follows the names of types through a step; returns whether the step concerns one of them.
    private mutating func apply(_ work: StepWork) -> Bool {
        switch work {
        case .records(let work):
            guard let index = index(of: work.typeName) else { return false }
            switch work {
            case .renameType(_, let newName):
                types.remove(at: index)
                if self.index(of: newName) == nil { types.insert(newName, at: index) }
            case .deleteType: types.remove(at: index)
            case .handOver: isRefused = true
            case .edit: break
            }
            return true
        case .store(.extract(let step)):
            guard index(of: step.type) != nil else { return false }
            if index(of: step.newType) == nil { types.append(step.newType) }
            return true
        // These do not run for documents.
        case .store, .settings, .bring, .block, .check: return false
        }
    }

    private func index(of typeName: String) -> Int? {
        types.firstIndex { ExactName.isSame($0, typeName) }
    }
}

extension DocumentPlan {
    package func encode(to encoder: any Encoder) throws {
        let steps = steps.map { ["migration": $0.migration, "step": $0.step] as EncodedMembers }
        try encoder.encode([
            "typeName": typeName, "from": from, "to": to, "steps": steps, "types": types, "isRefused": isRefused,
        ])
    }
}

extension DocumentPlan: CustomStringConvertible {
    /// A line for each step, after its migration.
    package var description: String {
        var lines = ["documents of type \(typeName), from version \(from) to \(to)"]
        var last: MigrationID?
        for step in steps {
            if step.migration != last { lines.append("  \(step.migration.version)  \(step.migration.name)") }
            last = step.migration
            lines.append("       \(step.step)")
        }
        if steps.isEmpty { lines.append("  No step concerns them; they get the new version.") }
        if isRefused {
            lines.append("Documents cannot be upgraded: a step takes them out of a store, and they are in none.")
        } else if types != [typeName] {
            lines.append(types.isEmpty ? "They are dropped." : "Types afterwards: \(types.joined(separator: ", ")).")
        }
        return lines.joined(separator: "\n")
    }
}

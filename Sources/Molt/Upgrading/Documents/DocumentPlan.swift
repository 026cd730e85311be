/// What an upgrade does to the documents of a type, by the declarations of its steps; see
/// ``DocumentUpgrade/plan(ofType:writtenAt:models:)``.
package struct DocumentPlan: Encodable, Sendable {
    /// The name that the type had.
    package let typeName: String
    package let from: Int
    package let to: Int
    /// Why there should be no such documents, in a sentence; nil if they may exist.
    package let warning: String?
    /// The steps that concern the documents, and those that are extracted from them, in order.
    package private(set) var steps: [Step] = []
    /// The types that documents have afterwards; closures may give others.
    ///
    /// These are the type of the document, unless it is gone, and the types of those that are extracted from it.
    package let types: [String]

    /// Whether a step takes records of the document's type out of the store, which refuses the document.
    package private(set) var isRefused = false

    package struct Step: Sendable {
        /// The name and the version of the migration.
        package let migration: MigrationID
        /// The description of the step.
        package let step: String
        /// What it means for documents; nil if the description says it all.
        package let note: String?
    }

    /// - Parameters:
    ///   - typeName: The name that the type had.
    ///   - version: The version of the documents.
    ///   - registry: The registry without its shortcuts.
    ///   - models: The names of the types that the app has today.
    init(ofType typeName: String, from version: Int, through registry: MigrationRegistry, models: [String]) {
        let type = ExactName(typeName)
        self.typeName = typeName
        from = version
        to = registry.version
        warning = registry.warning(of: type, at: version, models: Set(models.map(ExactName.init)))
        var course = TypeCourse(document: type)
        for migration in registry.migrations where migration.version > version {
            for step in migration.steps where RunMode.document.use(of: step) == .runs {
                if case .records(.handOver(let name, _)) = step.work, course.document == ExactName(name) {
                    isRefused = true
                }
                guard let effect = course.follow(step.work) else { continue }
                steps.append(Step(migration: migration.id, step: step.description, note: effect.note))
            }
        }
        types = course.names.map(\.text)
    }
}

/// The types that a document, and those that are extracted from it, have on their way through steps.
private struct TypeCourse {
    /// That of the document; nil once it is gone.
    private(set) var document: ExactName?
    private var extracted: [ExactName] = []
    /// Those that they had before.
    private var former: Set<ExactName> = []

    /// What a step does to the documents.
    struct Effect {
        var note: String?
    }

    init(document: ExactName) {
        self.document = document
    }

    /// Those that they have now, each once; that of the document comes first.
    var names: [ExactName] {
        let all = [document].compactMap(\.self) + extracted
        return all.indices.filter { !all[..<$0].contains(all[$0]) }.map { all[$0] }
    }

    /// - Returns: Nil if the step does not concern the documents.
    mutating func follow(_ work: StepWork) -> Effect? {
        switch work {
        case .records(let work): follow(work)
        case .store(.extract(let step)): meet(step.type) { $0.extracted.append(ExactName(step.newType)) }
        // These do not run for documents.
        case .store, .settings, .bring, .block, .check: nil
        }
    }

    private mutating func follow(_ work: RecordWork) -> Effect? {
        switch work {
        case .renameType(let name, let newName):
            return meet(name) { $0.replace(name, by: newName) }
        case .deleteType(let name, _):
            return meet(name) { $0.replace(name, by: nil) }
        case .handOver(let name, _):
            let isExtracted = document != ExactName(name)
            let note = isExtracted ? "documents from which one is extracted are refused" : "documents are refused"
            return meet(name, note) { $0.replace(name, by: nil) }
        case .edit(let edit, let name):
            return meet(name, edit.isConversion ? "only properties of the new model stay" : nil) {
                if edit.mayChangeType { $0.former = [] }
            }
        }
    }

    /// Follows a step on a type if a document has it.
    private mutating func meet(_ name: String, _ note: String? = nil, _ body: (inout Self) -> Void) -> Effect? {
        let name = ExactName(name)
        guard names.contains(name) else {
            return former.contains(name) ? Effect(note: "no effect: they no longer have this type") : nil
        }
        body(&self)
        return Effect(note: note)
    }

    private mutating func replace(_ name: String, by newName: String?) {
        let (name, newName) = (ExactName(name), newName.map(ExactName.init))
        former.insert(name)
        if document == name { document = newName }
        extracted = extracted.compactMap { $0 == name ? newName : $0 }
    }
}

extension RecordEdit {
    fileprivate var isConversion: Bool { kindOfLoss == .converted }

    /// Whether a closure may give a record any type.
    fileprivate var mayChangeType: Bool { runsClosure && !isConversion }
}

extension MigrationRegistry {
    /// Why no document of a version should have a type, in a sentence; nil if it may.
    fileprivate func warning(of type: ExactName, at version: Int, models: Set<ExactName>) -> String? {
        guard !models.contains(type) else { return nil }
        var names = models.union(typesOfIdleChecks.map(ExactName.init))
        for case .these(let types) in migrations.flatMap(\.steps).map(\.work.recordTypes) {
            names.formUnion(types.map(ExactName.init))
        }
        guard !names.contains(type) else {
            return end(of: type, before: version).map {
                "No document of version \(version) should have this type: migration \($0)."
            }
        }
        let nearest = MigrationReport.UnmatchedName(type: type.text, among: names.map(\.text).sorted()).nearest
        return "No migration and no model of the app names this type"
            + (nearest.map { "; did you mean \"\($0)\"?" } ?? ".")
    }

    /// The migration after which no record has a type any more, with what it does to it; nil if there is none.
    ///
    /// - Parameter version: Migrations to later versions do not count.
    private func end(of type: ExactName, before version: Int) -> String? {
        var end: String?
        for migration in migrations where migration.version <= version {
            for step in migration.steps {
                switch step.work {
                case .records(.renameType(let name, let newName)):
                    if ExactName(name) == type { end = "\(migration.id) renames it to \(newName)" }
                    if ExactName(newName) == type { end = nil }
                case .records(.deleteType(let name, _)):
                    if ExactName(name) == type { end = "\(migration.id) deletes it" }
                case .records(.handOver(let name, _)):
                    if ExactName(name) == type { end = "\(migration.id) hands over its records" }
                case .check: break
                // Such a step may make records of the type.
                case .records(.edit(let edit, _)):
                    if edit.mayChangeType { end = nil }
                case .store, .settings, .bring, .block:
                    if step.work.recordTypes.intersects(.these([type.text])) { end = nil }
                }
            }
        }
        return end
    }
}

extension DocumentPlan {
    package func encode(to encoder: any Encoder) throws {
        let steps = steps.map { ["migration": $0.migration, "step": $0.step, "note": $0.note] as EncodedMembers }
        try encoder.encode([
            "typeName": typeName, "from": from, "to": to, "warning": warning, "steps": steps, "types": types,
            "isRefused": isRefused,
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
            lines.append("       \(step.step)" + (step.note.map { " (\($0))" } ?? ""))
        }
        if steps.isEmpty { lines.append("  No step concerns them; they get the new version.") }
        if let warning { lines.append(warning) }
        if isRefused {
            lines.append("Documents cannot be upgraded: a step takes them out of a store, and they are in none.")
        } else if types != [typeName] {
            lines.append(types.isEmpty ? "They are dropped." : "Types afterwards: \(types.joined(separator: ", ")).")
        }
        return lines.joined(separator: "\n")
    }
}

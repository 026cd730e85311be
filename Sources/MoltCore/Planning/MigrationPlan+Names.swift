extension MigrationPlan {
    /// Adds the types in pending steps that no record has, as far as they can be known without running a closure.
    ///
    /// - Parameter names: The types that have records in the store.
    package mutating func addUnmatchedTypes(among names: [String], _ registry: MigrationRegistry) {
        var types = names
        // A closure may give records another type; after one, only names that look misspelled are reported.
        var mayBeRenamed = false
        func note(_ type: String) {
            guard !types.contains(where: { RecordValue.Object.isSame($0, type) }) else { return }
            let name = UnmatchedName(type: type, nearest: UnmatchedName.nearestType(to: type, among: types))
            if !mayBeRenamed || name.nearest != nil, !unmatchedNames.contains(name) { unmatchedNames.append(name) }
        }
        let pending = Set(pending.map(\.name))
        for step in registry.migrations.filter({ pending.contains($0.name) }).flatMap(\.steps) where !types.isEmpty {
            switch step.action {
            case .renameType(let name, let newName):
                note(name)
                types = types.map { RecordValue.Object.isSame($0, name) ? newName : $0 }
            case .deleteType(let name):
                note(name)
                types.removeAll { RecordValue.Object.isSame($0, name) }
            case .edit(let edit):
                note(edit.typeName)
                mayBeRenamed = mayBeRenamed || step.declaration is TransformStep
            case .run:
                // A block may create records of any type.
                return
            }
        }
    }

    /// Adds the keys in pending steps that have no value although a similar key has one.
    ///
    /// A step may create keys, so only the first step on each suite is checked.
    package mutating func addUnmatchedKeys(_ registry: MigrationRegistry) {
        var known: Set<String> = []
        let pending = Set(pending.map(\.name))
        for step in registry.migrations.filter({ pending.contains($0.name) }).flatMap(\.steps) {
            defer { known.formUnion(step.attached.map(\.attachedName)) }
            guard let keys = (step.declaration as? BuiltInStep)?.keys, let store = step.attached.first,
                !known.contains(store.attachedName),
                // The upgrade reports a suite that cannot be read.
                let entries = (try? store.entryKeys()) ?? nil
            else { continue }
            for key in keys where !entries.contains(key) {
                guard let nearest = UnmatchedName.nearest(to: key, among: entries) else { continue }
                unmatchedNames.append(UnmatchedName(key: key, of: store.attachedName, nearest: nearest))
            }
        }
    }
}

extension MigrationRegistry {
    /// Throws unless the registry is free of faults; called before anything is written.
    ///
    /// - Throws: ``MigrationError`` with the code `invalidRegistry` and a message that lists every fault.
    public func validate() throws {
        let faults = faults
        guard !faults.isEmpty else { return }
        let list = faults.map { "\n- \($0)" }.joined()
        throw MigrationError(.invalidRegistry, "The registry of migrations contradicts itself:\(list)")
    }

    /// All that is wrong with the registry, a sentence each, in the order of the migrations.
    public var faults: [String] {
        var faults: [String] = []
        if oldestSupportedVersion < 0 {
            faults.append("oldestSupportedVersion is \(oldestSupportedVersion); it cannot be below 0.")
        } else if oldestSupportedVersion > Int(Int32.max) {
            faults.append("oldestSupportedVersion is above \(Int32.max), more than a store can hold.")
        }
        var seen: [String: Int] = [:]
        let names = Set(names)
        var replaced: Set<String> = []
        var last = Int.min
        for (index, migration) in migrations.enumerated() {
            let place = "The \(ordinal(index)) migration, \(migration.id)"
            if migration.name.allSatisfy(\.isWhitespace) {
                faults.append("The \(ordinal(index)) migration (version \(migration.version)) has an empty name.")
            } else if let first = seen[migration.name] {
                faults.append(
                    migrations[first].fingerprint == migration.fingerprint
                        ? "\(place), is listed twice: it is the \(ordinal(first)) migration, too. Remove one."
                        : "\(place), has the same name as the \(ordinal(first)) migration. Names are for ever: choose another."
                )
            } else {
                seen[migration.name] = index
            }
            faults += versionFaults(of: migration, place: place, after: last)
            last = max(last, migration.version)
            faults += replacementFaults(of: migration, place: place, names: names, replaced: replaced)
            replaced.formUnion(migration.replaces)
            faults += batchFaults(of: migration, place: place)
            faults += policyFaults(of: migration, place: place)
            faults += migration.unattachedWaits.map {
                "\(place), waits for a sign in \($0), but none of its steps works on that. Name a suite that one works on."
            }
            var check = StepCheck()
            faults += migration.steps.enumerated().flatMap { number, step in
                check.faults(of: step.declaration).map { "\(place), step \(number + 1): \($0)" }
            }
        }
        return faults
    }

    private func versionFaults(of migration: Migration, place: String, after last: Int) -> [String] {
        var faults: [String] = []
        if migration.version < 1 {
            faults.append("\(place), brings a store to a version below 1; 0 is a store that was never migrated.")
        } else if migration.version > Int(Int32.max) {
            faults.append("\(place), has a version above \(Int32.max), more than a store can hold.")
        } else if migration.version <= oldestSupportedVersion {
            faults.append(
                "\(place), is retired: oldestSupportedVersion is \(oldestSupportedVersion). Remove the migration, or "
                    + "lower that version."
            )
        }
        if migration.version < last {
            faults.append("\(place), stands behind a migration to version \(last). Versions cannot go down.")
        }
        return faults
    }

    private func batchFaults(of migration: Migration, place: String) -> [String] {
        guard let commitSize = migration.commitSize else { return [] }
        var faults: [String] = []
        if commitSize < 1 {
            faults.append("\(place), commits in batches of \(commitSize) records; it must be at least 1.")
        }
        if !migration.steps.contains(where: \.looksAtRecords) {
            faults.append("\(place), commits in batches, but no step of it looks at records: there are no batches.")
        }
        for (number, step) in migration.steps.enumerated() {
            guard case .run = step.action else { continue }
            faults.append(
                "\(place), commits in batches, but step \(number + 1) (\(step)) is about the whole store. Make that a "
                    + "migration of its own."
            )
        }
        return faults
    }

    private func policyFaults(of migration: Migration, place: String) -> [String] {
        var faults: [String] = []
        for (number, step) in migration.steps.enumerated() {
            guard let policy = step.failurePolicy else { continue }
            let place = "\(place), step \(number + 1)"
            if !step.looksAtRecords {
                faults.append("\(place): It has a policy for records that fail, but it looks at none (\(step)).")
            }
            if let count = policy.limit?.count, count < 0 {
                faults.append("\(place): \(count) records may fail; it must be at least 0.")
            }
            if let share = policy.limit?.share, !(0...1).contains(share) {
                faults.append("\(place): A share of \(share) of the records may fail; it must be from 0 to 1.")
            }
        }
        return faults
    }

    /// A place in the registry as a word that is no version: 0 is the 1st.
    private func ordinal(_ index: Int) -> String {
        let number = index + 1
        let ending =
            switch (number % 10, number % 100) {
            case (_, 11...13): "th"
            case (1, _): "st"
            case (2, _): "nd"
            case (3, _): "rd"
            default: "th"
            }
        return "\(number)\(ending)"
    }

    /// - Parameters:
    ///   - names: The names of all migrations.
    ///   - replaced: The names that earlier migrations replace.
    private func replacementFaults(
        of migration: Migration,
        place: String,
        names: Set<String>,
        replaced: Set<String>
    ) -> [String] {
        var faults: [String] = []
        for name in migration.replaces where name != migration.name {
            if names.contains(name) {
                faults.append("\(place), replaces \"\(name)\", which is still in the registry. Remove that one.")
            }
            if replaced.contains(name) {
                faults.append("\(place), replaces \"\(name)\", which an earlier migration replaces already.")
            }
        }
        if migration.replaces == [migration.name] {
            faults.append("\(place), replaces only itself.")
        }
        return faults
    }
}

/// Follows the types and properties through the steps of one migration, and finds steps that contradict earlier ones.
private struct StepCheck {
    /// A property of the records of a type.
    private struct Place: Hashable {
        var type: ExactName
        var path: PropertyPath

        init(_ type: String, _ path: PropertyPath) {
            self.type = ExactName(type)
            self.path = path
        }

        /// Whether it is the other place, or inside it.
        func isWithin(_ other: Place) -> Bool {
            type == other.type && path.starts(with: other.path)
        }
    }

    /// Type names that are no longer there, with what happened to them.
    private var goneTypes: [ExactName: String] = [:]
    /// Properties that are no longer there, with what happened to them.
    private var goneProperties: [Place: String] = [:]
    /// Properties that every record of the type has.
    private var filledProperties: Set<Place> = []

    mutating func faults(of step: StepDeclaration) -> [String] {
        var faults: [String] = []
        func use(type: String) {
            if type.isEmpty {
                faults.append("The type name is empty.")
            } else if let reason = goneTypes[ExactName(type)] {
                faults.append("The type \(type) was \(reason) by an earlier step.")
            }
        }
        func use(type: String, path: PropertyPath) {
            use(type: type)
            if path.count == 0 { faults.append("No property is named.") }
            // What is inside a property that is gone is gone too.
            for length in 0..<path.count {
                let outer = PropertyPath(Array(path.names.prefix(length + 1)))
                guard let reason = goneProperties[Place(type, outer)] else { continue }
                faults.append("The property \(type).\(outer) was \(reason) by an earlier step.")
                return
            }
        }
        switch step {
        case .renameType(let name, let newName):
            use(type: name)
            if newName.isEmpty { faults.append("The new type name is empty.") }
            if ExactName(name) == ExactName(newName) { faults.append("The type \(name) is renamed to its own name.") }
            goneTypes[ExactName(name)] = "renamed to \(newName)"
            goneTypes[ExactName(newName)] = nil
            move(type: name, to: newName)
        case .deleteType(let name):
            use(type: name)
            goneTypes[ExactName(name)] = "deleted"
        case .renameProperty(let type, let path, let newName, let ifMissing):
            use(type: type, path: path)
            guard path.count > 0 else { break }
            let newPath = PropertyPath(path.names.dropLast() + [newName])
            if newPath == path { faults.append("The property \(type).\(newName) is renamed to its own name.") }
            faults += relocate(Place(type, path), to: Place(type, newPath), "renamed to \(newName)", ifMissing)
        case .moveProperty(let type, let path, let newPath, let ifMissing):
            use(type: type, path: path)
            if newPath.count == 0 { faults.append("No new place is named.") }
            guard path.count > 0, newPath.count > 0 else { break }
            if newPath.starts(with: path) { faults.append("The property \(type).\(path) is moved into itself.") }
            faults += relocate(Place(type, path), to: Place(type, newPath), "moved to \(newPath)", ifMissing)
        case .removeProperty(let type, let path, _):
            use(type: type, path: path)
            takeAway(Place(type, path), "removed")
        case .addProperty(let type, let path, let value):
            use(type: type)
            if path.count == 0 { faults.append("No property is named.") }
            if value.json(depth: path.count) == nil {
                faults.append("The default value is nested too deep to be written.")
            }
            faults += fill(Place(type, path))
        case .transform(let type, _):
            use(type: type)
            // It may give a record any type name, so nothing is known behind it.
            self = StepCheck()
        case .convert(let type, _, _, _):
            use(type: type)
            forget(type)
        case .run:
            // A block may do anything.
            self = StepCheck()
        case .builtIn(_, _, _, let own):
            // It names no type and no property.
            faults += own
        }
        return faults
    }

    /// Notes that a property is at another place, in those records that had it.
    private mutating func relocate(
        _ place: Place,
        to newPlace: Place,
        _ how: String,
        _ ifMissing: MigrationStep.MissingProperty
    ) -> [String] {
        let isFilled = ifMissing == .fail || filledProperties.contains(place)
        takeAway(place, how)
        return fill(newPlace, inEveryRecord: isFilled)
    }

    /// Notes that records have a property now.
    private mutating func fill(_ place: Place, inEveryRecord isFilled: Bool = true) -> [String] {
        let isTaken = filledProperties.contains(place)
        if isFilled { filledProperties.insert(place) }
        putBack(place)
        return isTaken ? ["Every record has the property \(place.type.text).\(place.path) by an earlier step."] : []
    }

    /// Notes that a property is gone, with what is inside it.
    private mutating func takeAway(_ place: Place, _ reason: String) {
        goneProperties[place] = reason
        filledProperties = filledProperties.filter { !$0.isWithin(place) }
    }

    /// Notes that there is a property again: so there are the objects around it, and what is inside is not known.
    private mutating func putBack(_ place: Place) {
        goneProperties = goneProperties.filter { !place.isWithin($0.key) && !$0.key.isWithin(place) }
    }

    private mutating func move(type: String, to newType: String) {
        for (place, reason) in goneProperties where place.type == ExactName(type) {
            goneProperties[place] = nil
            goneProperties[Place(newType, place.path)] = reason
        }
        // There may be records with the new name already, to which the property was not added.
        filledProperties = filledProperties.filter { $0.type != ExactName(type) }
    }

    /// Forgets what is known of a type's properties: a closure may have put them back.
    private mutating func forget(_ type: String) {
        goneProperties = goneProperties.filter { $0.key.type != ExactName(type) }
        filledProperties = filledProperties.filter { $0.type != ExactName(type) }
    }
}

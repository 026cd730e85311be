/// Tracks places and properties through the steps of one migration, and finds steps that contradict earlier ones.
package struct StepCheck {
    /// Types and settings that no longer exist, with the reasons.
    private var removed: [StepPlace: String] = [:]
    /// Properties that no longer exist, with the reasons.
    private var removedProperties: [PropertyPlace: String] = [:]
    private var faults: [String] = []

    /// The faults of a migration's steps, with the step numbers, counted from 1.
    static func faults(of steps: [MigrationStep]) -> [(step: Int, fault: String)] {
        var check = StepCheck()
        var faults: [(step: Int, fault: String)] = []
        for (index, step) in steps.enumerated() {
            step.declaration.check(&check)
            faults += check.faults.map { (index + 1, $0) }
            check.faults = []
        }
        return faults
    }

    mutating func add(_ fault: String) {
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// Checks a step that changes only some of the records or settings: the others keep what it removes.
    mutating func checkChangeOfSome(_ body: (inout StepCheck) -> Void) {
        let before = self
        body(&self)
        removed.removeAll { before.removed[$0] == nil }
        removedProperties.removeAll { before.removedProperties[$0] == nil }
    }

    // MARK: Places

    /// Notes that a step requires a type or a setting.
    mutating func use(_ place: StepPlace) {
        switch place.kind {
        case .records(let type) where type.text.isEmpty: add("The type name is empty.")
        case .settings(let settings) where settings.name.text.isEmpty:
            add(settings.isPrefix ? "The prefix is empty." : "The key is empty.")
        case .settings(let settings) where !settings.isPrefix && Suite.reservedKeys.contains(settings.name.text):
            add("The key \"\(settings.name.text)\" is reserved by Molt.")
        case .records, .settings:
            if let reason = removed[place] { add("\(place.subject) was \(reason) by an earlier step.") }
        }
    }

    /// Notes that a type or a setting was renamed, and carries over what is known of its properties.
    mutating func rename(_ place: StepPlace, to newPlace: StepPlace) {
        // Records that already have the new name have another history.
        forget(newPlace)
        let lost = removedProperties.filter { $0.key.place == place }
        forget(place)
        removed[place] = "renamed to \(newPlace.name(of: []))"
        removed[newPlace] = nil
        for (property, reason) in lost {
            var property = property
            property.place = newPlace
            removedProperties[property] = reason
        }
    }

    /// Notes that there are records of a type, or a setting, now.
    mutating func create(_ place: StepPlace) {
        if place.type?.text.isEmpty == true { add("The new type name is empty.") }
        removed[place] = nil
        forget(place)
    }

    mutating func delete(_ place: StepPlace) {
        removed[place] = "deleted"
    }

    /// Discards what is known of a place's properties, after a closure that may change them.
    mutating func forget(_ place: StepPlace) {
        removedProperties.removeAll { $0.place == place }
    }

    /// Discards what is known of settings, after a step that may change any of them.
    mutating func forgetSettings() {
        removed.removeAll { $0.settings != nil }
        removedProperties.removeAll { $0.place.settings != nil }
    }

    /// Discards what is known, after a closure that may do anything.
    mutating func forgetAll() {
        let found = faults
        self = StepCheck()
        faults = found
    }

    // MARK: Properties

    /// Notes that a step requires a property.
    mutating func use(_ place: StepPlace, path: PropertyPath) {
        use(place)
        if path.count == 0 { add("No property is named.") }
        checkEnd(path)
        checkPresent(place, path)
    }

    /// Notes that a step requires a value: a property, the whole content, or elements, which have no name.
    mutating func useValue(_ place: StepPlace, path: PropertyPath) {
        use(place)
        checkPresent(place, path)
    }

    /// Adds a fault for a property that was removed.
    mutating func checkPresent(_ place: StepPlace, _ path: PropertyPath) {
        // Removing a property removes everything inside it.
        for length in 0..<path.count {
            let outer = PropertyPath(parts: path.parts.prefix(length + 1))
            guard let reason = removedProperties[PropertyPlace(place, outer)] else { continue }
            add("The property \(place.name(of: outer)) was \(reason) by an earlier step.")
            return
        }
    }

    /// Adds a fault for new paths without a name, and for those that lead through other elements than the old path.
    mutating func checkNames(_ newPaths: [PropertyPath], besides path: PropertyPath) {
        if newPaths.contains(where: { $0.count == 0 }) { add("No property is named.") }
        for newPath in newPaths where newPath.count > 0 {
            checkEnd(newPath)
            if !newPath.hasSameElements(as: path) {
                add("The paths \(path) and \(newPath) do not lead through the same `.each`.")
            }
        }
    }

    private mutating func checkEnd(_ path: PropertyPath) {
        if path.parts.last == .each { add("The path \(path) ends with `.each`, so it names no property.") }
    }

    /// Notes that properties were replaced by others, which may be among them, in the records that had them.
    mutating func replace(_ place: StepPlace, _ paths: [PropertyPath], by newPaths: [PropertyPath], _ reason: String) {
        for path in paths { remove(place, path, reason) }
        for path in newPaths { put(place, path) }
    }

    /// Notes that values of a property were replaced by others, such as null, with everything inside them.
    mutating func replaceValue(_ place: StepPlace, _ path: PropertyPath) {
        let property = PropertyPlace(place, path)
        removedProperties.removeAll { $0 != property && $0.isWithin(property) }
    }

    /// Notes that a property was removed, with everything inside it.
    mutating func remove(_ place: StepPlace, _ path: PropertyPath, _ reason: String = "removed") {
        removedProperties[PropertyPlace(place, path)] = reason
    }

    /// Notes that records may have a property, and those that it is in.
    mutating func put(_ place: StepPlace, _ path: PropertyPath) {
        let property = PropertyPlace(place, path)
        removedProperties.removeAll { property.isWithin($0) || $0.isWithin(property) }
    }
}

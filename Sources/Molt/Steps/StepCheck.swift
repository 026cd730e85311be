/// Tracks types and properties through the steps of one migration, and finds steps that contradict earlier ones.
package struct StepCheck {
    /// Type names that no longer exist, with the reasons.
    private var goneTypes: [ExactName: String] = [:]
    /// Properties that no longer exist, with the reasons.
    private var goneProperties: [PropertyPlace: String] = [:]
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
        faults.append(fault)
    }

    // MARK: Types

    /// Notes that a step requires a type.
    mutating func use(type: String) {
        if type.isEmpty {
            add("The type name is empty.")
        } else if let reason = goneTypes[ExactName(type)] {
            add("The type \(type) was \(reason) by an earlier step.")
        }
    }

    /// Notes that a type was renamed, and carries over what is known of its properties.
    mutating func rename(type: String, to newType: String) {
        // Records that already have the new name have another history.
        forget(type: newType)
        let gone = goneProperties.filter { $0.key.type == ExactName(type) }
        forget(type: type)
        goneTypes[ExactName(type)] = "renamed to \(newType)"
        goneTypes[ExactName(newType)] = nil
        for (place, reason) in gone {
            var place = place
            place.type = ExactName(newType)
            goneProperties[place] = reason
        }
    }

    /// Notes that there are records of a type now.
    mutating func create(type: String) {
        if type.isEmpty { add("The new type name is empty.") }
        goneTypes[ExactName(type)] = nil
        forget(type: type)
    }

    mutating func delete(type: String) {
        goneTypes[ExactName(type)] = "deleted"
    }

    /// Discards what is known of a type's properties, after a closure that may change them.
    mutating func forget(type: String) {
        goneProperties = goneProperties.filter { $0.key.type != ExactName(type) }
    }

    /// Discards what is known, after a closure that may do anything.
    mutating func forgetAll() {
        let found = faults
        self = StepCheck()
        faults = found
    }

    // MARK: Properties

    /// Notes that a step requires a property.
    ///
    /// - Parameter mayBeElement: Whether the path may also be that of elements, which have no name.
    mutating func use(type: String, path: PropertyPath, mayBeElement: Bool = false) {
        use(type: type)
        if path.count == 0 { add("No property is named.") }
        if !mayBeElement { checkEnd(path) }
        // Removing a property removes everything inside it.
        for length in 0..<path.count {
            let outer = PropertyPath(parts: path.parts.prefix(length + 1))
            guard let reason = goneProperties[PropertyPlace(type, outer)] else { continue }
            add("The property \(type).\(outer) was \(reason) by an earlier step.")
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
    mutating func replace(_ type: String, _ paths: [PropertyPath], by newPaths: [PropertyPath], _ reason: String) {
        for path in paths { remove(type, path, reason) }
        for path in newPaths { put(type, path) }
    }

    /// Notes that values of a property were replaced by others, such as null, with everything inside them.
    mutating func replaceValue(_ type: String, _ path: PropertyPath) {
        let place = PropertyPlace(type, path)
        goneProperties = goneProperties.filter { $0.key == place || !$0.key.isWithin(place) }
    }

    /// Notes that a property was removed, with everything inside it.
    mutating func remove(_ type: String, _ path: PropertyPath, _ reason: String = "removed") {
        goneProperties[PropertyPlace(type, path)] = reason
    }

    /// Notes that records may have a property, and those that it is in.
    mutating func put(_ type: String, _ path: PropertyPath) {
        let place = PropertyPlace(type, path)
        goneProperties = goneProperties.filter { !place.isWithin($0.key) && !$0.key.isWithin(place) }
    }
}

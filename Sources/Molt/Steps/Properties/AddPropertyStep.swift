extension MigrationStep {
    /// Adds a property to each record of a type in which it is missing or null.
    ///
    /// Use it when a new property is not optional, or when an optional one becomes required; existing values are kept.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property; missing or null objects on it are created.
    ///   - value: The value.
    public static func addProperty(_ type: String, _ path: PropertyPath, default value: RecordValue) -> MigrationStep {
        MigrationStep(AddPropertyStep(type: type, path: path, json: value.json(within: [path])))
    }
}

struct AddPropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    /// The value as JSON; nil if it is nested too deeply for the path.
    var json: [UInt8]?

    var description: String { "add \(type).\(path) where it is missing" }
    var identity: [String] { ["addProperty", type] + path.identity + [String(decoding: json ?? [], as: UTF8.self)] }

    var edit: RecordEdit {
        // A value that is nested too deeply is a fault of the registry, so no record is processed.
        let bytes = json ?? []
        return RecordEdit(typeName: type) { record in try record.setIfMissing(path, to: bytes) }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type)
        check.checkNames([path], besides: path)
        if json == nil { check.add("The default value is nested too deep to be written.") }
        check.put(type, path)
    }
}

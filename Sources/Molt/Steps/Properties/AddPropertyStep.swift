extension MigrationStep {
    /// Adds a property to the records of a type, or to settings, where it is missing or null.
    ///
    /// Use it when a new property is not optional, or when an optional one becomes required; existing values are kept.
    ///
    /// A date has the form of the app's coders: with Foundation's defaults, 0 is 1 January 2001.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property; missing or null objects on it are created.
    ///   - value: The value.
    public static func addProperty(_ place: Place, _ path: PropertyPath, default value: RecordValue) -> MigrationStep {
        MigrationStep(AddPropertyStep(place: place, path: path, json: value.json(within: [path])))
    }
}

struct AddPropertyStep: RecordStep {
    var place: MigrationStep.Place
    var path: PropertyPath
    /// The value as JSON; nil if it is nested too deeply for the path.
    var json: [UInt8]?

    var description: String { "add \(place.name(of: path)) where it is missing\(place.suffix)" }
    var identity: [String] {
        place.identity(of: "addProperty") + path.identity + [String(decoding: json ?? [], as: UTF8.self)]
    }

    var edit: RecordEdit {
        // A value that is nested too deeply is a fault of the registry, so no record is processed.
        let bytes = json ?? []
        return RecordEdit(newProperty: path) { record in try record.setIfMissing(path, to: bytes) }
    }

    func check(_ check: inout StepCheck) {
        check.use(place)
        check.checkNames([path], besides: path)
        if json == nil { check.add("The default value is nested too deep to be written.") }
        check.put(place, path)
    }
}

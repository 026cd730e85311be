extension MigrationStep {
    /// Adds a property to the records of a type, or to settings, where it is missing or null.
    ///
    /// ```swift
    /// .addProperty("Person", "visits", default: 0)
    /// .addProperty("Person", ["address", "country"], default: "DE")       // for those who have an address
    /// ```
    ///
    /// Use it when a new property is not optional, or when an optional one becomes required; existing values are kept.
    ///
    /// A property in an object is added only where the object is: if `address` is missing or null, nothing is created,
    /// because an object with this property alone could not be read as an address. Null elements of an array stay null.
    ///
    /// A date has the form of the app's coders: with Foundation's defaults, 0 is 1 January 2001.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property. A record with another kind of value on it fails the upgrade with the code
    ///     `typeMismatch`.
    ///   - value: The value.
    ///   - createsObjects: Whether missing or null objects on the path are created, whatever is beside them; by default
    ///     they are not.
    public static func addProperty(
        _ place: some Place,
        _ path: PropertyPath,
        default value: RecordValue,
        creatingObjects createsObjects: Bool = false
    ) -> MigrationStep {
        let json = value.json(within: [path])
        return MigrationStep(
            AddPropertyStep(place: StepPlace(place), path: path, json: json, createsObjects: createsObjects)
        )
    }
}

struct AddPropertyStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    /// The value as JSON; nil if it is nested too deeply for the path.
    var json: [UInt8]?
    var createsObjects: Bool

    var description: String { "add \(place.name(of: path)) where it is missing\(place.suffix)" }
    var identity: [String] {
        place.identity(of: "addProperty") + path.identity + [String(decoding: json ?? [], as: UTF8.self)]
            + (createsObjects ? ["creatingObjects"] : [])
    }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    var edit: RecordEdit {
        // A value that is nested too deeply is a fault of the registry, so no record is processed.
        let bytes = json ?? []
        return RecordEdit(newProperty: path, outer: createsObjects ? nil : path.parent, skipsSomeValues: true) {
            record in
            try record.setIfMissing(path, to: bytes, createsObjects: createsObjects)
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(place)
        check.checkNames([path], besides: path)
        if json == nil { check.add("The default value is nested too deep to be written.") }
        check.put(place, path)
    }
}

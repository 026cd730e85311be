extension MigrationStep {
    /// Gives each record of a type that lacks a property, or holds null there, a value.
    ///
    /// Use it when a new property is not optional, or when an optional one becomes required: values that are there
    /// are kept.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it, which are added where there is nothing or null.
    ///   - value: The value.
    public static func addProperty(_ type: String, _ path: PropertyPath, default value: RecordValue) -> MigrationStep {
        MigrationStep(AddPropertyStep(type: type, path: path, value))
    }
}

/// The declaration of `addProperty`.
struct AddPropertyStep: RecordStep {
    static let kind = "addProperty"

    var type: String
    var path: PropertyPath
    /// The value as JSON text; nil if it is nested too deep to stand at the path.
    var json: String?

    init(type: String, path: PropertyPath, _ value: RecordValue) {
        self.type = type
        self.path = path
        var bytes: [UInt8] = []
        do throws(JSONSyntaxError) {
            try value.write(to: &bytes, depth: path.count)
            json = String(decoding: bytes, as: UTF8.self)
        } catch {
            json = nil
        }
    }

    var requiredProperty: PropertyPath? { nil }
    var description: String { "add \(type).\(path) where it is missing" }
    var identity: [String] { [Self.kind, type, String(path.count)] + path.names + [json ?? ""] }

    var change: StepChange {
        // A value that is nested too deep is a fault of the registry: no record is seen.
        let bytes = Array((json ?? "").utf8)
        return { record in try record.setIfMissing(path, to: bytes) }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type)
        if path.count == 0 { check.add("No property is named.") }
        if json == nil { check.add("The default value is nested too deep to be written.") }
        check.fill(type, path)
    }
}

package import Foundation
package import Molt

/// Swift models of the types of one version, as the recorded shapes show them.
///
/// Later code does not change them, so that a migration can decode what stores of that version hold:
/// `.convert("Person", from: Version3.Person.self, to: Person.self) { … }`.
package struct FrozenModels {
    /// The source.
    package let source: String
    /// The Swift types, by the names of types of records, and those of settings such as "setting theme in standard".
    package let types: [String: String]

    /// - Parameters:
    ///   - file: The file `types.json` of a catalog.
    ///   - version: The version.
    /// - Throws: ``TestingError`` with the code `notRecorded` if the file lacks the version, or the error of reading
    ///   it.
    package init(_ file: URL, version: Int) throws {
        let versions = try TypesFile(at: file).versions
        guard let shapes = versions[version] else {
            let known = versions.keys.sorted().map(String.init).joined(separator: ", ")
            let has = known.isEmpty ? "It has none." : "It has \(known)."
            throw TestingError(.notRecorded, "The file does not have version \(version). \(has)", file: file)
        }
        self.init(shapes, version: version)
    }

    /// - Parameter shapes: The shapes by the names of types, and of settings.
    package init(_ shapes: [String: TypeShape], version: Int) {
        let space = "Version\(version)"
        var body: [String] = []
        var types: [String: String] = [:]
        let settings = shapes.keys.filter { SampledSetting(shapeName: $0) != nil }.sorted()
        let records = shapes.keys.filter { SampledSetting(shapeName: $0) == nil }.sorted()
        var names = ModelNames(avoiding: ModelNames.leaves(of: shapes.values))
        for record in records {
            guard let shape = shapes[record] else { continue }
            guard shape.form != .leaf || shape.name != record else {
                types[record] = record
                body += ["", "// \(record) itself is stored, too."]
                continue
            }
            let name = names.type(record)
            var model = ModelSource(shape, named: name, settings: false)
            if name != record { model.remarks.append("Stored under the name \(record.debugDescription).") }
            if model.isKnown { types[record] = "\(space).\(name)" }
            body += [""] + model.lines
        }
        if !settings.isEmpty {
            let settingsName = names.type("Settings")
            var names = names
            body += ["", "enum \(settingsName) {"]
            var parts: [String] = []
            for key in settings {
                guard let shape = shapes[key], let setting = SampledSetting(shapeName: key) else { continue }
                let name = names.type(setting.key)
                var model = ModelSource(shape, named: name, settings: true)
                model.remarks.append("The setting \(setting.text).")
                if model.isKnown { types[key] = "\(space).\(settingsName).\(name)" }
                parts += [""] + model.lines
            }
            body += parts.dropFirst().map(\.indented) + ["}"]
        }
        let head = [
            "// What stores of version \(version) hold, from types.json. Do not change it: the version has shipped.",
            "// Decode it with the coders that the app had then. Comments stand for what no sample has shown.",
            "import Foundation", "", "enum \(space) {",
        ]
        source = (head + body.dropFirst().map(\.indented) + ["}", ""]).joined(separator: "\n")
        self.types = types
    }
}

extension String {
    /// The line in a type; an empty line stays empty.
    var indented: String { isEmpty ? self : "    " + self }
}

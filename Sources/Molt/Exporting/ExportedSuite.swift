internal import Foundation

/// The settings of a suite in an export, and the migrations that they have been through.
struct ExportedSuite: Equatable, Sendable, Encodable {
    /// The migrations that the suite counts as applied.
    var migrations: [ExportedMigration]
    var values: [String: PropertyListValue]

    /// - Parameter registry: The suite may also have been through migrations of another registry.
    init(_ suite: SuiteSnapshot, in registry: MigrationRegistry) {
        let rows = History(of: suite.ledger.map { [$0] } ?? [], in: registry).rows
        migrations = rows.filter(\.outcome.isApplied).map(ExportedMigration.init)
        values = suite.values.withoutReservedKeys
    }

    // MARK: JSON text

    func encode(to encoder: any Encoder) throws {
        try encoder.encode(["migrations": migrations.map(\.members), "values": values])
    }

    /// Writes suites as a JSON object by their names as attached stores.
    static func write(_ suites: [String: ExportedSuite], to bytes: inout [UInt8]) throws {
        bytes += try JSONEncoder([.sortedKeys, .withoutEscapingSlashes]).encode(suites)
    }

    /// Reads what ``write(_:to:)`` has written.
    static func suites(_ part: JSONPart) throws(ExportFault) -> [String: ExportedSuite] {
        var suites: [String: ExportedSuite] = [:]
        for (name, part) in try members(part, "the settings must be an object with an object for each suite") {
            suites[name] = try ExportedSuite(part)
        }
        return suites
    }

    private init(_ part: JSONPart) throws(ExportFault) {
        let problem =
            "a suite must be an object of \"migrations\", an array as that of the export, and \"values\", an object"
        let members = try Self.members(part, problem)
        let ids = members["migrations"]?.elements?.map(ExportedMigration.init)
        guard members.count == 2, let ids, !ids.contains(nil), let settings = members["values"] else {
            throw ExportFault(problem: problem, offset: part.offset)
        }
        migrations = ids.compactMap(\.self)
        values = [:]
        for (key, part) in try Self.members(settings, problem) { values[key] = try Self.value(part, forKey: key) }
    }

    private static func value(_ part: JSONPart, forKey key: String) throws(ExportFault) -> PropertyListValue {
        guard !Suite.reservedKeys.contains(key) else {
            throw ExportFault(problem: "the setting's key is reserved by Molt", offset: part.offset)
        }
        try checkNames(part)
        do {
            return try JSONDecoder().decode(PropertyListValue.self, fromStored: Data(part.utf8))
        } catch {
            throw ExportFault(
                problem:
                    "a setting must be a string, a Boolean, an array, or an object of one member that names its kind",
                offset: part.offset
            )
        }
    }

    /// Throws if members of an object inside a value have one name, or names that differ in their Unicode form alone.
    private static func checkNames(_ part: JSONPart) throws(ExportFault) {
        for element in part.elements ?? [] { try checkNames(element) }
        guard part.kind == .object else { return }
        for (_, value) in try members(part, "") { try checkNames(value) }
    }

    /// The members of an object, each of which has another name, also to a dictionary: whatever its Unicode form.
    private static func members(_ part: JSONPart, _ problem: String) throws(ExportFault) -> [String: JSONPart] {
        guard let members = part.members else { throw ExportFault(problem: problem, offset: part.offset) }
        var found: [String: JSONPart] = [:]
        for (name, value) in members where found.updateValue(value, forKey: name.string ?? "") != nil {
            throw ExportFault(problem: "the object has another member of this name", offset: name.offset)
        }
        return found
    }
}

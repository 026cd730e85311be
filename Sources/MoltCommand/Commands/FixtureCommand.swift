import Foundation
import Molt
import MoltTesting

extension StoreCommands {
    /// - Parameter migrations: The app's registry; with --redact, the values that its steps look for are kept.
    static func fixture(_ migrations: MigrationRegistry = []) -> Command {
        Command(
            "fixture",
            ["FILE"],
            "write a store as a fixture for tests, to standard output",
            options: [
                .flag("--redact", "replace all values, so that a user's store can become a test"),
                .value(
                    "--keep",
                    "NAMES",
                    "with --redact, keep the values of these properties, such as Person.status,Person.tags[].kind"
                ),
            ],
            notes: """
                With --redact, strings, numbers and the keys of records are replaced. Each letter becomes x or X, each digit
                becomes 1, and each character that is not ASCII becomes x; where different strings would become equal, other
                letters and digits are used. Equal strings stay equal. Other ASCII characters, exponents, true, false and
                null stay. A number that is the key of a record, or that a step such as extractRecords makes a key, is
                replaced like a string; in any other number, each digit becomes 1. Where renameKeys makes keys lower case,
                keys that differ only in case still do.
                The values of settings are replaced in the form in which they are stored, and their keys stay.
                UUIDs and ISO 8601 dates remain valid, data becomes zeros of the same size, and an expiry becomes the start of
                2100, or of 2000 if it has passed. The ledger loses its times and counts of records.
                The app's own tool keeps the values that its steps look for, such as those of mapValue, at the properties in
                which they look for them. It keeps the separators of splitProperty and splitIntoArray everywhere. All of these
                are in the app's code. Names of types and properties stay, and so do the keys of dictionaries, which look like
                properties. Read the fixture before you share it. The command schema lists the names for --keep.
                The whole store is read into memory. Records in quarantine are not part of a fixture.
                """
        ) { call, terminal in
            let list = call.value("--keep")?.split(separator: ",") ?? []
            let names = Set(list.map { $0.trimmingCharacters(in: .whitespaces) })
            guard names.isEmpty || call.has("--redact") else { throw UsageError("--keep needs --redact") }
            let store = try StoreArgument(call.arguments[0])
            let quarantined = try store.fixture == nil ? CacheFile(at: store.url).quarantinedCount() : 0
            var fixture = try store.content()
            if call.has("--redact") {
                let literals = RegistryLiterals(migrations)
                try requireOneForm(of: fixture.records.map(\.key), literals)
                var redaction = FixtureRedaction(keeping: names, and: literals)
                let redacted = try redaction.redacted(fixture)
                try requireMatches(names.subtracting(redaction.matched), in: fixture)
                fixture = redacted
            }
            terminal.say(json: fixture.json.trimmingCharacters(in: .newlines))
            if quarantined > 0 {
                terminal.sayError("\(quarantined == 1 ? "1 record" : "\(quarantined) records") in quarantine left out")
            }
            return ExitCode.success
        }
    }

    /// - Throws: ``CommandError`` if a step gives one key to records whose keys are two Unicode forms of one text.
    private static func requireOneForm(of keys: [String], _ literals: RegistryLiterals) throws {
        // Strings are equal if their Unicode forms are.
        guard literals.keyForms.contains(.precomposed), Set(keys).count < keys.count else { return }
        throw CommandError(
            "two keys differ only in their Unicode form, which --redact cannot keep; renameKeys(_:to: .precomposed) "
                + "would not merge their records any more. Write this fixture by hand"
        )
    }

    /// - Throws: ``CommandError`` if there are names that no record has.
    private static func requireMatches(_ unmatched: Set<String>, in fixture: StoreFixture) throws {
        guard let name = unmatched.min() else { return }
        var collectors: [String: ShapeCollector] = [:]
        for record in fixture.records {
            collectors[record.typeName, default: ShapeCollector()]
                .add(record.content.bytes, isData: record.content.isData)
        }
        let names = collectors.flatMap { type, collector in
            collector.shape(of: type).properties.map { PropertyNotation.name($0.path, of: type) }
        }
        throw CommandError(
            "no record has the property \"\(name)\" of --keep\(Tool.nearest(to: name, among: names.sorted()))"
        )
    }
}

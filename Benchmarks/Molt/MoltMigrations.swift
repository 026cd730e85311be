import Molt

/// The upgrades that are measured, as an app would register them.
enum MoltMigrations {
    /// One property is renamed.
    static let rename: MigrationRegistry = [
        Migration(to: 1, "mail-becomes-email", .renameProperty(People.typeName, "mail", to: "email"))
    ]

    /// One property becomes two, in a closure.
    static let split: MigrationRegistry = [
        Migration(
            to: 1,
            "split-full-name",
            .transform(People.typeName) { person in
                let name = try person.remove("fullName", as: String.self)
                let parts = name.split(separator: " ", maxSplits: 1)
                person["firstName"] = .string(String(parts.first ?? ""))
                person["lastName"] = .string(parts.count > 1 ? String(parts[1]) : "")
            }
        )
    ]

    /// One property is added.
    static let add: MigrationRegistry = [
        Migration(to: 1, "add-level", .addProperty(People.typeName, "level", default: 1))
    ]

    /// One property is removed.
    static let remove: MigrationRegistry = [
        Migration(to: 1, "remove-is-active", .removeProperty(People.typeName, "isActive"))
    ]

    /// The whole record goes through the old model and the new one.
    static let convert: MigrationRegistry = [
        Migration(
            to: 1,
            "split-full-name",
            .convert(People.typeName, from: PersonV1.self, to: SplitPerson.self) { SplitPerson($0) }
        )
    ]

    /// A block enumerates the records, old and new side by side.
    static let run: MigrationRegistry = [
        Migration(
            to: 1,
            "split-full-name",
            .run { migration in
                try migration.enumerate(People.typeName) { old, new in
                    let parts = try old.string("fullName").split(separator: " ", maxSplits: 1)
                    new["fullName"] = nil
                    new["firstName"] = .string(String(parts.first ?? ""))
                    new["lastName"] = .string(parts.count > 1 ? String(parts[1]) : "")
                }
            }
        )
    ]

    /// Five versions, each with one change of a property; the records stay about as long as they were.
    static let fiveVersions: MigrationRegistry = [
        Migration(to: 1, "mail-becomes-email", .renameProperty(People.typeName, "mail", to: "email")),
        Migration(to: 2, "city-becomes-town", .renameProperty(People.typeName, "city", to: "town")),
        Migration(to: 3, "add-level", .addProperty(People.typeName, "level", default: 1)),
        Migration(to: 4, "notes-become-remarks", .renameProperty(People.typeName, "notes", to: "remarks")),
        Migration(to: 5, "remove-is-active", .removeProperty(People.typeName, "isActive")),
    ]

    /// The type is renamed, and no record is touched.
    static let renameType: MigrationRegistry = [
        Migration(to: 1, "person-becomes-contact", .renameType(People.typeName, to: "Contact"))
    ]

    /// One property is moved into an object of its own.
    static let move: MigrationRegistry = [
        Migration(to: 1, "city-into-address", .moveProperty(People.typeName, "city", to: ["address", "city"]))
    ]

    /// All records are deleted.
    static let deleteType: MigrationRegistry = [
        Migration(to: 1, "people-are-gone", .deleteType(People.typeName))
    ]

    /// Every record gets another key.
    static let changeKeys: MigrationRegistry = [
        Migration(
            to: 1,
            "keys-say-contact",
            .transform(People.typeName) { person in
                person.key = "contact-" + person.key.dropFirst("person-".count)
            }
        )
    ]

    /// About every second record is dropped.
    static let dropHalf: MigrationRegistry = [
        Migration(
            to: 1,
            "drop-the-young",
            .transform(People.typeName) { person in
                if try person.int("age") < dropAge { person.drop() }
            }
        )
    ]

    /// Who is younger is dropped: about a half.
    static let dropAge = 58

    /// About one record of eighty cannot be converted, and is set aside; the others lose a property.
    static let setAside: MigrationRegistry = [
        Migration(
            to: 1,
            "only-adults",
            .transform(People.typeName) { person in
                guard try person.int("age") > minorAge else { throw BenchmarkError("The person is a minor.") }
                person["isActive"] = nil
            }
            .onFailure(.quarantine(upTo: .none))
        )
    ]

    /// Who is not older is set aside.
    static let minorAge = 18
}

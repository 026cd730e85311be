#if PostgreSQLTests

    import Foundation
    import Generators
    import Molt

    /// Documents of every version, in every edit, and the migrations between them.
    struct Samples {
        static let migrations: MigrationRegistry = [
            Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person")),
            Migration(to: 2, "split-full-name", .splitProperty("Person", "fullName", into: ["firstName", "lastName"])),
            Migration(to: 3, "nest-phone", .moveProperty("Person", "phone", to: ["contact", "phone"])),
            Migration(
                to: 4,
                "no-spam",
                .transform("Person") { person in
                    if person["isSpam"] != nil { person.drop() }
                }
            ),
            Migration(to: 5, "keys", .transform("Person") { $0.key = "people/\($0.key)" }),
            Migration(
                to: 6,
                "visits",
                .addProperty("Person", "visits", default: 0),
                .extractRecords("Person", "city", as: "City", key: .property("id"))
            ),
        ]

        static let count = 100_000

        /// For each version, the upgrade of documents to it.
        private let upgrades: [DocumentUpgrade]
        let latest: DocumentUpgrade

        init() throws {
            upgrades = try (0...Self.migrations.version).map { version in
                try DocumentUpgrade(MigrationRegistry(Self.migrations.migrations.filter { $0.version <= version }))
            }
            latest = try DocumentUpgrade(Self.migrations)
        }

        static func isSpam(_ number: Int) -> Bool {
            number % 50 == 0
        }

        static func key(_ number: Int, at version: Int) -> String {
            version < 5 ? "\(number)" : "people/\(number)"
        }

        /// A document as the first release wrote it; three persons live in a city.
        static func original(_ number: Int, edit: Int) -> String {
            var random = SeededGenerator(seed: UInt64(number) << 32 | UInt64(edit))
            let first = random.pick(["Ada", "Grace", "Hedy", "Zo\u{eb}", "\\u0041da"])
            let last = random.pick(["Lovelace", "Hopper", "\\\"Mac\\\" Lamarr", "de la Cruz"])
            return
                #"{ "number":\#(number),"edit":\#(edit),"fullName" : "\#(first) \#(last)","phone":"+49 \#(random.below(1_000_000))","#
                + #""city":{"id":"city/\#(number / 3)","name":"\#(number / 3)"},"balance":1.50,"note":"\#(String(repeating: "ö\\n", count: random.below(20)))""#
                + (isSpam(number) ? #","isSpam":true}"# : "}")
        }

        static func edit(of content: Data) throws -> Int {
            struct Edited: Decodable { var edit: Int }
            return try JSONDecoder().decode(Edited.self, from: content).edit
        }

        /// A document as the release of a version wrote it.
        func document(_ number: Int, edit: Int, at version: Int) throws -> Row {
            try documents(number, edit: edit, at: version)[0]
        }

        /// A document as the release of a version wrote it, and those that were extracted from it.
        func documents(_ number: Int, edit: Int, at version: Int) throws -> [Row] {
            let upgraded = try upgrades[version].upgradeAll(
                Data(Self.original(number, edit: edit).utf8),
                ofType: "Alien",
                writtenAt: 0,
                forKey: "\(number)"
            )
            return upgraded.map { document in
                Row(
                    key: document.key,
                    type: document.typeName,
                    version: version,
                    content: String(decoding: document.content, as: UTF8.self)
                )
            }
        }
    }
#endif

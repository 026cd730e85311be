import Foundation
import Molt

/// Documents that are upgraded in memory, one by one.
enum DocumentCases {
    static let all = [rename]

    private static let rename = BenchmarkCase(
        name: "molt-document",
        summary: "rename a property of a document in memory",
        other: "decode it and encode it with the new name",
        quickLimit: 2000,
        ratios: [BenchmarkRatio(.rate, atLeast: 2)]
    ) { context in
        let migrations: MigrationRegistry = [
            Migration(to: 1, "change", .renameProperty(People.typeName, "mail", to: "email"))
        ]
        let documents = try DocumentUpgrade(migrations)
        let json = try (1...context.records).map { try JSONEncoder().encode(People.person($0)) }
        let rounds = 20
        var bytes = 0
        return BenchmarkTrial(count: context.records, rounds: rounds) { round in
            for index in context.indices(ofRound: round, of: rounds) {
                let upgraded = try documents.upgrade(json[index - 1], ofType: People.typeName, writtenAt: 0)
                bytes += upgraded.content.count
            }
        } other: { round in
            for index in context.indices(ofRound: round, of: rounds) {
                let old = try JSONDecoder().decode(PersonV1.self, from: json[index - 1])
                let content = try JSONEncoder().encode(RenamedPerson(old))
                bytes -= content.count
            }
        } finish: {
            if bytes != 0 { throw BenchmarkError("The two ways give documents of different lengths.") }
        }
    }
}

import Foundation

/// What users of a cache of files write by hand: load with the old type, save with the new one, key by key.
enum FilePerKeyCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [upgrade(.rename), upgrade(.split)]

    private static let fixture = BenchmarkFixture(name: "people-files") { context in
        for index in 1...context.records {
            try Data(People.content(index).utf8).write(to: file(index, in: context))
        }
    }

    private static func upgrade(_ change: PeerCases.Change) -> BenchmarkCase {
        BenchmarkCase(
            name: change.filePerKeyCase,
            summary: "one file a key: read, JSONDecoder, JSONEncoder, atomic write",
            // Enough for a rate: more would take longer than all other cases together.
            size: .atMost(10_000, quick: 500),
            isAboutContents: true,
            fixture: fixture,
            reference: change.jsonFunctionsCase
        ) { context in
            BenchmarkTrial(count: context.records) {
                let decoder = JSONDecoder()
                let encoder = People.encoder()
                for index in 1...context.records {
                    let file = file(index, in: context)
                    let new = try change.upgrade(Data(contentsOf: file), .small, decoder, encoder)
                    try new.write(to: file, options: .atomic)
                }
            } finish: {
                for index in stride(from: 1, through: context.records, by: 97) {
                    try change.check(Data(contentsOf: file(index, in: context)), of: index)
                }
            }
        }
    }

    private static func file(_ index: Int, in context: BenchmarkContext) -> URL {
        context.file(People.key(index) + ".json")
    }
}

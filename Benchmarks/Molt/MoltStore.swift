import Molt

/// The cache file that Molt's cases start from.
enum MoltStore {
    /// The file's name.
    static let fileName = "people.molt"

    /// A cache file at version 0 with the peers' people, byte for byte.
    static let fixture = BenchmarkFixture(name: "molt-store") { context in
        let cache = try CodableCache(at: context.file(fileName))
        let size = context.recordSize
        // What is set at once is held in memory.
        let batchSize = size == .large ? 100 : 10_000
        for start in stride(from: 1, through: context.records, by: batchSize) {
            let indices = start...min(start + batchSize - 1, context.records)
            if size == .small {
                try cache.setAll(indices.lazy.map { (key: People.key($0), value: People.person($0)) })
            } else {
                try cache.setAll(indices.lazy.map { (key: People.key($0), value: People.profile($0, size)) })
            }
        }
        cache.close()
    }

    /// A cache file at version 0 without a record.
    static let emptyFixture = BenchmarkFixture(name: "molt-store-empty") { context in
        try CodableCache(at: context.file(fileName)).close()
    }
}

extension PersonV1: RecordType {
    /// What the type was called when the records were written.
    static var recordTypeName: String { People.typeName }
}

extension ProfileV1: RecordType {
    /// The same name: what migrations look for.
    static var recordTypeName: String { People.typeName }
}

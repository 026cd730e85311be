import Foundation
import Generators
import Molt
import Testing

/// Two caches on one file stand for two processes: they share nothing but the file.
@Suite struct `Two caches on the same file` {
    let scratch: ScratchDirectory
    let first: CodableCache
    let second: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        first = try CodableCache(at: scratch.file())
        second = try CodableCache(at: scratch.file())
    }

    @Test(arguments: 1...TestRun.choose(2, long: 4))
    func `Both caches read the last write, whichever of them made it`(seed: UInt64) throws {
        let third = try SQLite(scratch.file())
        var random = SeededGenerator(seed: seed)
        var model: [String: Int] = [:]
        for step in 0..<TestRun.choose(800, long: 2_000) {
            let key = "key \(Int.random(in: 0..<5, using: &random))"
            let cache = Bool.random(using: &random) ? first : second
            switch Int.random(in: 0..<14, using: &random) {
            case 0:
                try cache.set(step, forKey: key)
                model[key] = step
            case 1:
                try cache.remove(forKey: key)
                model[key] = nil
            case 2:
                try cache.setAll([key: step, "more": step])
                model[key] = step
            case 3:
                try third.run("PRAGMA wal_checkpoint(\(Bool.random(using: &random) ? "PASSIVE" : "RESTART"))")
            case 4:
                guard model[key] != nil else { continue }
                try third.run("UPDATE molt_record SET content = '\(step)' WHERE key = '\(key)'")
                model[key] = step
            case 5:
                try cache.removeAll()
                model = [:]
            case 6:
                let keys = (0..<5).map { "key \($0)" }
                let expected = keys.map { model[$0] }
                #expect(try cache.values(Int.self, forKeys: keys) == expected, "at step \(step)")
            default:
                #expect(try cache.value(Int.self, forKey: key) == model[key], "at step \(step)")
            }
        }
    }

    @Test func `A migration that keeps the schema version is noticed, also during the opening`() throws {
        let url = scratch.file("late")
        let first: MigrationRegistry = [Migration(to: 1, "a")]
        let both: MigrationRegistry = [Migration(to: 1, "a"), Migration(to: 1, "b")]
        let old = try CodableCache(at: url, migrations: first)
        let monitor = MigrationMonitor { if case .finished = $0 { _ = try? CodableCache(at: url, migrations: both) } }
        let configuration = MoltConfiguration { $0.monitor = monitor }
        MoltError.thrown {
            try CodableCache(at: url, migrations: first, configuration: configuration)
        }?.expect(.storeChanged)
        MoltError.thrown { try old.set(1, forKey: "one") }?.expect(.storeChanged)
    }
}

import Foundation
import Generators
import Molt
import MoltSalvage
import Testing

/// Opens, reads, writes, upgrades and salvages a damaged store of each kind.
///
/// `MOLT_LONG=1` makes tens of thousands, and `MOLT_LONG=300` makes 300 of each kind.
///
/// To run a single one: `MOLT_DAMAGE=zeroPage:17 swift test --filter DamageSweep`.
@Suite struct `Sweep of damaged cache files` {
    /// The number of stores of each kind in the long run; with `MOLT_LONG=1`, as many as fit in a night.
    private static let count: UInt64? = ProcessInfo.processInfo.environment["MOLT_LONG"].map { text in
        UInt64(text).flatMap { $0 > 1 ? $0 : nil } ?? 1_500
    }
    private static let single = ProcessInfo.processInfo.environment["MOLT_DAMAGE"]

    @Test(arguments: Damage.allCases)
    func `A damaged file never crashes the process, and every loss is reported`(damage: Damage) throws {
        let scratch = try ScratchDirectory()
        // Even and odd seeds have other configurations.
        let place = UInt64(Damage.allCases.firstIndex(of: damage) ?? 0)
        var seeds = Self.count.map { Array(0..<$0) } ?? [place]
        if let single = Self.single?.split(separator: ":"), single.count == 2 {
            seeds = single[0] == damage.rawValue ? [UInt64(single[1]) ?? 0] : []
        }
        var outcomes: [String: Int] = [:]
        var (saved, total) = (0, 0)
        var failures: [String] = []
        for seed in seeds {
            // After a crash, the file names the store that caused it.
            try? "\(damage.rawValue):\(seed)".write(to: scratch.file("trial"), atomically: false, encoding: .utf8)
            let trial = try DamageTrial(damage, seed: seed, in: scratch)
            failures += trial.failures
            saved += trial.saved
            total += trial.total
            outcomes.merge(trial.outcomes, uniquingKeysWith: +)
        }
        #expect(failures.isEmpty, "\(failures.count) failures, the first: \(failures.prefix(3))")
        if TestRun.isLong || Self.single != nil {
            print("\(damage): \(seeds.count) stores, \(saved) of \(total) records saved")
            for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print("    \(outcome) \(count)") }
        }
    }
}

/// One damaged store, opened and read in every way; ``failures`` lists the broken promises.
struct DamageTrial {
    let damage: Damage
    let seed: UInt64
    private(set) var failures: [String] = []
    /// The number of records saved; ``total`` is the number that there were.
    private(set) var saved = 0
    private(set) var total = 0
    private(set) var outcomes: [String: Int] = [:]

    private let sound: SoundStore
    private let store: DamagedStore
    private let original: [String: StoreContents.StoredRecord]
    private let earlier: [String: StoreContents.StoredRecord]
    private let url: URL

    /// Damages a store in the scratch directory, and tries every operation on it.
    init(_ damage: Damage, seed: UInt64, in scratch: ScratchDirectory) throws {
        self.damage = damage
        self.seed = seed
        sound = try SoundStore.shared.get()
        var random = SeededGenerator(seed: seed)
        store = damage.apply(to: sound, &random)
        original = Dictionary(uniqueKeysWithValues: sound.openContents.records.map { ($0.key, $0) })
        // Without its log, or with a truncated one, the store is as it was before the last writes.
        earlier = Dictionary(uniqueKeysWithValues: sound.contents.records.map { ($0.key, $0) })
        url = scratch.file("damaged.molt")
        try look()
        let readable = try read()
        try change()
        try upgrade(readable)
        try salvage(readable)
        try store.write(to: url)
    }

    private var configuration: MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.hooks.isDurable = false
        configuration.memory = nil
        configuration.timeout = .milliseconds(200)
        configuration.mismatches = .ignore
        // Types with more records than a batch take another code path.
        if !seed.isMultiple(of: 2) { configuration.hooks.batchSize = 16 }
        return configuration
    }

    private mutating func fail(_ text: String) {
        failures.append("\(damage) with seed \(seed): \(text)")
    }

    /// Runs an operation that may throw an error of Molt, and no other.
    @discardableResult
    private mutating func attempt<Value>(_ what: String, _ body: () throws -> Value) -> Value? {
        do {
            let value = try body()
            outcomes["\(what): done", default: 0] += 1
            return value
        } catch let error as MoltError {
            outcomes["\(what): \(error.code)", default: 0] += 1
        } catch {
            fail("\(what) threw \(type(of: error)): \(error)")
        }
        return nil
    }

    private mutating func open(
        _ what: String,
        _ migrations: MigrationRegistry,
        _ configuration: MoltConfiguration
    ) -> CodableCache? {
        let url = url
        return attempt(what) { try CodableCache(at: url, migrations: migrations, configuration: configuration) }
    }

    // MARK: Operations

    /// Runs all operations that must not write.
    private mutating func look() throws {
        try store.write(to: url)
        let url = url
        attempt("version") { try CacheFile(at: url).version() }
        attempt("plan") { try CacheFile(at: url).plan(SoundStore.migrations) }
        attempt("contents") { try StoreFile.contents(at: url) }
        attempt("damage") { try StoreFile.damage(at: url) }
        let configuration = configuration
        attempt("dry run") {
            try CacheFile(at: url).dryRunAndWait(SoundStore.migrations, configuration: configuration)
        }
        if store.log == nil, !store.isUnchanged(at: url) { fail("looking at it changed the file") }
    }

    /// Returns the contents that a cache can read by key.
    private mutating func read() throws -> [String: Data] {
        try store.write(to: url)
        var readable: [String: Data] = [:]
        guard let cache = open("open", SoundStore.oldMigrations, configuration) else { return [:] }
        defer { cache.close() }
        for (key, record) in original {
            let found: Data?
            if record.isData {
                found = attempt("value", { try cache.value(Data.self, forKey: key) }) ?? nil
            } else {
                let note = attempt("value", { try cache.value(SoundNote.self, forKey: key) }) ?? nil
                found = note.flatMap { try? Self.encoded($0) }
            }
            guard let found else { continue }
            readable[key] = found
            guard !damage.canForge, !record.isData else { continue }
            let written = [record, earlier[key]].compactMap { $0.flatMap { try? Self.normalized($0.content) } }
            if !written.contains(found) { fail("another value came back for \(key)") }
        }
        attempt("values") { try cache.values(of: SoundNote.self) }
        attempt("values") { try cache.values(of: SoundLabel.self) }
        attempt("keys") { try cache.keys() }
        attempt("count") { try cache.count() }
        return readable
    }

    private static func encoded(_ note: SoundNote) throws -> Data {
        try RecordCoding.standard.encoder.encode(note)
    }

    private static func normalized(_ content: [UInt8]) throws -> Data {
        try encoded(JSONDecoder().decode(SoundNote.self, from: Data(content)))
    }

    private mutating func change() throws {
        try store.write(to: url)
        var configuration = configuration
        // With every second seed, the cache has to evict, too.
        configuration.sizeLimit = seed % 2 == 0 ? 10_000 : nil
        guard let cache = open("open", SoundStore.oldMigrations, configuration) else { return }
        defer { cache.close() }
        let note = SoundNote(number: 1, text: "new")
        if attempt("set", { try cache.set(note, forKey: "new") }) != nil {
            let found = attempt("value", { try cache.value(SoundNote.self, forKey: "new") })
            if let found, found != note { fail("a value that was set did not come back") }
        }
        attempt("set") { try cache.set(note, forKey: "key 12") }
        attempt("remove") { try cache.remove(forKey: "key 13") }
        attempt("batch") {
            try cache.batch { batch in
                try batch.set(note, forKey: "key 14")
                try batch.set(note, forKey: "newer")
                batch.remove(forKey: "key 15")
            }
        }
        attempt("removeExpired") { try cache.removeExpired() }
    }

    /// Expects a typed error and an unchanged file, or every readable record to be upgraded.
    private mutating func upgrade(_ readable: [String: Data]) throws {
        try store.write(to: url)
        guard let cache = open("upgrade", SoundStore.migrations, configuration) else {
            if store.log == nil, !store.isUnchanged(at: url) { fail("an upgrade that failed changed the file") }
            return
        }
        defer { cache.close() }
        // With a damaged schema version, nothing may be pending.
        guard cache.report.from == 2 else { return }
        for (key, content) in readable {
            // An error is not silent: whether SQLite reads a damaged page depends on what it has read before.
            if original[key]?.isData == true {
                let found = attempt("value", { try cache.value(Data.self, forKey: key) })
                if let found, found != content { fail("the upgrade lost the data \(key)") }
                continue
            }
            guard var note = try? JSONDecoder().decode(SoundNote.self, from: content),
                let found = attempt("value", { try cache.value(SoundNote.self, forKey: key) })
            else { continue }
            // A record whose type was changed into another one cannot be detected.
            if found == note, damage.canForge { continue }
            note.seen = true
            if found != note { fail("the upgrade lost \(key), or left it as it was") }
        }
    }

    /// Expects that salvage saves every readable record, and leaves the damaged file unchanged.
    private mutating func salvage(_ readable: [String: Data]) throws {
        try store.write(to: url)
        let url = url
        let newURL = url.deletingLastPathComponent().appendingPathComponent("salvaged.molt")
        try? FileManager.default.removeItem(at: newURL)
        total = original.count
        let report = attempt("salvage") { try CacheFile(at: url).salvage(to: newURL) }
        if !store.isUnchanged(at: url) { fail("salvage changed the file") }
        guard let report else {
            if !readable.isEmpty { fail("nothing was saved, and \(readable.count) records can be read") }
            if FileManager.default.fileExists(atPath: newURL.path) { fail("a file was left behind") }
            return
        }
        saved = report.savedCount
        if ProcessInfo.processInfo.environment["MOLT_DAMAGE"] != nil {
            print(report)
            print(report.damage)
        }
        guard let found = try? StoreFile.contents(at: newURL), try StoreFile.damage(at: newURL).isEmpty else {
            return fail("the new file is damaged")
        }
        let records = Dictionary(found.records.map { ($0.key, $0) }) { $1 }
        if found.records.count != report.savedCount { fail("the report counts wrongly") }
        for (key, content) in readable.sorted(by: { $0.key < $1.key }) {
            // A flipped bit in an index can make it refer to another record, which is then read under the wrong key.
            let isForged = damage.canForge && content != original[key].flatMap { try? Self.normalized($0.content) }
            if isForged, original[key]?.isData != true { continue }
            // With many flipped bits, the row and the index may both have wrong keys; salvage keeps one of them.
            let isElsewhere = found.records.contains { $0.content == original[key]?.content }
            if damage.canForge, isElsewhere { continue }
            guard let record = records[key] else {
                fail("the record \(key) can be read, and was not saved")
                continue
            }
            // A flipped bit can turn a string into raw data, which can still be decoded.
            var written = [Data(record.content), try? Self.normalized(record.content)]
            // A flipped bit in an index can make a cache read another record, but salvage saves the right one. Salvage
            // also saves the last writes, of which SQLite reads nothing after the first damaged frame of the log.
            if record.content == original[key]?.content { written.append(content) }
            // Of two rows with the same key, one is saved, and the report names the other one.
            let isNamed = damage.canForge && report.losses.contains { $0.key == key }
            if !written.contains(content), !isNamed { fail("the record \(key) was saved as something else") }
        }
        guard !damage.canForge else { return }
        for record in found.records where !record.isData {
            if ![original, earlier].contains(where: { $0[record.key]?.content == record.content }) {
                fail("\(record.key) was saved as nobody wrote it")
            }
        }
    }
}

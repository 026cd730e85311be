import Foundation
import Molt
import TestSupport
import Testing

/// One page of a tree has lost cells, or is as it was earlier; every kind of run that reads the tree notices.
///
/// A tree with several pages also has `DamagedTreeTests`, which changes the pages above others.
@Suite struct `A store with a lost or an old page` {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    // MARK: The store

    private enum Old {
        struct First: Codable { var n: Int }
        struct Second: Codable { var n: Int }
        struct Third: Codable { var n: Int }
    }

    private enum New {
        struct First: Codable { var m: Int }
        struct Second: Codable { var m: Int }
        struct Third: Codable { var m: Int }
    }

    private static let types = ["First", "Second", "Third"]
    private static let shipped = [Migration(to: 1, "one"), Migration(to: 2, "two")]
    private static let steps: [MigrationStep] = [
        .renameProperty("First", "n", to: "m"), .renameProperty("Second", "n", to: "m"),
        .renameProperty("Third", "n", to: "m"),
    ]
    private static let change = Migration(to: 3, "change", steps: steps)
    private static let count = 330

    /// The bytes of a store, and those of an earlier time.
    private static let images = Result { try makeImages() }

    private static func makeImages() throws -> (now: Data, earlier: Data) {
        let scratch = try ScratchDirectory()
        let url = scratch.file()
        try CodableCache(at: url).close()
        let pages = "PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM; PRAGMA journal_mode = WAL"
        try SQLite(url).run(pages)
        func add(_ range: Range<Int>, _ migrations: [Migration]) throws -> Data {
            let cache = try CodableCache(at: url, migrations: MigrationRegistry(migrations))
            try cache.batch { batch in
                for n in range {
                    if n.isMultiple(of: 3) {
                        try batch.set(Old.First(n: n), forKey: "key \(n)")
                    } else if n.isMultiple(of: 2) || n < 250 {
                        try batch.set(Old.Second(n: n), forKey: "key \(n)")
                    } else {
                        try batch.set(Old.Third(n: n), forKey: "key \(n)")
                    }
                }
            }
            cache.close()
            return try Data(contentsOf: url)
        }
        let earlier = try add(0..<200, [shipped[0]])
        return (try add(200..<count, shipped), earlier)
    }

    enum Tree: String, CaseIterable {
        case records = "molt_record"
        case keys = "sqlite_autoindex_molt_record_1"
        case recordTypes = "molt_record_type"
        case types = "molt_type"
        case typeNames = "sqlite_autoindex_molt_type_1"
        case ledger = "molt_ledger"
    }

    enum Damage: CaseIterable {
        /// The last page of the tree has lost a half of its cells.
        case lostFirst, lostLast
        /// The last page that has changed is as it was earlier.
        case old
    }

    /// Writes the store with a damaged page.
    private func make(_ tree: Tree, _ damage: Damage) throws {
        let (now, earlier) = try Self.images.get()
        try now.write(to: url)
        let root = try #require(
            Int(SQLite(immutable: url).text("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree.rawValue)'") ?? "")
        )
        var bytes = [UInt8](now)
        let size = 1_024
        let pages = Self.pages(of: root, bytes, size)
        switch damage {
        case .lostFirst, .lostLast:
            let page = (try #require(pages.last) - 1) * size
            let pointers = page + 8
            let count = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
            let left = count / 2
            if damage == .lostFirst {
                let kept = bytes[(pointers + 2 * (count - left))..<(pointers + 2 * count)]
                bytes.replaceSubrange(pointers..<(pointers + 2 * left), with: kept)
            }
            (bytes[page + 3], bytes[page + 4]) = (UInt8(left >> 8), UInt8(left & 0xFF))
        case .old:
            func range(_ page: Int) -> Range<Int> { (page - 1) * size..<page * size }
            let changed = pages.last { page in
                page * size <= earlier.count && earlier[range(page)] != now[range(page)]
            }
            let page = try #require(changed)
            bytes.replaceSubrange(range(page), with: earlier[range(page)])
        }
        try Data(bytes).write(to: url)
    }

    /// The pages of a tree, from left to right, each before those below it.
    private static func pages(of page: Int, _ bytes: [UInt8], _ size: Int) -> [Int] {
        let start = (page - 1) * size
        func number(_ place: Int, _ count: Int) -> Int { bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }
        guard bytes[start] == 5 || bytes[start] == 2 else { return [page] }
        let children = (0..<number(start + 3, 2)).map { number(start + number(start + 12 + 2 * $0, 2), 4) }
        return [page] + (children + [number(start + 8, 4)]).flatMap { pages(of: $0, bytes, size) }
    }

    // MARK: The runs

    enum Run: CaseIterable {
        case eager, block, deletion, onRead, backfill, reader, export, imported, dryRun, contents

        /// Whether the run reads all cells of a tree.
        func reads(_ tree: Tree) -> Bool {
            switch (self, tree) {
            case (_, .types): true
            // A name that its index has lost is found in the table.
            case (_, .typeNames): false
            case (_, .ledger): true
            // An index that is only searched may lack what is looked for; the guides say what `verify` is for.
            case (.onRead, _), (.reader, _): false
            case (.deletion, .keys): false
            default: true
            }
        }
    }

    private func registry(_ last: Migration? = change) -> MigrationRegistry {
        MigrationRegistry(Self.shipped + [last].compactMap { $0 })
    }

    /// The values of a cache by number, each in its new form.
    private func values(_ cache: CodableCache) throws -> [Int] {
        var found: Set<Int> = []
        found.formUnion(try cache.values(of: New.First.self).map(\.value.m))
        found.formUnion(try cache.values(of: New.Second.self).map(\.value.m))
        found.formUnion(try cache.values(of: New.Third.self).map(\.value.m))
        for n in 0..<Self.count {
            let key = "key \(n)"
            guard let type = try cache.typeName(forKey: key) else { continue }
            let value: Int? =
                switch type {
                case "First": try cache.value(New.First.self, forKey: key)?.m
                case "Second": try cache.value(New.Second.self, forKey: key)?.m
                default: try cache.value(New.Third.self, forKey: key)?.m
                }
            #expect(value == n)
        }
        return found.sorted()
    }

    private func open(_ last: Migration?) throws -> CodableCache {
        var configuration = MoltConfiguration()
        configuration.runsBackfill = false
        configuration.memory = nil
        return try CodableCache(at: url, migrations: registry(last), configuration: configuration)
    }

    /// Runs, and returns the values that the store, or what was made of it, then has.
    private func values(after run: Run) throws -> [Int] {
        switch run {
        case .eager, .block, .deletion:
            let block = MigrationStep.run { context in
                for type in Self.types {
                    try context.enumerate(type) { _, new in try new.rename("n", to: "m") }
                }
            }
            let steps = run == .eager ? Self.steps : run == .block ? [block] : Self.types.map { .deleteType($0) }
            let cache = try open(Migration(to: 3, "change", steps: steps))
            defer { cache.close() }
            return run == .deletion ? try cache.keys().count == 0 ? Array(0..<Self.count) : [] : try values(cache)
        case .onRead, .backfill:
            let cache = try open(Self.change.onRead())
            defer { cache.close() }
            if run == .backfill { try cache.backfillAndWait() }
            return try values(cache)
        case .reader:
            let cache = try CodableCache(reading: url, migrations: registry())
            defer { cache.close() }
            return try values(cache)
        case .export:
            let cache = try open(nil)
            defer { cache.close() }
            let export = scratch.file("export.json")
            do {
                return Array(0..<(try cache.exportAndWait(to: export).records))
            } catch {
                #expect(try scratch.names().allSatisfy { !$0.hasPrefix("export") })
                throw error
            }
        case .imported:
            let cache = try CodableCache(at: scratch.file("other.molt"), migrations: registry())
            defer { cache.close() }
            do {
                try cache.importAndWait(from: url)
            } catch {
                #expect(try cache.keys().isEmpty)
                throw error
            }
            return try values(cache)
        case .dryRun:
            return Array(0..<(try CacheFile(at: url).dryRunAndWait(registry()).counts.changed))
        case .contents:
            return Array(0..<(try StoreFile.contents(at: url).records.count))
        }
    }

    @Test(arguments: Tree.allCases, Damage.allCases)
    func `gives all values or says that it is damaged, and stays as it was`(tree: Tree, damage: Damage) throws {
        for run in Run.allCases {
            for name in try scratch.names() { try FileManager.default.removeItem(at: scratch.file(name)) }
            try make(tree, damage)
            let damaged = try Data(contentsOf: url)
            do {
                let found = try values(after: run)
                #expect(!run.reads(tree), "\(run)")
                let isSearchOnly = [.keys, .recordTypes, .records].contains(tree)
                #expect(isSearchOnly || found == Array(0..<Self.count), "\(run)")
            } catch let error as MoltError {
                #expect(MoltError.isDamage(error), "\(run): \(error)")
                // On read, the ledger's row is written when the store is opened.
                if run != .onRead, run != .backfill {
                    let after = try Data(contentsOf: url)
                    #expect(after == damaged, "\(run)")
                }
            }
        }
    }

    @Test func `gives no record without the name of its type, to a block or to a cache that is up to date`() throws {
        try Self.images.get().now.write(to: url)
        try SQLite(url).run("DELETE FROM molt_type WHERE name = 'First'")
        let damaged = try Data(contentsOf: url)
        let (cache, reader) = (try open(nil), try CodableCache(reading: url, migrations: registry()))
        let calls: [() throws -> Void] = [
            { _ = try reader.value(New.First.self, forKey: "key 0") },
            { _ = try open(Migration(to: 3, "look", .run { _ = try $0.record(forKey: "key 0") })) },
            { _ = try cache.typeName(forKey: "key 0") },
            { _ = try cache.values(of: New.First.self) },
            { try cache.set(New.First(m: 1), forKey: "new") },
        ]
        for (number, call) in calls.enumerated() {
            let error = #expect(throws: MoltError.self, "\(number)", performing: call)
            #expect(error.map(MoltError.isDamage) == true, "\(number): \(String(describing: error))")
        }
        reader.close()
        cache.close()
        #expect(try Data(contentsOf: url) == damaged)
    }

    @Test func `is not moved if its ledger has lost a row that the registry need not have`() throws {
        try make(.ledger, .lostFirst)
        let damaged = try Data(contentsOf: url)
        let new = scratch.file("new.molt")
        let registry = MigrationRegistry([Self.shipped[1]]).storeMove(from: url, to: new)
        let error = try #require(throws: MoltError.self) { try CodableCache(at: new, migrations: registry) }
        #expect(MoltError.isDamage(error), "\(error)")
        #expect(try Data(contentsOf: url) == damaged && FileStatus.unfollowed(new.path) == nil)
    }

    @Test func `is complete in each run when no page is damaged`() throws {
        for run in Run.allCases {
            for name in try scratch.names() { try FileManager.default.removeItem(at: scratch.file(name)) }
            try Self.images.get().now.write(to: url)
            let found = try values(after: run)
            #expect(found == Array(0..<Self.count), "\(run)")
        }
    }
}

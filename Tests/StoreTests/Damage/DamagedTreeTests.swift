import Foundation
import Molt
import MoltSalvage
import Testing

/// Trees of which SQLite silently finds only a part: those of the records and of the indexes.
@Suite struct `A store with a damaged tree` {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// The bytes of the small and of the large store, once one was made.
    private static let images = Locked<[Bool: Data]>([:])

    /// Creates a store with two types, one after the other; the records of a large one are read on another thread.
    private func make(isLarge: Bool) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        if let image = Self.images.withLock({ $0[isLarge] }) { return try image.write(to: url) }
        let store = StoreFile(at: url)
        store.options.pageSize = isLarge ? 512 : 1_024
        try store.commit { _ in }
        store.close()
        let cache = try CodableCache(at: url)
        try cache.batch { batch in
            for n in 0..<(isLarge ? 1_600 : 700) {
                try batch.set(["n": n], forKey: "first \(n)", expiry: .at(Date(timeIntervalSince1970: 4e9 + Double(n))))
            }
        }
        cache.close()
        try SQLite(url).run(
            """
            UPDATE molt_type SET name = 'First';
            INSERT INTO molt_type(name) VALUES('Second');
            UPDATE molt_record SET type_id = 2 WHERE id > 600
            """
        )
        let image = try Data(contentsOf: url)
        Self.images.withLock { $0[isLarge] = image }
    }

    /// The place of the root page of a table or an index, and the size of a page.
    private func root(of tree: String) throws -> (offset: Int, pageSize: Int) {
        let file = try SQLite(url)
        let page = try #require(Int(file.text("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'") ?? ""))
        let pageSize = try #require(Int(file.text("PRAGMA page_size") ?? ""))
        return ((page - 1) * pageSize, pageSize)
    }

    enum Damage: Int, CaseIterable {
        /// The parent page lists one page less.
        case lostFirst, lostLast
        /// The parent page lists one page twice, in place of another.
        case twice
        /// The parent page lists two pages in each other's place.
        case swapped
    }

    private func damage(_ tree: String, _ damage: Damage) throws {
        let page = try root(of: tree).offset
        var bytes = try Data(contentsOf: url)
        try #require(bytes[page] == 5 || bytes[page] == 2, "the root is no page above others")
        let count = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
        try #require(count >= 1)
        let pointers = page + 12
        func cell(_ number: Int) -> Int {
            page + (Int(bytes[pointers + 2 * number]) << 8 | Int(bytes[pointers + 2 * number + 1]))
        }
        // The page after the last cell's is named in the header of the parent page.
        let right = (page + 8)..<(page + 12)
        func child(_ number: Int) -> Data { Data(bytes[cell(number)..<(cell(number) + 4)]) }
        func setChild(_ number: Int, _ child: Data) {
            bytes.replaceSubrange(cell(number)..<(cell(number) + 4), with: child)
        }
        switch damage {
        case .lostFirst, .lostLast:
            if damage == .lostLast {
                // The last cell is removed, and its page becomes the rightmost one.
                bytes.replaceSubrange(right, with: child(count - 1))
            } else {
                bytes.replaceSubrange(
                    pointers..<(pointers + 2 * (count - 1)),
                    with: Data(bytes[(pointers + 2)..<(pointers + 2 * count)])
                )
            }
            bytes[page + 3] = UInt8((count - 1) >> 8)
            bytes[page + 4] = UInt8((count - 1) & 0xFF)
        case .twice:
            bytes.replaceSubrange(right, with: child(count - 1))
        case .swapped:
            let (last, beforeLast) = (Data(bytes[right]), child(count - 1))
            setChild(count - 1, last)
            bytes.replaceSubrange(right, with: beforeLast)
        }
        try bytes.write(to: url)
    }

    /// Steps, each with a condition in SQL that holds for records in their old form.
    private static let changes: [(steps: [MigrationStep], isOld: String)] = [
        (
            [.renameProperty("First", "n", to: "m"), .renameProperty("Second", "n", to: "m")],
            "content NOT LIKE '{\"m\"%'"
        ),
        ([.renameProperty("Second", "n", to: "m")], "content NOT LIKE '{\"m\"%' AND molt_record.id > 600"),
        (
            [.run { for type in ["First", "Second"] { try $0.enumerate(type) { _, new in new["seen"] = true } } }],
            "content NOT LIKE '%seen%'"
        ),
        ([.renameType("Second", to: "Third")], "molt_record.id > 600 AND name IS NOT 'Third'"),
        ([.renameType("Second", to: "First")], "name IS NOT 'First'"),
        ([.deleteType("Second")], "molt_record.id > 600"),
    ]

    private static let indexes = [
        "sqlite_autoindex_molt_record_1", "molt_record_type", "molt_record_expiry", "sqlite_autoindex_molt_type_1",
    ]

    private func count(_ condition: String) throws -> Int {
        let file = try SQLite(url)
        let types = "LEFT JOIN molt_type NOT INDEXED ON molt_type.id = +type_id"
        let text = try file.text("SELECT count(*) FROM molt_record NOT INDEXED \(types) WHERE \(condition)")
        return try #require(Int(text ?? ""))
    }

    /// Damages an index; the one of type names is small, and loses all entries instead.
    private func damageIndex(_ index: String, _ damage: Damage) throws {
        guard index == "sqlite_autoindex_molt_type_1" else { return try self.damage(index, damage) }
        let page = try root(of: index).offset
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(page + 3..<page + 5, with: [0, 0])
        try bytes.write(to: url)
    }

    /// Whether an index that a read of all records is compared with has too few entries.
    private func mustStop(_ index: String, _ damage: Damage) -> Bool {
        [.lostFirst, .lostLast].contains(damage) && Self.indexes[..<2].contains(index)
    }

    /// Whether an index is damaged that is not searched: a name that the last one has lost is found in the table.
    private func mustPass(_ index: String, _ damage: Damage) -> Bool {
        damage != .twice && index == Self.indexes.last
    }

    @Test(arguments: indexes, Damage.allCases)
    func `is upgraded whole or not at all when an index is damaged`(index: String, damage: Damage) throws {
        for (number, change) in Self.changes.enumerated() {
            // The short form alternates between the sizes.
            for isLarge in TestRun.choose([(number + damage.rawValue).isMultiple(of: 2)], long: [false, true]) {
                try make(isLarge: isLarge)
                try damageIndex(index, damage)
                let damaged = try Data(contentsOf: url)
                do {
                    try CodableCache(at: url, migrations: registry(change.steps)).close()
                    let old = try count(change.isOld)
                    #expect(old == 0, "change \(number)")
                    // The others do not read all records.
                    #expect(number > 2 || !mustStop(index, damage), "change \(number)")
                } catch {
                    #expect(MoltError.isDamage(error), "\(error)")
                    let after = try Data(contentsOf: url)
                    #expect(after == damaged)
                    #expect(number > 2 || !mustPass(index, damage), "change \(number)")
                }
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func `is not upgraded when records are missing from the table`(damage: Damage) throws {
        for isLarge in [false, true] {
            // A pass, and a block.
            for number in [0, 2] {
                try make(isLarge: isLarge)
                try self.damage("molt_record", damage)
                let damaged = try Data(contentsOf: url)
                let error = MoltError.thrown {
                    try CodableCache(at: url, migrations: registry(Self.changes[number].steps)).close()
                }
                error?.expect(.storeFailed, says: "damaged")
                #expect(error.map { MoltError.isDamage($0) } == true)
                let after = try Data(contentsOf: url)
                #expect(after == damaged)
            }
        }
    }

    private func registry(_ steps: [MigrationStep]) -> MigrationRegistry {
        [Migration(to: 1, "change", steps: steps)]
    }

    private func openOnRead() throws -> CodableCache {
        let migration = Migration(to: 1, "change", steps: Self.changes[0].steps).onRead()
        return try CodableCache(at: url, migrations: [migration], configuration: .init { $0.runsBackfill = false })
    }

    private func expect(_ outcome: LedgerEntry.Outcome, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try StoreFile.state(at: url).ledger.map(\.outcome)
        #expect(found == [outcome], sourceLocation: sourceLocation)
    }

    @Test(arguments: indexes, Damage.allCases)
    func `is upgraded in the background when an index is damaged`(index: String, damage: Damage) throws {
        try make(isLarge: true)
        try damageIndex(index, damage)
        let cache = try openOnRead()
        defer { cache.close() }
        do {
            try cache.backfillAndWait()
            let old = try count(Self.changes[0].isOld)
            #expect(old == 0 && !mustStop(index, damage))
            try expect(.ran)
        } catch {
            #expect(MoltError.isDamage(error) && !mustPass(index, damage), "\(error)")
            try expect(.onRead)
        }
    }

    @Test(arguments: Damage.allCases)
    func `stays on read when records are missing from the table`(damage: Damage) throws {
        try make(isLarge: true)
        try self.damage("molt_record", damage)
        let cache = try openOnRead()
        defer { cache.close() }
        let error = MoltError.thrown { try cache.backfillAndWait() }
        #expect(error.map { MoltError.isDamage($0) } == true)
        try expect(.onRead)
    }

    @Test(arguments: Damage.allCases)
    func `stays on read when records are missing, and the last ones are of another type`(damage: Damage) throws {
        try make(isLarge: true)
        try self.damage("molt_record", damage)
        let migration = Migration(to: 1, "first", .renameProperty("First", "n", to: "m")).onRead()
        let cache = try CodableCache(at: url, migrations: [migration], configuration: .init { $0.runsBackfill = false })
        defer { cache.close() }
        let error = MoltError.thrown { try cache.backfillAndWait() }
        #expect(error.map { MoltError.isDamage($0) } == true)
        try expect(.onRead)
    }

    @Test(arguments: Damage.allCases)
    func `gives all its records to salvage when only an index is damaged`(damage: Damage) throws {
        let trees = Self.indexes.dropLast()
        for tree in TestRun.choose([trees[damage.rawValue % trees.count]], long: Array(trees)) {
            try make(isLarge: true)
            try self.damage(tree, damage)
            try CacheFile(at: url).salvage()
            let cache = try CodableCache(at: url, migrations: registry([.renameProperty("First", "n", to: "m")]))
            let keys = try cache.keys()
            #expect(Set(keys) == Set((0..<1_600).map { "first \($0)" }))
            #expect(cache.report.counts.changed == 600)
            cache.close()
        }
    }

    @Test(arguments: [MigrationStep.deleteType("First"), .renameType("First", to: "Fourth"), changes[0].steps[0]])
    func `is not upgraded when the name of a type is missing`(step: MigrationStep) throws {
        try make(isLarge: false)
        try SQLite(url).run("DELETE FROM molt_type WHERE name = 'First'")
        MoltError.thrown { try CodableCache(at: url, migrations: registry([step])) }?.expect(.storeFailed)
    }

    @Test(arguments: [[], [MigrationStep.renameType("First", to: "Third")]])
    func `is opened by an upgrade that reads no record: a new version, a renamed type`(steps: [MigrationStep]) throws {
        try make(isLarge: true)
        var bytes = try Data(contentsOf: url)
        for tree in ["molt_record", "sqlite_autoindex_molt_record_1"] {
            let (page, size) = try root(of: tree)
            bytes.replaceSubrange(page..<page + size, with: Data(count: size))
        }
        try bytes.write(to: url)
        let cache = try CodableCache(at: url, migrations: registry(steps))
        defer { cache.close() }
        #expect(cache.report.to == 1)
        MoltError.thrown { try cache.value([String: Int].self, forKey: "first 3") }
    }
}

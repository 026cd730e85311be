import Foundation
import Molt
import MoltCache
import MoltSalvage
import Testing

/// Trees of which SQLite silently finds only a part: those of the records and of their indexes.
@Suite struct `A store with a damaged tree` {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Creates a store with two types, one after the other; the records of a large one are checked on another thread.
    private func make(isLarge: Bool) throws {
        let count = isLarge ? 1_600 : 700
        let store = CacheStore(at: url)
        store.pageSize = isLarge ? 512 : 1_024
        try store.withWriteTransaction(until: nil, { _ in }, waiting: {})
        store.close()
        let cache = try CodableCache(at: url)
        try cache.batch { batch in
            for n in 0..<count {
                try batch.set(["n": n], forKey: "first \(n)", expiry: .at(Date(timeIntervalSince1970: 4e9 + Double(n))))
            }
        }
        cache.close()
        let file = try SQLite(url)
        try file.run("UPDATE molt_type SET name = 'First'")
        try file.run("INSERT INTO molt_type(name) VALUES('Second')")
        try file.run("UPDATE molt_record SET type_id = 2 WHERE id > 600")
    }

    enum Damage: CaseIterable {
        /// The parent page lists one page less.
        case lostFirst, lostLast
        /// The parent page lists one page twice, in place of another.
        case twice
        /// The parent page lists two pages in each other's place.
        case swapped
    }

    private func damage(_ tree: String, _ damage: Damage) throws {
        let file = try SQLite(url)
        let root = try #require(Int(file.text("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'") ?? ""))
        let pageSize = try #require(Int(file.text("PRAGMA page_size") ?? ""))
        var bytes = try Data(contentsOf: url)
        let page = (root - 1) * pageSize
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

    /// Everything that an upgrade can do to records, and upgrades that do nothing.
    private static let steps: [(String, [MigrationStep])] = [
        ("nothing", []),
        ("a block that does nothing", [.run { _ in }]),
        ("a rename of a type", [.renameType("First", to: "Third")]),
        ("a rename of an unknown type", [.renameType("Nothing", to: "Third")]),
        ("a rename of a property", [.renameProperty("First", "n", to: "m")]),
        ("the first type", [.addProperty("First", "seen", default: true)]),
        ("the second type", [.addProperty("Second", "seen", default: true)]),
        ("both types", [.addProperty("First", "a", default: 1), .addProperty("Second", "a", default: 1)]),
        ("a block", [.run { try $0.enumerate("First") { _, new in new["seen"] = true } }]),
        ("a block that creates", [.run { try $0.create("Third", forKey: "third", ["n": 1]) }]),
        ("a block that looks a key up", [.run { _ = try $0.record(forKey: "first 3") }]),
        ("a deletion", [.deleteType("Second")]),
        ("a merge", [.renameType("First", to: "Second")]),
        ("other keys", [.transform("First") { $0.key = "other \($0.key)" }]),
        ("drops", [.transform("First") { $0.drop() }]),
    ]

    private static let trees = [
        "molt_record", "sqlite_autoindex_molt_record_1", "molt_record_type", "molt_record_expiry",
    ]

    @Test(arguments: trees, Damage.allCases)
    func `is not upgraded, whatever the steps are`(tree: String, damage: Damage) throws {
        for isLarge in [false, true] {
            try make(isLarge: isLarge)
            try self.damage(tree, damage)
            let damaged = try Data(contentsOf: url)
            // The numbers of reads and writes depend on the steps, not on the size.
            for (name, steps) in isLarge ? Self.steps.suffix(2) : Self.steps {
                let error = #expect(throws: MigrationError.self, "\(name)") {
                    try CodableCache(at: url, migrations: [Migration(to: 1, "change", steps: steps)])
                }
                #expect(error?.code == .storeFailed, "\(name): \(String(describing: error))")
                #expect(error?.message.contains("damaged") == true)
                #expect(error.map { CodableCache.isDamage($0) } == true)
                #expect(try Data(contentsOf: url) == damaged)
            }
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test(arguments: Damage.allCases)
    func `gives all its records to salvage when only an index is damaged`(damage: Damage) throws {
        for tree in Self.trees.dropFirst() {
            try make(isLarge: true)
            try self.damage(tree, damage)
            try CodableCache.salvage(at: url)
            let migrations: MigrationRegistry = [Migration(to: 1, "change", .renameProperty("First", "n", to: "m"))]
            let cache = try CodableCache(at: url, migrations: migrations)
            #expect(try cache.count() == 1_600)
            #expect(cache.report.counts.changed == 600)
            for n in stride(from: 0, to: 1_600, by: 37) { #expect(try cache.contains("first \(n)")) }
            cache.close()
            for aside in try CodableCache.filesAside(at: url) { try CodableCache.removeBackup(aside, at: url) }
            try FileManager.default.removeItem(at: url)
        }
    }

    /// A step would see no type of that name, and none of the type's records.
    @Test(arguments: Self.steps.indices)
    func `is not upgraded when the index of type names is damaged`(index: Int) throws {
        try make(isLarge: false)
        let file = try SQLite(url)
        let root = try #require(
            Int(file.text("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_molt_type_1'") ?? "")
        )
        let pageSize = try #require(Int(file.text("PRAGMA page_size") ?? ""))
        var bytes = try Data(contentsOf: url)
        // The page claims to have no cells.
        bytes.replaceSubrange((root - 1) * pageSize + 3..<(root - 1) * pageSize + 5, with: [0, 0])
        try bytes.write(to: url)
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(at: url, migrations: [Migration(to: 1, "change", steps: Self.steps[index].1)])
        }
        #expect(error?.code == .storeFailed)
        #expect(error.map { CodableCache.isDamage($0) } == true)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test(arguments: [MigrationStep.deleteType("First"), .renameType("First", to: "Fourth")])
    func `is not upgraded when the name of a type is missing`(step: MigrationStep) throws {
        try make(isLarge: false)
        try SQLite(url).run("DELETE FROM molt_type WHERE name = 'First'")
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(at: url, migrations: [Migration(to: 1, "change", steps: [step])])
        }
        #expect(error?.code == .storeFailed)
    }
}

import Foundation
import Molt
import Testing

/// Pages of records that nothing leads to any more: SQLite passes over them without a word.
@Suite struct `A store that has lost a part of a tree` {
    private let scratch: ScratchDirectory
    private let count = 1_200

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: scratch.file())
        try cache.batch { batch in
            for n in 0..<count { try batch.set(["n": n], forKey: "first \(n)") }
        }
        cache.close()
        let file = try SQLite(scratch.file())
        // Two types, the one behind the other.
        try file.run("UPDATE molt_type SET name = 'First'")
        try file.run("INSERT INTO molt_type(name) VALUES('Second')")
        try file.run("UPDATE molt_record SET type_id = 2 WHERE id > 600")
    }

    /// Takes the last leaf, or the first one, out of a tree: a page above names one page less.
    private func loseLeaf(of tree: String, last: Bool) throws {
        let file = try SQLite(scratch.file())
        let root = try #require(Int(file.text("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'") ?? ""))
        let pageSize = try #require(Int(file.text("PRAGMA page_size") ?? ""))
        var bytes = try Data(contentsOf: scratch.file())
        let page = (root - 1) * pageSize
        try #require(bytes[page] == 5 || bytes[page] == 2, "the root is no page above others")
        let cells = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
        try #require(cells > 1)
        let pointers = page + 12
        if last {
            // The last cell's page is the one on the right now, and the cell has gone.
            let cell = page + (Int(bytes[pointers + 2 * (cells - 1)]) << 8 | Int(bytes[pointers + 2 * (cells - 1) + 1]))
            bytes.replaceSubrange((page + 8)..<(page + 12), with: Data(bytes[cell..<(cell + 4)]))
        } else {
            bytes.replaceSubrange(
                pointers..<(pointers + 2 * (cells - 1)),
                with: Data(bytes[(pointers + 2)..<(pointers + 2 * cells)])
            )
        }
        bytes[page + 3] = UInt8((cells - 1) >> 8)
        bytes[page + 4] = UInt8((cells - 1) & 0xFF)
        try bytes.write(to: scratch.file())
    }

    /// The first two use no key, and are not looked at for a lost part of the index of the keys.
    private static let steps: [(String, MigrationStep)] = [
        ("the first type", .addProperty("First", "seen", default: true)),
        ("the second type", .addProperty("Second", "seen", default: true)),
        ("a block", .run { try $0.enumerate("First") { _, new in new["seen"] = true } }),
        ("a block that creates", .run { try $0.create("Third", forKey: "third", ["n": 1]) }),
        ("a block that looks a key up", .run { _ = try $0.record(forKey: "first 3") }),
        ("a deletion", .deleteType("Second")),
        ("a merge", .renameType("First", to: "Second")),
        ("other keys", .transform("First") { $0.key = "other \($0.key)" }),
        ("drops", .transform("First") { $0.drop() }),
    ]

    @Test(
        arguments: steps.indices.map { ("molt_record", $0) }
            + steps.indices.dropFirst(2).map { ("sqlite_autoindex_molt_record_1", $0) }
    )
    func `is not upgraded, whatever the steps look at`(tree: String, step: Int) throws {
        for isLast in [true, false] {
            let whole = try Data(contentsOf: scratch.file())
            try loseLeaf(of: tree, last: isLast)
            let damaged = try Data(contentsOf: scratch.file())

            let error = #expect(throws: MigrationError.self) {
                try CodableCache(
                    at: scratch.file(),
                    migrations: [Migration(to: 1, "change", steps: [Self.steps[step].1])]
                )
            }

            #expect(error?.code == .storeFailed, "\(Self.steps[step].0)")
            #expect(try Data(contentsOf: scratch.file()) == damaged)
            try whole.write(to: scratch.file())
        }
    }

    @Test(arguments: [MigrationStep.deleteType("First"), .renameType("First", to: "Fourth")])
    func `is not upgraded where the name of a type is lost`(step: MigrationStep) throws {
        try SQLite(scratch.file()).run("DELETE FROM molt_type WHERE name = 'First'")
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "change", steps: [step])])
        }
        #expect(error?.code == .storeFailed)
    }
}

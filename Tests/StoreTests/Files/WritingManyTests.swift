import Foundation
import Testing

// Rows at the edges of two buffers come up in no upgrade that a test can choose.
@testable import Molt

/// A batch is written with one call; the result equals writing each record by itself.
@Suite struct `Writing many contents at once` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func store(_ count: Int) throws -> StoreFile {
        let cache = try CodableCache(at: scratch.file())
        try cache.setAll((1...count).map { (key: "key \($0)", value: $0) })
        cache.close()
        return StoreFile(at: scratch.file())
    }

    /// - Parameters:
    ///   - version: The version of all rows; nil for a different one each.
    ///   - padding: The number of bytes that are added to each content.
    private func contents(_ ids: [Int64], version: Int? = nil, padding: Int = 0) -> RecordContents {
        // The rows are spread over two buffers, and some are raw or empty data.
        let more = String(repeating: "x", count: padding)
        let texts = ids.map { id in Array((id % 5 == 0 ? "" : #"{"n":"\#(id)\u{0}é\#(more)"}"#).utf8) }
        var contents = RecordContents(rows: [], buffers: [[], Array("other".utf8)])
        for (id, text) in zip(ids, texts) {
            let buffer = Int(id % 2)
            let start = contents.buffers[buffer].count
            contents.buffers[buffer] += text
            contents.rows.append(
                RecordContents.Row(
                    id: id,
                    version: version ?? Int(id) + 100,
                    isData: id % 5 == 0 || id % 7 == 0,
                    buffer: buffer,
                    range: start..<(start + text.count)
                )
            )
        }
        return contents
    }

    private static let hexadecimal = (0..<256).map { String(format: "%02X", $0) }

    private func rows() throws -> [[String]] {
        try SQLite(scratch.file()).rows(
            "SELECT id, typeof(content), hex(content), version FROM molt_record ORDER BY id"
        )
    }

    /// The ids of the rows, and the number of bytes that are added to each content.
    private static let selections: [(name: String, ids: [Int64], padding: Int)] = [
        ("all", Array(1...100), 0), ("every third", Array(stride(from: 3, through: 99, by: 3)), 0),
        ("few", [2, 3, 4], 0), ("far apart", Array(stride(from: 1, through: 100, by: 9)), 0), ("one", [100], 0),
        ("none", [], 0), ("with a gap", Array(1...40) + Array(60...100), 0),
        // Only some of these fit into one statement, or one of them.
        ("large", Array(1...100), 1_000), ("larger", [2, 3, 4, 5, 21], 30_000),
    ]

    /// Rows of one version are written by few statements.
    @Test(arguments: selections.indices, [nil, 7] as [Int?])
    func `Every row gets its own content and version, and no other row is changed`(index: Int, version: Int?) throws {
        let (name, ids, padding) = Self.selections[index]
        let contents = contents(ids, version: version, padding: padding)
        let store = try store(100)
        var expected = try rows()

        try store.commit { try $0.write(contents) }

        for row in contents.rows {
            let hex = contents.buffers[row.buffer][row.range].reduce(into: "") { $0 += Self.hexadecimal[Int($1)] }
            expected[Int(row.id) - 1] = [String(row.id), row.isData ? "blob" : "text", hex, String(row.version)]
        }
        #expect(try rows() == expected, "\(name)")
        try expectIntegrity(of: scratch.file())
    }

    @Test(arguments: [nil, 7], [Array(11...30), Array(stride(from: 2, through: 30, by: 2)), [21]] as [[Int64]])
    func `A row that does not exist fails the upgrade, and nothing is changed`(version: Int?, ids: [Int64]) throws {
        let store = try store(20)
        let before = try rows()

        MoltError.thrown { try store.commit { try $0.write(contents(ids, version: version)) } }?.expect(.storeFailed)
        #expect(try rows() == before)
    }
}

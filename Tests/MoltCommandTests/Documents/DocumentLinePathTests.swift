import Foundation
import Generators
import Molt
import MoltCommand
import TestSupport
import Testing

/// What becomes of a document does not depend on whether it comes in a line.
@Suite("A line and a document") struct DocumentLinePathTests {
    @Test(arguments: 0..<TestRun.choose(1, long: 30) as Range<UInt64>)
    func `have the same bytes after random registries`(block: UInt64) async throws {
        var total = DocumentSummary()
        for seed in block * 20..<block * 20 + 20 {
            if let summary = try await Self.compare(seed, [.records, .models, .failures, .handovers]) {
                total.add(summary)
            }
        }
        #expect(total.changed > 0 && total.dropped > 0 && !total.failed.isEmpty)
        guard block == 0 else { return }
        // Few registries extract records, and none of those with failures.
        for seed in 10_000..<10_600 as Range<UInt64> where total.extracted == 0 {
            if let summary = try await Self.compare(seed, .records) { total.add(summary) }
        }
        #expect(total.extracted > 0)
    }

    /// - Returns: nil if the registry cannot upgrade documents, or the store before its last versions.
    private static func compare(_ seed: UInt64, _ traits: RandomUpgrade.Traits) async throws -> DocumentSummary? {
        var upgrade = RandomUpgrade(seed: seed, traits)
        let registry = upgrade.registry
        let documents = try DocumentUpgrade(registry)
        let version = upgrade.random.below(registry.version)
        let store = try OldStore(upgrade.records().map(StoredRecord.init))
        guard version >= documents.oldestVersion else { return nil }
        do {
            let configuration = upgrade.configuration()
            _ = try Migrator(registry.upTo(version: version), configuration: configuration).migrate(
                StoreFile(at: store.url)
            )
        } catch is MoltError {
            return nil
        }
        let records = try store.snapshot().records.filter { !$0.isData }
        var input: [String] = []
        for record in records {
            // A line break can only stand in a string.
            let isText = record.content.contains(0x0A) || upgrade.random.oneIn(2)
            input.append(try line(record, version, asText: isText))
        }
        let options = try DocumentFilter.Options("--problems", "-", "--keep-failed", "--mark-dropped")
        let lines = try await FilteredLines(
            input.joined(separator: "\n"),
            registry,
            notesProblems: true,
            options
        )
        var output = lines.output.split(separator: "\n")[...]
        var problems = try lines.problems.split(separator: "\n").map { line in
            try JSONDecoder().decode(Problem.self, from: Data(line.utf8))
        }[...]
        for (number, record) in records.enumerated() {
            let comment: Comment = "\(upgrade), line \(number + 1)"
            do {
                let all = try documents.upgradeAll(
                    Data(record.content),
                    ofType: record.type,
                    writtenAt: version,
                    forKey: record.key,
                    expiration: record.expiration.map(Date.init(timeIntervalSince1970:))
                )
                for (position, document) in all.enumerated() {
                    let next = output.popFirst()
                    let found = try Record(json: #require(next, comment).utf8)
                    if document.isDropped {
                        #expect(found["dropped"] == true, comment)
                    } else {
                        try expect(found, document, comment)
                    }
                    #expect(found["extractedFrom"] == (position == 0 ? nil : .string(all[0].key)), comment)
                }
            } catch let error as MoltError {
                let (next, problem) = (output.popFirst(), problems.popFirst())
                #expect(next.map(String.init) == input[number], comment)
                let expected = Problem(
                    line: number + 1,
                    key: record.key,
                    type: record.type,
                    code: error.code.rawValue,
                    migration: error.migration?.name
                )
                #expect(problem == expected, comment)
            }
        }
        #expect(output.isEmpty && problems.isEmpty, "\(upgrade)")
        return lines.summary
    }

    private static func line(_ record: StoredRecord, _ version: Int, asText isText: Bool) throws -> String {
        var line = try Record(json: "{}".utf8)
        line["key"] = .string(record.key)
        line["type"] = .string(record.type)
        line["version"] = .int(version)
        if isText {
            try line.put(text: record.content, at: "content")
        } else {
            try line.put(record.content, at: "content")
        }
        line["expiration"] = record.expiration.flatMap { .double($0) }
        var bytes: [UInt8] = []
        line.writeContent(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func expect(_ line: Record, _ document: DocumentUpgrade.Output, _ comment: Comment) throws {
        #expect(try line.string("key") == document.key, comment)
        #expect(try line.string("type") == document.typeName, comment)
        #expect(try line.int("version") == document.version, comment)
        #expect(line["expiration"]?.number?.double == document.expiration?.timeIntervalSince1970, comment)
        if let text = line.text(at: "content") {
            #expect(text == Array(document.content), comment)
        } else {
            let joined = document.content.map { $0 == 0x0A ? 0x20 : $0 }
            #expect(line.withValue(at: "content") { Array($0) } == joined, comment)
        }
    }

    private struct Problem: Decodable, Equatable {
        var line: Int
        var key, type: String
        var code: String
        var migration: String?
    }
}

import Foundation
import Molt
import Testing

/// Expired records, which can no longer be read, take no part in an upgrade.
@Suite struct `Records that have expired before an upgrade` {
    let scratch: ScratchDirectory
    let configuration: MoltConfiguration

    init() throws {
        scratch = try ScratchDirectory()
        configuration = MoltConfiguration { $0.now = { Date(timeIntervalSince1970: 1_000) } }
    }

    /// Creates a store in which every third record has expired, and only the expired ones lack a name.
    private func make(_ count: Int = 30) throws {
        let configuration = MoltConfiguration { $0.now = { Date(timeIntervalSince1970: 0) } }
        let cache = try CodableCache(at: scratch.file(), configuration: configuration)
        try cache.batch { batch in
            for n in 0..<count {
                let isExpired = n.isMultiple(of: 3)
                let date = Date(timeIntervalSince1970: isExpired ? 1_000 : 1_001)
                let person: [String: String] = isExpired ? [:] : ["name": "\(n)"]
                try batch.set(person, forKey: "\(n)", expiry: .at(date))
            }
        }
        cache.close()
    }

    private static let type = RecordTypeName.of([String: String].self)

    private func open(_ steps: MigrationStep...) throws -> CodableCache {
        try CodableCache(
            at: scratch.file(),
            migrations: [Migration(to: 1, "change", steps: steps)],
            configuration: configuration
        )
    }

    @Test(arguments: [30, 3_000])
    func `cause no step to fail, and are removed with the commit`(count: Int) throws {
        try make(count)
        let report = try open(.renameProperty(Self.type, "name", to: "title", ifMissing: .fail))
            .report
        let left = count - count / 3
        #expect(report.counts.read == left && report.counts.changed == left)
        let words = "expired: \(count == 30 ? "10" : "1 000") records were removed before the upgrade"
        #expect("\(report)".contains(words))
        let number = try SQLite(scratch.file()).text("SELECT count(*) FROM molt_record")
        #expect(number == "\(left)")
        let findings = try CacheFile(at: scratch.file()).verifyAndWait()
        #expect(findings.isEmpty)
    }

    @Test func `do not occupy their keys when a block creates records`() throws {
        try make()
        MoltError.thrown {
            try open(.run { try $0.create(Self.type, forKey: "1", ["name": "new"]) })
        }?.expect(.keyExists)
        let cache = try open(.run { try $0.create(Self.type, forKey: "0", ["name": "new"]) })
        let value = try cache.value([String: String].self, forKey: "0")
        #expect(value == ["name": "new"])
    }

    @Test func `stay after a failed upgrade and after a dry run`() throws {
        try make()
        let before = try SQLite(scratch.file()).rows("SELECT * FROM molt_record")
        MoltError.thrown {
            try open(.renameProperty(Self.type, "nothing", to: "title", ifMissing: .fail))
        }?.expect(.propertyMissing)
        let report = try CacheFile(at: scratch.file()).dryRunAndWait(
            [
                Migration(
                    to: 1,
                    "change",
                    .renameProperty(Self.type, "name", to: "title", ifMissing: .fail)
                )
            ],
            configuration: configuration
        )
        #expect(report.expiredCount == 10)
        let after = try SQLite(scratch.file()).rows("SELECT * FROM molt_record")
        #expect(after == before)
    }
}

import Foundation
import Molt
import TestSupport
import Testing

/// Release 1 has the name of a person, and release 2 adds a photo.
@Suite struct `A store that a newer app upgraded, and that older releases may write` {
    private struct PersonV1: Codable, Equatable, Sendable, RecordType {
        static var recordTypeName: String { "Person" }
        var name: String
    }

    private struct PersonV2: Codable, Equatable, Sendable, RecordType {
        static var recordTypeName: String { "Person" }
        var name: String
        var photo: String?
    }

    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
    }

    private static let first = Migration(to: 1, "first")

    private static func newer(_ migration: Migration) -> MigrationRegistry { [first, migration] }

    private static let writable = Migration(to: 2, "photo").olderReleases(may: .write)

    private static func old(at url: URL) throws -> CodableCache {
        try CodableCache(at: url, migrations: [first])
    }

    @Test func `has a report that says in an older build whose version it has`() throws {
        try CodableCache(at: url, migrations: Self.newer(Self.writable)).close()
        let old = try Self.old(at: url)
        defer { old.close() }
        let report = old.report
        #expect(report.isNewer && report.isEmpty && !report.isReadOnly)
        #expect("\(report)".hasSuffix("open for reading and writing, at version 2 of a newer release"))
        let members = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any]
        #expect(members?["isNewer"] as? Bool == true && members?["isReadOnly"] as? Bool == false)
    }

    #if CHILD_PROCESSES
        @Test func `is written by an older build, and keeps what the newer one has added`() async throws {
            let new = try CodableCache(at: url, migrations: Self.newer(Self.writable))
            try new.set(PersonV2(name: "a", photo: "p"), forKey: "a")
            // The older build runs while the newer one has the store open.
            await #expect(processExitsWith: .success) { [url = url as URL] in
                let old = try Self.old(at: url)
                guard !old.isReadOnly, !old.report.isReadOnly, old.version == 2 else {
                    throw TestFailure.expected
                }
                try old.update(PersonV1.self, forKey: "a") { $0.name = "b" }
                try old.set(PersonV1(name: "c"), forKey: "c")
            }
            try new.expect(PersonV2(name: "b", photo: "p"), forKey: "a")
            try new.expect(PersonV2(name: "c"), forKey: "c")
            new.close()
            let again = try CodableCache(at: url, migrations: Self.newer(Self.writable))
            #expect(again.report.isEmpty && again.version == 2)
            #expect("\(again.report)".hasSuffix(": up to date at version 2"))
            let rename = MigrationStep.renameProperty("Person", "name", to: "fullName")
            var changed: [String] = []
            try again.keys(changedSince: 1, of: PersonV2.self) { changed.append($0) }
            #expect(changed == ["a", "c"])
            again.close()
            let next = MigrationRegistry(Self.newer(Self.writable).migrations + [Migration(to: 3, "next", rename)])
            try CodableCache(at: url, migrations: next).close()
            let contents = try Snapshot(of: url)
            #expect(contents.texts == ["a": #"{"fullName":"b","photo":"p"}"#, "c": #"{"fullName":"c"}"#])
        }
    #endif

    @Test(arguments: [Migration.Access.write, .read])
    func `is opened, or refused, if it is upgraded while an older build plans its own upgrade`(
        allowed: Migration.Access
    ) throws {
        let suite = try ScratchSuite(["size": 1])
        let rename = MigrationStep.renameSetting("size", to: "fontSize", in: suite.suite)
        let first = Migration(to: 1, "first", .renameProperty("Person", "fullName", to: "name"), rename)
        try CodableCache(at: url).set(["fullName": "a"], forKey: "a")
        var configuration = MoltConfiguration()
        configuration.monitor = .afterPlanning { [url] in
            let newer = Migration(to: 2, "photo").olderReleases(may: allowed)
            try CodableCache(at: url, migrations: [first, newer]).close()
        }
        let opening = Result { try CodableCache(at: url, migrations: [first], configuration: configuration) }
        if allowed == .write {
            let old = try opening.get()
            #expect(old.report.isNewer && old.report.isEmpty && old.version == 2)
            try old.set(PersonV1(name: "b"), forKey: "b")
            old.close()
        } else {
            MoltError.thrown { try opening.get() }?.expect(.superseded, says: "\"photo\"", "CodableCache(reading:)")
        }
        try suite.expect(["fontSize": 1])
        let all: MigrationRegistry = [first, Migration(to: 2, "photo").olderReleases(may: allowed)]
        let again = try CodableCache(at: url, migrations: all)
        #expect(try again.report.isEmpty && again.count() == (allowed == .write ? 2 : 1))
    }

    @Test func `is only read if one newer migration allows no more, and refused otherwise`() throws {
        let registry = MigrationRegistry(
            Self.newer(Self.writable).migrations + [Migration(to: 3, "more").olderReleases(may: .read)]
        )
        try CodableCache(at: url, migrations: registry).close()
        MoltError.thrown { try Self.old(at: url) }?.expect(.superseded, says: "\"more\"", "CodableCache(reading:)")
        let old = try CodableCache(reading: url, migrations: [Self.first])
        #expect(old.isReadOnly)
        MoltError.thrown { try old.set(1, forKey: "1") }?.expect(.readOnly)
    }

    @Test func `is left as it is by a dry run, which says so`() throws {
        try CodableCache(at: url, migrations: Self.newer(Self.writable)).close()
        let report = try CacheFile(at: url).dryRunAndWait([Self.first])
        #expect(report.isNewer && report.isDryRun && report.isEmpty)
    }

    @Test func `is refused if the newer app has retired migrations that this release needs`() throws {
        try CodableCache(at: url, migrations: [Self.writable]).close()
        MoltError.thrown {
            try CodableCache(at: url)
        }?.expect(.superseded, says: "was created at that version")
        let other = scratch.file("other.molt")
        try CodableCache(at: other, migrations: [Migration(to: 1, "one").olderReleases(may: .write)]).close()
        #expect(try !CodableCache(at: other).isReadOnly)
    }

    @Test func `is only read when it was opened for that`() throws {
        try CodableCache(at: url, migrations: Self.newer(Self.writable)).close()
        let old = try CodableCache(reading: url, migrations: [Self.first])
        #expect(old.isReadOnly)
        MoltError.thrown { try old.set(1, forKey: "1") }?.expect(.readOnly)
    }
}

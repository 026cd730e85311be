import Foundation
import Molt
import MoltTesting
import Testing

@Suite
struct LockTests {
    /// What is wrong with a catalog of which something was changed.
    private func failure(
        _ recording: RecordingMode = .never,
        _ change: (CatalogDirectory) throws -> Void
    ) async throws -> MatrixFailure? {
        let directory = try await Releases.catalog()
        try change(directory)
        return await Releases.failure {
            try await directory.catalog(recording: recording).verify(Releases.migrations, types: Releases.types)
        }
    }

    private let someHash = String(repeating: "0", count: 64)

    @Test func `The lock has a sorted line for each file`() async throws {
        let directory = try await Releases.catalog()

        let lines = try directory.text("fixtures.lock").split(separator: "\n")

        #expect(
            lines.map { $0.dropFirst(64) } == [
                "  0-everyday.json", "  1-everyday.json", "  2-everyday.json", "  3-everyday.json",
                "  Golden/0-everyday@1.json", "  Golden/0-everyday@2.json", "  Golden/0-everyday@3.json",
                "  Golden/1-everyday@2.json", "  Golden/1-everyday@3.json", "  Golden/2-everyday@3.json",
            ]
        )
    }

    @Test(arguments: RecordingMode.allCases)
    func `A shipped fixture that was edited is a failure in every mode`(mode: RecordingMode) async throws {
        var edited = ""
        var directory: CatalogDirectory?
        let failure = try #require(
            try await failure(mode) {
                try $0.edit("1-everyday.json", "Paris", to: "London")
                edited = try $0.text("1-everyday.json")
                directory = $0
            }
        )

        let lock = try #require(failure.all(.lock).first)
        #expect(lock.subject == "1-everyday.json")
        #expect(lock.message.hasPrefix("The file is of an older version, and not what it was"))
        #expect(lock.message.contains("Restore both from version control"))
        // What it makes of the fixture is not what it made, either.
        #expect(
            failure.all(.golden).first?.message.contains(#""john".address.city: expected "Paris", found "London""#)
                == true
        )
        #expect(try directory?.text("1-everyday.json") == edited)
        #expect(failure.report.recorded.isEmpty)
    }

    @Test(arguments: RecordingMode.allCases)
    func `A shipped golden file that was edited is a failure in every mode`(mode: RecordingMode) async throws {
        let failure = try #require(
            try await failure(mode) { try $0.edit("Golden/0-everyday@2.json", "Paris", to: "London") }
        )

        #expect(failure.all(.lock).map(\.subject) == ["Golden/0-everyday@2.json"])
        let golden = try #require(failure.all(.golden).first)
        #expect(golden.subject == "0-everyday.json")
        #expect(golden.place == "Golden/0-everyday@2.json")
        #expect(golden.message.contains(#""john".address.city: expected "London", found "Paris""#))
        #expect(golden.message.contains("mend the migration"))
    }

    @Test(arguments: ["1-everyday.json", "Golden/0-everyday@2.json"], RecordingMode.allCases)
    func `A shipped file that was removed is a failure in every mode`(path: String, mode: RecordingMode) async throws {
        var directory: CatalogDirectory?
        let failure = try #require(
            try await failure(mode) {
                try $0.remove(path)
                directory = $0
            }
        )

        let lock = try #require(failure.all(.lock).first)
        #expect(lock.subject == path)
        #expect(lock.message.contains("was removed. Restore it from version control"))
        #expect(try directory?.files()[path] == nil)
    }

    @Test func `A line of a shipped file that was removed or edited is a failure`() async throws {
        let removed = try #require(
            try await failure { directory in
                let lines = try directory.text("fixtures.lock").split(separator: "\n")
                let rest = lines.filter { !$0.hasSuffix("  1-everyday.json") }.joined(separator: "\n") + "\n"
                try Data(rest.utf8).write(to: directory.url.appending(path: "fixtures.lock"))
            }
        )
        #expect(removed.failures.map(\.subject) == ["1-everyday.json"])
        #expect(removed.first().message.contains("no line in fixtures.lock. If it is a new one, add its line: "))

        let edited = try #require(
            try await failure { directory in
                let lines = try directory.text("fixtures.lock").split(separator: "\n")
                    .map { $0.hasSuffix("  1-everyday.json") ? someHash + $0.dropFirst(64) : String($0) }
                let text = lines.joined(separator: "\n") + "\n"
                try Data(text.utf8).write(to: directory.url.appending(path: "fixtures.lock"))
            }
        )
        #expect(edited.failures.map(\.subject) == ["1-everyday.json"])
        #expect(edited.first().kind == .lock)
    }

    @Test func `A lock that is gone is a failure for every file`() async throws {
        let failure = try #require(try await failure { try $0.remove("fixtures.lock") })

        #expect(failure.kinds == [.lock])
        #expect(failure.failures.count == 10)
    }

    @Test func `A line that is none is a failure, and Windows' line ends are not`() async throws {
        let failure = try #require(
            try await failure { directory in
                let text = try directory.text("fixtures.lock").replacingOccurrences(of: "\n", with: "\r\n")
                try Data((text + "<<<<<<< HEAD\r\n").utf8).write(to: directory.url.appending(path: "fixtures.lock"))
            }
        )

        #expect(failure.failures.map(\.subject) == ["fixtures.lock"])
        #expect(failure.first().message.hasPrefix("Line 11 is not a hash"))
    }

    @Test(arguments: [RecordingMode.missing, .all])
    func `A lock with faults is not written, nor is any file`(mode: RecordingMode) async throws {
        var directory: CatalogDirectory?
        var files: [String: Data] = [:]
        let failure = try #require(
            try await failure(mode) {
                let lock = try $0.text("fixtures.lock")
                try $0.remove("Golden/0-everyday@3.json")
                try $0.edit("Golden/1-everyday@3.json", "Paris", to: "London")
                try Releases.first.write(to: $0.url.appending(path: "0-new.json"))
                let text = "<<<<<<< HEAD\n" + lock + someHash + lock.prefix(while: { $0 != "\n" }).dropFirst(64) + "\n"
                try Data(text.utf8).write(to: $0.url.appending(path: "fixtures.lock"))
                directory = $0
                files = try $0.files()
            }
        )

        #expect(failure.all(.lock).filter { $0.subject == "fixtures.lock" }.count == 2)
        #expect(failure.all(.recorded).isEmpty)
        #expect(failure.report.recorded.isEmpty)
        #expect(try directory?.files() == files)
    }

    @Test(arguments: ["1-everyday.json", "3-everyday.json", "Golden/0-everyday@3.json"], RecordingMode.allCases)
    func `Line ends that were changed are named, and not recorded`(path: String, mode: RecordingMode) async throws {
        var directory: CatalogDirectory?
        let failure = try #require(
            try await failure(mode) {
                try $0.edit(path, "\n", to: "\r\n")
                directory = $0
            }
        )

        #expect(failure.failures.map(\.subject) == [path])
        #expect(failure.first().kind == .lock)
        #expect(failure.first().message.hasPrefix("The file's line ends were changed to those of Windows"))
        #expect(failure.first().message.contains("`*.json -text`"))
        let lock = try await Releases.catalog().text("fixtures.lock")
        #expect(try directory?.text("fixtures.lock") == lock)
    }

    @Test func `A file of the newest version that was edited can be made the recorded one`() async throws {
        var directory: CatalogDirectory?
        let change: (CatalogDirectory) throws -> Void = {
            try $0.edit("3-everyday.json", "Paris", to: "London")
            directory = $0
        }
        let refused = try #require(try await failure(.never, change))
        #expect(refused.kinds == [.lock])
        #expect(refused.first().message.contains("MOLT_RECORD=all swift test"))
        #expect(try await failure(.missing, change)?.kinds == [.lock])

        let recorded = try #require(try await failure(.all, change))

        #expect(recorded.kinds == [.recorded])
        #expect(recorded.report.recorded == ["3-everyday.json"])
        #expect(try directory?.text("3-everyday.json").contains("London") == true)
        try await directory?.catalog().verify(Releases.migrations, types: Releases.types)
    }

    @Test func `Fixtures that are too old to be upgraded may be removed`() async throws {
        let directory = try await Releases.catalog()
        for path in ["0-everyday.json", "Golden/0-everyday@1.json", "Golden/0-everyday@2.json"] {
            try directory.remove(path)
        }
        try directory.remove("Golden/0-everyday@3.json")
        let migrations = MigrationRegistry([Releases.split, Releases.nickname], oldestSupportedVersion: 1)

        let report = try await directory.catalog().verify(migrations, types: Releases.types)

        #expect(report.rows.map(\.fixture) == ["1-everyday.json", "2-everyday.json", "3-everyday.json"])
    }

    @Test func `A file whose name says nothing is a failure`() async throws {
        let failure = try #require(
            try await failure { directory in
                for path in ["everyday.json", "01-everyday.json", "Golden/0-everyday.json"] {
                    try Data("{}".utf8).write(to: directory.url.appending(path: path))
                }
                try Data().write(to: directory.url.appending(path: "README.md"))
            }
        )

        #expect(failure.failures.map(\.subject) == ["01-everyday.json", "Golden/0-everyday.json", "everyday.json"])
        #expect(failure.kinds == [.catalog])
        #expect(failure.first().message.contains("The one JSON file beside them may be `schema.json`"))
    }
}

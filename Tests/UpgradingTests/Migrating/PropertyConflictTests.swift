import Foundation
import Molt
import Testing

@Suite struct `A step that gives a property a place which has a value` {
    private static let records = [
        StoredRecord("Person", "ada", #"{"mail":"new","email":"old"}"#),
        StoredRecord("Person", "bob", #"{"mail":"only"}"#),
    ]

    private static func rename(_ policy: ConflictPolicy<RecordValue> = .fail) -> MigrationStep {
        .renameProperty("Person", "mail", to: "email", onConflict: policy)
    }

    @Test(arguments: [EntryPoint.initializer, .inMemory])
    func `follows its policy for each record, and lists what may be lost`(entry: EntryPoint) async throws {
        let policies: [(ConflictPolicy<RecordValue>, String, words: String)] = [
            (.keep, "old", "rename Person.mail to email, unless there is a value already"),
            (.replace, "new", "rename Person.mail to email, replacing the value there"),
            (
                .merge { email, mail in email = .string("\(email.string ?? "")+\(mail.string ?? "")") }, "old+new",
                "rename Person.mail to email, merging it with the value there"
            ),
        ]
        for (policy, email, words) in policies {
            let store = try OldStore(Self.records, through: entry)
            let report = try await store.upgrade(Self.rename(policy))
            try store.snapshot().expect(#"Person ada {"email":"\#(email)"}"#, #"Person bob {"email":"only"}"#)
            #expect(report.entries[0].counts.changed == 2)
            #expect(report.entries[0].steps[0].summary == words)
            #expect(report.losses.map(\.name) == ["Person.email (conflicts)"] && report.losses[0].count == nil)
            #expect("\(report.losses[0])" == "one of two values, where both exist, at Person.email")
        }
        let copy = MigrationStep.copyProperty("Person", "mail", to: "email", onConflict: .keep)
        let store = try OldStore(Self.records, through: entry)
        #expect(try await store.upgrade(copy).losses.isEmpty)
    }

    @Test func `stops by default, or puts the record into quarantine, and a retry has the new policy`() async throws {
        let store = try OldStore(Self.records)
        let error = try await store.failure([Migration(to: 1, "rename", Self.rename())])
        error.expect(.propertyExists, key: "ada", migration: "rename", says: "Say with `onConflict:`")
        let quarantining: MigrationRegistry = [
            Migration(to: 1, "rename", Self.rename().onFailure(.quarantine(upTo: 1)))
        ]
        let cache = try CodableCache(at: store.url, migrations: quarantining)
        defer { cache.close() }
        #expect(try cache.quarantined().map(\.key) == ["ada"])
        let corrected: MigrationRegistry = [Migration(to: 1, "rename", Self.rename(.keep))]
        #expect(try cache.retryQuarantined(with: corrected).map(\.outcome) == [.converted])
        #expect(try cache.value([String: String].self, forKey: "ada") == ["email": "old"])
    }

    /// One user has the value of an earlier build under the new name, and cannot be upgraded.
    @Test func `of a migration that has shipped is mended by one that replaces it`() async throws {
        let shipped = Migration(to: 1, "rename", Self.rename())
        let mended = Migration(to: 1, "rename again", replacing: ["rename"], Self.rename(.keep))
        let next = Migration(to: 2, "next", .addProperty("Person", "n", default: 1))
        let (locked, upgraded) = try (OldStore(Self.records), OldStore([Self.records[1]]))
        _ = try await locked.failure([shipped])
        try await upgraded.upgrade([shipped, next])
        for store in [locked, upgraded] { try await store.upgrade([shipped, mended, next]) }
        try locked.snapshot().expect(#"Person ada {"email":"old","n":1}"#, #"Person bob {"email":"only","n":1}"#)
        try upgraded.snapshot().expect(#"Person bob {"email":"only","n":1}"#)
    }

    @Test func `does the same on read, and in a document`() async throws {
        let store = try OldStore(Self.records)
        let migrations: MigrationRegistry = [Migration(to: 1, "rename", Self.rename(.replace)).onRead()]
        let configuration = MoltConfiguration { $0.runsBackfill = false }
        let cache = try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
        defer { cache.close() }
        #expect(try cache.value([String: String].self, forKey: "ada") == ["email": "new"])
        let document = try DocumentUpgrade(migrations).upgrade(
            Data(Self.records[0].content),
            ofType: "Person",
            writtenAt: 0,
            forKey: "ada"
        )
        #expect(String(decoding: document.content, as: UTF8.self) == #"{"email":"new"}"#)
    }

    @Test func `has its policy in the fingerprint, except the default`() {
        func fingerprint(_ step: MigrationStep) -> String { Migration(to: 1, "m", step).fingerprint }
        let steps: [(ConflictPolicy<RecordValue>) -> MigrationStep] = [
            { Self.rename($0) }, { .moveProperty("A", "a", to: "b", onConflict: $0) },
            { .copyProperty("A", "a", to: "b", onConflict: $0) },
        ]
        for step in steps {
            let policies: [ConflictPolicy<RecordValue>] = [
                .fail, .keep, .replace, .merge { _, _ in }, .merge(revision: 2) { _, _ in },
            ]
            #expect(Set(policies.map { fingerprint(step($0)) }).count == 5)
        }
        #expect(fingerprint(Self.rename()) == fingerprint(.renameProperty("Person", "mail", to: "email")))
    }
}

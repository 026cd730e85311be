import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Steps on JSON text in a property` {
    private static let records = [
        StoredRecord("Note", "a", #"{"payload":"{\"kind\":1,\"price\":1.10}"}"#),
        StoredRecord("Note", "b", #"{"payload":null}"#),
        StoredRecord("Note", "c", #"{"payload":"canary"}"#),
    ]
    private static let steps: [MigrationStep] = [
        .parseJSONText("Note", "payload"),
        .mapValue("Note", ["payload", "kind"], [1: "one"]),
    ]
    private static let changed = #"{"payload":{"kind":"one","price":1.10}}"#

    @Test(.through(.migrator)) func `are followed by steps on its properties, and quarantine what is no JSON`()
        async throws
    {
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(
            Self.steps[0].onFailure(.quarantine(upTo: 1)),
            Self.steps[1]
        )
        try store.snapshot().expect("Note a \(Self.changed)", #"Note b {"payload":null}"#)
        let failed = try #require(report.failedRecords.first)
        #expect(failed.key == "c" && failed.reason.contains("is not JSON text: an unexpected byte, at byte 0"))
        #expect(!"\(failed)".contains("canary"))
    }

    @Test func `change single documents, and records that are read`() throws {
        let onRead = Migration(to: 1, "parse", steps: Self.steps).onRead()
        let document = try DocumentUpgrade([onRead]).upgrade(
            Data(Self.records[0].content),
            ofType: "Note",
            writtenAt: 0
        )
        #expect(String(decoding: document.content, as: UTF8.self) == Self.changed)
        let store = try OldStore(Self.records)
        let cache = try CodableCache(
            at: store.url,
            migrations: [onRead],
            configuration: .init { $0.runsBackfill = false }
        )
        struct Note: Codable, Equatable {
            struct Payload: Codable, Equatable { var kind: String, price: Double }
            var payload: Payload?
        }
        #expect(try cache.value(Note.self, forKey: "a") == Note(payload: .init(kind: "one", price: 1.1)))
        #expect(try cache.value(Note.self, forKey: "b") == Note())
        MoltError.thrown { try cache.value(Note.self, forKey: "c") }?.expect(.unreadableContent, key: "c")
        cache.close()
    }

    @Test func `are undone by a later version, byte for byte`() throws {
        let text = #"{"payload":"{\"b\":1.10, \"a\":[]}"}"#
        let both: MigrationRegistry = [
            Migration(to: 1, "parse", .parseJSONText("Note", "payload")),
            Migration(to: 2, "text", .encodeAsJSONText("Note", "payload")),
        ]
        let document = try DocumentUpgrade(both).upgrade(Data(text.utf8), ofType: "Note", writtenAt: 0)
        #expect(String(decoding: document.content, as: UTF8.self) == text)
    }
}

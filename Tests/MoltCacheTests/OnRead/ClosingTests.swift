import Foundation
import Testing

@testable import Molt

@Suite("Closing a cache whose records are upgraded") struct ClosingTests {
    @Test func `does not wait for the monitor's closure`() async throws {
        let store = try OldStore((0..<100).map { StoredRecord("Person", "\($0)", #"{"mail":"a"}"#) })
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        var configuration = CodableCache.Configuration()
        configuration.monitor = MigrationMonitor { event in
            guard case .backfillProgressed = event else { return }
            hasBegun.signal()
            // The closure waits for what happens after the cache is closed, as one does that waits for the main thread.
            mayEnd.wait()
        }
        let migration = Migration(to: 1, "mail", .renameProperty("Person", "mail", to: "email")).onRead()
        let cache = try CodableCache(at: store.url, migrations: [migration], configuration: configuration)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                hasBegun.wait()
                cache.close()
                mayEnd.signal()
                continuation.resume()
            }
        }
        #expect(throws: MoltError.self) { try cache.count() }
    }
}

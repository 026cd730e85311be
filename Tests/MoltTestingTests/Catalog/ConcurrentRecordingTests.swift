import Foundation
import Molt
import MoltTesting
import TestHome
import Testing

@Suite
struct ConcurrentRecordingTests {
    @Test func `Processes that record at the same time keep each other's lines`() async throws {
        let directory = CatalogDirectory()

        await withTaskGroup(of: Void.self) { group in
            for process in 0..<6 {
                group.addTask { [path = directory.url.path] in
                    await #expect(processExitsWith: .success) { [path = path as String, process = process as Int] in
                        let url = URL(filePath: path)
                        for number in 0..<8 {
                            try FixtureCatalog(url, recording: .missing)
                                .keep(StoreFixture(schemaVersion: 0), named: "\(process) \(number)")
                        }
                    }
                }
            }
        }

        #expect(try directory.text("fixtures.lock").split(separator: "\n").count == 48)
    }
}

#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import Testing
    import TestSupport

    extension PowerLossTests {
        /// Fills the disk at each write of an opening that imports records and removes their source.
        @Suite("A disk that is full during an import")
        struct RefusedImportTests {
            @Test(arguments: ImportScenario.Source.allCases)
            func `The store and the source stay as they were, and the next opening with room imports all`(
                source: ImportScenario.Source
            ) throws {
                let scenario = try ImportScenario(source, size: 500)
                defer { scenario.place.remove() }
                let image = try DiskImage(of: scenario.place)
                let growing = RefusedCalls.bits(molt_disk_create, molt_disk_write, molt_disk_make_directory)
                let calls = RefusedCalls(growing, at: scenario.place)
                let count = try calls.count { try scenario.open() }
                var outcomes: [String: Int] = [:]
                for number in 1...count {
                    try image.restore(to: scenario.place)
                    let errors = Log<any Error>()
                    calls.refuse(number...Int.max, with: ENOSPC, isShort: true) {
                        do {
                            try scenario.open(failed: { errors.append($0) })
                        } catch {
                            errors.append(error)
                        }
                    }
                    for error in errors.all { #expect(isOutOfSpace(error), "\(number): \(error)") }
                    let left = try scenario.left()
                    #expect(left.hasRecords || left.hasSource, "\(number)")
                    let rows = try StoreContents.found(at: scenario.place.cache)?.ledger ?? []
                    #expect(rows.isEmpty == !left.hasRecords && (left.hasRecords || errors.count == 1), "\(number)")
                    outcomes["\(left), \(errors.all.map { ($0 as? MoltError)?.code })", default: 0] += 1
                    try scenario.open()
                    let expected = ImportScenario.Left(hasRecords: true, hasSource: false)
                    #expect(try scenario.left() == expected, "\(number)")
                }
                TestRun.report("full disk, import of \(source): \(count) writes, \(outcomes)")
            }

            private func isOutOfSpace(_ error: any Error) -> Bool {
                // SQLite does not report why it could not create a file.
                MoltError.isOutOfSpace(error) || "\(error)".contains("not full")
            }
        }
    }
#endif

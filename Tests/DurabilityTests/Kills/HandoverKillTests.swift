#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    /// A store hands over records, and its process is killed at each point of that, one after the other.
    @Suite struct `A kill while records are handed over` {
        private static let marker = Data("t0k3n".utf8)
        private static let count = 70

        /// The first and the last point, those around the commits, and some amid the records.
        private static let kinds: [UpgradePoint.Kind] = [
            .takeOut, .beforeCommit, .afterCommit, .beforeHandover, .afterHandover, .erase,
        ]

        @Test(arguments: kinds) func `No record is lost, and only the one in flight is handed over twice`(
            kind: UpgradePoint.Kind
        ) async throws {
            let long = kind == .takeOut ? [1] : kind == .erase ? [1, 2] : Array(1...Self.count)
            for occurrence in TestRun.choose(Array(Set([1, min(64, long.count), long.count])).sorted(), long: long) {
                try await kill(at: kind, occurrence)
            }
        }

        private func kill(at kind: UpgradePoint.Kind, _ occurrence: Int) async throws {
            let scratch = try ScratchDirectory()
            let (url, log) = (scratch.file(), scratch.file("log"))
            try prepare(url)
            let comment: Comment = "\(kind) \(occurrence)"
            await #expect(processExitsWith: .signal(SIGKILL), comment) {
                [
                    url = url as URL, log = log as URL, kind = kind as UpgradePoint.Kind,
                    occurrence = occurrence as Int
                ] in
                let left = Locked(occurrence)
                let configuration = MoltConfiguration { configuration in
                    configuration.hooks.atPoint = { point in
                        guard point.kind == kind else { return }
                        let isLast = left.withLock { left in
                            left -= 1
                            return left == 0
                        }
                        if isLast { raise(SIGKILL) }
                    }
                }
                try CodableCache(at: url, migrations: [handingOver(log)], configuration: configuration).close()
            }
            let report = try open(url, log)
            #expect(report.pendingWork.isEmpty, comment)
            let calls = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(Set(calls).count == Self.count, comment)
            // The closure had returned, and the file did not say so yet.
            let isRepeated = kind == .afterHandover || kind == .beforeCommit && occurrence > 1
            #expect(calls.count == Self.count + (isRepeated ? 1 : 0), comment)
            #expect(try StoreFile.handovers(at: url) == [] && StoreFile.contents(at: url).records.count == 1, comment)
            #expect(try StoreFile.damage(at: url).isEmpty, comment)
            try expectErased(in: scratch, comment)
        }

        private func prepare(_ url: URL) throws {
            let cache = try CodableCache(at: url)
            defer { cache.close() }
            try cache.batch { cache in
                try cache.set("note", forKey: "note")
            }
            for number in 0..<Self.count {
                let json = #"{"value":"t0k3n \#(number)"}"#
                try cache.set(document: Data(json.utf8), ofType: "Token", writtenAt: 0, forKey: "\(number)")
            }
        }

        private func open(_ url: URL, _ log: URL) throws -> MigrationReport {
            let cache = try CodableCache(at: url, migrations: [handingOver(log)])
            defer { cache.close() }
            return cache.report
        }

        /// Expects that no file beside the store has the bytes, as an opening that had nothing left to do ensures.
        private func expectErased(in scratch: ScratchDirectory, _ comment: Comment) throws {
            for name in try scratch.names() {
                let bytes = try Data(contentsOf: scratch.file(name))
                #expect(bytes.range(of: Self.marker) == nil, "\(name), \(comment)")
            }
        }
    }

    /// A migration whose closure adds a line to a file for each record.
    private func handingOver(_ log: URL) -> Migration {
        Migration(
            to: 1,
            "tokens",
            .handOverRecords("Token", to: "a file") { token in
                let descriptor = Foundation.open(log.path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
                defer { close(descriptor) }
                let line = Array("\(token.key)\n".utf8)
                guard write(descriptor, line, line.count) == line.count else { throw Refusal(value: "") }
            }
        )
    }
#endif

#if PostgreSQLTests

    import Foundation
    import Generators
    import Molt
    import Testing

    /// The work of a process.
    enum Work: Codable {
        /// Upgrades documents until none is free.
        case sweep
        /// Upgrades documents until a number of statements is reached, and kills itself in the next one.
        case sweepUntilKilled(statements: Int)
        /// Upgrades documents until a number of batches is committed, and kills itself in the next commit.
        case sweepUntilKilledInCommit(after: Int)
        /// Reads documents until the table says stop.
        case read(seed: UInt64)
        /// Edits documents as the release of a version does, until the table says stop.
        case edit(version: Int)

        /// Does the work in a process of its own, and expects the right end.
        func runInProcess() async throws {
            _ = try await withTaskExecutorPreference(ThreadExecutor()) {
                try await #require(processExitsWith: end, "\(self)") { [work = self as Work] in
                    do {
                        try work.run()
                    } catch {
                        // Otherwise the test would show only how the process ended.
                        Issue.record(error)
                        throw error
                    }
                }
            }
        }

        private var end: ExitTest.Condition {
            switch self {
            case .sweepUntilKilled, .sweepUntilKilledInCommit: .signal(SIGKILL)
            default: .success
            }
        }

        private func run() throws {
            let samples = try Samples()
            switch self {
            case .sweep:
                let connection = try PostgreSQLConnection()
                let began = Date().timeIntervalSince1970
                try sweep(connection, samples)
                let ended = Date().timeIntervalSince1970
                try connection.execute("INSERT INTO sweeps VALUES ($1, $2)", ["\(began)", "\(ended)"])
            case .sweepUntilKilled(let statements):
                try sweep(PostgreSQLConnection(killedAfter: statements), samples)
            case .sweepUntilKilledInCommit(let commits):
                try sweep(PostgreSQLConnection(killedAfter: commits, of: "COMMIT"), samples)
            case .read(let seed):
                var random = SeededGenerator(seed: seed)
                try repeatUntilStop { try read(random.below(Samples.count), $0, samples) }
            case .edit(let version):
                var random = SeededGenerator(seed: UInt64(version))
                try repeatUntilStop { table in
                    // The writers share no document: those of one version have odd numbers.
                    let number = random.below(Samples.count / 2) * 2 + (version < 5 ? 1 : 0)
                    if !Samples.isSpam(number) { try table.edit(number, at: version, samples) }
                }
            }
        }

        private func sweep(_ connection: PostgreSQLConnection, _ samples: Samples) throws {
            let table = DocumentTable(connection: connection, documents: samples.latest)
            var isDone = false
            while !isDone {
                do {
                    isDone = try !table.upgradeBatch()
                } catch let failure as PostgreSQLConnection.Failure where failure.isDeadlock {
                    // Two workers have inserted the same cities in different order; this one's batch is undone.
                }
            }
        }

        private func repeatUntilStop(_ body: (SampleTable) throws -> Void) throws {
            let table = SampleTable(connection: try PostgreSQLConnection())
            repeat {
                for _ in 0..<50 { try body(table) }
            } while try !table.isStopped
        }

        /// Reads a document, and compares it with what its edit becomes.
        private func read(_ number: Int, _ table: SampleTable, _ samples: Samples) throws {
            let documents = DocumentTable(connection: table.connection, documents: samples.latest)
            // The key only changes forward, so a document that is not found by the first is found by the second.
            let keys = [Samples.key(number, at: 0), Samples.key(number, at: 5)]
            guard let document = try keys.lazy.compactMap({ try documents.document(forKey: $0) }).first else {
                if Samples.isSpam(number) { return }
                throw PostgreSQLConnection.Failure(message: "Document \(number) is missing.")
            }
            let expected = try samples.document(number, edit: Samples.edit(of: document.content), at: 6)
            guard expected.content.utf8.elementsEqual(document.content), expected.key == document.key else {
                throw PostgreSQLConnection.Failure(message: "Document \(number) was read as \(document).")
            }
        }
    }

    /// Gives each job a thread: an exit test blocks its own until the process ends, and the pool has one for each core.
    private final class ThreadExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif

#if PostgreSQLTests

    import Foundation
    import Generators
    import Molt
    import MoltCore

    /// The work of a process, with the text that its command line has for it.
    enum Work {
        /// Upgrades documents until none is free.
        case sweep
        /// Upgrades documents until a number of statements is reached, and kills itself in the next one.
        case sweepUntilKilled(statements: Int)
        /// Reads documents until the table says stop.
        case read
        /// Edits documents as the release of a version does, until the table says stop.
        case edit(version: Int)

        var text: String {
            switch self {
            case .sweep: "sweep"
            case .sweepUntilKilled(let statements): "kill \(statements)"
            case .read: "read"
            case .edit(let version): "edit \(version)"
            }
        }

        init?(_ text: String) {
            let words = text.split(separator: " ")
            switch (words.first, words.last.flatMap { Int($0) }) {
            case ("sweep", _): self = .sweep
            case ("kill", let statements?): self = .sweepUntilKilled(statements: statements)
            case ("read", _): self = .read
            case ("edit", let version?): self = .edit(version: version)
            default: return nil
            }
        }

        func run() throws {
            let samples = try Samples()
            switch self {
            case .sweep:
                let connection = try PostgreSQLConnection()
                let table = DocumentTable(connection: connection, documents: samples.latest)
                let began = Date().timeIntervalSince1970
                while try table.upgradeBatch() {}
                let ended = Date().timeIntervalSince1970
                try connection.execute("INSERT INTO sweeps VALUES ($1, $2)", ["\(began)", "\(ended)"])
            case .sweepUntilKilled(let statements):
                let connection = try PostgreSQLConnection(killedAfter: statements)
                let table = DocumentTable(connection: connection, documents: samples.latest)
                while try table.upgradeBatch() {}
            case .read:
                var random = SeededGenerator(seed: 3)
                try repeatUntilStop { try read(random.below(Samples.readCount), $0, samples) }
            case .edit(let version):
                var random = SeededGenerator(seed: UInt64(version))
                try repeatUntilStop { table in
                    // The writers share no document: those of one version have odd numbers.
                    let number = random.below(Samples.count / 2) * 2 + (version < 5 ? 1 : 0)
                    if !Samples.isSpam(number) { try table.edit(number, at: version, samples) }
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
#endif

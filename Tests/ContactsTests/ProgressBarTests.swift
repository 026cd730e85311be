import Molt
import Synchronization
import Testing
import contacts

@Suite
struct ProgressBarTests {
    /// Collects what is written.
    private final class Paper: Sendable {
        private let text = Mutex("")

        var words: String { text.withLock { $0 } }

        func console(isTerminal: Bool) -> Console {
            Console(isTerminal: isTerminal) { [self] words in text.withLock { $0 += words } }
        }
    }

    private static let failed = MigrationEvent.failed(MigrationError(.cancelled, "The upgrade was cancelled."))

    @Test
    func `On a terminal one line is drawn again at each percent`() {
        let paper = Paper()
        let bar = ProgressBar(on: paper.console(isTerminal: true))

        for completed in [0, 500, 501, 1_000] {
            bar.show(.progressed(MigrationProgress(completed: completed, total: 1_000)))
        }
        bar.show(Self.failed)

        let empty = String(repeating: "-", count: 30)
        let half = String(repeating: "#", count: 15) + String(repeating: "-", count: 15)
        let full = String(repeating: "#", count: 30)
        let lines = [
            "\r[\(empty)]   0 %  0 of 1 000 records\u{1B}[K",
            "\r[\(half)]  50 %  500 of 1 000 records\u{1B}[K",
            "\r[\(full)] 100 %  1 000 of 1 000 records\u{1B}[K",
        ]
        #expect(paper.words == lines.joined() + "\n")
    }

    @Test
    func `Elsewhere there is a plain line for each tenth`() {
        let paper = Paper()
        let bar = ProgressBar(on: paper.console(isTerminal: false))

        for completed in stride(from: 0, through: 1_000, by: 5) {
            bar.show(.progressed(MigrationProgress(completed: completed, total: 1_000)))
        }
        bar.show(Self.failed)

        let lines = paper.words.split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.first == "  0 %  0 of 1 000 records")
        #expect(lines.last == "100 %  1 000 of 1 000 records")
        #expect(!paper.words.contains("\r"))
    }

    @Test(arguments: [true, false])
    func `Nothing is shown when there is nothing to do`(isTerminal: Bool) {
        let paper = Paper()
        let bar = ProgressBar(on: paper.console(isTerminal: isTerminal))

        bar.show(Self.failed)

        #expect(paper.words.isEmpty)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1 000"), (100_000, "100 000"), (12_345_678, "12 345 678"), (-4_000, "-4 000"),
    ])
    func `Thousands are set apart`(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}

import Foundation
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

        func write(_ words: String) {
            text.withLock { $0 += words }
        }

        func console(isTerminal: Bool, columns: Int = 80) -> Console {
            Console(isTerminal: isTerminal, columns: { columns }, write: write)
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

    @Test(arguments: [200, 80, 60, 40, 30, 10, 1])
    func `However narrow the terminal is, no line wraps`(columns: Int) {
        let paper = Paper()
        let bar = ProgressBar(on: paper.console(isTerminal: true, columns: columns))
        let names = ["split-full-name", "nest-address"].map { MigrationID(name: $0, version: 3) }

        for completed in stride(from: 0, through: 100_000, by: 500) {
            bar.show(.progressed(MigrationProgress(completed: completed, total: 100_000, migrations: names)))
        }

        let lines = paper.words.components(separatedBy: "\u{1B}[K").dropLast().map { $0.dropFirst() }
        #expect(lines.count == 101)
        #expect(lines.allSatisfy { $0.count < columns })
        // There is room for what matters most in every terminal that is in use.
        #expect(columns < 40 || lines.allSatisfy { $0.contains(" of 100 000 records") })
        #expect(lines.last?.contains("#") == (columns >= 60))
        #expect(lines.last?.hasSuffix("records  split-full-name and 1 more") == (columns > 80))
    }

    @Test
    func `A terminal that is made narrower has a shorter line from then on`() {
        let paper = Paper()
        let columns = Mutex(100)
        let console = Console(isTerminal: true, columns: { columns.withLock { $0 } }, write: paper.write)
        let bar = ProgressBar(on: console)

        bar.show(.progressed(MigrationProgress(completed: 1, total: 10)))
        columns.withLock { $0 = 40 }
        bar.show(.progressed(MigrationProgress(completed: 5, total: 10)))

        #expect(
            paper.words == "\r[###---------------------------]  10 %  1 of 10 records\u{1B}[K"
                + "\r[######-------]  50 %  5 of 10 records\u{1B}[K"
        )
    }

    @Test(arguments: [
        (["favorites"], "favorites"),
        (["remove-fax", "favorites"], "remove-fax and 1 more"),
        (["split-full-name", "nest-address", "remove-fax"], "split-full-name and 2 more"),
    ])
    func `The line names the migrations that are at work`(names: [String], words: String) {
        let paper = Paper()
        let bar = ProgressBar(on: paper.console(isTerminal: false))
        let migrations = names.map { MigrationID(name: $0, version: 4) }

        bar.show(.progressed(MigrationProgress(completed: 4, total: 8, migrations: migrations)))

        #expect(paper.words == " 50 %  4 of 8 records  \(words)\n")
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

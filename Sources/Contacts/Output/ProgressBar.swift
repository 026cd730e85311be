package import Molt
internal import Synchronization

/// Shows how far an upgrade is: a bar that fills on a terminal, and a line for each tenth elsewhere.
package final class ProgressBar: Sendable {
    private let console: Console
    private let state = Mutex(State())
    /// How long the bar is where there is room for it.
    private static let length = 30
    /// How short it may become before it is left out.
    private static let leastLength = 10

    private struct State {
        /// The percentage that is shown; nil while nothing is.
        var shown: Int?
    }

    /// Creates a bar that shows nothing yet.
    package init(on console: Console) {
        self.console = console
    }

    /// Shows what an event says; the closure of a `MigrationMonitor`.
    package func show(_ event: MigrationEvent) {
        switch event {
        case .waiting:
            console.say("Another process upgrades the store; waiting for it.")
        case .progressed(let progress):
            show(progress)
        case .finished, .failed:
            let isShown = state.withLock { $0.shown != nil }
            if console.isTerminal, isShown { console.say() }
        default:
            break
        }
    }

    private func show(_ progress: MigrationProgress) {
        let percent = Int(progress.fraction * 100)
        // Drawing takes longer than a batch of records does, so it is not done for each.
        let step = console.isTerminal ? 1 : 10
        let isNews = state.withLock { state in
            if let shown = state.shown, percent / step <= shown / step { return false }
            state.shown = percent
            return true
        }
        guard isNews else { return }
        let space = percent < 10 ? "  " : percent < 100 ? " " : ""
        let count = "\(space)\(percent) %  \(Self.count(progress.completed, of: progress.total))"
        let names = Self.words(for: progress.migrations)
        if console.isTerminal {
            // As long at the end as at the beginning, so that nothing moves.
            let room = console.columns - "[] 100 %  \(Self.count(progress.total, of: progress.total)) ".count
            let line = Self.bar(percent, length: min(room, Self.length)) + count
            // Part of a name would be read as another one.
            console.redraw((line + names).count < console.columns ? line + names : line)
        } else {
            console.say(count + names)
        }
    }

    private static func bar(_ percent: Int, length: Int) -> String {
        guard length >= leastLength else { return "" }
        let filled = length * percent / 100
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: length - filled) + "] "
    }

    private static func count(_ completed: Int, of total: Int) -> String {
        "\(completed.grouped) of \(total.grouped) records"
    }

    /// The first of the migrations that are at work, and how many others are.
    private static func words(for migrations: [MigrationID]) -> String {
        guard let first = migrations.first else { return "" }
        return "  \(first.name)" + (migrations.count > 1 ? " and \(migrations.count - 1) more" : "")
    }
}

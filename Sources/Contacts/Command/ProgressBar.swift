package import Molt
internal import Synchronization

/// Shows how far an upgrade is: a bar that fills on a terminal, and a line for each tenth elsewhere.
package final class ProgressBar: Sendable {
    private let console: Console
    private let state = Mutex(State())
    private static let width = 30

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
        let filled = Self.width * percent / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
        let count = "\(progress.completed.grouped) of \(progress.total.grouped) records"
        let space = percent < 10 ? "  " : percent < 100 ? " " : ""
        if console.isTerminal {
            console.redraw("[\(bar)] \(space)\(percent) %  \(count)")
        } else {
            console.say("\(space)\(percent) %  \(count)")
        }
    }
}

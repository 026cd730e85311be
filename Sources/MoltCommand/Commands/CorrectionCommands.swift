import Foundation
import Molt

/// The commands that correct what a store's ledger says of a migration.
extension StoreCommands {
    /// Makes a correction of a store's file, and returns the new row.
    typealias Correction =
        @Sendable (_ change: LedgerChange, _ file: URL, _ reason: String, Command.Call) throws ->
        LedgerEntry

    static func markApplied(
        notes: String = withoutRegistry,
        options: [Command.Option] = [],
        _ correct: @escaping Correction = correct
    ) -> Command {
        correction(
            "mark-applied",
            "let a migration count as applied, without running it",
            LedgerChange.markApplied,
            notes,
            options,
            correct
        )
    }

    static func markPending(
        notes: String = withoutRegistry,
        options: [Command.Option] = [],
        _ correct: @escaping Correction = correct
    ) -> Command {
        correction(
            "mark-pending",
            "let a migration count as not applied, so that the next opening runs it",
            LedgerChange.markPending,
            notes,
            options,
            correct
        )
    }

    /// Needs a registry, which has the edited migration.
    static func acceptEdit(options: [Command.Option] = [], _ correct: @escaping Correction) -> Command {
        correction(
            "accept-edit",
            "accept that a migration was edited after it was applied",
            LedgerChange.acceptEdit,
            "",
            options,
            correct
        )
    }

    private static let withoutRegistry = """
        molt knows only what is in the ledger: it can mark applied migrations as pending, and those as applied again. The app's
        own tool also marks migrations that never ran or that work on settings, and accepts edits.
        """

    private static let correct: Correction = { change, file, reason, _ in
        try CacheFile(at: file).correctLedger(change, reason: reason)
    }

    private static func correction(
        _ name: String,
        _ summary: String,
        _ change: @escaping @Sendable (String) -> LedgerChange,
        _ notes: String,
        _ options: [Command.Option],
        _ correct: @escaping Correction
    ) -> Command {
        let own = """
            The store must not be open in any process. No record changes. The ledger keeps the reason; info shows it.
            """
        return Command(
            name,
            ["FILE", "MIGRATION"],
            summary,
            options: [.value("--reason", "TEXT", "why, for the ledger; required")] + options + [.json],
            notes: notes.isEmpty ? own : own + "\n" + notes
        ) { call, terminal in
            guard let reason = call.value("--reason") else { throw UsageError("\(name) needs --reason TEXT") }
            let file = try StoreArgument(call.arguments[0]).file()
            let row = try correct(change(call.arguments[1]), file, reason, call)
            if call.has("--json") { try terminal.sayJSON(row) } else { terminal.say("\(row)") }
            return ExitCode.success
        }
    }
}

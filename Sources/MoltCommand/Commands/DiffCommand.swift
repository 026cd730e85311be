import Foundation
import Molt

extension StoreCommands {
    static let diff = Command(
        "diff",
        ["A", "B"],
        "compare two stores, or a store and a backup of it",
        options: [
            .value("--type", "NAME", "only records of this type"),
            .flag("--all", "list all records that differ, not only 100 added, 100 removed and 100 changed ones"),
            .value("--html", "PAGE", "write a page with the differences"),
            .json,
        ],
        notes: """
            The output shows stored values. With --json, all records that differ are listed, and the values are JSON
            text. Records in quarantine are counted, and not compared. The settings of fixtures are not compared.
            Exit codes: 0 if the stores are equal, 1 if they differ, 2 for an error.
            """,
        errorCode: ExitCode.trouble
    ) { call, terminal in
        let files = try call.arguments.map { try StoreArgument($0).records() }
        let type = call.value("--type")
        if let type { try requireType(type, in: files) }
        let page = try call.value("--html").map { try HTMLFile($0) }
        let listsAll = call.has("--all") || call.has("--json")
        let changes = try StoreChanges(
            from: files[0],
            to: files[1],
            ofType: type,
            limit: listsAll ? nil : 100,
            noting: terminal.counter(of: try files.reduce(0) { try $0 + $1.recordCount() }, "compared")
        )
        if call.has("--json") {
            try terminal.sayJSON(changes)
        } else if page == nil {
            changes.print(on: terminal)
        } else {
            terminal.say(changes.summary)
        }
        if let page {
            try page.write(StoreChangesPage(changes: changes).page)
            // The output of --json is for programs.
            call.has("--json") ? terminal.sayError(page.written) : terminal.say(page.written)
        }
        return changes.isEmpty ? ExitCode.success : ExitCode.failure
    }

    /// - Throws: ``CommandError`` if no file has records of a type.
    static func requireType(_ type: String, in files: [CacheFile]) throws {
        let names = try Set(files.flatMap { try $0.types().map(\.name) })
        guard !names.contains(type) else { return }
        let stores = files.count == 1 ? "the store has" : "the stores have"
        throw CommandError(
            "\(stores) no records of the type \"\(type)\"\(Tool.nearest(to: type, among: names.sorted()))"
        )
    }
}

import Foundation
import Molt
import MoltTesting

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
            text. Records in quarantine are counted, and not compared. A and B may be fixtures. Of two fixtures, the suites
            whose settings differ are named.
            Exit codes: 0 if the stores are equal, 1 if they differ, 2 for an error.
            """,
        errorCode: ExitCode.trouble
    ) { call, terminal in
        let stores = try call.arguments.map { try StoreArgument($0) }
        let files = try stores.map { try $0.cacheFile() }
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
        let suites = suitesThatDiffer(stores.compactMap(\.fixture))
        if !suites.isEmpty {
            let names = suites.joined(separator: " and ")
            terminal.sayError("the settings of \(names) differ; the command settings shows those of a fixture")
        }
        return changes.isEmpty && suites.isEmpty ? ExitCode.success : ExitCode.failure
    }

    /// The suites of which two fixtures have different settings; none if one of the stores is not a fixture.
    private static func suitesThatDiffer(_ fixtures: [StoreFixture]) -> [String] {
        guard fixtures.count == 2 else { return [] }
        let (before, after) = (fixtures[0].suites, fixtures[1].suites)
        return Set(before.keys).union(after.keys).filter { before[$0] ?? [:] != after[$0] ?? [:] }
            .map(\.description).sorted()
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

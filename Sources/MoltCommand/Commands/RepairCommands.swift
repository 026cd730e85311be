import Foundation
import MoltCache
import MoltCore
import MoltSalvage

extension StoreCommands {
    static let verify = Command(
        "verify",
        ["FILE"],
        "check a whole store for damage",
        options: [.json]
    ) { call, terminal in
        let findings = try await CodableCache.verify(at: URL(filePath: call.arguments[0])) {
            terminal.show($0, "checked")
        }
        terminal.show(1, "checked")
        if call.has("--json") {
            try terminal.sayJSON(findings.map { "\($0)" })
        } else if findings.isEmpty {
            terminal.say("No damage was found.")
        } else {
            for finding in findings { terminal.say(terminal.red("\(finding)")) }
            terminal.say("\nRestore a backup (molt backups), or save what can be read (molt salvage).")
        }
        return findings.isEmpty ? ExitCode.success : ExitCode.failure
    }

    static let quarantine = Command(
        "quarantine",
        ["FILE"],
        "list the records that migrations could not convert, with the reasons",
        options: [.flag("--content", "show the content, too"), .json]
    ) { call, terminal in
        let records = try CacheFile(at: URL(filePath: call.arguments[0])).quarantined()
        if call.has("--json") {
            try terminal.sayJSON(records.map { QuarantinedItem($0, withContent: call.has("--content")) })
            return ExitCode.success
        }
        if records.isEmpty { terminal.say("No record is in quarantine.") }
        for record in records {
            terminal.say("\(record)")
            guard call.has("--content") else { continue }
            let isText = !record.isData
            terminal.say("  \(isText ? String(decoding: record.content, as: UTF8.self) : "data")")
        }
        return ExitCode.success
    }

    static let backups = Command(
        "backups",
        ["FILE"],
        "list the backups of a store, and the files that were set aside",
        options: [.json]
    ) { call, terminal in
        let url = URL(filePath: call.arguments[0])
        let (backups, aside) = (try CodableCache.backups(at: url), try CodableCache.filesAside(at: url))
        if call.has("--json") {
            try terminal.sayJSON(["backups": backups, "filesAside": aside])
            return ExitCode.success
        }
        if backups.isEmpty, aside.isEmpty { terminal.say("There is no backup of \(url.path).") }
        for backup in backups { terminal.say("\(backup)") }
        for file in aside { terminal.say("\(file), set aside") }
        return ExitCode.success
    }

    /// - Parameter attached: What the backups of the app may contain beside records, such as suites of settings.
    static func restore(attaching attached: [any Attachable] = []) -> Command {
        Command(
            "restore",
            ["FILE", "BACKUP"],
            "put a backup in the place of a store, which is kept beside it",
            notes: """
                A backup of an app's store may also contain settings. It is restored by the tool that the app makes with its
                registry; the settings are restored when the store is next opened.
                """
        ) { call, terminal in
            let url = URL(filePath: call.arguments[0])
            let name = URL(filePath: call.arguments[1]).lastPathComponent
            let known = try CodableCache.backups(at: url) + CodableCache.filesAside(at: url)
            guard let backup = known.first(where: { $0.url.lastPathComponent == name }) else {
                throw CommandError("\(name) is not a backup of \(url.path); see molt backups")
            }
            try CodableCache.restore(backup, at: url, attaching: attached, keepsReplaced: true)
            terminal.say("\(url.path) is the backup \(backup) now. See molt backups for the store that it replaced.")
            return ExitCode.success
        }
    }

    static let salvage = Command(
        "salvage",
        ["FROM", "TO"],
        "save what can be read of a damaged store into a new file"
    ) { call, terminal in
        let report = try CodableCache.salvage(
            from: URL(filePath: call.arguments[0]),
            to: URL(filePath: call.arguments[1])
        )
        terminal.say("\(report)")
        return report.isWhole ? ExitCode.success : ExitCode.failure
    }
}

/// A record in quarantine, as JSON; without its content unless that was asked for.
private struct QuarantinedItem: Encodable {
    let id: Int64
    let key: String
    let type: String
    let version: Int
    let migration: MigrationID
    let reason: String
    let content: String?

    init(_ record: QuarantinedRecord, withContent: Bool) {
        id = record.id
        key = record.key
        type = record.typeName
        version = record.version
        migration = record.failure.migration
        reason = record.failure.reason
        content =
            !withContent
            ? nil
            : record.isData ? record.content.base64EncodedString() : String(decoding: record.content, as: UTF8.self)
    }
}

import Foundation
import Molt
import MoltSalvage

extension StoreCommands {
    static let verify = Command(
        "verify",
        ["FILE"],
        "check a whole store for damage",
        options: [.json]
    ) { call, terminal in
        let findings = try await CacheFile(at: StoreArgument(call.arguments[0]).file()).verify {
            terminal.show($0, "checked")
        }
        terminal.show(1, "checked")
        if call.has("--json") {
            try terminal.sayJSON(findings.map { Problem(subject: call.arguments[0], problem: "\($0)") })
        } else if findings.isEmpty {
            terminal.say("No damage was found.")
        } else {
            terminal.say("The store is damaged. The check found:")
            // SQLite describes all that it finds in one text.
            for finding in findings.prefix(20) {
                let text = "\(finding)"
                terminal.say("  " + terminal.red(text.count > 200 ? text.prefix(200) + " …" : text))
            }
            if findings.count > 20 { terminal.say("  and \(findings.count - 20) more; --json shows everything") }
            terminal.say(
                "\nThe command backups lists the backups to restore, and salvage saves what can be read into "
                    + "a new file."
            )
        }
        return findings.isEmpty ? ExitCode.success : ExitCode.failure
    }

    static let quarantine = Command(
        "quarantine",
        ["FILE"],
        "list the records in quarantine, with the reasons",
        options: [.flag("--content", "show the content, too"), .json]
    ) { call, terminal in
        let records = try CacheFile(at: StoreArgument(call.arguments[0]).file()).quarantined()
        if call.has("--json") {
            try terminal.sayJSON(records.map { QuarantinedItem($0, withContent: call.has("--content")) })
            return ExitCode.success
        }
        if records.isEmpty { terminal.say("No record is in quarantine.") }
        for record in records {
            let cause = record.cause
            terminal.say(
                "\(terminal.bold(record.key)) (\(record.typeName), written at version \(record.version)): \(cause.reason)"
            )
            if let failure = cause.failure {
                let step = "step \(failure.step.number) (\(failure.step.summary))"
                terminal.say("  by migration \(failure.migration), \(step)")
            } else {
                terminal.say("  quarantined before another value was written over it")
            }
            guard call.has("--content") else { continue }
            let isText = !record.isData
            terminal.say("  \(isText ? String(decoding: record.content, as: UTF8.self) : "data")")
        }
        if !records.isEmpty {
            terminal.say(
                "\nThe store keeps them. A release with a corrected migration can convert them: see retryQuarantined()."
            )
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
        let (backups, aside) = (try CacheFile(at: url).backups(), try CacheFile(at: url).filesAside())
        if call.has("--json") {
            try terminal.sayJSON(["backups": backups, "filesAside": aside])
            return ExitCode.success
        }
        if backups.isEmpty, aside.isEmpty {
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw CommandError("there is no file at \(url.path), and no backup of it")
            }
            terminal.say("There is no backup of \(url.path).")
        }
        for backup in backups { terminal.say(backup.line) }
        for file in aside { terminal.say("\(file.line), set aside") }
        return ExitCode.success
    }

    /// - Parameter attached: What the backups of the app may contain beside records, such as suites of settings.
    static func restore(suites: [Suite] = []) -> Command {
        Command(
            "restore",
            ["FILE", "BACKUP"],
            "put a backup in the place of a store, which is set aside",
            notes: """
                A backup may also hold the settings of suites; the command backups says so. The app's own tool restores them, too,
                when the store is next opened. molt can only save the records of such a backup, with salvage.
                """
        ) { call, terminal in
            let url = try StoreArgument(call.arguments[0]).file()
            let name = URL(filePath: call.arguments[1]).lastPathComponent
            let files = try CacheFile(at: url).backups() + CacheFile(at: url).filesAside()
            guard let backup = files.first(where: { $0.url.lastPathComponent == name }) else {
                throw CommandError("\(name) is not a backup of \(url.path); the command backups lists them")
            }
            do {
                try CacheFile(at: url).restore(backup, suites: suites, keepingReplaced: true)
            } catch let error as MoltError where error.code == .suiteNotNamed {
                throw CommandError(
                    "\(name) also holds the settings of \(backup.suites.joined(separator: " and ")), which "
                        + "this tool cannot restore. Restore it in the app, or with the app's own tool; or save only "
                        + "its records: salvage \(backup.url.path) NEW-FILE. Nothing was changed"
                )
            }
            terminal.say("Restored \(name), version \(backup.version).")
            for file in try CacheFile(at: url).filesAside().suffix(1) {
                terminal.say("The store that it replaced was set aside as \(file.url.lastPathComponent).")
            }
            return ExitCode.success
        }
    }

    static let salvage = Command(
        "salvage",
        ["FROM", "TO"],
        "save what can be read of a damaged store into a new file"
    ) { call, terminal in
        let url = try StoreArgument(call.arguments[0]).file()
        let report = try CacheFile(at: url).salvage(to: URL(filePath: call.arguments[1]))
        terminal.say("\(report)")
        if !report.isWhole, let backup = try? CacheFile(at: url).backups().last {
            terminal.say("\nThere is a backup, too: \(backup.line)")
        }
        return report.isWhole ? ExitCode.success : ExitCode.failure
    }

    static let compact = Command(
        "compact",
        ["FILE"],
        "return the space of removed records to the file system",
        notes: """
            The first time, the file is rewritten. That needs free space for two copies of what is left, and no other process
            can write to the store meanwhile.
            """
    ) { call, terminal in
        let url = try StoreArgument(call.arguments[0]).file()
        let freed = try CacheFile(at: url).compactAndWait { terminal.show($0, "compacted") }
        terminal.say("Freed \(freed) bytes.")
        return ExitCode.success
    }
}

/// What a check has found, as JSON.
struct Problem: Encodable {
    /// The file, or "registry".
    let subject: String
    let problem: String
}

extension StoreBackup {
    /// The file, its date, and what is in it, in a line.
    var line: String {
        let settings = suites.isEmpty ? "" : ", with settings of \(suites.joined(separator: " and "))"
        return "\(url.lastPathComponent): \(DisplayText.time(date)), \(contents)\(settings)"
    }
}

/// A record in quarantine, as JSON; without its content unless that was asked for.
private struct QuarantinedItem: Encodable {
    let id: Int64
    let key: String
    let type: String
    let version: Int
    /// Nil if a write put it into quarantine.
    let migration: MigrationID?
    let reason: String
    let content: String?

    init(_ record: CodableCache.QuarantinedRecord, withContent: Bool) {
        id = record.id
        key = record.key
        type = record.typeName
        version = record.version
        migration = record.cause.failure?.migration
        reason = record.cause.reason
        content =
            !withContent
            ? nil
            : record.isData ? record.content.base64EncodedString() : String(decoding: record.content, as: UTF8.self)
    }
}

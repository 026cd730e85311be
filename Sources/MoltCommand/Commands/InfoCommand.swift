import Foundation
import Molt

extension StoreCommands {
    static let info = Command(
        "info",
        ["FILE"],
        "show the version of a store, its migrations, its types, and pending work",
        options: [.json],
        notes: "\(StoreArgument.note) A store of up to 64 MB is also checked for damage, as verify does."
    ) { call, terminal in
        let store = try StoreArgument(call.arguments[0])
        var info = try StoreInfo(of: store)
        let size = try store.url.resourceValues(forKeys: [.fileSizeKey]).fileSize
        if store.fixture == nil, let size, size <= largestChecked {
            do { info.findings = try await CacheFile(at: store.url).verify().count } catch { info.note(error) }
        }
        if call.has("--json") { try terminal.sayJSON(info) } else { info.print(on: terminal) }
        return info.findings ?? 0 > 0 || info.failure != nil ? ExitCode.failure : ExitCode.success
    }

    /// The size in bytes up to which a check of the whole file takes less than a second or so.
    private static let largestChecked = 64 << 20
}

/// A summary of a cache file or a fixture.
private struct StoreInfo: Encodable {
    struct TypeInfo: Encodable {
        var name: String
        var records: Int
        var bytes: Int
        /// The versions that its records were last written at; more than one while records are upgraded on read.
        var versions: ClosedRange<Int>
    }

    var file: String
    var schemaVersion: Int
    var migrations: [LedgerEntry]
    var types: [TypeInfo]
    /// The numbers of settings in a fixture, by suite; nil for a file.
    var settings: [String: Int]?
    /// The attached stores to which changes of a committed upgrade are still to be made.
    var journal: [String]
    var quarantined: Int
    /// What steps have taken out of the store and is still to be handed over, a line for each step.
    var handovers: [String]
    var interruptedUpgrades: Int
    var backups: [StoreBackup]
    var filesAside: [StoreBackup]
    /// The number of findings of a check for damage; nil for a fixture, or a file too large to be checked in passing.
    var findings: Int?
    /// Why the records cannot be counted; nil if they were.
    var failure: String?

    init(of store: StoreArgument) throws {
        let file = try store.cacheFile()
        self.file = store.url.path
        let state = try file.state()
        schemaVersion = state.version
        migrations = state.ledger
        journal = state.journal
        handovers = state.handovers.map(\.description)
        interruptedUpgrades = file.attempts().count
        settings = store.fixture.map { fixture in
            Dictionary(fixture.suites.map { ($0.key.description, $0.value.count) }) { $0 + $1 }
        }
        backups = try CacheFile(at: store.url).backups()
        filesAside = try CacheFile(at: store.url).filesAside()
        types = []
        quarantined = 0
        do {
            types = try file.types().map {
                TypeInfo(name: $0.name, records: $0.count, bytes: $0.byteCount, versions: $0.versions)
            }
            quarantined = try file.quarantinedCount()
        } catch {
            // The rest is what a user of a damaged file needs.
            note(error)
        }
    }

    mutating func note(_ error: any Error) {
        failure = failure ?? ErrorSummary.line(of: error)
    }

    func print(on terminal: Terminal) {
        let records = types.reduce(0) { $0 + $1.records }
        let bytes = types.reduce(0) { $0 + $1.bytes }
        let content =
            failure == nil
            ? "\(DisplayText.records(records)), \(bytes) bytes of content" : "records that cannot be read"
        terminal.say(terminal.bold("\(file): version \(schemaVersion), \(content)"))
        if let failure { terminal.say(terminal.red(failure)) }
        section("Migrations", migrations.map { "\($0)" }, on: terminal)
        if !types.isEmpty {
            let rows = types.map { type in
                let (first, last) = (type.versions.lowerBound, type.versions.upperBound)
                let versions = first == last ? "\(first)" : "\(first)...\(last)"
                return [ErrorSummary.oneLine(type.name), "\(type.records)", "\(type.bytes)", versions]
            }
            let table = TextTable(
                rows: [["type", "records", "bytes", "last changed at version"]] + rows,
                leftAlignedColumns: [0, 3]
            )
            terminal.say("\n\(table)")
        }
        section("Settings", settings?.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } ?? [], on: terminal)
        section("Pending", waiting, on: terminal)
        section("Backups", backups.map(\.line), on: terminal)
        section("Set aside", filesAside.map(\.line), on: terminal)
        switch findings {
        case nil where settings != nil: break
        case nil where failure != nil:
            terminal.say("\n" + terminal.red("The file is damaged; the command verify shows where."))
        case nil: terminal.say("\nThe file is large and was not checked for damage; the command verify does that.")
        case 0: terminal.say("\nNo damage was found.")
        default: terminal.say("\n" + terminal.red("The file is damaged; the command verify shows where."))
        }
    }

    private var waiting: [String] {
        var lines = journal.map { "changes to \($0) that have not been applied yet; the next opening applies them" }
        let onRead = migrations.filter { $0.outcome == .onRead }.map { "\"\($0.name)\"" }
        if !onRead.isEmpty {
            lines.append("records that are upgraded when they are read, by \(onRead.joined(separator: ", "))")
        }
        let marked = migrations.filter { $0.outcome == .unmarked }.map { "\"\($0.name)\"" }
        if !marked.isEmpty {
            lines.append("migrations marked as pending, which the next opening runs: \(marked.joined(separator: ", "))")
        }
        let work = migrations.filter(\.isWorkPending).map { "\"\($0.name)\"" }
        if !work.isEmpty { lines.append("work after the commit, of \(work.joined(separator: ", "))") }
        if quarantined > 0 { lines.append("records in quarantine: \(quarantined); the command quarantine lists them") }
        lines += handovers.map { "to be handed over: \($0)" }
        if interruptedUpgrades > 0 { lines.append("interrupted upgrades: \(interruptedUpgrades)") }
        return lines
    }

    private func section(_ title: String, _ lines: [String], on terminal: Terminal) {
        guard !lines.isEmpty else { return }
        terminal.say("\n" + terminal.bold(title))
        for line in lines { terminal.say("  \(ErrorSummary.oneLine(line))") }
    }
}

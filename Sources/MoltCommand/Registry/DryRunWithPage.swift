import Foundation
import Molt

/// A dry run, with a page about it if one was asked for.
struct DryRunWithPage {
    let url: URL
    let migrations: MigrationRegistry
    let configuration: CodableCache.Configuration
    /// The number of samples for each step; nil if it was not given.
    let samples: Int?
    /// The file for the page; nil for no page.
    let html: String?

    /// Runs the upgrade on a copy, and writes the page, also if the upgrade fails.
    ///
    /// - Parameter announce: Receives a line that names the page.
    /// - Returns: The report; without samples if only the page needed them.
    /// - Throws: The error of the upgrade, or ``CommandError`` if the page cannot be written.
    func report(announce: (String) -> Void) throws -> MigrationReport {
        guard let html else { return try upgradeCopy(samples: samples ?? 0) }
        let file = try HTMLFile(html)
        let store = UpgradeReportPage.Store(url, appVersion: configuration.appVersion)
        let plan = try? self.plan()
        let date = Date()
        let result = Result { try upgradeCopy(samples: samples ?? 3) }
        let page = UpgradeReportPage(
            store: store,
            plan: plan,
            result: result,
            tolerantReport: tolerantReport(after: result),
            date: date
        )
        do {
            try file.write(page.page)
            announce(file.written)
        } catch let error as CommandError {
            // The error of the upgrade is the more important one.
            guard case .failure = result else { throw error }
            announce("No page: \(error.message).")
        }
        var report = try result.get()
        if samples == nil { report.removeSamples() }
        return report
    }

    /// The plan of the dry run, which also runs the migrations on read that an opening only records.
    private func plan() throws -> MigrationPlan {
        try MigrationPlan(
            for: StoreFile(at: url),
            migrations: migrations,
            role: configuration.role,
            onlyRecordsOnRead: false
        )
    }

    private func upgradeCopy(samples: Int) throws -> MigrationReport {
        try CodableCache.dryRun(at: url, migrations: migrations, samples: samples, configuration: configuration)
    }

    /// After a failure of a record, the report of an upgrade that quarantines such records.
    private func tolerantReport(after result: Result<MigrationReport, any Error>) -> MigrationReport? {
        guard case .failure(let error as MoltError) = result, error.isAboutRecord else { return nil }
        var configuration = configuration
        configuration.monitor = nil
        let tolerant = migrations.onFailure(.quarantine(upTo: .none))
        // If another failure stops this one too, the page shows the first alone.
        return try? CodableCache.dryRun(at: url, migrations: tolerant, configuration: configuration)
    }
}

/// Settings from files, in suites that stand in for those of the registry; erased when it is deallocated.
final class SettingsFiles {
    private(set) var suites: [Suite] = []

    /// - Parameters:
    ///   - words: Each a suite's name and the path of a property list, separated by an equals sign.
    ///   - known: The suites that migrations work on.
    /// - Throws: ``UsageError``, ``CommandError`` for a file that cannot be read, or the suite's error.
    init(_ words: [String], of known: [Suite]) throws {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw UsageError("--settings needs SUITE=PLIST, not \"\(word)\"") }
            guard let suite = known.first(where: { $0.description == parts[0] }) else {
                let names = Set(known.map(\.description)).sorted().joined(separator: ", ")
                throw CommandError(
                    "no migration works on the settings of \(parts[0])"
                        + (names.isEmpty ? "" : "; those with migrations are \(names)")
                )
            }
            let values = try StoreCommands.settings(in: URL(filePath: String(parts[1])))
            let standIn = suite.standIn(named: "molt-dry-run.\(UUID().uuidString)")
            suites.append(standIn)
            try standIn.fill(values)
        }
    }

    deinit {
        for suite in suites { suite.erase() }
    }
}

extension MigrationReport {
    fileprivate mutating func removeSamples() {
        for entry in entries.indices {
            for step in entries[entry].steps.indices { entries[entry].steps[step].samples = [] }
        }
    }
}

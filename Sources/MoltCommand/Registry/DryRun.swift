import Foundation
import MoltCache
import MoltCore

/// A dry run, with a page about it if one was asked for.
struct DryRun {
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
        let store = UpgradeReportPage.Store(url, appVersion: configuration.options.appVersion)
        let plan = try? self.plan()
        let date = Date()
        let result = Result { try upgradeCopy(samples: samples ?? 3) }
        do {
            try file.write(UpgradeReportPage(store: store, plan: plan, result: result, date: date).page)
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
            for: CacheStore(at: url),
            migrations: migrations,
            role: configuration.options.role,
            onlyRecordsOnRead: false
        )
    }

    private func upgradeCopy(samples: Int) throws -> MigrationReport {
        try CodableCache.dryRun(at: url, migrations: migrations, samples: samples, configuration: configuration)
    }
}

extension MigrationReport {
    fileprivate mutating func removeSamples() {
        for entry in entries.indices {
            for step in entries[entry].steps.indices { entries[entry].steps[step].samples = [] }
        }
    }
}

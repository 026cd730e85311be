import Foundation
import Molt

/// A dry run, with a page about it if one was asked for.
struct DryRunWithPage {
    let trial: UpgradeTrial
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
        guard let html else { return try trial.dryRun(samples: samples ?? 0) }
        let file = try HTMLFile(html)
        let store = UpgradeReportPage.Store(trial.store, appVersion: trial.configuration.appVersion)
        // The dry run also runs the migrations on read that an opening only records.
        let plan = try? trial.plan(.dryRun(samples: 0))
        let date = Date()
        let result = Result { try trial.dryRun(samples: samples ?? 3) }
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
            announce("The page was not written: \(error.message).")
        }
        var report = try result.get()
        if samples == nil { report.removeSamples() }
        return report
    }

    /// After a failure of a record, the report of an upgrade that quarantines such records.
    private func tolerantReport(after result: Result<MigrationReport, any Error>) -> MigrationReport? {
        guard case .failure(let error as MoltError) = result, error.isAboutRecord else { return nil }
        var tolerant = trial
        tolerant.configuration.monitor = nil
        tolerant.migrations = trial.migrations.onFailure(.quarantine(upTo: .unlimited))
        // If another failure stops this one too, the page shows the first alone.
        return try? tolerant.dryRun(samples: 0)
    }
}

extension MigrationReport {
    fileprivate mutating func removeSamples() {
        for entry in entries.indices {
            for step in entries[entry].steps.indices { entries[entry].steps[step].samples = [] }
        }
    }
}

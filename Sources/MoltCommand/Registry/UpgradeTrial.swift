import Foundation
import Molt
import MoltTesting

/// A store with a registry and settings, to see what an upgrade would do.
struct UpgradeTrial {
    let store: StoreArgument
    var migrations: MigrationRegistry
    /// The configuration, with stand-ins for the suites of which there are settings.
    var configuration: MoltConfiguration
    /// The copy of a fixture; nil for the file of a store.
    private let copy: TemporaryStore?
    private let settings: SettingsFiles

    /// - Parameters:
    ///   - settings: They take precedence over those of a fixture.
    ///   - isOnlyPlanned: Whether there will be no dry run, which reads a copy of each directory of the migrations.
    init(
        _ store: StoreArgument,
        _ settings: SettingsFiles,
        _ migrations: MigrationRegistry,
        _ configuration: MoltConfiguration,
        isOnlyPlanned: Bool
    ) throws {
        self.store = store
        self.settings = settings
        self.migrations = migrations
        copy = try store.fixture.map { try TemporaryStore($0) }
        self.configuration =
            try copy?.redirected(configuration, migrations, copiesDirectories: !isOnlyPlanned) ?? configuration
        if copy != nil { self.configuration.suites = settings.suites + self.configuration.suites }
    }

    /// The stand-in of the suite that a fixture of settings alone is about; nil for a cache.
    private var suite: Suite? {
        guard case .suite(let primary) = store.fixture?.primary else { return nil }
        return configuration.suites.first { $0.attachedName == primary.attachedName }
    }

    private var url: URL { copy?.url ?? store.url }

    func plan(_ mode: RunMode) throws -> MigrationPlan {
        if let suite { return try suite.plan(migrations, configuration: configuration) }
        let file = StoreFile(at: url, attaching: configuration.attachedStores)
        var plan = try migrations.plan(for: file, configuration, mode: mode)
        plan.store = store.path
        return plan
    }

    /// Fetches what the upgrade needs before it begins.
    mutating func fetchRecords() async throws {
        configuration = try await configuration.fetchingRecords(of: migrations, for: url)
    }

    func dryRun(samples: Int) throws -> MigrationReport {
        if let suite { return try suite.dryRun(migrations, samples: samples, configuration: configuration) }
        var report = try CacheFile(at: url).dryRunAndWait(migrations, samples: samples, configuration: configuration)
        report.store = store.path
        return report
    }
}

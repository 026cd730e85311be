package import Molt

extension CodableCache.Configuration {
    /// How the app configures its cache.
    ///
    /// - Parameters:
    ///   - release: The number of the release, for the ledger.
    ///   - monitor: Who follows the upgrade.
    package static func contacts(release: Int, monitor: MigrationMonitor? = nil) -> Self {
        var configuration = Self()
        configuration.appVersion = "\(release).0"
        configuration.monitor = monitor
        return configuration
    }
}

internal import Foundation

extension MoltConfiguration {
    /// How fast the backfill upgrades records in the background; the defaults leave most of the time to the app.
    ///
    /// ```swift
    /// var configuration = MoltConfiguration()
    /// configuration.backfillPace.batchSize = 200
    /// configuration.backfillPace.pause = .milliseconds(50)
    /// ```
    ///
    /// The backfill holds no lock while it pauses. A pause ends early at the ``MoltConfiguration/deadline``, when the
    /// cache is closed, and when ``CodableCache/finishBackfill()`` is called, which does the rest without pauses.
    public struct BackfillPace: Equatable, Sendable {
        /// The largest number of records in one transaction; nil, the default, for 2 048.
        ///
        /// The app's writes wait while such a transaction is written, which takes some milliseconds. A number below 1
        /// counts as 1, and one above 10 000 as 10 000.
        public var batchSize: Int?
        /// The pause after each transaction; nil, the default, for pauses only while the app uses the cache.
        ///
        /// If it is nil, the backfill pauses nineteen times as long as it has worked, so that it takes a twentieth of
        /// the time. It goes on once the app has not used the cache for 50 to 100 milliseconds.
        ///
        /// A duration is always waited for, whether or not the app uses the cache. Zero, or less, makes no pauses.
        public var pause: Duration?
        /// Whether the backfill pauses in Low Power Mode and while the device is hot; true by default.
        ///
        /// It asks the system after each transaction, and every 15 seconds while it pauses. The monitor gets
        /// ``MigrationEvent/backfillPaused(_:)``. Meanwhile, reads upgrade records in memory as before. Linux has no
        /// such states.
        public var pausesToSavePower: Bool

        /// Creates a pace.
        ///
        /// - Parameters:
        ///   - batchSize: The largest number of records in one transaction; nil, the default, for 2 048.
        ///   - pause: The pause after each transaction; nil, the default, for pauses only while the app uses the cache.
        ///   - pausesToSavePower: Whether the backfill pauses in Low Power Mode and while the device is hot; true by
        ///     default.
        public init(batchSize: Int? = nil, pause: Duration? = nil, pausesToSavePower: Bool = true) {
            self.batchSize = batchSize
            self.pause = pause
            self.pausesToSavePower = pausesToSavePower
        }

        /// Why the backfill pauses until the state of the device is another one.
        public enum DeviceState: String, Equatable, Sendable {
            /// The device is in Low Power Mode.
            case lowPowerMode
            /// The device is hot: its thermal state is serious or critical.
            case hot
        }
    }
}

extension MoltConfiguration.BackfillPace.DeviceState {
    /// The state of this device, with all platform differences in one place; nil if there is no reason to pause.
    static var current: Self? {
        #if canImport(Darwin)
            let process = ProcessInfo.processInfo
            if process.isLowPowerModeEnabled { return .lowPowerMode }
            switch process.thermalState {
            case .serious, .critical: return .hot
            default: return nil
            }
        #else
            return nil
        #endif
    }
}

public import Foundation

/// An upgrade that a process has begun.
///
/// It is noted beside the store when it begins, and forgotten when it ends, with an error or without. An attempt that is
/// still noted when the next one begins was cut off, because its process crashed or was killed, or it is still at work.
public struct UpgradeAttempt: Hashable, Sendable, Codable {
    /// When it began.
    public var startedAt: Date
    /// The version that the store had.
    public var from: Int
    /// The version that the store was to get.
    public var to: Int
    /// The version of the app, as the app gave it; empty when it gave none.
    public var appVersion: String
    /// The name of the process.
    public var processName: String
    /// The number of the process.
    public var processID: Int32
    /// When the process was started, as ``ProcessStart`` has it: a later process may have the same number.
    package var processStart: String?

    /// Creates an attempt.
    public init(
        startedAt: Date,
        from: Int,
        to: Int,
        appVersion: String,
        processName: String,
        processID: Int32
    ) {
        self.startedAt = startedAt
        self.from = from
        self.to = to
        self.appVersion = appVersion
        self.processName = processName
        self.processID = processID
    }

    /// An attempt of this process, from now on.
    init(_ plan: MigrationPlan, appVersion: String) {
        self.init(
            startedAt: Date(),
            from: plan.from,
            to: plan.to,
            appVersion: appVersion,
            processName: ProcessInfo.processInfo.processName,
            processID: ProcessInfo.processInfo.processIdentifier
        )
        processStart = ProcessStart.current
    }

    /// Whether another one is the same upgrade: what was cut off once is most probably cut off again.
    ///
    /// A newer release of the app may have mended it, and another version of the store is progress.
    func isRepeated(by other: UpgradeAttempt) -> Bool {
        from == other.from && to == other.to && appVersion == other.appVersion
    }
}

extension UpgradeAttempt: CustomStringConvertible {
    /// The attempt in a few words: the process, and when it began.
    public var description: String {
        let app = appVersion.isEmpty ? "" : " \(appVersion)"
        let time = startedAt.formatted(.iso8601)
        return "process \(processID) (\(ErrorSummary.oneLine(processName))\(ErrorSummary.oneLine(app))), since \(time)"
    }
}

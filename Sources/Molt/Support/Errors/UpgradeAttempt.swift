public import Foundation

/// An upgrade that a process has begun.
///
/// It is recorded beside the store when it begins, and removed when it ends, with or without an error. An attempt that
/// is still there when the next one begins is either in progress or was interrupted by a crash or a kill.
public struct UpgradeAttempt: Equatable, Sendable, Codable {
    /// When it began.
    public var startedAt: Date
    /// The store's version before the upgrade.
    public var from: Int
    /// The target version.
    public var to: Int
    /// The app's version, as given by the app; empty if it gave none.
    public var appVersion: String
    /// The name of the process.
    public var processName: String
    /// The process identifier.
    public var processID: Int32

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

    /// Whether another attempt is for the same upgrade, and so will probably be interrupted too.
    ///
    /// A newer release of the app may have fixed the cause, and a changed version of the store is progress.
    func isRepeated(by other: UpgradeAttempt) -> Bool {
        from == other.from && to == other.to && appVersion == other.appVersion
    }
}

extension UpgradeAttempt: CustomStringConvertible {
    /// The process and the start, in one line.
    public var description: String {
        let app = appVersion.isEmpty ? "" : " \(appVersion)"
        let time = DisplayText.time(startedAt)
        return "process \(processID) (\(ErrorSummary.oneLine(processName))\(ErrorSummary.oneLine(app))), since \(time)"
    }
}

public import Foundation

/// An upgrade that a process has begun.
///
/// It is recorded beside the store when it begins, and removed when it ends, with or without an error. An attempt that
/// is still there when the next one begins is either in progress or was interrupted by a crash or a kill.
public struct UpgradeAttempt: Equatable, Sendable, Codable {
    /// When it began.
    public package(set) var startedAt: Date
    /// The store's version before the upgrade.
    public package(set) var from: Int
    /// The target version.
    public package(set) var to: Int
    /// The app's version, as given by the app; empty if it gave none.
    public package(set) var appVersion: String
    /// The app's build: its build number, or what tells its executable from another one; empty if unknown.
    public package(set) var build: String
    /// The name of the process.
    public package(set) var processName: String
    /// The process identifier.
    public package(set) var processID: Int32
    /// The migration whose work after the commit it does, or the number of what it hands over; nil for an upgrade.
    public package(set) var work: String?

    /// Creates an attempt of this process, which begins now.
    package init(from: Int, to: Int, appVersion: String, build: String) {
        startedAt = Date()
        self.from = from
        self.to = to
        self.appVersion = appVersion
        self.build = build
        processName = ProcessInfo.processInfo.processName
        processID = ProcessInfo.processInfo.processIdentifier
    }

    /// Whether another attempt is for the same upgrade or work, and so will probably be interrupted too.
    ///
    /// Another build of the app may have fixed the cause, and a changed version of the store is progress.
    func isRepeated(by other: UpgradeAttempt) -> Bool {
        from == other.from && to == other.to && appVersion == other.appVersion && build == other.build
            && work == other.work
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

// Stands for Apple's framework where it is missing: as much as the guides' examples use. See .ci/examples.
@_exported import Foundation

@MainActor public final class UIApplication {
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("didEnterBackground")
    public nonisolated static let willEnterForegroundNotification = Notification.Name("willEnterForeground")
}

extension ProcessInfo {
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

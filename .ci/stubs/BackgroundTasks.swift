// Stands for Apple's framework where it is missing: as much as the guides' examples use. See .ci/examples.
@_exported import Foundation

/// As in the SDK, it is not `Sendable`.
public final class BGProcessingTask {
    public var expirationHandler: (() -> Void)?
    public func setTaskCompleted(success: Bool) {}
}

// Stands for Apple's framework where it is missing: as much as the guides' examples use. See .ci/examples.
@_exported import Foundation

public final class BGProcessingTask: @unchecked Sendable {
    public var expirationHandler: (() -> Void)?
    public func setTaskCompleted(success: Bool) {}
}

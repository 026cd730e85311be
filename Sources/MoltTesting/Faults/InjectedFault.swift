public import Foundation
internal import MoltCore

/// What a ``FaultSweep`` lets an upgrade fail with.
///
/// Where a store writes, it is the underlying error of a `MigrationError` with the code `storeFailed`, as the store's own
/// failures are.
public struct InjectedFault: Error, Hashable, Sendable {
    /// Where it was thrown.
    public let point: FaultPoint
}

extension InjectedFault: CustomStringConvertible, LocalizedError {
    /// Where it was thrown.
    public var description: String {
        "This fault was injected by a FaultSweep: \(point)."
    }

    /// As ``description``.
    public var errorDescription: String? { description }

    /// The fault in the form that the pipeline knows from the place.
    var asThrown: any Error {
        guard point.area == .writes else { return self }
        return MigrationError(.storeFailed, "The store could not be written.", underlying: self)
    }
}

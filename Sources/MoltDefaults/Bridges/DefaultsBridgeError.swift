/// Why a value cannot be read or stored in the form that its type asks for, and where inside; never the value itself.
public struct DefaultsBridgeError: Error, Hashable, CustomStringConvertible {
    /// The place inside the value, such as `[3]["name"]`; empty for the value as a whole.
    public let place: String
    /// What is wrong, such as "is not a whole number from 0 to 255".
    public let reason: String

    /// Says what is wrong with the value at hand.
    ///
    /// - Parameter reason: Continues "The value …"; has nothing of the value in it.
    public init(_ reason: String) {
        self.init(place: "", reason: reason)
    }

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    /// The place and what is wrong there.
    public var description: String {
        place.isEmpty ? "The value \(reason)" : "The value at \(place) \(reason)"
    }

    /// Runs a conversion of something inside a value, so that its failure says where it is.
    package static func within<Result>(
        _ place: @autoclosure () -> String,
        _ convert: () throws -> Result
    ) throws -> Result {
        do {
            return try convert()
        } catch let error as DefaultsBridgeError {
            throw DefaultsBridgeError(place: place() + error.place, reason: error.reason)
        }
    }
}

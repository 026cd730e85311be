// Stands for Apple's module where it is missing: as much as Molt and the guides' examples use.
public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func debug(_ message: OSLogMessage) {}
    public func notice(_ message: OSLogMessage) {}
    public func error(_ message: OSLogMessage) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {}
    public init(stringInterpolation text: OSLogInterpolation) {}
}

public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ text: String) {}
    public mutating func appendInterpolation<Value: CustomStringConvertible>(
        _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
    ) {}
}

public struct OSLogPrivacy: Sendable {
    public static let auto = OSLogPrivacy()
    public static let `public` = OSLogPrivacy()
}

public struct OSSignposter: Sendable {
    public init(logger: Logger) {}
    public func makeSignpostID() -> OSSignpostID { OSSignpostID() }
    public func beginInterval(_ name: StaticString, id: OSSignpostID, _ message: OSLogMessage)
        -> OSSignpostIntervalState
    {
        OSSignpostIntervalState()
    }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
}

public struct OSSignpostID: Sendable {}

public final class OSSignpostIntervalState: Sendable {
    init() {}
}

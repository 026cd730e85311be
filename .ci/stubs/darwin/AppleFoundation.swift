// Stands for what Foundation and Dispatch have on Apple's systems only, for .ci/darwin.
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier name: String) -> URL? { nil }
}

extension URLResourceKey {
    public static let volumeAvailableCapacityForImportantUsageKey = URLResourceKey(rawValue: "important")
}

extension URLResourceValues {
    public var volumeAvailableCapacityForImportantUsage: Int64? { nil }
}

public class DispatchSourceMemoryPressure {
    public func setEventHandler(handler: (@Sendable () -> Void)?) {}
    public func activate() {}
    public func cancel() {}
}

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let warning = MemoryPressureEvent(rawValue: 2)
        public static let critical = MemoryPressureEvent(rawValue: 4)
    }

    public static func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> DispatchSourceMemoryPressure {
        DispatchSourceMemoryPressure()
    }
}

extension ProcessInfo {
    public enum ThermalState: Int, Sendable { case nominal, fair, serious, critical }

    public var isLowPowerModeEnabled: Bool { false }
    public var thermalState: ThermalState { .nominal }
}

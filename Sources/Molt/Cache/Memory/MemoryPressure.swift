internal import Dispatch

/// Reports memory pressure; Linux has no such notification.
final class MemoryPressure: Sendable {
    #if canImport(Darwin)
        // A dispatch source may be used from any thread.
        private nonisolated(unsafe) let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical],
            queue: .global(qos: .utility)
        )

        /// Calls a closure on another thread each time memory becomes scarce.
        func onWarning(_ body: @escaping @Sendable () -> Void) {
            source.setEventHandler(handler: body)
            source.activate()
        }

        deinit {
            source.cancel()
        }
    #else
        func onWarning(_ body: @escaping @Sendable () -> Void) {}
    #endif
}

import Testing

@testable import Molt

extension MigrationMonitor {
    /// A monitor that runs a closure when an upgrade is first planned: the store was read, and no lock is held yet.
    static func afterPlanning(_ body: @escaping @Sendable () throws -> Void) -> MigrationMonitor {
        let once = Once()
        once.set { #expect(throws: Never.self) { try body() } }
        return MigrationMonitor { if case .planned = $0 { once.run() } }
    }
}

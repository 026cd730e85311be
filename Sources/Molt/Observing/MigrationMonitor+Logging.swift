#if canImport(os)
    internal import Foundation
    public import os

    extension MigrationMonitor {
        /// Creates a monitor that writes the events to the system's log, for Console and Instruments.
        ///
        /// Failures are errors in the log, progress is for debugging, and all others are notices. Instruments shows an
        /// interval for each migration, under the logger's subsystem and category if the signposter has them. No event
        /// contains a value, so all are public.
        ///
        /// - Parameters:
        ///   - logger: The logger.
        ///   - signposter: For the intervals; by default one with the logger's subsystem and category.
        ///   - onEvent: Called for each event, too; nil, the default, for no closure.
        public convenience init(
            logger: Logger,
            signposter: OSSignposter? = nil,
            onEvent: (@Sendable (MigrationEvent) -> Void)? = nil
        ) {
            let signposter = signposter ?? OSSignposter(logger: logger)
            let intervals = Locked<[MigrationID: OSSignpostIntervalState]>([:])
            self.init { event in
                switch event {
                case .started(let migration):
                    let state = signposter.beginInterval(
                        "Migration",
                        id: signposter.makeSignpostID(),
                        "\(migration, privacy: .public)"
                    )
                    intervals.withLock { $0[migration] = state }
                case .ended(let entry):
                    if let state = intervals.withLock({ $0.removeValue(forKey: entry.migration) }) {
                        signposter.endInterval("Migration", state)
                    }
                case .failed:
                    let open = intervals.withLock { intervals in
                        defer { intervals = [:] }
                        return Array(intervals.values)
                    }
                    for state in open { signposter.endInterval("Migration", state) }
                default:
                    break
                }
                switch event {
                case .failed, .backfillFailed, .workFailed: logger.error("\(event.description, privacy: .public)")
                case .progressed, .backfillProgressed: logger.debug("\(event.description, privacy: .public)")
                default: logger.notice("\(event.description, privacy: .public)")
                }
                onEvent?(event)
            }
        }
    }
#endif

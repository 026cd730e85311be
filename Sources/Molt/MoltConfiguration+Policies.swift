internal import Foundation

extension MoltConfiguration {
    /// Which process must upgrade a store that needs it.
    public enum Owner: Hashable, Sendable {
        /// The process that opens it.
        case thisProcess
        /// Another process, for example the app when its widget or extension opens the store.
        ///
        /// The opening waits for that process and then fails with the code `needsMigration`; by default it fails at once.
        /// The other process must also create a store that does not exist yet.
        case anotherProcess(waiting: Duration = .zero)
    }

    /// The role of the process that opens a store: the app, or an extension, which cannot see everything that the app sees.
    public enum Role: String, Hashable, Sendable, Codable {
        /// The app, or a tool or server.
        case app
        /// An app extension or a widget, whose standard settings are not those of the app.
        case appExtension

        /// The role of this process, from its bundle: extensions have the path extension `appex`.
        public static var current: Role {
            Bundle.main.bundleURL.pathExtension == "appex" ? .appExtension : .app
        }
    }

    /// The policy for code that does not match the store's record of it.
    ///
    /// A mismatch is the developer's mistake: it should be noticed at once, but not stop users.
    public enum MismatchPolicy: Hashable, Sendable {
        /// An error is thrown.
        case fail
        /// A ``MigrationEvent`` is sent to the monitor.
        case report
        /// The mismatch is ignored.
        case ignore

        /// ``fail`` in debug builds, ``report`` in all others.
        public static var standard: MismatchPolicy {
            #if DEBUG
                .fail
            #else
                .report
            #endif
        }
    }
}

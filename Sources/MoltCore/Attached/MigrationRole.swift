internal import Foundation

/// The role of the process that opens a store: the app, or an extension, which cannot see everything that the app sees.
public enum MigrationRole: String, Hashable, Sendable, Codable {
    /// The app, or a tool or server.
    case app
    /// An app extension or a widget, whose standard settings are not those of the app.
    case appExtension

    /// The role of this process, from its bundle: extensions have the path extension `appex`.
    public static var current: MigrationRole {
        Bundle.main.bundleURL.pathExtension == "appex" ? .appExtension : .app
    }
}

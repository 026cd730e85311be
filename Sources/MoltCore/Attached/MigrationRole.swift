internal import Foundation

/// Who opens a store: the app, or an extension of it, which cannot see all that the app sees.
public enum MigrationRole: String, Hashable, Sendable, Codable {
    /// The app, or a tool or server.
    case app
    /// An app extension or a widget: its standard settings are its own, and not those of the app.
    case appExtension

    /// What this process is, by its bundle: extensions have the path extension `appex`.
    public static var current: MigrationRole {
        Bundle.main.bundleURL.pathExtension == "appex" ? .appExtension : .app
    }
}

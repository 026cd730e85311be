internal import Foundation
package import Molt

/// Where the settings are: in the app's own suite until release 3, in that of an app group since.
///
/// An app would name `.standard` and its group. The command has two suites of its own in each run, so that it changes
/// nobody's settings.
package struct SettingsSuites: Sendable {
    /// The app's own settings.
    package let own: Suite
    /// Those that it shares with its extensions.
    package let group: Suite

    /// Two suites whose names end with a text.
    ///
    /// - Parameter id: What nobody else's names end with; something new by default.
    package init(id: String = String(UUID().uuidString.prefix(8))) {
        own = Suite("contacts.\(id)")
        group = Suite("group.contacts.\(id)")
    }

    /// Two suites in which nothing is, the same at every run: the suites that a migration names are a part of it, and
    /// a store remembers that.
    package static let empty = SettingsSuites(id: "no-settings")

    /// Removes both suites with all that is in them.
    package func remove() {
        // Elsewhere they are files in the scratch directory, which go with it.
        #if canImport(Darwin)
            for suite in [own, group] {
                UserDefaults(suiteName: suite.domainName)?.removePersistentDomain(forName: suite.domainName)
            }
        #endif
    }
}

import Foundation
import Molt
import contacts

/// Today's registry over empty suites, for tests that are not about settings.
let migrations = contacts.migrations(settings: .empty)

extension SettingsSuites {
    /// New suites with release 1's settings in the app's own suite.
    static func ofRelease1() throws -> SettingsSuites {
        let suites = SettingsSuites()
        try suites.own.update(set: Release.settings())
        return suites
    }
}

import Molt
import contacts

/// Today's registry over suites in which nothing is: for tests that are not about settings.
let migrations = contacts.migrations(settings: .empty)

extension SettingsSuites {
    /// New suites; the app's own one has the settings that release 1 left.
    static func ofRelease1() throws -> SettingsSuites {
        let suites = SettingsSuites()
        try suites.own.update(set: Releases.settings())
        return suites
    }
}

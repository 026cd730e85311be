#if canImport(Darwin)
    internal import CoreFoundation
    internal import Foundation

    /// The persistent domain of a suite on Apple platforms, kept by a system service.
    ///
    /// A value survives a kill as soon as it is set, and each value is set or removed by itself. The service writes the
    /// file a little later, so a loss of power may undo the last changes. The file belongs to the service and is never accessed.
    package struct SuiteDomain: Sendable {
        package let suite: Suite

        package init(_ suite: Suite) {
            self.suite = suite
        }

        /// All values in the domain.
        package func read() throws -> [String: PropertyListValue] {
            try suite.validate()
            let objects = try suite.makeDefaults().persistentDomain(forName: suite.domainName) ?? [:]
            if !objects.isEmpty { suite.noteSettings() }
            return try Self.normalized(objects, of: suite)
        }

        /// All values in the domain; every set value counts as saved.
        package func readSaved() throws -> [String: PropertyListValue] {
            try read()
        }

        package func readForChange() throws -> [String: PropertyListValue] {
            try read()
        }

        /// One value as the app sees it.
        ///
        /// `UserDefaults` can only copy a whole domain, so this uses `CFPreferences`.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            try suite.validate()
            let object = CFPreferencesCopyValue(
                key as CFString,
                suite.domainName as CFString,
                kCFPreferencesCurrentUser,
                kCFPreferencesAnyHost
            )
            return try Self.normalized(object.map { [key: $0] } ?? [:], of: suite)[key]
        }

        /// Makes the changes computed from the current values; the service keeps them, and has no damaged files.
        package func change(settingAsideDamage: Bool, _ edit: (SuiteContent) throws -> SuiteEdit) throws {
            let edit = try edit(SuiteContent(values: read())).checked(for: suite)
            guard !edit.isEmpty else { return }
            let defaults = try suite.makeDefaults()
            for (key, value) in edit.changes {
                if let value { defaults.set(value.object, forKey: key) } else { defaults.removeObject(forKey: key) }
            }
            defaults.synchronize()
            let different = Self.differences(try read(), edit)
            if !different.isEmpty { throw Self.failure(differing: different, of: suite) }
        }

        /// Only creates the object, because the service reports no write errors in advance.
        package func checkWritable() throws {
            try suite.validate()
            _ = try suite.makeDefaults()
        }

        func flush() throws {
            try suite.validate()
            try suite.makeDefaults().synchronize()
        }
    }
#endif

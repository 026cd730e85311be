#if canImport(Darwin)
    internal import CoreFoundation
    internal import Foundation

    /// A suite's domain on Apple platforms, kept by a system service.
    ///
    /// A value survives a kill as soon as it is set, and each value is set or removed by itself. The service writes the
    /// file a little later, so a loss of power may undo the last changes. The file belongs to the service and is never accessed.
    struct SuiteStorage {
        private let suite: Suite

        init(_ suite: Suite) {
            self.suite = suite
        }

        func read() throws -> [String: PropertyListValue] {
            let objects = try suite.makeDefaults().persistentDomain(forName: suite.domainName) ?? [:]
            if !objects.isEmpty { suite.noteSettings() }
            return try SuiteDomain.normalized(objects, of: suite)
        }

        /// All values in the domain; every set value counts as saved.
        func saved() throws -> [String: PropertyListValue] {
            try read()
        }

        func readForChange() throws -> [String: PropertyListValue] {
            try read()
        }

        /// One value as the app sees it.
        ///
        /// `UserDefaults` can only copy a whole domain, so this uses `CFPreferences`.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            let object = CFPreferencesCopyValue(
                key as CFString,
                suite.domainName as CFString,
                kCFPreferencesCurrentUser,
                kCFPreferencesAnyHost
            )
            return try SuiteDomain.normalized(object.map { [key: $0] } ?? [:], of: suite)[key]
        }

        /// Makes the changes computed from the current values; the service keeps them, and has no damaged files.
        func change(settingAsideDamage: Bool, _ edit: (SuiteContent) throws -> SuiteEdit) throws {
            let edit = try edit(SuiteContent(values: read()))
            guard !edit.isEmpty else { return }
            let defaults = try suite.makeDefaults()
            for (key, value) in edit.changes {
                if let value { defaults.set(value.object, forKey: key) } else { defaults.removeObject(forKey: key) }
            }
            defaults.synchronize()
            let different = SuiteDomain.differences(try read(), edit)
            if !different.isEmpty { throw SuiteDomain.failure(differing: different, of: suite) }
        }

        /// Only creates the object, because the service reports no write errors in advance.
        func checkWritable() throws {
            _ = try suite.makeDefaults()
        }

        func flush() throws {
            try suite.makeDefaults().synchronize()
        }
    }
#endif

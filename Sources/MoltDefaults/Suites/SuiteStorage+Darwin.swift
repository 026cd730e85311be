#if canImport(Darwin)
    internal import CoreFoundation
    internal import Foundation

    /// A suite's domain on Apple platforms: kept by a service of the system.
    ///
    /// What is set survives a kill at once, and nothing is ever half written; the file is the service's own and is
    /// never touched.
    struct SuiteStorage {
        private let suite: Suite

        init(_ suite: Suite) {
            self.suite = suite
        }

        /// Everything in the domain.
        func read() throws -> [String: PropertyListValue] {
            let objects = try suite.makeDefaults().persistentDomain(forName: suite.domainName) ?? [:]
            return try SuiteDomain.normalized(objects, of: suite)
        }

        /// Everything in the domain: what is set is saved.
        func saved() throws -> [String: PropertyListValue] {
            try read()
        }

        /// One value as the app sees it.
        ///
        /// `UserDefaults` gives a domain as a whole only: a copy of all values for each that is read.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            let object = CFPreferencesCopyValue(
                key as CFString,
                suite.domainName as CFString,
                kCFPreferencesCurrentUser,
                kCFPreferencesAnyHost
            )
            return try SuiteDomain.normalized(object.map { [key: $0] } ?? [:], of: suite)[key]
        }

        /// Makes the changes that follow from what is there; the service keeps them from then on, and has no damaged files.
        ///
        /// - Returns: Whether there were changes to make.
        func change(settingAsideDamage: Bool, _ edit: (SuiteContent) throws -> SuiteEdit) throws -> Bool {
            let edit = try edit(SuiteContent(values: read()))
            guard !edit.isEmpty else { return false }
            let defaults = try suite.makeDefaults()
            for key in edit.removed { defaults.removeObject(forKey: key) }
            for (key, value) in edit.values { defaults.set(value.object, forKey: key) }
            defaults.synchronize()
            let different = SuiteDomain.differences(try read(), edit)
            if !different.isEmpty { throw SuiteDomain.failure(differing: different, of: suite) }
            return true
        }

        /// The service says nothing of this in advance.
        func checkWritable() throws {
            _ = try suite.makeDefaults()
        }

        /// Hands everything to the service.
        func flush() throws {
            try suite.makeDefaults().synchronize()
        }
    }
#endif

package import Foundation
package import Molt

extension Release {
    /// The migrations that the release had: those of today that shipped with it or before, for none is ever changed.
    package static var registry: MigrationRegistry {
        // Up to release 3 no migration names a suite, so any suites will do.
        migrations(settings: SettingsSuites()).upTo(version: number)
    }

    /// Writes a store with sample data, as an app of this release that was just installed would have.
    ///
    /// - Parameters:
    ///   - count: How many people.
    ///   - file: Where nothing is yet.
    /// - Throws: ``ContactsError``, `CacheError` or `MigrationError`; `CancellationError` in a task that is cancelled.
    package static func write(people count: Int, to file: URL) throws {
        guard !file.exists else { throw ContactsError.fileExists(file) }
        let cache = try CodableCache(at: file, migrations: registry, configuration: .contacts(release: number))
        defer { cache.close() }
        for samples in SampleData.batches(people: count) {
            try Task.checkCancellation()
            try cache.batch { batch in
                for (key, sample) in samples.contacts { try batch.set(contact(sample), forKey: key) }
                for (key, group) in samples.groups { try batch.set(group, forKey: key) }
                for (key, sample) in samples.calls { try batch.set(call(sample), forKey: key) }
                for (key, picture) in samples.avatars { try batch.set(picture, forKey: key) }
            }
        }
    }

    /// A person, read from a store of this release with this release's code.
    ///
    /// - Returns: Nil when the store has no such person.
    package static func contact(forKey key: String, in file: URL) throws -> ShownValue? {
        let cache = try CodableCache(at: file, migrations: registry, configuration: .contacts(release: number))
        defer { cache.close() }
        return try cache.value(Contact.self, forKey: key).map { try ShownValue($0) }
    }
}

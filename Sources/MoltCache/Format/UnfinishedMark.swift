internal import Foundation
internal import MoltCore

/// Reads and writes how far a migration has come that commits in batches.
package enum UnfinishedMark {
    /// The name under which it is kept.
    package static let name = "unfinished"

    /// What is kept; nil when no migration is half done.
    ///
    /// - Throws: ``SQLiteError`` for damage when there is something that cannot be read.
    static func read(_ connection: Connection) throws(SQLiteError) -> UnfinishedMigration? {
        let query = "SELECT value FROM molt_meta WHERE name = '\(name)'"
        guard let bytes = try connection.prepare(query).first({ Data($0.bytes(0)) }) else { return nil }
        // Whatever is the matter with it, it is damage.
        guard let found = try? JSONDecoder().decode(UnfinishedMigration.self, from: bytes), found.isPlausible else {
            throw SQLiteError(extendedCode: 11, message: "the mark of a migration that is half done cannot be read")
        }
        return found
    }

    /// Keeps one in the place of another, or none.
    static func write(_ unfinished: UnfinishedMigration?, to connection: Connection) throws(SQLiteError) {
        try FileFormat.beginGeneration(connection)
        guard let unfinished else {
            return try connection.execute("DELETE FROM molt_meta WHERE name = '\(name)'")
        }
        // What has only text, whole numbers and times that were read from a clock can always be encoded.
        guard let bytes = try? JSONEncoder().encode(unfinished) else { throw .misuse }
        let statement = try connection.prepare("INSERT OR REPLACE INTO molt_meta(name, value) VALUES('\(name)', ?1)")
        try statement.bind(String(decoding: bytes, as: UTF8.self), at: 1)
        try statement.run()
    }
}

extension UnfinishedMigration {
    /// Whether its numbers are such as a migration can have: they are added to.
    fileprivate var isPlausible: Bool {
        let counts = [counts] + stepCounts
        let numbers =
            counts.flatMap { [$0.read, $0.changed, $0.dropped, $0.created, $0.quarantined] }
            + (failures ?? []).flatMap { [$0.step, $0.count] } + [total, migration.version]
        return numbers.allSatisfy { (0...1 << 48).contains($0) }
    }
}

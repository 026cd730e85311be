package import Foundation

/// What tests ask of a file that was left behind by an upgrade that failed.
extension CacheStore {
    /// What SQLite finds wrong with a file, in its own words; nothing when the file is whole, or not there.
    ///
    /// - Throws: ``CacheError``, with the codes of ``state(at:)``.
    package static func damage(at url: URL) throws -> [String] {
        let lines = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            var lines: [String] = []
            do throws(SQLiteError) {
                try connection.prepare("PRAGMA integrity_check").eachRow { row throws(SQLiteError) in
                    lines.append(row.text(0))
                }
            } catch {
                // It gives up where a page that it cannot do without is not what it must be.
                guard error.isDamage else { throw error }
                lines.append(error.message)
            }
            return lines
        }
        return (lines ?? []).filter { $0 != "ok" }
    }

    /// How many pages a file has; 0 when there is none.
    ///
    /// - Throws: ``CacheError``, with the codes of ``state(at:)``.
    package static func pageCount(at url: URL) throws -> Int {
        let count = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            Int(try connection.integer("PRAGMA page_count"))
        }
        return count ?? 0
    }
}

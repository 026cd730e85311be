package import Foundation

/// Checks for tests of files that a failed upgrade left behind.
extension StoreFile {
    /// The faults that SQLite's integrity check finds; empty when the file is whole or missing.
    ///
    /// - Throws: ``MoltError`` with the codes of ``state(at:)``.
    package static func damage(at url: URL) throws -> [String] {
        let lines = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            var lines: [String] = []
            do throws(SQLiteError) {
                try connection.prepare("PRAGMA integrity_check").eachRow { row throws(SQLiteError) in
                    lines.append(row.text(0))
                }
            } catch {
                // SQLite gives up at a damaged page that it cannot do without.
                guard error.isDamage else { throw error }
                lines.append(error.message)
            }
            return lines
        }
        return (lines ?? []).filter { $0 != "ok" }
    }

    /// The number of pages in a file; 0 when there is none.
    ///
    /// - Throws: ``MoltError`` with the codes of ``state(at:)``.
    package static func pageCount(at url: URL) throws -> Int {
        let count = try FileProbe.look(FileStatus.path(of: url)) { connection throws(SQLiteError) in
            Int(try connection.integer("PRAGMA page_count"))
        }
        return count ?? 0
    }
}

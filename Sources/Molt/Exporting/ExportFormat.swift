internal import Foundation

/// The form of an export: one JSON text, with a head and then the records, each in a line unless its content has
/// several.
///
/// The guide "Exporting and importing" describes it for other programs.
enum ExportFormat {
    static let name = "molt-export"
    static let version = 1

    /// The members of the text, in the order in which they are written; the records are the last.
    enum Member: String {
        case format, formatVersion, version, migrations, appVersion, exportedAt, settings, records
    }

    enum RecordMember: String {
        case key, type, created, updated, expires, content, data
    }

    /// What an export says before its records.
    struct Head: Equatable, Sendable {
        /// The schema version of the records.
        var version: Int
        /// The migrations that the store counted as applied, in the order of its ledger.
        var migrations: [ExportedMigration]
        var appVersion = ""
        /// Seconds since 1970.
        var exportedAt = 0.0
        /// The suites by their names as attached stores; nil if no one asked for any.
        var settings: [String: ExportedSuite]?

        /// Writes the beginning of the text, up to the records.
        func write(to bytes: inout [UInt8]) throws {
            bytes.append(
                contentsOf: #"{"format":"\#(ExportFormat.name)","formatVersion":\#(ExportFormat.version)"#.utf8
            )
            bytes.append(contentsOf: #","version":\#(version),"migrations":["#.utf8)
            for (index, migration) in migrations.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                migration.write(to: &bytes)
            }
            bytes.append(contentsOf: #"],"appVersion":"#.utf8)
            JSONString.write(appVersion, to: &bytes)
            bytes.append(contentsOf: #","exportedAt":\#(time(exportedAt))"#.utf8)
            if let settings {
                bytes.append(contentsOf: ",\n\"settings\":".utf8)
                try ExportedSuite.write(settings, to: &bytes)
            }
            bytes.append(contentsOf: #","records":["#.utf8)
        }
    }

    static let end = Array("\n]}\n".utf8)

    /// A time as a JSON number: the shortest text that gives the same number of seconds since 1970.
    static func time(_ seconds: Double) -> String {
        // Only a damaged file has a time that is not finite.
        RecordValue.Number(seconds)?.text ?? "0"
    }
}

extension StoreContents.DatedRecord {
    /// Whether it was created and updated at dates of the calendar.
    ///
    /// A record from the far future would stay newer than all others.
    var hasPossibleDates: Bool { [created, updated].allSatisfy { abs($0) < DisplayText.lastSecond } }

    /// Writes the record as a JSON object, as in an export; its content keeps its bytes.
    ///
    /// - Parameter version: The version at which it was last written, as another member; nil to leave that out.
    package func write(to bytes: inout [UInt8], version: Int? = nil) {
        bytes.append(contentsOf: #"{"key":"#.utf8)
        JSONString.write(stored.key, to: &bytes)
        bytes.append(contentsOf: #","type":"#.utf8)
        JSONString.write(stored.typeName, to: &bytes)
        if let version { bytes.append(contentsOf: #","version":\#(version)"#.utf8) }
        let created = ExportFormat.time(self.created)
        bytes.append(contentsOf: #","created":"#.utf8)
        bytes.append(contentsOf: created.utf8)
        bytes.append(contentsOf: #","updated":"#.utf8)
        // Most records were never set again, and the text of a time takes long.
        bytes.append(contentsOf: (updated == self.created ? created : ExportFormat.time(updated)).utf8)
        if let expiration = stored.expiration, expiration.isFinite {
            bytes.append(contentsOf: #","expires":\#(ExportFormat.time(expiration))"#.utf8)
        }
        if stored.isData {
            bytes.append(contentsOf: #","data":"\#(Data(stored.content).base64EncodedString())""#.utf8)
        } else {
            bytes.append(contentsOf: #","content":"#.utf8)
            bytes.append(contentsOf: stored.content)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

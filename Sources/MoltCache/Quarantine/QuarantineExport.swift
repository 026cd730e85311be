public import Foundation
internal import MoltCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Records that were in quarantine, as ``CodableCache/exportQuarantine(to:)`` wrote them into a file.
///
/// The file is JSON: content that is JSON text stands in it as it is, byte for byte, and all other as base64.
public struct QuarantineExport: Hashable, Sendable {
    /// The schema version of the store.
    public var schemaVersion: Int
    /// The records, in the order in which they were set aside.
    public var records: [QuarantinedRecord]

    /// The format that this release writes and reads.
    static let format = 1

    /// Reads a file.
    ///
    /// - Throws: ``CacheError`` with the code `notAnExport`, and `fileMissing` or `storeFailed` when it cannot be read.
    public init(contentsOf url: URL) throws {
        let path = FileStatus.path(of: url)
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            let isMissing = FileStatus.unfollowed(path) == nil
            var failure = CacheError(
                isMissing ? .fileMissing : .storeFailed,
                isMissing ? "There is no file at \(path)." : "The file at \(path) cannot be read.",
                underlying: error
            )
            failure.path = path
            throw failure
        }
        guard let export = Self(data) else {
            var error = CacheError(
                .notAnExport,
                "The file at \(path) is no export of a quarantine, or one of a newer release of Molt."
            )
            error.path = path
            throw error
        }
        self = export
    }

    private init?(_ data: Data) {
        // Whatever is the matter with the file, it is no export: the caller says so.
        guard let text = String(validating: data, as: UTF8.self), let file = try? JSONPart(text) else { return nil }
        let properties = Self.properties(file)
        guard properties["moltQuarantine"]?.text == "\(Self.format)",
            let version = (properties["schemaVersion"]?.text).flatMap({ Int($0) }),
            let elements = properties["records"]?.elements
        else { return nil }
        var records: [QuarantinedRecord] = []
        for element in elements {
            // So is one with a record that cannot be read: to take in the others would lose it without a word.
            guard let head = try? Self.decoder.decode(Head.self, from: Data(element.utf8)) else { return nil }
            if let data = head.base64 {
                records.append(head.record(content: data))
            } else {
                guard let content = Self.properties(element)["content"] else { return nil }
                records.append(head.record(content: Data(content.utf8)))
            }
        }
        schemaVersion = version
        self.records = records
    }

    private static func properties(_ part: JSONPart) -> [String: JSONPart] {
        Dictionary((part.properties ?? []).map { ($0.name, $0.value) }) { $1 }
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return decoder
    }

    // MARK: Writing

    /// The beginning of a file.
    static func opening(schemaVersion: Int) -> Data {
        Data("{\n  \"moltQuarantine\": \(format),\n  \"schemaVersion\": \(schemaVersion),\n  \"records\": [".utf8)
    }

    /// The end of a file.
    static let closing = Data("\n  ]\n}\n".utf8)

    /// A record, with what separates it from the one before it.
    static func element(_ row: QuarantineRow, isFirst: Bool) throws -> Data {
        var head = Head(row)
        let content = Data(row.record.content)
        let isPlain = !row.record.isData && isPlain(content)
        if !isPlain { head.base64 = content }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        var data = Data((isFirst ? "\n    " : ",\n    ").utf8)
        data += try encoder.encode(head)
        if isPlain {
            data.removeLast()
            data += Data(",\"content\":".utf8)
            data += content
            data += Data("}".utf8)
        }
        return data
    }

    /// Whether content can stand in the file as it is: JSON text without anything around it, and not nested too deeply.
    private static func isPlain(_ content: Data) -> Bool {
        // Whether it throws is the answer.
        guard let text = String(validating: content, as: UTF8.self), let part = try? JSONPart(text) else {
            return false
        }
        return Data(part.utf8) == content && (try? JSONPart("[[[\(text)]]]")) != nil
    }

    /// All of a record but its content, where that is JSON text.
    private struct Head: Codable {
        var id: Int64
        var key: String
        var type: String
        var isData: Bool
        var expiration: Double?
        var version: Int
        var created: Double
        var updated: Double
        var failure: RecordFailure
        var quarantined: Double
        var base64: Data?

        init(_ row: QuarantineRow) {
            id = row.id
            key = row.record.key
            type = row.record.typeName
            isData = row.record.isData
            expiration = row.record.expiration
            version = row.record.version
            created = row.created
            updated = row.updated
            failure = row.failure
            quarantined = row.quarantined
        }

        func record(content: Data) -> QuarantinedRecord {
            QuarantinedRecord(
                id: id,
                key: key,
                typeName: type,
                content: content,
                isData: isData,
                expiration: expiration.map { Date(timeIntervalSince1970: $0) },
                version: version,
                created: Date(timeIntervalSince1970: created),
                updated: Date(timeIntervalSince1970: updated),
                failure: failure,
                quarantined: Date(timeIntervalSince1970: quarantined)
            )
        }
    }
}

extension CodableCache {
    /// Writes all records in quarantine into a new file, to be looked at or sent in; they stay in quarantine.
    ///
    /// The file has its name only when it is whole and on disk, and only its owner may read it.
    ///
    /// - Important: The file holds what users have stored, in plain text.
    /// - Parameter url: Where nothing is yet.
    /// - Returns: How many records there are in it.
    /// - Throws: ``CacheError`` with the code `fileExists`, or `storeFailed` when it cannot be written.
    @discardableResult
    public func exportQuarantine(to url: URL) throws -> Int {
        let path = FileStatus.path(of: url)
        do {
            guard FileStatus.unfollowed(path) == nil else { throw DurableFile.Failure(number: EEXIST) }
            PartFile.removeLeftover(path + BackupName.part)
            let file = try PartFile(path + BackupName.part)
            try file.write(QuarantineExport.opening(schemaVersion: schemaVersion))
            var count = 0
            var after: Int64 = 0
            while true {
                // One page after another: of very many records few are in memory.
                let rows = try quarantineRows(after: after, limit: 256, byteLimit: 4 << 20)
                guard let last = rows.last else { break }
                after = last.id
                for row in rows {
                    try file.write(QuarantineExport.element(row, isFirst: count == 0))
                    count += 1
                }
            }
            try file.write(QuarantineExport.closing)
            try file.publish(as: path)
            return count
        } catch let failure as DurableFile.Failure {
            throw CacheError(failure, exportingTo: path)
        }
    }
}

extension CacheError {
    /// The error for a file that could not be written.
    fileprivate init(_ failure: DurableFile.Failure, exportingTo path: String) {
        if failure.isExisting {
            self.init(.fileExists, "There is something at \(path) already. Choose another path. It was not changed.")
        } else {
            self.init(.storeFailed, "The quarantine cannot be written to \(path): \(failure.reason).")
        }
        self.path = path
    }
}

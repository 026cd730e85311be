internal import Molt

/// A record as the conformance suite writes and reads it; keys are compared bytewise.
struct StoredRow: Equatable, CustomStringConvertible {
    var id: Int64
    var key: [UInt8]
    var type: String
    var content: [UInt8]
    var isData = false
    /// The expiration, in seconds since 1970.
    var expiration: Double?

    init(_ id: Int64, _ key: String, _ type: String, _ content: String = "{}", expiration: Double? = nil) {
        self.id = id
        self.key = Array(key.utf8)
        self.type = type
        self.content = Array(content.utf8)
        self.expiration = expiration
    }

    init(_ record: Record) {
        id = record.id
        key = Array(record.key.utf8)
        type = record.typeName
        content = []
        record.writeContent(to: &content)
        isData = record.isData
        expiration = record.expirationSeconds
    }

    var record: Record {
        let batch = RecordBatch(capacity: 1)
        key.withUnsafeBytes { key in
            content.withUnsafeBytes { content in
                batch.append(
                    id: id,
                    typeName: type,
                    key: key,
                    content: content,
                    isData: isData,
                    expiration: expiration
                )
            }
        }
        return batch[0]
    }

    var description: String {
        let content = isData ? "\(content)" : String(decoding: content, as: UTF8.self)
        let key = String(decoding: key, as: UTF8.self)
        return "\(id) \(type) \"\(key)\" \(content)\(expiration.map { " expires at \($0)" } ?? "")"
    }

    static let people = [
        StoredRow(1, "a", "Person", #"{"name":"Ada"}"#),
        StoredRow(2, "b", "Person", #"{"name":"Bob"}"#, expiration: 4_000_000_000),
        StoredRow(3, "c", "City", #"{"zip":1}"#),
        StoredRow(7, "d", "Person", #"{"name":"Dee"}"#),
    ]
}

extension [StoredRow] {
    /// Returns the rows with one of them changed.
    func changing(_ id: Int64, _ change: (inout StoredRow) -> Void) -> [StoredRow] {
        map { row in
            guard row.id == id else { return row }
            var row = row
            change(&row)
            return row
        }
    }

    func without(_ ids: Int64...) -> [StoredRow] {
        filter { !ids.contains($0.id) }
    }

    /// Short descriptions with id, type and key.
    var names: [String] {
        map { "\($0.id) \($0.type) \(String(decoding: $0.key, as: UTF8.self))" }
    }
}

import Foundation
import Molt

/// A cache file of Molt with Molt's own statements by hand, for comparison with the cache's single values.
final class PeerStore {
    private let database: PeerDatabase
    private var setting: PeerStatement?
    private var getting: PeerStatement?
    private let encoder = People.encoder()
    private let decoder = JSONDecoder()

    init(at file: URL) throws {
        database = try PeerDatabase(moltFileAt: file)
        if try database.integer("SELECT count(*) FROM molt_type") == 0 {
            try database.execute("INSERT INTO molt_type(id, name) VALUES(1, '\(People.typeName)')")
        }
        setting = try database.prepare(RowQuery.set.sql)
        getting = try database.prepare(RowQuery.get.sql)
    }

    func close() throws {
        setting = nil
        getting = nil
        try database.close()
    }

    func transaction<Value>(_ kind: String = "IMMEDIATE", _ body: () throws -> Value) throws -> Value {
        try database.transaction(kind, body)
    }

    func set(_ person: PersonV1, forKey key: String) throws {
        try set(content: encoder.encode(person), forKey: key)
    }

    func set(content: Data, forKey key: String) throws {
        guard let setting else { throw BenchmarkError("The store was closed.") }
        var key = key
        try key.withUTF8 { key in
            try content.withUnsafeBytes { content in
                let now = Date().timeIntervalSince1970
                setting.bind(now, at: 1)
                setting.bind(text: UnsafeRawBufferPointer(key), at: 2)
                setting.bind(1, at: 3)
                setting.bind(0, at: 4)
                // The fifth parameter, the expiry, stays NULL.
                setting.bind(text: content, at: 6)
                setting.bind(now, at: 7)
                try setting.run()
            }
        }
    }

    func value(forKey key: String) throws -> PersonV1? {
        guard let getting else { throw BenchmarkError("The store was closed.") }
        var key = key
        return try key.withUTF8 { key in
            getting.bind(text: UnsafeRawBufferPointer(key), at: 1)
            defer { getting.reset() }
            guard try getting.step() else { return nil }
            return try decoder.decode(PersonV1.self, from: Data(getting.text(3)))
        }
    }

    /// Reads and decodes all values with their keys.
    func values() throws -> [(key: String, value: PersonV1)] {
        let select = try database.prepare("SELECT key, content FROM molt_record WHERE type_id = 1 ORDER BY id")
        var values: [(key: String, value: PersonV1)] = []
        while try select.step() {
            let value = try decoder.decode(PersonV1.self, from: Data(select.text(1)))
            values.append((key: String(decoding: select.text(0), as: UTF8.self), value: value))
        }
        return values
    }
}

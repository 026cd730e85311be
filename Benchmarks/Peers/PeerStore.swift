import Foundation
import MoltCache

/// A cache file of Molt on which the INSERT and the SELECT of Molt's cache are run by hand.
final class PeerStore {
    private let database: PeerDatabase
    private var setting: PeerStatement?
    private var getting: PeerStatement?
    private let encoder = People.encoder()

    /// Opens a file that Molt has made.
    ///
    /// - Throws: ``BenchmarkError``.
    init(at file: URL) throws {
        database = try PeerDatabase(of: file)
        if try database.integer("SELECT count(*) FROM molt_type") == 0 {
            try database.execute("INSERT INTO molt_type(id, name) VALUES(1, '\(People.typeName)')")
        }
        setting = try database.prepare(RowQuery.set.sql)
        getting = try database.prepare(RowQuery.get.sql)
    }

    /// Closes the file.
    ///
    /// - Throws: ``BenchmarkError``.
    func close() throws {
        setting = nil
        getting = nil
        try database.close()
    }

    /// Runs a closure in one transaction.
    ///
    /// - Throws: ``BenchmarkError``, or what the closure throws.
    func transaction(_ body: () throws -> Void) throws {
        try database.transaction(body)
    }

    /// Encodes and sets the values of some keys.
    ///
    /// - Throws: ``BenchmarkError``, or what `JSONEncoder` throws.
    func set(_ indices: some Sequence<Int>, _ person: (Int) -> PersonV1) throws {
        guard let setting else { throw BenchmarkError("The store was closed.") }
        for index in indices {
            var key = People.key(index)
            let content = try encoder.encode(person(index))
            try key.withUTF8 { key in
                // The expiry, the fifth parameter, stays NULL.
                let now = Date().timeIntervalSince1970
                setting.bind(now, at: 1)
                setting.bind(text: UnsafeRawBufferPointer(key), at: 2)
                setting.bind(1, at: 3)
                setting.bind(0, at: 4)
                setting.bind(now, at: 7)
                try content.withUnsafeBytes { content in
                    setting.bind(text: content, at: 6)
                    try setting.run()
                }
            }
        }
    }

    /// Gets and decodes all values, with their keys.
    ///
    /// - Throws: ``BenchmarkError``, or what `JSONDecoder` throws.
    func values() throws -> [(key: String, value: PersonV1)] {
        let select = try database.prepare("SELECT key, content FROM molt_record WHERE type_id = 1 ORDER BY id")
        let decoder = JSONDecoder()
        var values: [(key: String, value: PersonV1)] = []
        while try select.step() {
            let value = try decoder.decode(PersonV1.self, from: Data(select.text(1)))
            values.append((key: String(decoding: select.text(0), as: UTF8.self), value: value))
        }
        return values
    }

    /// Gets and decodes the values of some keys.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``BenchmarkError``, or what `JSONDecoder` throws.
    func get(_ indices: some Sequence<Int>) throws -> Int {
        guard let getting else { throw BenchmarkError("The store was closed.") }
        return try PeerCacheCases.get(indices, by: getting, content: 3)
    }
}

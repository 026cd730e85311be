internal import CMoltSQLite
internal import Foundation

/// Checks whether the indexes of the records agree with the table.
///
/// An index agrees when it has exactly one entry for each row, in order; each search by it then finds what the table
/// has. Entries are compared by a sum of hashes, which does not depend on their order. SQLite's own `integrity_check`
/// finds more, and takes twenty times as long.
///
/// SQL aggregate functions do the work, at half the cost of a step for each row.
final class RecordDigest {
    private let connection: Connection
    private let state: UnsafeMutablePointer<State>

    private typealias Step = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// The entries seen since the last reset.
    private struct State {
        var keys = Sum()
        var types = Sum()
        var expiries = Sum()
        var isDisordered = false
        var lastID = Int64.min
        var lastType = Int64.min
        var lastExpiry = -Double.infinity
        var lastKey = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        var lastKeyCount = 0

        mutating func add(orderedKey key: UnsafeRawBufferPointer, _ id: Int64) {
            if keys.count > 0 {
                let common = min(lastKeyCount, key.count)
                var order: Int32 = 0
                if common > 0, let last = lastKey.baseAddress, let base = key.baseAddress {
                    order = memcmp(last, base, common)
                }
                // SQLite's order: byte by byte, prefixes first.
                if order > 0 || order == 0 && lastKeyCount >= key.count { isDisordered = true }
            }
            keys.add(hash(key, id))
            if lastKey.count < key.count {
                lastKey.deallocate()
                lastKey = .allocate(byteCount: key.count * 2, alignment: 16)
            }
            if !key.isEmpty { lastKey.copyMemory(from: key) }
            lastKeyCount = key.count
        }

        mutating func reset() {
            lastKey.deallocate()
            self = State()
        }
    }

    private struct Sum: Equatable {
        var count = 0
        var sum: UInt64 = 0

        mutating func add(_ hash: UInt64) {
            count += 1
            sum &+= hash
        }
    }

    /// Defines the aggregates, which exist as long as this object.
    init(on connection: Connection) throws(SQLiteError) {
        self.connection = connection
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        try make("molt_rows", parameters: 4) { context, _, values in
            RecordDigest.with(context, values) { state, values in
                let id = sqlite3_value_int64(values[0])
                if id <= state.pointee.lastID { state.pointee.isDisordered = true }
                state.pointee.lastID = id
                RecordDigest.withBytes(values[1]) { state.pointee.keys.add(hash($0, id)) }
                state.pointee.types.add(hash(UInt64(bitPattern: sqlite3_value_int64(values[2])), id))
                guard sqlite3_value_type(values[3]) != SQLITE_NULL else { return }
                state.pointee.expiries.add(hash(sqlite3_value_double(values[3]).bitPattern, id))
            }
        }
        try make("molt_keys", parameters: 2) { context, _, values in
            RecordDigest.with(context, values) { state, values in
                let id = sqlite3_value_int64(values[0])
                RecordDigest.withBytes(values[1]) { state.pointee.add(orderedKey: $0, id) }
            }
        }
        try make("molt_types", parameters: 2) { context, _, values in
            RecordDigest.with(context, values) { state, values in
                let (id, type) = (sqlite3_value_int64(values[0]), sqlite3_value_int64(values[1]))
                state.pointee.types.add(hash(UInt64(bitPattern: type), id))
                let isInOrder = (state.pointee.lastType, state.pointee.lastID) < (type, id)
                if !isInOrder { state.pointee.isDisordered = true }
                (state.pointee.lastType, state.pointee.lastID) = (type, id)
            }
        }
        try make("molt_expiries", parameters: 2) { context, _, values in
            RecordDigest.with(context, values) { state, values in
                let (id, expiry) = (sqlite3_value_int64(values[0]), sqlite3_value_double(values[1]))
                state.pointee.expiries.add(hash(expiry.bitPattern, id))
                let isInOrder = (state.pointee.lastExpiry, state.pointee.lastID) < (expiry, id)
                if !isInOrder { state.pointee.isDisordered = true }
                (state.pointee.lastExpiry, state.pointee.lastID) = (expiry, id)
            }
        }
    }

    deinit {
        for (name, parameters) in [("molt_rows", 4), ("molt_keys", 2), ("molt_types", 2), ("molt_expiries", 2)] {
            let utf8 = SQLITE_UTF8
            sqlite3_create_function_v2(connection.handle, name, Int32(parameters), utf8, nil, nil, nil, nil, nil)
        }
        state.pointee.reset()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Compares the indexes with the table.
    ///
    /// - Returns: One sentence for each disagreement; empty when all agree.
    func faults() throws(SQLiteError) -> [String] {
        let rows = try digest("molt_rows(id, key, type_id, expires_at)", "NOT INDEXED")
        // Without the comparisons, SQLite would read the smallest index instead.
        let keys = try digest("molt_keys(id, key)", "INDEXED BY sqlite_autoindex_molt_record_1 WHERE key >= ''")
        let types = try digest(
            "molt_types(id, type_id)",
            "INDEXED BY molt_record_type WHERE type_id >= -9223372036854775808"
        )
        let expiries = try digest(
            "molt_expiries(id, expires_at)",
            "INDEXED BY molt_record_expiry WHERE expires_at IS NOT NULL"
        )
        let indexes = [
            ("keys", keys.keys == rows.keys, keys.isDisordered),
            ("types", types.types == rows.types, types.isDisordered),
            ("times of expiry", expiries.expiries == rows.expiries, expiries.isDisordered),
        ]
        return (rows.isDisordered ? ["The records are out of order."] : [])
            + indexes.compactMap { name, isEqual, isDisordered in
                if !isEqual { return "The index of the \(name) does not agree with the records." }
                return isDisordered ? "The index of the \(name) is out of order." : nil
            }
    }

    /// Compares the indexes with the table.
    ///
    /// - Throws: ``SQLiteError`` for damage when an index does not agree, or SQLite's own.
    func compare() throws(SQLiteError) {
        if let fault = try faults().first { throw .wrongIndex(fault) }
    }

    private func digest(_ aggregate: String, _ source: String) throws(SQLiteError) -> State {
        state.pointee.reset()
        try connection.prepare("SELECT \(aggregate) FROM molt_record \(source)").run()
        return state.pointee
    }

    // MARK: The aggregates

    private func make(_ name: String, parameters: Int32, _ step: Step) throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            connection.handle,
            name,
            parameters,
            SQLITE_UTF8 | SQLITE_DIRECTONLY,
            state,
            nil,
            step,
            { sqlite3_result_null($0) },
            nil
        )
        guard code == SQLITE_OK else { throw connection.error(code) }
    }

    private static func with(
        _ context: OpaquePointer?,
        _ values: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (UnsafeMutablePointer<State>, UnsafeMutablePointer<OpaquePointer?>) -> Void
    ) {
        guard let state = sqlite3_user_data(context), let values else { return }
        body(state.assumingMemoryBound(to: State.self), values)
    }

    private static func withBytes(_ value: OpaquePointer?, _ body: (UnsafeRawBufferPointer) -> Void) {
        // As a blob, text is not copied to append a NUL.
        let start = sqlite3_value_blob(value)
        body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }
}

/// A hash of an entry: Murmur's finalizer (https://github.com/aappleby/smhasher) over words of 8 bytes.
@inline(__always)
private func hash(_ bytes: UnsafeRawBufferPointer, _ id: Int64) -> UInt64 {
    var hash = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
    var last = UInt64(bytes.count) << 56
    if var next = bytes.baseAddress {
        var rest = bytes.count
        while rest >= 8 {
            hash = mixed(hash ^ next.loadUnaligned(as: UInt64.self))
            next += 8
            rest -= 8
        }
        for place in 0..<rest { last ^= UInt64(next.load(fromByteOffset: place, as: UInt8.self)) << UInt64(8 * place) }
    }
    return mixed(hash ^ last)
}

@inline(__always)
private func hash(_ value: UInt64, _ id: Int64) -> UInt64 {
    mixed(UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15 ^ value)
}

@inline(__always)
private func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
    word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return word ^ word >> 33
}

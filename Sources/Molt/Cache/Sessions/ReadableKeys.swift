/// The keys under which a cache has read or written a value, and the type that it had: a write of that type need not
/// look at the record that it replaces.
///
/// They hold as long as no other connection commits. Keys are known by their hashes, which differ from process to
/// process.
final class ReadableKeys: Sendable {
    /// The beginning of a read; its values count unless something else has written since.
    typealias Ticket = CInt

    /// As many keys as tables of one megabyte hold; then a table starts anew.
    private static let limit = 49_152
    /// Readers on several threads seldom need the same table.
    private static let tableCount = 16

    private let tables = (0..<tableCount).map { _ in Locked<[Int: ObjectIdentifier]>([:]) }
    /// The number of times at which records may have become unreadable.
    private let epoch = AtomicNumber()

    private func table(_ hash: Int) -> Locked<[Int: ObjectIdentifier]> { tables[hash & (Self.tableCount - 1)] }

    /// The ticket of a read that begins now, before it has its snapshot.
    var ticket: Ticket { epoch.value }

    /// Notes that a value was read as a type.
    func add(_ key: String, _ type: Any.Type, _ ticket: Ticket) {
        guard ticket == epoch.value else { return }
        let hash = Self.hash(of: key)
        table(hash).withLock { types in
            // A type that was written since may be another one.
            guard ticket == epoch.value, types[hash] == nil else { return }
            Self.add(ObjectIdentifier(type), hash, to: &types)
        }
    }

    /// Notes that a value of a type is written; only the cache's writer calls this and the next two functions.
    ///
    /// - Returns: Whether the record under the key was known to be readable as the type.
    func write(_ hash: Int, _ type: ObjectIdentifier) -> Bool {
        table(hash).withLock { types in
            if types[hash] == type { return true }
            Self.add(type, hash, to: &types)
            return false
        }
    }

    private static func add(_ type: ObjectIdentifier, _ hash: Int, to types: inout [Int: ObjectIdentifier]) {
        if types.count >= limit / tableCount { types.removeAll(keepingCapacity: true) }
        types[hash] = type
    }

    /// Notes that something else than values of the app's types is written under some keys, or may have been.
    func remove(_ hashes: some Sequence<Int>) {
        // First, so that a read that began before adds none of them afterwards.
        epoch.value &+= 1
        for hash in hashes { table(hash).withLock { $0[hash] = nil } }
    }

    func removeAll() {
        epoch.value &+= 1
        for table in tables { table.withLock { $0.removeAll(keepingCapacity: true) } }
    }

    static func hash(of key: String) -> Int {
        var key = key
        return key.withUTF8 { hash(of: UnsafeRawBufferPointer($0)) }
    }

    static func hash(of key: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return hasher.finalize()
    }
}

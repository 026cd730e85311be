internal import Foundation

/// Decoded values that were read lately, by key; never asked before it is known that the file has not changed.
final class MemoryLayer {
    private let cache = NSCache<MemoryKey, MemoryBox>()

    init(_ limit: CodableCache.MemoryLimit) {
        cache.totalCostLimit = limit.bytes
        cache.countLimit = limit.count
    }

    /// The value under a key, when it was read as exactly this type and has not expired.
    func value<Value: Sendable>(_ type: Value.Type, _ key: String, now: Double) -> (value: Value, id: Int64)? {
        guard let box = cache.object(forKey: MemoryKey(key)), box.type == ObjectIdentifier(type) else { return nil }
        if let expiration = box.expiration, expiration <= now { return nil }
        return (box.value as? Value).map { ($0, box.id) }
    }

    /// Keeps a value.
    func insert<Value: Sendable>(_ value: Value, _ key: String, of row: StoredContent) {
        let box = MemoryBox(value, type: ObjectIdentifier(Value.self), id: row.id, expiration: row.expiration)
        cache.setObject(box, forKey: MemoryKey(key), cost: row.data.count)
    }

    /// Drops the value under a key.
    func remove(_ key: String) {
        cache.removeObject(forKey: MemoryKey(key))
    }

    /// Drops all values.
    func removeAll() {
        cache.removeAllObjects()
    }
}

/// A key compared by its bytes: strings, and `NSString`s on Linux, compare two spellings of a letter as equal.
private final class MemoryKey: NSObject {
    private let bytes: [UInt8]

    init(_ key: String) {
        bytes = Array(key.utf8)
    }

    override var hash: Int { bytes.hashValue }

    override func isEqual(_ object: Any?) -> Bool {
        (object as? MemoryKey)?.bytes == bytes
    }
}

/// A decoded value, and what decides whether it may be served.
private final class MemoryBox {
    let value: any Sendable
    let type: ObjectIdentifier
    let id: Int64
    let expiration: Double?

    init(_ value: any Sendable, type: ObjectIdentifier, id: Int64, expiration: Double?) {
        self.value = value
        self.type = type
        self.id = id
        self.expiration = expiration
    }
}

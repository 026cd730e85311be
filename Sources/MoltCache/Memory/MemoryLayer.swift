internal import Foundation
internal import MoltCore

/// Decoded values that were read lately, by key; never asked before it is known that the file has not changed.
final class MemoryLayer {
    private let cache = NSCache<MemoryKey, MemoryBox>()
    /// Whether nothing was put in since all was removed: what is only written to never has to look here.
    private(set) var isEmpty = true

    init(_ limit: CodableCache.MemoryLimit) {
        cache.totalCostLimit = limit.bytes
        cache.countLimit = limit.count
    }

    /// The value under a key, when it was read as exactly this type and has not expired.
    func value<Value: Sendable>(
        _ type: Value.Type,
        _ key: String,
        now: @autoclosure () -> Double
    ) -> (value: Value, id: Int64)? {
        guard let found = cache.object(forKey: MemoryKey(key)), let box = found as? TypedBox<Value> else { return nil }
        if let expiration = box.expiration, expiration <= now() { return nil }
        return (box.value, box.id)
    }

    /// Keeps a value.
    func insert<Value: Sendable>(_ value: Value, _ key: String, of row: StoredContent) {
        isEmpty = false
        let box = TypedBox(value, id: row.id, expiration: row.expiration)
        cache.setObject(box, forKey: MemoryKey(key), cost: row.data.count)
    }

    /// Drops the value under a key.
    func remove(_ key: String) {
        if isEmpty { return }
        cache.removeObject(forKey: MemoryKey(key))
    }

    /// Drops all values.
    func removeAll() {
        if isEmpty { return }
        cache.removeAllObjects()
        isEmpty = true
    }
}

/// A key compared by its bytes: strings, and `NSString`s on Linux, compare two spellings of a letter as equal.
private final class MemoryKey: NSObject {
    private let key: String
    private let hashed: Int

    init(_ key: String) {
        self.key = key
        var hasher = Hasher()
        var copy = key
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hashed = hasher.finalize()
    }

    override var hash: Int { hashed }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MemoryKey else { return false }
        return hashed == other.hashed && RecordObject.isSame(key, other.key)
    }
}

/// What decides whether a decoded value may be served.
private class MemoryBox {
    let id: Int64
    let expiration: Double?

    init(id: Int64, expiration: Double?) {
        self.id = id
        self.expiration = expiration
    }
}

/// A decoded value.
private final class TypedBox<Value: Sendable>: MemoryBox {
    let value: Value

    init(_ value: Value, id: Int64, expiration: Double?) {
        self.value = value
        super.init(id: id, expiration: expiration)
    }
}

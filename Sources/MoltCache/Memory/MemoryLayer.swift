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
    func box(_ key: String, of type: Any.Type, now: @autoclosure () -> Double) -> MemoryBox? {
        guard let box = cache.object(forKey: MemoryKey(key)), box.type == type else { return nil }
        if let expiration = box.expiration, expiration <= now() { return nil }
        return box
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

/// A decoded value with what decides whether it may be served.
///
/// Looked for and passed on as this class, whatever the type of the value: generic code would ask for the metadata of
/// optionals and pairs of that type each time, which costs more than all else that a value from memory does.
///
/// Sendable because all of it is constant, and `TypedBox`, the only subclass, adds a constant that is `Sendable`.
class MemoryBox: @unchecked Sendable {
    /// The type that the value was read as.
    let type: Any.Type
    /// The record.
    let id: Int64
    /// Seconds since 1970; nil for never.
    let expiration: Double?

    fileprivate init(_ type: Any.Type, id: Int64, expiration: Double?) {
        self.type = type
        self.id = id
        self.expiration = expiration
    }

    /// The value.
    ///
    /// - Parameter type: ``type``, and no other one.
    final func value<Value: Sendable>(as type: Value.Type) -> Value {
        // Only a `TypedBox` passes a type on, and it passes that of its value.
        assert(self.type == type)
        return unsafeDowncast(self, to: TypedBox<Value>.self).value
    }
}

/// The only kind of box there is.
private final class TypedBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value, id: Int64, expiration: Double?) {
        self.value = value
        super.init(Value.self, id: id, expiration: expiration)
    }
}

internal import Foundation
internal import MoltCore

/// Decoded values that were read lately, by key; never asked before it is known that the file has not changed.
///
/// In two generations: values are put into the young one. When it has half of the limit, it becomes the old one, and what
/// was the old one is dropped. A value that is asked for in the old one moves to the young one, so what is used stays.
///
/// Each is an `NSCache`, which empties itself when the system lacks memory. Its own limits are not used: on Linux it keeps
/// its values sorted by their cost, and goes through all cheaper ones to put one in, and through them again to drop it.
final class MemoryLayer {
    private var young = Generation()
    private var old = Generation()
    private let limit: CodableCache.MemoryLimit
    /// Whether nothing was put in since all was removed: what is only written to never has to look here.
    private(set) var isEmpty = true

    private final class Generation {
        let cache = NSCache<MemoryKey, MemoryBox>()
        /// What was put in, in bytes of stored content, and in values; one that was put in twice counts twice.
        var bytes = 0
        var count = 0

        deinit {
            // On Linux the values of a cache refer to each other in a circle, and outlive it unless they are removed.
            cache.removeAllObjects()
        }
    }

    init(_ limit: CodableCache.MemoryLimit) {
        self.limit = CodableCache.MemoryLimit(
            bytes: limit.bytes > 0 ? limit.bytes : .max,
            count: limit.count > 0 ? limit.count : .max
        )
    }

    /// The value under a key, when it was read as exactly this type and has not expired.
    func box(_ key: String, of type: Any.Type, now: @autoclosure () -> Double) -> MemoryBox? {
        let key = MemoryKey(key)
        var box = young.cache.object(forKey: key)
        if box == nil, old.count > 0, let found = old.cache.object(forKey: key) {
            insert(found, key)
            box = found
        }
        guard let box, box.type == type else { return nil }
        if let expiration = box.expiration, expiration <= now() { return nil }
        return box
    }

    /// Keeps a value.
    func insert<Value: Sendable>(_ value: Value, _ key: String, of row: StoredContent) {
        isEmpty = false
        let key = MemoryKey(key)
        // A value that was read as another type, or before it was written again.
        if old.count > 0 { old.cache.removeObject(forKey: key) }
        insert(TypedBox(value, id: row.id, size: row.data.count, expiration: row.expiration), key)
    }

    private func insert(_ box: MemoryBox, _ key: MemoryKey) {
        guard box.size <= limit.bytes else { return young.cache.removeObject(forKey: key) }
        if young.count > 0, young.bytes + box.size > limit.bytes / 2 || young.count + 1 > limit.count / 2 {
            old = young
            young = Generation()
        }
        young.cache.setObject(box, forKey: key)
        young.bytes += box.size
        young.count += 1
        if old.bytes > limit.bytes - young.bytes || old.count > limit.count - young.count { old = Generation() }
    }

    /// Drops the value under a key.
    func remove(_ key: String) {
        if isEmpty { return }
        let key = MemoryKey(key)
        young.cache.removeObject(forKey: key)
        if old.count > 0 { old.cache.removeObject(forKey: key) }
    }

    /// Drops all values.
    func removeAll() {
        if isEmpty { return }
        young = Generation()
        old = Generation()
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
    /// How many bytes the stored content has.
    let size: Int
    /// Seconds since 1970; nil for never.
    let expiration: Double?

    fileprivate init(_ type: Any.Type, id: Int64, size: Int, expiration: Double?) {
        self.type = type
        self.id = id
        self.size = size
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

/// The only kind of box there is; `Sendable` because of what ``MemoryBox`` says.
private final class TypedBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value, id: Int64, size: Int, expiration: Double?) {
        self.value = value
        super.init(Value.self, id: id, size: size, expiration: expiration)
    }
}

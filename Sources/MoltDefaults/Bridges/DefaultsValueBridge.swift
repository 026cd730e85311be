/// A bridge that works on property lists and says why something cannot be read or stored.
///
/// Implement both ``DefaultsBridge/encode(_:)`` and ``DefaultsBridge/decode(_:)``; the other two follow from them. All
/// bridges of this package are of this kind.
public protocol DefaultsValueBridge: DefaultsBridge where Serializable == PropertyListValue {}

extension DefaultsValueBridge {
    /// What `encode` gives; nil when it throws.
    public func serialize(_ value: Value?) -> PropertyListValue? {
        // Who wants the reason calls `encode`.
        value.flatMap { try? encode($0) }
    }

    /// What `decode` gives; nil when it throws.
    public func deserialize(_ object: PropertyListValue?) -> Value? {
        // Who wants the reason calls `decode`.
        object.flatMap { try? decode($0) }
    }
}

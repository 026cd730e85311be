/// A large value that copies share until one of them changes it, so that a copy costs a reference.
struct SharedValue<Value: Sendable>: Sendable {
    private final class Object: @unchecked Sendable {
        // Changed only while nothing else refers to the object.
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var object: Object

    init(_ value: Value) {
        object = Object(value)
    }

    var value: Value {
        get { object.value }
        // A setter would get and set the whole value for each change of a part.
        _modify {
            if !isKnownUniquelyReferenced(&object) { copy() }
            yield &object.value
        }
    }

    @inline(never)  // It would be copied into each function that changes a part of the value.
    private mutating func copy() {
        object = Object(object.value)
    }
}

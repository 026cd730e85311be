/// A property that takes no part in `==`: it is not part of a value's JSON either, and follows from the rest.
@propertyWrapper
package struct NotCompared<Value: Sendable>: Equatable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    package static func == (one: NotCompared, other: NotCompared) -> Bool { true }
}

import Synchronization

/// Values that closures have recorded, in order.
///
/// Closures may run on any thread.
final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var all: [Element] { elements.withLock { $0 } }

    var count: Int { all.count }
}

/// An error that a closure throws.
///
/// Its description stands for a user's data.
struct Refusal: Error, Equatable, CustomStringConvertible {
    var value = ""
    var description: String { value }
}

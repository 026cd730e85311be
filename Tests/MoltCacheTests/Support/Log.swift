@testable import Molt

/// Values that closures have recorded, in order and from any thread.
final class Log<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var all: [Element] { elements.withLock { $0 } }

    var count: Int { all.count }
}

/// An error that a closure throws; its description stands for a user's data.
struct Refusal: Error, Equatable, CustomStringConvertible {
    var value = ""
    var description: String { value }
}

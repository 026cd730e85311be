internal import Foundation

/// The name of a type or a property, or a key, compared by bytes; Swift's `==` takes canonically equivalent strings for
/// equal.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (name: ExactName, other: ExactName) -> Bool {
        isSame(name.text, other.text)
    }

    /// Whether two names have the same bytes.
    package static func isSame(_ name: String, _ other: String) -> Bool {
        // Avoids the slow bytewise loop of `elementsEqual`.
        let isSame = name.utf8.withContiguousStorageIfAvailable { name in
            other.utf8.withContiguousStorageIfAvailable { other -> Bool in
                guard name.count == other.count else { return false }
                guard let bytes = name.baseAddress, let others = other.baseAddress else { return true }
                return memcmp(bytes, others, name.count) == 0
            }
        }
        return (isSame ?? nil) ?? name.utf8.elementsEqual(other.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // The terminator distinguishes "ab", "c" from "a", "bc".
        hasher.combine(0xFF as UInt8)
    }
}

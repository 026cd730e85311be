/// The name of a type or a property, compared by bytes, while Swift's `==` normalizes Unicode.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (name: ExactName, other: ExactName) -> Bool {
        RecordObject.isSame(name.text, other.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // The terminator distinguishes "ab", "c" from "a", "bc".
        hasher.combine(0xFF as UInt8)
    }
}

/// The name of a type or a property, compared by its bytes, as stores compare it.
///
/// Swift's `==` takes two spellings of a letter for one.
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
        // Ends the name, so that "ab", "c" is not "a", "bc".
        hasher.combine(0xFF as UInt8)
    }
}

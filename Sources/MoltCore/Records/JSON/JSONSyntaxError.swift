public import Foundation

/// Why bytes are not JSON text as RFC 8259 has it, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What rule the bytes break.
    public enum Reason: String, Hashable, Sendable {
        /// The bytes end inside a value.
        case unexpectedEnd = "the text ends too early"
        /// A byte that cannot stand there.
        case unexpectedByte = "a byte that cannot stand here"
        /// More follows after the value.
        case trailingBytes = "something follows the value"
        /// A number that JSON does not have.
        case invalidNumber = "not a JSON number"
        /// A control character inside a string.
        case controlCharacter = "a control character that is not escaped"
        /// A backslash before something else than an escape.
        case invalidEscape = "not a JSON escape"
        /// Half of a surrogate pair.
        case loneSurrogate = "half of a surrogate pair"
        /// Bytes that are not UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// More than 512 arrays and objects inside each other.
        case tooDeep = "arrays and objects are nested deeper than 512"
    }

    /// The rule that is broken.
    public var reason: Reason
    /// The place, in bytes from the start.
    public var offset: Int

    /// The reason and the place.
    public var description: String {
        "\(reason.rawValue), at byte \(offset)"
    }
}

extension JSONSyntaxError: LocalizedError {
    /// The reason and the place, in a sentence.
    public var errorDescription: String? { "This is not JSON text: \(description)." }
}

extension JSONSyntaxError: ValueFreeError {}

internal import Foundation

/// The reason and the location of a JSON syntax error (RFC 8259).
package struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rule that is violated.
    package enum Reason: String, Hashable, Sendable {
        /// The bytes end inside a value.
        case unexpectedEnd = "the text ends too early"
        /// A byte is not allowed at its position.
        case unexpectedByte = "an unexpected byte"
        /// The value is followed by other bytes.
        case trailingBytes = "something follows the value"
        /// A number is malformed.
        case invalidNumber = "not a JSON number"
        /// A string contains an unescaped control character.
        case controlCharacter = "a control character that is not escaped"
        /// A backslash begins no valid escape.
        case invalidEscape = "not a JSON escape"
        /// A surrogate is unpaired.
        case loneSurrogate = "half of a surrogate pair"
        /// The bytes are not valid UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// Arrays and objects are nested more than 512 levels deep.
        case tooDeep = "arrays and objects are nested deeper than 512"
    }

    /// The violated rule.
    package var reason: Reason
    /// The offset in bytes.
    package var offset: Int

    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the offset.
    package var description: String {
        "\(reason.rawValue), at byte \(offset)"
    }
}

extension JSONSyntaxError: LocalizedError {
    /// The reason and the offset, in a sentence.
    var errorDescription: String? { "This is not JSON text: \(description)." }
}

extension JSONSyntaxError: ValueFreeError {}

internal import Foundation

/// The reason and the location of a JSON syntax error (RFC 8259).
package struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: String, Hashable, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "an unexpected byte"
        case trailingBytes = "something follows the value"
        case invalidNumber = "not a JSON number"
        case controlCharacter = "a control character that is not escaped"
        case invalidEscape = "not a JSON escape"
        case loneSurrogate = "half of a surrogate pair"
        case invalidUTF8 = "not UTF-8"
        case tooDeep = "arrays and objects are nested deeper than 512"
    }

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

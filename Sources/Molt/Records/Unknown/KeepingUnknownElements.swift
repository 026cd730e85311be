/// An array whose elements are kept if this release cannot decode them.
///
/// ```swift
/// struct Page: Codable {
///     @KeepingUnknownElements var blocks: [Block]
/// }
/// ```
///
/// `page.blocks` has the elements that this release knows, and `page.$blocks` the others. All of them are encoded
/// again. An unknown element stays at its position, or at the end if the array has become shorter. An array that is
/// missing or null is empty.
///
/// - Important: Any element that cannot be decoded counts as unknown, also one in an old form. If the form has changed,
///   write a migration.
@propertyWrapper
public struct KeepingUnknownElements<Element: Codable>: Codable {
    /// The elements that this release knows.
    public var wrappedValue: [Element]
    /// The others, with their positions in the stored array.
    private var unknown: [Unknown] = []

    private struct Unknown: Hashable, Sendable {
        var position: Int
        var value: CodedValue
    }

    /// Creates an array.
    public init(wrappedValue: [Element]) {
        self.wrappedValue = wrappedValue
    }

    /// The elements that this release does not know.
    ///
    /// A date or data that is not JSON is a string here.
    public var projectedValue: [RecordValue] { unknown.map(\.value.json) }

    /// Decodes the elements; one that cannot be decoded is kept as it is.
    ///
    /// - Throws: `DecodingError` if the value is neither an array nor null.
    public init(from decoder: any Decoder) throws {
        wrappedValue = []
        if let container = try? decoder.singleValueContainer(), container.decodeNil() { return }
        var elements = try decoder.unkeyedContainer()
        while !elements.isAtEnd {
            let position = elements.currentIndex
            // Null is no element of a type that this release knows, unless the type is optional.
            switch try elements.decode(Either<Element>.self) {
            case .known(let element): wrappedValue.append(element)
            case .unknown(let value): unknown.append(Unknown(position: position, value: value))
            }
        }
    }

    /// Encodes all elements.
    public func encode(to encoder: any Encoder) throws {
        var elements = wrappedValue.map { Either.known($0) }
        for element in unknown {
            elements.insert(.unknown(element.value), at: min(element.position, elements.count))
        }
        var container = encoder.unkeyedContainer()
        for element in elements { try container.encode(element) }
    }
}

extension KeepingUnknownElements: Sendable where Element: Sendable {}
extension KeepingUnknownElements: Equatable where Element: Equatable {}
extension KeepingUnknownElements: Hashable where Element: Hashable {}

/// An element that can be decoded, or one that cannot.
private enum Either<Element: Codable>: Codable {
    case known(Element)
    case unknown(CodedValue)

    init(from decoder: any Decoder) throws {
        if let element = try? Element(from: decoder) {
            self = .known(element)
        } else {
            self = .unknown(try CodedValue(from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .known(let element): try element.encode(to: encoder)
        case .unknown(let value): try value.encode(to: encoder)
        }
    }
}

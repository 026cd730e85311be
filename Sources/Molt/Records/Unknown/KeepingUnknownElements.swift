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
            let element = try elements.decode(Either<Element>.self)
            if let known = element.known { wrappedValue.append(known) }
            if let value = element.unknown { unknown.append(Unknown(position: position, value: value)) }
        }
    }

    /// Encodes all elements.
    public func encode(to encoder: any Encoder) throws {
        var elements = wrappedValue.map { Either(known: $0) }
        for element in unknown {
            elements.insert(Either(unknown: element.value), at: min(element.position, elements.count))
        }
        var container = encoder.unkeyedContainer()
        for element in elements { try container.encode(element) }
    }
}

extension KeepingUnknownElements: Sendable where Element: Sendable {}
extension KeepingUnknownElements: Equatable where Element: Equatable {}
extension KeepingUnknownElements: Hashable where Element: Hashable {}

/// An element that can be decoded, or one that cannot.
///
/// No enum: an older build may add properties to the element, as the case is not encoded.
private struct Either<Element: Codable>: Codable {
    let known: Element?
    let unknown: CodedValue?

    init(known: Element) {
        (self.known, unknown) = (known, nil)
    }

    init(unknown: CodedValue) {
        (known, self.unknown) = (nil, unknown)
    }

    init(from decoder: any Decoder) throws {
        if let element = try? Element(from: decoder) {
            self.init(known: element)
        } else {
            self.init(unknown: try CodedValue(from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if let known { try known.encode(to: encoder) }
        if let unknown { try unknown.encode(to: encoder) }
    }
}

extension Either: Identifiable where Element: Identifiable {
    var id: Element.ID? { known?.id }
}

import Foundation
import MoltDefaults
import MoltTesting
import Testing

@Suite struct `A binary property list of Molt's own` {
    /// The whole of it, and enough objects to need indices and offsets of more than one byte.
    static let lists: [PropertyListValue] = [
        .dictionary(`Values from UserDefaults`.values), [], [:], "text", true, [[[]], [:], ""],
        .array((0..<70_000).map { .int($0) }), .array((0..<300).map { .string(String(repeating: "x", count: $0)) }),
        [.date(Date(timeIntervalSinceReferenceDate: 1.75)), .unsigned(5), .data(Data(count: 70_000)), -1, 255, 65_536],
    ]

    @Test(arguments: lists)
    func `is read by Foundation, and by Molt, as what it was made of`(value: PropertyListValue) throws {
        let bytes = Data(BinaryPropertyListWriter.bytes(value))
        let read = try PropertyListSerialization.propertyList(from: bytes, format: nil)
        let expected = value == Self.lists.last ? Self.normalized(value) : value
        #expect(try PropertyListValue(normalizing: read) == expected)
        #expect(try PropertyListReader.value(bytes) == expected)
    }

    /// Small whole numbers have a sign.
    private static func normalized(_ value: PropertyListValue) -> PropertyListValue {
        guard case .array(let elements) = value else { return value }
        return .array(elements.map { $0 == .unsigned(5) ? 5 : $0 })
    }
}

import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite("Archives of plain values")
struct PlainArchiveTests {
    private static func archive(_ object: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    /// An archive whose objects from 1 on are arrays of references to each other; object 1 is the root.
    private static func archive(ofArrays arrays: [[Int]]) throws -> Data {
        try HandmadeArchive.binary(
            arrays.map { array in
                let elements = "<key>NS.objects</key>\(HandmadeArchive.references(array))"
                return HandmadeArchive.object(class: arrays.count + 1, elements)
            } + [HandmadeArchive.type("NSArray")]
        )
    }

    private static let conversion = SwiftyConversion()

    @Test
    func `An archive with endless or exponential nesting is left unread`() throws {
        // An array that contains itself; then thirty arrays that contain the next one twice: over 10⁹ elements.
        let endless = try Self.archive(ofArrays: [[1]])
        let huge = try Self.archive(ofArrays: (1...30).map { [$0 + 1, $0 + 1] } + [[]])
        let small = try Self.archive(ofArrays: [[2, 2], [3], []])
        let form = DefaultsForm.array(of: .array(of: .array(of: .int)))
        for data in [endless, huge] {
            #expect(Self.conversion.convert(.data(data), as: form).failure != nil)
        }
        #expect(Self.conversion.convert(.data(small), as: form) == .converted([[[]], [[]]]))
    }

    @Test
    func `Archives nested in archives are limited in depth`() throws {
        var data = Data("[1]".utf8)
        for _ in 0..<40 { data = try Self.archive(data) }
        #expect(Self.conversion.convert(.data(data), as: .array(of: .int)).failure != nil)
    }

    /// Two keys of a dictionary become the same, among others; Foundation then reads the first value.
    @Test
    func `An archive of an object with another index in any place never ends the process`() throws {
        let archive = try #require(try stored([Newt(name: "a")])?.data)
        var (trials, unreadable) = (0, 0)
        let step = TestRun.choose(5, long: 1)
        for place in archive.indices {
            for index in stride(from: UInt8(place % step), to: 32, by: step) {
                trials += 1
                var data = archive
                data[place] = index
                if (try? read([Newt].self, from: .data(data))) == nil { unreadable += 1 }
            }
        }
        #expect(unreadable > trials / 32)
    }
}

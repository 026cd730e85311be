import Foundation
import Generators
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
    func `A damaged archive never ends the process`() throws {
        let url = try #require(URL(string: "https://e.com"))
        let archives: [(Data, DefaultsForm)] = [
            (try Self.archive([url, url]), .array(of: .url)), (try Self.archive(["a", "bü"]), .array(of: .string)),
            (try Self.archive(Data("[1]".utf8)), .codable),
            (try Self.archive(["k": [1, 2.5]]), .dictionary(of: .array(of: .double))),
            (try Self.archive(Set(["a"])), .set(of: .string)),
        ]
        var random = SeededGenerator(seed: 7)
        var left = 0
        let trials = TestRun.choose(300, long: 4000)
        for (archive, form) in archives {
            for _ in 0..<trials {
                var data = archive
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if random.oneIn(5) { data = data.prefix(Int.random(in: 0...data.count, using: &random)) }
                if Self.conversion.convert(.data(data), as: form).failure != nil { left += 1 }
            }
        }
        // Most damage is detected; what counts is that none of it ends the process.
        #expect(left > trials * archives.count / TestRun.choose(3, long: 2))
    }

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

    @Test
    func `A damaged archive of an object is unreadable and never ends the process`() throws {
        let archive = try #require(try stored([Newt(name: "a"), Newt(name: "b")])?.data)
        var random = SeededGenerator(seed: 11)
        var unreadable = 0
        let trials = TestRun.choose(100, long: 500)
        for _ in 0..<trials {
            var data = archive
            for _ in 0..<3 {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if (try? read([Newt].self, from: .data(data))) == nil { unreadable += 1 }
        }
        #expect(unreadable > trials / TestRun.choose(3, long: 2))
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

import Foundation
import Molt
import TestSupport
import Testing

/// Values that a newer release wrote, and an older one reads and writes.
@Suite struct `Values that a release does not know` {
    private enum Status: String, Codable { case open, done }

    private enum Block: Codable, Equatable {
        case text(String)
        case rule
    }

    private struct Order: Codable, Equatable {
        var id = 1
        @KeepingUnknown var status: Status?
        @KeepingUnknownElements var blocks: [Block]
        var others: [String: KeepingUnknown<Status>]?

        init(status: Status? = nil, blocks: [Block] = []) {
            self.status = status
            self.blocks = blocks
        }
    }

    private let json =
        #"{"blocks":[{"rule":{}},{"image":{"url":"a/b","size":[1,2.5,18446744073709551615]}},null,{"text":{"_0":"x"}}],"#
        + #""id":1,"others":{"a":"open","b":7},"status":{"since":true}}"#

    private func decoded(_ json: String) throws -> Order {
        try JSONDecoder().decode(Order.self, from: Data(json.utf8))
    }

    private func encoded(_ order: Order) throws -> String {
        String(decoding: try RecordCoding.standard.encoder.encode(order), as: UTF8.self)
    }

    @Test func `are nil or left out, and are written again as they were`() throws {
        var order = try decoded(json)
        #expect(order.status == nil)
        #expect(order.$status == ["since": true])
        #expect(order.blocks == [.rule, .text("x")])
        #expect(
            order.$blocks.map(\.description) == [
                #"{"image":{"size":[1,2.5,18446744073709551615],"url":"a/b"}}"#, "null",
            ]
        )
        #expect(order.others?["a"]?.wrappedValue == .open)
        #expect(order.others?["b"]?.projectedValue == 7)
        #expect(
            try encoded(order)
                == json.replacing(
                    #"{"url":"a/b","size":[1,2.5,18446744073709551615]}"#,
                    with: #"{"size":[1,2.5,18446744073709551615],"url":"a/b"}"#
                )
        )
        order.blocks.removeAll()
        order.status = .done
        #expect(order.$status == nil)
        let blocks = #"[{"image":{"size":[1,2.5,18446744073709551615],"url":"a/b"}},null]"#
        #expect(try encoded(order) == #"{"blocks":\#(blocks),"id":1,"others":{"a":"open","b":7},"status":"done"}"#)
        order.status = nil
        #expect(try !encoded(order).contains("status"))
    }

    @Test func `may be missing or null, and are equal if they were decoded from the same`() throws {
        let empty = try decoded(#"{"id":1}"#)
        #expect(empty == Order())
        #expect(try decoded(#"{"id":1,"status":null,"blocks":null}"#) == empty)
        #expect(try encoded(empty) == #"{"blocks":[],"id":1}"#)
        #expect(try decoded(json) == decoded(json))
        #expect(try decoded(json) != decoded(json.replacing("true", with: "false")))
        #expect(throws: DecodingError.self) { try decoded(#"{"id":1,"blocks":7}"#) }
    }

    @Test func `are equal to no others`() throws {
        let values = [
            "true", "false", "7", "18446744073709551615", "1.5", #""x""#, #""y""#, "[]", "[7]", "{}", #"{"a":7}"#,
            #"{"a":null}"#,
        ]
        for (value, other) in values.flatMap({ value in values.map { (value, $0) } }) {
            let orders = try [value, other].map { try decoded(#"{"id":1,"status":\#($0)}"#) }
            #expect((orders[0] == orders[1]) == (value == other), "\(value), \(other)")
        }
    }

    @Test func `are kept in a property list with its dates and data`() throws {
        struct Newer: Codable, Equatable {
            var id = 1
            var status = Date(timeIntervalSinceReferenceDate: 5)
            var blocks = [Data([1]), Data([2])]
        }
        func order(_ newer: Newer) throws -> Order {
            try PropertyListDecoder().decode(Order.self, from: PropertyListEncoder().encode(newer))
        }
        let stored = try order(Newer())
        #expect(try stored == order(Newer()) && stored != order(Newer(status: Date())))
        #expect(try stored != order(Newer(blocks: [Data([1]), Data([3])])))
        #expect(stored.$status == "2001-01-01T00:00:05Z")
        #expect(try PropertyListDecoder().decode(Newer.self, from: PropertyListEncoder().encode(stored)) == Newer())
    }

    @Test func `survive a write of an older release, and are no drift of its model`() throws {
        struct Newer: Codable, RecordType {
            static let recordTypeName = "Order"
            var id = 1
            var status = "archived"
            var blocks: [String] = ["new"]
        }
        let scratch = try ScratchDirectory()
        func open(_ mismatches: MoltConfiguration.MismatchPolicy) throws -> CodableCache {
            try CodableCache(at: scratch.file(), configuration: .init { $0.mismatches = mismatches })
        }
        // Two releases with one schema version.
        try open(.ignore).set(Newer(), forKey: "a")
        var order = try #require(try open(.ignore).value(Order.self, forKey: "a"))
        order.id = 2
        try open(.ignore).set(order, forKey: "a")
        let again = try #require(try open(.ignore).value(Newer.self, forKey: "a"))
        #expect([again.status, again.blocks[0], "\(again.id)"] == ["archived", "new", "2"])

        try FileManager.default.removeItem(at: scratch.url)
        for order in [Order(status: .open, blocks: [.rule]), Order(), try decoded(json)] {
            try open(.fail).set(order, forKey: "b")
        }
    }
}

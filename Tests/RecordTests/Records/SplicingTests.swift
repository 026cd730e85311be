import Foundation
import Generators
import TestSupport
import Testing

// Slots of a batch are used again, as only a pass over a store does.
@testable import Molt

@Suite struct `Splicing a record` {
    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `A record that is only read is written byte for byte`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<150 {
            let text = RandomObject(using: &generator).text
            let record = try Record(text)
            #expect(record.text == text)
            for name in record.propertyNames.map({ PropertyPath($0) }) {
                _ = record[name]
                _ = try? record.string(name)
                _ = record[[name, "a"]]
                #expect(record.contains(name))
            }
            #expect(record.text == text)
            #expect(record.revision == 0)
        }
    }

    /// Makes a change of one property in random records and in the parts of their texts, and expects the same text.
    private func expectSplices(
        _ seed: Int,
        _ change: (inout Record, inout RandomObject, String) throws -> Void
    ) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            var object = RandomObject(using: &generator)
            guard let name = object.members.randomElement(using: &generator)?.name else { continue }
            var record = try Record(object.text)
            try change(&record, &object, name)
            #expect(record.text == object.text)
        }
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `Renaming a property changes only the bytes of its name`(seed: Int) throws {
        try expectSplices(200 + seed) { record, object, name in
            try record.rename(PropertyPath(name), to: "brand new")
            for index in object.members.indices where object.members[index].name.isSameText(as: name) {
                object.members[index].nameText = "\"brand new\""
            }
        }
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `Setting an existing property changes only the bytes of its last value`(seed: Int) throws {
        try expectSplices(300 + seed) { record, object, name in
            record[PropertyPath(name)] = ["x": [1, "two"]]
            let index = object.members.lastIndex { $0.name.isSameText(as: name) }
            let last = try #require(index)
            object.members[last].value = #"{"x":[1,"two"]}"#
        }
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `Removing a property removes its comma and changes no other byte`(seed: Int) throws {
        try expectSplices(500 + seed) { record, object, name in
            try record.remove(PropertyPath(name))
            object.members.removeAll { $0.name.isSameText(as: name) }
            if object.members.isEmpty {
                (object.head, object.tail) = ("", "")
            } else {
                object.members[0].gap = ""
            }
        }
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `Adding a property changes no byte before or after it`(seed: Int) throws {
        var generator = SeededGenerator(seed: 400 + UInt64(seed))
        for _ in 0..<200 {
            var object = RandomObject(using: &generator)
            var record = try Record(object.text)
            record["brand new"] = 36
            let isEmpty = object.members.isEmpty
            if isEmpty { (object.head, object.tail) = ("", "") }
            object.members.append(
                .init(gap: isEmpty ? "" : ",", name: "brand new", nameText: "\"brand new\"", colon: ":", value: "36")
            )
            #expect(record.text == object.text)
        }
    }

    @Test(arguments: 0..<TestRun.choose(4, long: 16))
    func `Writing after each change gives the same bytes as writing once`(seed: Int) throws {
        var generator = SeededGenerator(seed: 600 + UInt64(seed))
        for _ in 0..<120 {
            let text = RandomObject(using: &generator).text
            var atOnce = try Record(text)
            var oneByOne = try Record(text)
            var halfway = try Record(text)
            for number in 0..<Int.random(in: 1...9, using: &generator) {
                let change = try RecordChange.random(using: &generator)
                try change.make(in: &atOnce)
                try change.make(in: &oneByOne)
                try change.make(in: &halfway)
                oneByOne = try Record(oneByOne.text)
                if number % 3 == 2 { halfway = try Record(halfway.text) }
                try #require(atOnce.text == oneByOne.text, "\(change) of \(text)")
                try #require(halfway.text == oneByOne.text, "\(change) of \(text)")
                #expect(atOnce.propertyNames == oneByOne.propertyNames)
            }
        }
    }

    @Test func `Setting a property to its present value, or removing a missing one, is no change`() throws {
        for (json, name) in [(#"{"a": 1.50, "b": "x"}"#, "a"), (#"{"a": 1.50, "b": "x"}"#, "b"), ("{ \n }", "none")] {
            var record = try Record(json)
            let value = record[PropertyPath(name)]
            record[PropertyPath(name)] = value
            #expect(record.revision == 0)
            #expect(record.text == json)
        }
    }

    @Test func `A change inside a nested object changes no byte around it`() throws {
        let json = #"{"x" : 1e2, "address" : { "zip" : "0\u0031" , "city":"Oslo" } , "y":0.10 }"#
        let expected = #"{"x" : 1e2, "address" : { "code" : "0\u0031" , "city":"Paris" } , "y":0.10 }"#
        try expectChanged(json, to: expected) { record in
            record[["address", "city"]] = "Paris"
            try record.rename(["address", "zip"], to: "code")
        }
    }

    @Test func `A name is escaped only where JSON requires it`() throws {
        let expected = "{\"q\\\"\\\\/\\u0000\\u001f\\n\u{7F}\u{2028}\u{E9}\":1}"
        try expectChanged(#"{"a":1}"#, to: expected) {
            try $0.rename("a", to: "q\"\\/\u{0}\u{1F}\n\u{7F}\u{2028}\u{E9}")
        }
    }

    @Test func `A loaded record replaces the previous one completely`() throws {
        var record = try Record(#"{"a":"first","b":[1,2,3]}"#)
        record["a"] = "changed"
        record[["x", "y"]] = "failure is forgotten too"
        record[["a", "b"]] = 1
        #expect(record.failure != nil)
        record.key = "other"
        record.drop()
        LentRecord.with("grace", Array(#"{"b":null}"#.utf8), isData: false, expiration: 5) {
            record.load($0, id: 7, typeName: "Alien")
        }
        try record.read()
        let names: [String?] = ["grace", nil, "Alien", #"{"b":null}"#]
        #expect([record.key, record.changedKey, record.typeName, record.text] == names)
        #expect(record.propertyNames == ["b"])
        #expect(record.id == 7)
        #expect(record.expirationSeconds == 5)
        #expect(record.revision == 0)
        #expect(record.failure == nil && !record.isDropped)
    }

    @Test(arguments: [7, 8, 9, 16, 17, 1_000])
    func `Every property is found and changed, whatever their number`(count: Int) throws {
        let names = (0..<count).map { "p\($0)" }
        let text = "{" + names.map { "\"\($0)\": \"\($0)\"" }.joined(separator: " , ") + "}"
        var record = try Record(text)
        #expect(record.propertyNames == names)
        #expect(try names.map { try record.string(PropertyPath($0)) } == names)
        for name in names { try record.rename(PropertyPath(name), to: "new-\(name)") }
        #expect(record.text == text.replacing("\"p", with: "\"new-p").replacing(": \"new-p", with: ": \"p"))
    }

    @Test func `A duplicate name can be renamed to a longer one each time`() throws {
        let longName = String(repeating: "long", count: 500)
        var record = try Record("{" + Array(repeating: #""a":1"#, count: 40).joined(separator: ",") + "}")
        try record.rename("a", to: longName)
        try record.rename(PropertyPath(longName), to: longName + "er")
        record["b"] = 2
        record["b"] = .string(longName)
        let renamed = Array(repeating: "\"\(longName)er\":1", count: 40).joined(separator: ",")
        #expect(record.text == "{\(renamed),\"b\":\"\(longName)\"}")
    }

    @Test func `A batch returns each record as it was added, whatever its slot contained before`() throws {
        let batch = RecordBatch(capacity: 2)
        let contents = [
            #"{"a":1,"b":2,"c":3}"#, "{}", #"{"name":"\#(String(repeating: "x", count: 5_000))"}"#, #"{"a":[]}"#, "",
        ]
        for (number, content) in contents.enumerated() {
            for key in ["key-\(number)", ""] {
                batch.removeAll()
                LentRecord.with(key, Array(content.utf8), isData: number == 4, expiration: nil) {
                    batch.append($0, id: Int64(number), typeName: "T", version: 0)
                }
                #expect(batch.count == 1)
                #expect(batch[0].text == content)
                try batch[0].read()
                #expect(batch[0].text == content)
                #expect(batch[0].data == (number == 4 ? Data() : nil))
                if number < 4 {
                    batch[0]["z"] = 0
                    #expect(try batch[0].int("z") == 0)
                    try batch[0].replaceContent(with: ["content": .string(content)])
                    #expect(try batch[0].string("content") == content)
                }
                #expect(batch[0].key == key)
            }
        }
    }
}

extension String {
    /// Whether both strings have the same scalars; `==` treats different Unicode forms as equal.
    func isSameText(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

import Foundation
import Molt
import Testing

@Suite("Property paths")
struct PropertyPathTests {
    @Test func `A path is written as a name or as an array of names`() {
        let zip: PropertyPath = ["address", "zip"]
        #expect(zip.description == "address.zip")
        #expect("address.zip" != zip)
        let parts: [PropertyPath] = ["addresses", .each, ["geo", "zip"]]
        let paths: [(PropertyPath, PropertyPath)] = [
            ("mail", PropertyPath(["mail"])), ([], PropertyPath([String]())),
            (["addresses", .each, "geo", "zip"], PropertyPath(parts)),
        ]
        for (literal, path) in paths { #expect(literal == path) }
    }

    @Test(arguments: [["mail"], ["address", "zip"], ["a", "b", "c"]])
    func `A path can be made at run time`(names: [String]) throws {
        let path = PropertyPath(names)
        var record = try Record(json: "{}".utf8)
        try record.set(path, to: 7)
        #expect(record[path] == 7)
        #expect("\(MigrationStep.removeProperty("P", path))" == "remove P.\(names.joined(separator: "."))")
        #expect(record.contains([PropertyPath(names[0])]))
        #expect(!record.contains([PropertyPath(names[0]), "other"]))
        #expect(record.contains("\(names[0])"))
    }

    @Test func `Paths are compared by the bytes of their names`() {
        let paths: Set<PropertyPath> = ["caf\u{E9}", "cafe\u{301}", ["a", "bc"], ["ab", "c"], "abc", ["a", "bc"]]
        #expect(paths.count == 5)
    }
}

private struct Plain {}
private struct Box<Value> {}

private enum Outer {
    struct Inner: RecordType {
        static var recordTypeName: String { "Outer.Inner" }
    }
}

@Suite("Type names of records")
struct RecordTypeNameTests {
    @Test func `A type has its own or its declared name, also inside containers`() {
        let names: [(Any.Type, String)] = [
            (Plain.self, "Plain"), (Int.self, "Int"), (Box<Int>.self, "Box<Int>"), (Outer.Inner.self, "Outer.Inner"),
            ([Plain].self, "Array<Plain>"), ([Outer.Inner].self, "Array<Outer.Inner>"),
            (Outer.Inner?.self, "Optional<Outer.Inner>"),
            ([[Outer.Inner]?].self, "Array<Optional<Array<Outer.Inner>>>"), (Set<Int>.self, "Set<Int>"),
            ([String: Outer.Inner].self, "Dictionary<String, Outer.Inner>"),
        ]
        for (type, name) in names { #expect(RecordTypeName.of(type) == name) }
    }
}

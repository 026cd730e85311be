import Testing

@testable import Molt

private struct Plain {}
private struct Box<Value> {}

private enum Outer {
    struct Inner: RecordType {
        static var recordTypeName: String { "Outer.Inner" }
    }
}

@Suite("Type names of records")
struct RecordTypeNameTests {
    @Test(
        arguments: [
            (Plain.self, "Plain"),
            (Int.self, "Int"),
            (Box<Int>.self, "Box<Int>"),
            (Outer.Inner.self, "Outer.Inner"),
            ([Plain].self, "Array<Plain>"),
            ([Outer.Inner].self, "Array<Outer.Inner>"),
            (Outer.Inner?.self, "Optional<Outer.Inner>"),
            ([[Outer.Inner]?].self, "Array<Optional<Array<Outer.Inner>>>"),
            (Set<Int>.self, "Set<Int>"),
            ([String: Outer.Inner].self, "Dictionary<String, Outer.Inner>"),
        ] as [(Any.Type, String)]
    )
    func `A type has its own or its declared name, also inside containers`(type: Any.Type, name: String) {
        #expect(RecordTypeName.of(type) == name)
    }
}

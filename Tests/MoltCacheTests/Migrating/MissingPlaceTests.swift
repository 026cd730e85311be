import Testing

@testable import Molt

/// One rule for everything that names a place in a record: see "Change a record in place" in the guide.
@Suite("A path to a missing property")
struct MissingPlaceTests {
    private static let path: PropertyPath = ["a", "b"]

    /// Contents without a property at the path, each with the result of writing to the path, or nil where that fails.
    private static let contents: [(content: String, written: String?)] = [
        (#"{"x":1}"#, #"{"x":1,"a":{"b":7}}"#),
        (#"{"x":1,"a":null}"#, #"{"x":1,"a":{"b":7}}"#),
        (#"{"x":1,"a":{}}"#, #"{"x":1,"a":{"b":7}}"#),
        (#"{"x":1,"a":true}"#, nil),
        (#"{"x":1,"a":5}"#, nil),
        (#"{"x":1,"a":"text"}"#, nil),
        (#"{"x":1,"a":[{"b":1}]}"#, nil),
        ("null", nil),
        ("5", nil),
        (#""text""#, nil),
        (#"[{"a":{"b":1}}]"#, nil),
    ]

    /// Everything that leaves a record unchanged.
    private static let lenient: [(String, MigrationStep)] = [
        ("rename", .renameProperty("T", path, to: "c")),
        ("move", .moveProperty("T", path, to: "c")),
        ("remove", .removeProperty("T", path)),
        ("subscript", .transform("T") { #expect($0[path] == nil) }),
        ("subscript, nil", .transform("T") { $0[path] = nil }),
        ("contains", .transform("T") { #expect(!$0.contains(path)) }),
        ("rename in a block", .run { _ = try $0.renameProperty("T", path, to: "c") }),
    ]

    /// Everything that fails because the property is missing.
    private static let strict: [(String, MigrationStep)] = [
        ("rename", .renameProperty("T", path, to: "c", ifMissing: .fail)),
        ("move", .moveProperty("T", path, to: "c", ifMissing: .fail)),
        ("remove", .removeProperty("T", path, ifMissing: .fail)),
        ("value", .transform("T") { _ = try $0.value(path) }),
        ("value as", .transform("T") { _ = try $0.value(path, as: [Int].self) }),
        ("string", .transform("T") { _ = try $0.string(path) }),
        ("rename", .transform("T") { try $0.rename(path, to: "c") }),
        ("move", .transform("T") { try $0.move(path, to: "c") }),
        ("remove", .transform("T") { try $0.remove(path) }),
        ("remove as", .transform("T") { _ = try $0.remove(path, as: Int.self) }),
    ]

    /// Everything that writes 7 to the path.
    private static let writing: [(String, MigrationStep)] = [
        ("add", .addProperty("T", path, default: 7)),
        ("subscript", .transform("T") { $0[path] = 7 }),
        ("set", .transform("T") { try $0.set(path, to: 7) }),
    ]

    @Test(arguments: contents)
    func `is treated as missing by everything that reads, renames, moves or removes a property`(
        content: String,
        written: String?
    ) async throws {
        let records = [StoredRecord("T", "odd", content)]
        for (name, step) in Self.lenient {
            let after = try await OldStore(records).upgraded(step)
            #expect(after["odd"]?.text == content, "\(name)")
        }
        for (name, step) in Self.strict {
            let error = try await OldStore(records).failure(step)
            #expect(error.code == .propertyMissing, "\(name): \(error)")
            #expect(error.property == "a.b")
            #expect(error.key == "odd")
        }
    }

    @Test(arguments: contents)
    func `can be written where there is nothing or null, and replaces nothing else`(
        content: String,
        written: String?
    ) async throws {
        let records = [StoredRecord("T", "odd", content)]
        for (name, step) in Self.writing {
            if let written {
                let after = try await OldStore(records).upgraded(step)
                #expect(after["odd"]?.text == written, "\(name)")
            } else {
                let error = try await OldStore(records).failure(step)
                #expect(error.code == .typeMismatch, "\(name): \(error)")
                #expect(error.property == "a.b")
            }
        }
    }

    @Test(arguments: contents.filter { $0.content.hasPrefix("{") })
    func `can be the target of a move under the same rule`(content: String, written: String?) async throws {
        let records = [StoredRecord("T", "odd", content)]
        for step in [
            MigrationStep.moveProperty("T", "x", to: Self.path), .transform("T") { try $0.move("x", to: Self.path) },
        ] {
            if let written {
                let after = try await OldStore(records).upgraded(step)
                let moved = written.replacing(#""x":1,"#, with: "").replacing("7", with: "1")
                #expect(after["odd"]?.text == moved)
            } else {
                try await OldStore(records).failure(step).expect(.typeMismatch, property: "a.b")
            }
        }
    }

    @Test(arguments: [
        (#"{}"#, #"The record has no property "a". "#),
        (#"{"a":{}}"#, #"The record has no property "a.b". "#),
        (#"{"a":[1]}"#, #"The record has no property "a.b": "a" is not an object. "#),
        (#"{"a":null}"#, #"The record has no property "a.b": "a" is not an object. "#),
        ("[1]", #"The record has no property "a.b": the content is not an object. "#),
    ])
    func `is explained in the error by what the record has in its place`(content: String, words: String) async throws {
        let error = try await OldStore([StoredRecord("T", "odd", content)]).failure(
            .removeProperty("T", Self.path, ifMissing: .fail)
        )

        #expect(error.message.hasPrefix(words), "\(error.message)")
    }
}

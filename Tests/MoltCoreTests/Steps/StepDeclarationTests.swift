import Foundation
import MoltCore
import Testing

@Suite("Steps as values")
struct StepDeclarationTests {
    private static let person = #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : 36}"#

    private func coded(_ step: MigrationStep) throws -> CodedStep {
        let json = try JSONEncoder().encode(CodedStep(step.declaration))
        return try JSONDecoder().decode(CodedStep.self, from: json)
    }

    @Test(
        arguments: [
            .renameType("Alien", to: "Person"),
            .deleteType("Alien"),
            .renameProperty("Person", ["home", "zip"], to: "code", ifMissing: .fail),
            .moveProperty("Person", "zip", to: ["home", "code"]),
            .removeProperty("Person", ["home", "zip"], ifMissing: .fail),
            .addProperty("Person", ["home", "tags"], default: ["secret", 1.50, .null]),
            .copyProperty("Person", "mail", to: ["contact", "mail"], ifMissing: .fail),
            .splitProperty("Person", "mail", at: .last("@"), into: ["user", ["mail", "host"]], missing: .null),
            .joinProperties("Person", ["mail", ["home", "zip"]], into: "mail", separator: "/", ifMissing: .fail),
            .mapValue("Person", "age", [36: "old", "x": .null], otherwise: .value([1])),
            .renameProperty("Person", ["homes", .each, "zip"], to: "code"),
            .changeValue("Person", "age", to: .string, otherwise: .remove, ifMissing: .fail),
            .changeValue("Person", ["visits", .each], from: .iso8601, to: .millisecondsSince1970),
            .wrapProperty("Person", "mail", in: .array, ifMissing: .fail),
            .unwrapProperty("Person", "home", from: .object("zip")),
            .extractRecords("Person", ["homes", .each], as: "Home", key: .property("id"), owner: "person"),
            .extractRecords("Person", "home", as: "Home", key: .derived, leaving: .nothing),
            .transform("Person", revision: 2) { _ in },
            .convert("Person", from: String.self, to: Int.self, revision: 3) { $0.count },
            .run("number the people", onFreshStore: true, revision: 4) { _ in },
            .run { _ in },
            MigrationStep(
                kind: "built",
                summary: "w",
                parameters: ["p"],
                faults: ["f"],
                attaching: [],
                usesRecords: true
            ) { _ in },
        ] as [MigrationStep]
    )
    func `A declaration of each kind is encoded and decoded`(step: MigrationStep) throws {
        let read = try coded(step)

        #expect(read == CodedStep(step.declaration))
        #expect(read.declaration.identity == step.declaration.identity)
        #expect(read.declaration.description == step.description)
    }

    @Test(
        arguments: [
            (.renameProperty("Person", "mail", to: "email"), #"{"email":"a@b.c","home":{"zip":"75001"},"age" : 36}"#),
            (
                .moveProperty("Person", ["home", "zip"], to: "zip"),
                #"{"mail":"a@b.c","home":{},"age" : 36,"zip":"75001"}"#
            ),
            (.removeProperty("Person", "mail"), #"{"home":{"zip":"75001"},"age" : 36}"#),
            (
                .copyProperty("Person", ["home", "zip"], to: "zip"),
                #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : 36,"zip":"75001"}"#
            ),
            (
                .splitProperty("Person", "mail", at: .first("@"), into: ["user", "host"]),
                #"{"home":{"zip":"75001"},"age" : 36,"user":"a","host":"b.c"}"#
            ),
            (
                .joinProperties("Person", ["mail", ["home", "zip"]], into: "mail"),
                #"{"mail":"a@b.c 75001","home":{},"age" : 36}"#
            ),
            (.changeValue("Person", "age", to: .string), #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : "36"}"#),
            (
                .changeValue("Person", "age", from: .secondsSince1970, to: .iso8601),
                #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : "1970-01-01T00:00:36Z"}"#
            ),
            (.wrapProperty("Person", "age", in: .array), #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : [36]}"#),
            (
                .unwrapProperty("Person", "home", from: .object("zip")),
                #"{"mail":"a@b.c","home":"75001","age" : 36}"#
            ),
            (
                .changeValue("Person", ["home", .each], to: .integer),
                #"{"mail":"a@b.c","home":{"zip":75001},"age" : 36}"#
            ),
            (.mapValue("Person", "age", [36: "old"]), #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : "old"}"#),
            (
                .addProperty("Person", ["home", "tags"], default: ["x"]),
                #"{"mail":"a@b.c","home":{"zip":"75001","tags":["x"]},"age" : 36}"#
            ),
        ] as [(MigrationStep, String)]
    )
    func `A decoded declaration does the step's work`(step: MigrationStep, expected: String) throws {
        let declaration = try #require(try coded(step).declaration as? any RecordStep)
        var record = try Record(key: "ada", typeName: "Person", json: Array(Self.person.utf8))

        try declaration.change(&record)

        var content: [UInt8] = []
        record.writeContent(to: &content)
        #expect(String(decoding: content, as: UTF8.self) == expected)
    }

    @Test func `A decoded declaration fails for a missing required property`() throws {
        let step = MigrationStep.removeProperty("Person", "phone", ifMissing: .fail)
        let declaration = try #require(try coded(step).declaration as? any RecordStep)
        var record = try Record(key: "ada", typeName: "Person", json: Array(Self.person.utf8))

        #expect(throws: MigrationError.self) { try declaration.change(&record) }
    }

    @Test func `The error for an unknown kind of step names the kind`() throws {
        let json = Data(#"{"kind":"sortProperties","type":"Person"}"#.utf8)

        let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(CodedStep.self, from: json) }

        #expect("\(try #require(error))".contains("no step of the kind"))
    }
}

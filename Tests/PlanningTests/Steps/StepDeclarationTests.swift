import Molt
import Testing

@Suite("Declared steps")
struct StepDeclarationTests {
    private static let person = #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : 36}"#

    private static let changes: [(MigrationStep, String)] = [
        (.renameProperty("Person", "mail", to: "email"), #"{"email":"a@b.c","home":{"zip":"75001"},"age" : 36}"#),
        (.moveProperty("Person", ["home", "zip"], to: "zip"), #"{"mail":"a@b.c","home":{},"age" : 36,"zip":"75001"}"#),
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
        (.unwrapProperty("Person", "home", from: .object("zip")), #"{"mail":"a@b.c","home":"75001","age" : 36}"#),
        (.changeValue("Person", ["home", .each], to: .integer), #"{"mail":"a@b.c","home":{"zip":75001},"age" : 36}"#),
        (.mapValue("Person", "age", [36: "old"]), #"{"mail":"a@b.c","home":{"zip":"75001"},"age" : "old"}"#),
        (
            .mapValue("Person", "home", in: .keys, ["zip": "code"]),
            #"{"mail":"a@b.c","home":{"code":"75001"},"age" : 36}"#
        ),
        (.mapValue("Person", "home", in: .values, ["75001": 1]), #"{"mail":"a@b.c","home":{"zip":1},"age" : 36}"#),
        (
            .changeDictionary("Person", "home", to: .alternatingArray),
            #"{"mail":"a@b.c","home":["zip","75001"],"age" : 36}"#
        ),
        (
            .splitIntoArray("Person", "mail", separator: "@"),
            #"{"mail":["a","b.c"],"home":{"zip":"75001"},"age" : 36}"#
        ),
        (
            .encodeAsJSONText("Person", "home"),
            #"{"mail":"a@b.c","home":"{\"zip\":\"75001\"}","age" : 36}"#
        ),
        (
            .addProperty("Person", ["home", "tags"], default: ["x"]),
            #"{"mail":"a@b.c","home":{"zip":"75001","tags":["x"]},"age" : 36}"#
        ),
    ]

    @Test func `A declared step changes a single record`() throws {
        for (step, expected) in Self.changes {
            try expectChanged(Self.person, to: expected) { try step.change(&$0) }
        }
    }

    @Test func `A declared step fails for a missing required property`() throws {
        let step = MigrationStep.removeProperty("Person", "phone", ifMissing: .fail)
        try expectRefused(Self.person, .propertyMissing, "phone") { try step.change(&$0) }
    }
}

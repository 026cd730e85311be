import Foundation
import Molt
import Testing

/// Which content counts as a value, and which as raw data.
@Suite struct `The content of an adopted file` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory()
    }

    private func adopted(_ text: String, as content: CacheDirectory.Content) throws -> String? {
        try old.write(text, for: "key")
        let cache = try old.open(old.adoption(.list(["key"]), { _ in content }))
        cache.report.expectOutcomes(.adopted)
        return try Snapshot(of: old.store)["key"]?.description
    }

    @Test(arguments: [
        (#"{"object":{"b":1.0,"a":18446744073709551615}}"#, #"{"b":1.0,"a":18446744073709551615}"#),
        (#" { "object" : {"a" : [ 1 ]} } "#, #"{"a" : [ 1 ]}"#),
        (#"{"object":"a\/\u00e9"}"#, #""a\/\u00e9""#),
        (#"{"object":-0.10e+1}"#, "-0.10e+1"),
        (#"{"\u006fbject":null}"#, "null"),
        (#"{"object":{"object":1}}"#, #"{"object":1}"#),
    ])
    func `A value keeps its bytes, and raw data stays as it is, whatever it looks like`(
        text: String,
        value: String
    ) throws {
        #expect(try adopted(text, as: "Thing") == "Thing \"key\" v1 \(value)")
        let other = try Self()
        #expect(try other.adopted(text, as: .data) == "Data \"key\" v1 data \(text)")
    }

    @Test(arguments: [
        "", "raw", "42", "[1]", "{}", #"{"object":1,"more":2}"#, #"{"object":1,"object":2}"#, #"{"Object":1}"#,
        #"{"object":}"#, #"{"object":1"#, #"{"object":1}x"#, #"[{"object":1}]"#,
    ])
    func `Other content is data, or is left and reported where a value is required`(text: String) throws {
        #expect(try adopted(text, as: "Thing") == "Data \"key\" v1 data \(text)")

        let other = try OldDirectory()
        try other.write(text, for: "key")
        let before = try other.contents()
        let cache = try other.open(other.adoption(.list(["key"]), { _ in .value("Thing") }, removingSource: true))
        try cache.expectCount(0)
        cache.report.expectOutcomes(.notConvertible)
        #expect(cache.report.description.contains("not convertible: \"key\""))
        #expect(try other.contents() == before)
    }

    @Test func `An expiry at or after the date that stands for never means no expiry`() throws {
        try old.write(#"{"object":1}"#, for: "never")
        try old.write(#"{"object":1}"#, for: "later", modified: OldDirectory.never + 1_000_000_000)
        try old.write(#"{"object":1}"#, for: "before", modified: OldDirectory.never - 1_000_000_000)
        try old.write(#"{"object":1}"#, for: "now", modified: Int64(OldDirectory.time) * 1_000_000_000)
        let cache = try old.open(old.adoption(.list(["never", "later", "before", "now"])))
        let expirations = try Snapshot(of: old.store).records.map(\.expiration)
        #expect(expirations == [nil, nil, 2_144_447_999])
        cache.report.expectOutcomes(.adopted, .adopted, .adopted, .expired)
    }
}

import Foundation
import Testing

@testable import Molt

@Suite struct `Settings at the nesting limit` {
    /// Nested arrays and dictionaries with a string at the innermost level.
    static func nested(_ levels: Int) -> PropertyListValue {
        (0..<levels).reduce("in") { value, level in level % 20 == 19 ? ["a": value] : [value] }
    }

    let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A setting at the limit survives a whole upgrade`(primary: PrimaryStore) throws {
        let levels = 200
        let (deep, other) = (Self.nested(levels), try ScratchSuite(["there": 1]))
        let scratch = try ScratchSuite(["old": deep])
        let suite = scratch.suite
        try primary.upgrade(
            suite,
            cache: cache.url,
            with: [
                Migration(to: 1, "rename", .renameKey("old", to: "new", in: suite)),
                Migration(
                    to: 2,
                    "set",
                    .settings(in: suite) { try $0.set(["again": Self.nested(levels - 1)], forKey: "set") }
                ),
                .suiteToAppGroup(to: 3, from: suite, into: other.suite),
            ]
        )
        let state = try primary.state(of: suite, cache: cache.url)
        #expect(state.version == 3 && state.journal == [])
        let after: [String: PropertyListValue] = ["new": deep, "set": ["again": Self.nested(levels - 1)]]
        #expect(try scratch.values == after)
        #expect(try other.values == after.merging(["there": 1]) { $1 })
        #expect(try suite.value(forKey: "new") == deep)
    }

    /// An app may have set it without Molt.
    @Test(arguments: PrimaryStore.allCases)
    func `An upgrade is refused when its suite already holds a setting one level too deep`(primary: PrimaryStore) throws
    {
        let scratch = try ScratchSuite(["old": 1])
        try scratch.defaults.set(Self.nested(201).object, forKey: "deep")
        #expect(try scratch.defaults.synchronize())
        let suite = scratch.suite
        let error = #expect(throws: MoltError.self) {
            let rename = Migration(to: 1, "rename", .renameKey("old", to: "new", in: suite))
            try primary.upgrade(suite, cache: cache.url, with: [rename])
        }
        let cause = try #require(error?.underlying as? MoltError ?? error)
        #expect(cause.code == .unreadable && cause.key == "deep")
        #expect(cause.message.contains("200"))
        try scratch.defaults.removeObject(forKey: "deep")
        #expect(try scratch.defaults.synchronize())
        #expect(try scratch.values == ["old": 1])
        if primary == .suite || FileManager.default.fileExists(atPath: cache.url.path) {
            let state = try primary.state(of: suite, cache: cache.url)
            #expect(state.version == 0 && state.journal == [])
        }
    }

    #if os(Linux)
        @Test(arguments: [199, 200, 201])
        func `A setting at the limit is read from a binary file`(levels: Int) throws {
            let scratch = try ScratchSuite()
            let values: [String: PropertyListValue] = ["deep": Self.nested(levels)]
            try scratch.writeFile(values, .binary)
            if levels > 200 {
                #expect(throws: MoltError.self) { try scratch.values }
            } else {
                #expect(try scratch.values == values)
            }
        }
    #endif
}

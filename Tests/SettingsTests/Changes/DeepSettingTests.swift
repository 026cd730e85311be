import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Settings at the nesting limit` {
    /// Nested arrays and dictionaries with a string at the innermost level.
    private static func nested(_ levels: Int) -> PropertyListValue {
        (0..<levels).reduce("in") { value, level in level % 20 == 19 ? ["a": value] : [value] }
    }

    private let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A setting at the limit survives a whole upgrade`(primary: PrimaryStore) throws {
        let (deep, inner) = (Self.nested(200), Self.nested(199))
        let (scratch, other) = (try ScratchSuite(["old": deep]), try ScratchSuite(["there": 1]))
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", .renameSetting("old", to: "new", in: suite)),
            Migration(to: 2, "set", .changeSettings(in: suite) { try $0.set(["again": inner], forKey: "set") }),
            .suiteToAppGroup(to: 3, from: suite, into: other.suite),
        ]
        try primary.upgrade(suite, cache: cache.url, with: migrations)
        try primary.state(of: suite, cache: cache.url).expect(version: 3)
        try scratch.expect(["new": deep, "set": ["again": inner]])
        try other.expect(["new": deep, "set": ["again": inner], "there": 1])
        try expect(suite.value(forKey: "new"), is: deep)
    }

    /// An app may have set it without Molt.
    @Test(arguments: PrimaryStore.allCases)
    func `An upgrade is refused when its suite already holds a setting one level too deep`(primary: PrimaryStore) throws
    {
        let scratch = try ScratchSuite(["old": 1])
        let (suite, defaults) = (scratch.suite, try scratch.defaults)
        defaults.set(Self.nested(201).object, forKey: "deep")
        #expect(defaults.synchronize())
        let error = MoltError.thrown {
            let rename = Migration(to: 1, "rename", .renameSetting("old", to: "new", in: suite))
            try primary.upgrade(suite, cache: cache.url, with: [rename])
        }
        let cause = error?.underlying as? MoltError ?? error
        cause?.expect(.settingUnreadable, key: "deep", says: "200")
        defaults.removeObject(forKey: "deep")
        #expect(defaults.synchronize())
        try scratch.expect(["old": 1])
        if primary == .suite || FileManager.default.fileExists(atPath: cache.url.path) {
            try primary.state(of: suite, cache: cache.url).expect(version: 0)
        }
    }

    #if os(Linux)
        @Test func `A setting at the limit is read from a binary file, and a deeper one is an error`() throws {
            let scratch = try ScratchSuite()
            for levels in [199, 200] {
                let values = ["deep": Self.nested(levels)]
                try scratch.writeFile(values, .binary)
                try scratch.expect(values)
            }
            try scratch.writeFile(["deep": Self.nested(201)], .binary)
            MoltError.thrown { try scratch.values }
        }
    #endif
}

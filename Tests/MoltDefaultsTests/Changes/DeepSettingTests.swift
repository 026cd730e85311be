import Foundation
import MoltCache
import MoltCore
import MoltDefaults
import Testing

@Suite struct `Settings at the nesting limit` {
    /// Nested arrays and dictionaries with a string at the innermost level.
    static func nested(_ levels: Int) -> PropertyListValue {
        (0..<levels).reduce("in") { value, level in level % 20 == 19 ? ["a": value] : [value] }
    }

    enum Primary: CaseIterable, Sendable {
        case cache
        case suite
    }

    let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    private func upgrade(_ suite: Suite, _ primary: Primary, with migrations: MigrationRegistry) throws {
        switch primary {
        case .cache: try cache.upgrade(migrations)
        case .suite: try suite.upgrade(with: migrations)
        }
    }

    private func state(_ suite: Suite, _ primary: Primary) throws -> StoreState {
        switch primary {
        case .cache: try CacheStore.state(at: cache.url)
        case .suite: try DefaultsStore(suite).state()
        }
    }

    @Test(arguments: Primary.allCases)
    func `A setting at the limit survives a whole upgrade`(primary: Primary) throws {
        let levels = 200
        let (deep, other) = (Self.nested(levels), try ScratchSuite(["there": 1]))
        let scratch = try ScratchSuite(["old": deep])
        let suite = scratch.suite
        try upgrade(
            suite,
            primary,
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
        #expect(try state(suite, primary).version == 3)
        #expect(try state(suite, primary).journal == [])
        let after: [String: PropertyListValue] = [
            "new": deep, "set": ["again": Self.nested(levels - 1)],
        ]
        #expect(try suite.values().filter { $0.key != "molt.ledger" } == after)
        #expect(try other.values == after.merging(["there": 1]) { $1 })
        #expect(try suite.value(forKey: "new") == deep)
    }

    @Test(arguments: Primary.allCases)
    func `A setting one level too deep is refused before the commit`(primary: Primary) throws {
        let scratch = try ScratchSuite(["old": 1])
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", .renameKey("old", to: "new", in: suite)),
            Migration(to: 2, "deep", .settings(in: suite) { try $0.set(Self.nested(201), forKey: "deep") }),
        ]
        let error = #expect(throws: MigrationError.self) { try upgrade(suite, primary, with: migrations) }
        let cause = try #require(error?.underlying as? DefaultsError)
        #expect(cause.code == .cannotStore && cause.key == "deep")
        #expect(cause.message.contains("200"))
        try expectUntouched(scratch, primary)
    }

    /// An app may have set it without Molt.
    @Test(arguments: Primary.allCases)
    func `An upgrade is refused when its suite already holds a setting one level too deep`(primary: Primary) throws {
        let scratch = try ScratchSuite(["old": 1])
        try scratch.defaults.set(Self.nested(201).object, forKey: "deep")
        #expect(try scratch.defaults.synchronize())
        let suite = scratch.suite
        let error = #expect(throws: (any Error).self) {
            try upgrade(suite, primary, with: [Migration(to: 1, "rename", .renameKey("old", to: "new", in: suite))])
        }
        let cause = try #require(error as? DefaultsError ?? (error as? MigrationError)?.underlying as? DefaultsError)
        #expect(cause.code == .unreadable && cause.key == "deep")
        #expect(cause.message.contains("200"))
        try scratch.defaults.removeObject(forKey: "deep")
        #expect(try scratch.defaults.synchronize())
        try expectUntouched(scratch, primary)
    }

    private func expectUntouched(_ scratch: ScratchSuite, _ primary: Primary) throws {
        #expect(try scratch.values == ["old": 1])
        if primary == .suite || FileManager.default.fileExists(atPath: cache.url.path) {
            #expect(try state(scratch.suite, primary).version == 0)
            #expect(try state(scratch.suite, primary).journal == [])
        }
    }

    #if os(Linux)
        @Test(arguments: [199, 200, 201])
        func `A setting at the limit is read from a binary file`(levels: Int) throws {
            let scratch = ScratchSuite(named: TestHome.newSuiteName())
            let values: [String: PropertyListValue] = ["deep": Self.nested(levels)]
            let objects = PropertyListValue.dictionary(values).object
            try PropertyListSerialization.data(fromPropertyList: objects, format: .binary, options: 0)
                .write(to: scratch.file)
            if levels > 200 {
                #expect(throws: DefaultsError.self) { try scratch.values }
            } else {
                #expect(try scratch.values == values)
            }
        }
    #endif
}

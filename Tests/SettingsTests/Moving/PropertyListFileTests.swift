import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Settings of a property list file` {
    private let new: ScratchSuite
    private let cache: ScratchCache
    private var file: URL { cache.directory.appending(path: "old.plist") }

    init() throws {
        new = try ScratchSuite(["theme": "light", "size": 12])
        cache = try ScratchCache()
    }

    private func write(_ values: [String: PropertyListValue], isBinary: Bool = true) throws {
        let objects = PropertyListValue.dictionary(values).object
        try PropertyListSerialization
            .data(fromPropertyList: objects, format: isBinary ? .binary : .xml, options: 0)
            .write(to: file)
    }

    private func copy(
        into suite: Suite? = nil,
        keys: Suite.Keys = .all,
        renaming names: [String: String] = [:],
        onConflict policy: ConflictPolicy<Suite> = .keep
    ) -> MigrationRegistry {
        [
            .propertyListToSuite(
                to: 1,
                from: file,
                into: suite ?? new.suite,
                keys: keys,
                renaming: names,
                onConflict: policy
            )
        ]
    }

    @Test(arguments: [true, false])
    func `They are copied once, and the file stays as it is`(isBinary: Bool) throws {
        let values: [String: PropertyListValue] = [
            "theme": "dark", "size": 12, "sound": ["on": true], "name": "n", "com.apple.a": 1,
            "molt.ledger": "of the former app",
        ]
        try write(values, isBinary: isBinary)
        let bytes = try Data(contentsOf: file)
        let migrations = copy(renaming: ["sound": "sounds"])
        let report = try cache.upgrade(migrations)
        report.expectKeys(
            "com.apple.a: kept, it is not one of the keys to move",
            "name: copied",
            "size: already current",
            #"sound: copied, its key is "sounds" now"#,
            "theme: kept, the destination has another value, which stays"
        )
        let stores = Set(report.keys.map(\.store))
        #expect(stores == ["old.plist"])
        expect(try Data(contentsOf: file), is: bytes)
        // The suite's ledger says so, whatever cache is opened.
        try write(["later": 1])
        try ScratchCache().upgrade(migrations)
        let expected: [String: PropertyListValue] = ["theme": "light", "size": 12, "sounds": ["on": true], "name": "n"]
        try new.expect(expected, history: ["property-list-to-suite"])
    }

    @Test func `The newer of the file and the suite wins if so declared`() throws {
        try write(["theme": "dark", "time": 2])
        try new.suite.set(1, forKey: "saved")
        let keys = Suite.Keys.only(["theme", "time", "none"])
        try cache.upgrade(copy(keys: keys, renaming: ["time": "saved"], onConflict: .newest(by: "time")))
            .expectKeys("theme: replaced", #"time: replaced, its key is "saved" now"#, "none: absent")
        try new.expect(["theme": "dark", "size": 12, "saved": 2])
    }

    @Test func `A missing file has no settings, and the migration counts as applied`() throws {
        let migrations = copy(keys: .only(["name", "size"]))
        try cache.upgrade(migrations).expectKeys("name: absent", "size: absent")
        try write(["name": "n"])
        expect(try cache.upgrade(migrations).isEmpty, is: true)
        try new.expect(["theme": "light", "size": 12], history: ["property-list-to-suite"])
    }

    @Test(arguments: ["", "bplist00", #"<plist version="1.0"><array/></plist>"#])
    func `A file without a dictionary fails the upgrade, and nothing is changed`(text: String) throws {
        try Data(text.utf8).write(to: file)
        MoltError.thrown { try cache.upgrade(copy()) }?
            .expect(.settingUnreadable, step: 1, suite: file.path, outcome: .rolledBack, says: file.path, "Restore it")
        expect(try String(contentsOf: file, encoding: .utf8), is: text)
        try new.expect(["theme": "light", "size": 12], history: [])
    }

    @Test func `A directory is refused`() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let error = MoltError.thrown { try cache.upgrade(copy()) }
        error?.expect(.suiteFailed, suite: file.path, says: file.path, "that it is a file")
        // Only the devices of Apple refuse a file while they are locked.
        #if !canImport(Darwin)
            #expect(error?.message.contains("locked") == false)
        #endif
    }

    @Test func `In an extension that sees no file, the migration waits for the app`() throws {
        let group = Suite("group.\(UUID())")
        try cache.upgrade(copy(into: group), process: .tool).expectDeferred("property-list-to-suite")
        try write(["name": "n"])
        try cache.upgrade(copy(into: group), process: .tool).expectDeferred()
        expect(try group.values(), is: ["name": "n"])
    }

    @Test(.enabled(if: TestHome.isAvailable))
    func `The destination's own file is refused, also through a link`() throws {
        let own = try new.file
        for (url, fault) in [(own, "same place"), (URL(string: "https://example.com/a.plist"), "URL of a file")] {
            let migration = Migration.propertyListToSuite(to: 1, from: try #require(url), into: new.suite)
            let faults = MigrationRegistry([migration]).faults
            #expect(faults.count == 1 && faults[0].contains(fault))
        }
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: own)
        MoltError.thrown { try cache.upgrade(copy()) }?.expect(.unsupported, suite: file.path)
    }
}

import Foundation
import Testing

@testable import Molt

@Suite("A move of all settings but some") struct MoveExceptionTests {
    private let values: [String: PropertyListValue] = [
        "theme": "dark", "IABTCF_TCString": "x", "AppleLanguages": ["fr"], "NSWindow Frame main": "0 0 1 1",
        "com.apple.a": 1,
    ]

    @Test(arguments: [
        SuiteMove.Keys.except(prefixes: ["IABTCF_"]), .matching("no consent strings") { !$0.hasPrefix("IABTCF_") },
    ])
    func `leaves the system's keys where they are`(keys: SuiteMove.Keys) throws {
        let fixture = try MoveFixture(old: values)
        try fixture.upgrade(fixture.move(keys: keys, afterwards: .clean))
        #expect(try fixture.new.values == ["theme": "dark"])
        #expect(try fixture.old.values.keys.sorted() == values.keys.sorted().filter { $0 != "theme" })
    }

    @Test func `asks a closure about the system's keys if it is told to`() throws {
        let fixture = try MoveFixture(old: values)
        try fixture.upgrade(
            fixture.move(keys: .matching("all", includesSystemKeys: true) { _ in true }, afterwards: .clean)
        )
        #expect(try fixture.new.values == values)
    }

    @Test(.enabled(if: TestHome.isAvailable))
    func `refuses two suites with one file, though the file does not exist until the settings are saved`() throws {
        let fixture = try MoveFixture()
        try fixture.old.defaults.set("dark", forKey: "theme")
        try FileManager.default.createSymbolicLink(at: fixture.new.file, withDestinationURL: fixture.old.file)
        let error = #expect(throws: MoltError.self) {
            try fixture.upgrade(fixture.move(afterwards: .clean))
        }
        #expect(error?.code == .unsupported)
        #expect(try fixture.old.values == ["theme": "dark"])
    }

    @Test(.enabled(if: TestHome.isAvailable), arguments: [true, false])
    func `refuses two suites with one file, and changes neither`(isSymbolic: Bool) throws {
        let fixture = try MoveFixture(old: ["theme": "dark"])
        if isSymbolic {
            try FileManager.default.createSymbolicLink(at: fixture.new.file, withDestinationURL: fixture.old.file)
        } else {
            try FileManager.default.linkItem(at: fixture.old.file, to: fixture.new.file)
        }
        let bytes = try Data(contentsOf: fixture.old.file)
        let error = #expect(throws: MoltError.self) {
            try fixture.upgrade(fixture.move(afterwards: .clean))
        }
        #expect(error?.code == .unsupported)
        #expect(error?.attachedStore == fixture.old.suite.attachedName)
        #expect(try Data(contentsOf: fixture.old.file) == bytes)
        #expect(try fixture.old.values == ["theme": "dark"])
    }
}

import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

/// What a command has printed, and its exit code.
struct CommandRun {
    let output: String
    let errors: String
    let code: Int32

    init(_ tool: Tool, _ words: String...) async {
        await self.init(tool, words)
    }

    init(_ tool: Tool, _ words: [String]) async {
        let (output, errors) = (Locked(Data()), Locked(Data()))
        let terminal = Terminal(
            output: { more in output.withLock { $0 += more } },
            errors: { more in errors.withLock { $0 += more } }
        )
        code = await tool.run(words, on: terminal)
        self.output = String(decoding: output.withLock { $0 }, as: UTF8.self)
        self.errors = String(decoding: errors.withLock { $0 }, as: UTF8.self)
    }

    /// Expects an exit code, the whole output or parts of it, words in the errors, and words that are nowhere.
    ///
    /// - Parameter json: The whole output with other white space.
    func expect(
        _ code: Int32 = 0,
        output: String? = nil,
        json: String? = nil,
        begins start: String = "",
        says words: String...,
        ends end: String = "",
        errors failures: String...,
        hides values: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.code == code, "\(self)", sourceLocation: sourceLocation)
        if let output { #expect(self.output == output, sourceLocation: sourceLocation) }
        if let json { #expect(Self.minified(self.output) == Self.minified(json), sourceLocation: sourceLocation) }
        let isFramed = self.output.hasPrefix(start) && self.output.hasSuffix(end)
        #expect(isFramed, "\(self)", sourceLocation: sourceLocation)
        for word in words { #expect(self.output.contains(word), sourceLocation: sourceLocation) }
        for word in failures { #expect(errors.contains(word), sourceLocation: sourceLocation) }
        let all = self.output + errors
        for value in values { #expect(!all.contains(value), sourceLocation: sourceLocation) }
    }

    private static func minified(_ json: String) -> String {
        String(decoding: JSONLayout.minified(json.utf8), as: UTF8.self)
    }
}

struct Person: Codable, Equatable, RecordType {
    static let recordTypeName = "Person"
    var firstName: String
    var lastName: String
}

/// Today's registry of a small app.
let migrations: MigrationRegistry = [
    Migration(to: 1, "split-name", .splitProperty("Person", "name", into: ["firstName", "lastName"])),
    Migration(to: 2, "strict", .renameProperty("Person", "phone", to: "number", ifMissing: .fail)),
]

let molt = Tool("molt", "Shows stores.", StoreCommands.all, commandsOfApps: RegisteredApp.ownCommands)
let app = Tool(
    "app",
    "Shows and upgrades the stores of this app.",
    RegisteredApp(migrations: migrations, types: [.type(Person.self)]).commands
)

extension StoreContents.StoredRecord {
    /// A record of JSON text.
    static func json(
        _ key: String,
        _ json: String,
        type: String = "Person",
        expiration: Double? = nil,
        version: Int = 0
    ) -> Self {
        Self(key: key, typeName: type, content: Array(json.utf8), expiration: expiration, version: version)
    }

    /// A record of raw data.
    static func photo(_ key: String, _ bytes: [UInt8], expiration: Double? = nil) -> Self {
        Self(key: key, typeName: "Photo", content: bytes, isData: true, expiration: expiration, version: 0)
    }
}

extension ScratchDirectory {
    /// Writes a store into a file, and returns its path.
    @discardableResult
    func store(
        _ name: String,
        version: Int = 0,
        ledger: [LedgerEntry] = [],
        _ records: [StoreContents.StoredRecord]
    ) throws -> String {
        let store = StoreFile(at: file(name))
        try StoreContents(version: version, ledger: ledger, records: records).write(to: store)
        // Closing the last connection moves the log into the file.
        store.close()
        return file(name).path
    }

    /// Upgrades a store with the app's registry, and puts people without a phone into quarantine.
    func upgrade(_ name: String, _ setting: (inout MoltConfiguration) -> Void = { _ in }) throws {
        var configuration = MoltConfiguration()
        setting(&configuration)
        let migrations = migrations.onFailure(.quarantine(upTo: 5))
        try CodableCache(at: file(name), migrations: migrations, configuration: configuration).close()
    }
}

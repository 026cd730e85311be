import Foundation
import MoltSalvage
import Testing

@testable import Molt

@Suite struct `Salvaging the ledger` {
    let scratch: ScratchDirectory
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func withoutLedger() throws -> URL {
        let url = scratch.file()
        let sound = try SoundStore.shared.get()
        try Data(sound.file).write(to: url)
        let root = try SQLite(url).text("SELECT rootpage FROM sqlite_schema WHERE name = 'molt_ledger'")
        let page = try #require(root.flatMap { Int($0) })
        try Data(sound.file.zeroed(pages: page - 1..<page)).write(to: url)
        return url
    }

    @Test func `A lost ledger is rebuilt from the schema version if the migrations are given`() throws {
        let report = try CodableCache.salvage(from: withoutLedger(), to: newURL, migrations: SoundStore.migrations)
        #expect(!report.isLedgerWhole)
        #expect(report.schemaVersion == 2)
        #expect(report.assumptions.contains { $0.contains(#""first", "second""#) }, "\(report)")
        let cache = try CodableCache(at: newURL, migrations: SoundStore.migrations)
        #expect(cache.report.from == 2)
        #expect(cache.report.entries.map(\.migration.name) == ["third"])
        #expect(try cache.value(SoundNote.self, forKey: "key 1")?.seen == true)
    }

    @Test func `A lost ledger stays lost if the migrations are not given, and the next upgrade is refused`() throws {
        let report = try CodableCache.salvage(from: withoutLedger(), to: newURL)
        #expect(!report.isLedgerWhole)
        let error = #expect(throws: MoltError.self) {
            try CodableCache(at: newURL, migrations: SoundStore.migrations)
        }
        #expect(error?.code == .lateMigration)
    }

    @Test func `An intact ledger is saved without additions`() throws {
        let url = scratch.file()
        try Data(SoundStore.shared.get().file).write(to: url)
        let others = MigrationRegistry([Migration(to: 1, "unheard of")] + SoundStore.migrations.migrations)
        let report = try CodableCache.salvage(from: url, to: newURL, migrations: others)
        #expect(report.isWhole)
        #expect(try StoreFile.state(at: newURL).ledger.map(\.name) == ["first", "second"])
    }
}

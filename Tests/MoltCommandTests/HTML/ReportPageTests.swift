import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@Suite("The page of a dry run") struct ReportPageTests {
    @Test func `is one well-formed file that loads nothing`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
        await store.run(.varied).expect(begins: "The page is at \(store.page.path).\n")
        let text = try store.text
        #expect(text.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\" />"))
        for word in ["http:", "https:", "src=", "href=", "url(", "@import", "<script"] {
            #expect(!text.contains(word), "\(word)")
        }
        let page = try store.parsed()
        page.expect("main", "…")
        page.expect("h1", "…")
        page.expect("img")
        #expect(page.all("meta").contains { $0.attributes["name"] == "viewport" })
        #expect(!page.all("table").isEmpty)
        let unnamed =
            page.all("th").filter { $0.attributes["scope"] == nil }
            + page.all("figure").filter { $0.attributes["aria-label"] == nil }
        #expect(unnamed.isEmpty)
    }

    @Test func `has its sections in order, first what needs attention, or that nothing does`() async throws {
        let store = try ReportStore([
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#),
            .json("t", "{}", type: "Trash"),
        ])
        await store.run(.varied, onFailure: .quarantine(upTo: 5)).expect()
        let page = try store.parsed()
        page.expect("h2", "Needs your attention", "Versions", "Migrations", "Settings and files", "Samples")
        let kinds = page.all("article").filter { $0.classes.first == "finding" }.map(\.classes.last)
        #expect(kinds == ["bad", "loss", "note"])
        page.expect(
            ".finding",
            "…1 record would go into quarantine…eve…",
            "…Person.lastName…Trash…",
            "…did you mean \"lastName\"?…"
        )
        page.expect(".facts", "records in the store3migrations to run5…")
        page.expect(".settings", "…showsPhotos…")

        let plain = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
        await plain.run().expect()
        try plain.parsed().expect(".finding", "…Nothing: all records…")
    }

    @Test func `the line shows what is applied, what runs and where it ends`() async throws {
        let store = try ReportStore()
        try CodableCache(at: store.url, migrations: migrations.upTo(version: 1)).close()
        await store.run().expect()
        let page = try store.parsed()
        page.expect(".dot", "0", "1", "2")
        page.expect(".stop", "0", "1now", "2after")
        page.expect(".applied", "✓split-name…")
        page.expect(".runs", "→strict…")
    }

    @Test func `joins a long past, and names migrations that the registry does not have`() async throws {
        let all = (1...8).map { Migration(to: $0, "step-\($0)") }
        let store = try ReportStore()
        try CodableCache(at: store.url, migrations: MigrationRegistry(all)).close()
        await store.run(MigrationRegistry(Array(all.prefix(6)))).expect(1)
        let page = try store.parsed()
        page.expect(".dot", "0", "8")
        page.expect("summary", "✓ 8 migrations applied (versions 1 to 8)")
        let last = try #require(page.texts(".applied").last)
        #expect(last.contains("step-8") && last.contains("not in the registry"))
    }

    @Test func `says which migration replaces one of the ledger`() async throws {
        let store = try ReportStore()
        let parts = [Migration(to: 1, "split"), Migration(to: 2, "join"), Migration(to: 3, "retired")]
        try CodableCache(at: store.url, migrations: MigrationRegistry(parts)).close()
        await store.run([Migration(to: 2, "both", replacing: ["split", "join"]), Migration(to: 4, "last")]).expect(1)
        let applied = try store.parsed().texts(".applied")
        let places = ["split", "join", "retired"].map { name in
            applied.first { $0.contains(name) }.map { $0.contains(#"replaced by "both" (version 2)"#) }
        }
        #expect(places == [true, true, false], "\(applied)")
    }

    @Test func `a failing upgrade has a page too, with the failure first and no value`() async throws {
        let store = try ReportStore([
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Evelyn"}"#),
            .json("zoe", #"{"name":"Zoe King"}"#),
        ])
        await store.run(.varied).expect(1, errors: "The record has no property \"phone\".")
        let page = try store.parsed()
        page.expect("h2", "Needs your attention", "Versions", "Migrations to run")
        page.expect(
            ".finding",
            "…The upgrade fails…\"eve\" of type Person…",
            "…2 records cannot be converted…",
            others: true
        )
        page.expect(".keys", "…eve…zoe…")
        page.expect(".fails", "…strict…")
        page.expect(".runs")
        page.expect(".waits", "…not run", "…not run", "…not run", "…not run")
        page.expect(".stop", "0now", "1", "2", "3", "4not reached")
        #expect(try !store.text.contains("Evelyn") && !store.text.contains("King"))
    }

    @Test func `says that the file would be moved, also if the upgrade fails, and what an earlier one left to erase`()
        async throws
    {
        struct Stop: Error {}
        let store = try ReportStore([.json("t", "{}", type: "Trash"), .json("ada", "{}")])
        let erasing = Migration(to: 1, "erase", .deleteType("Trash", erasing: true))
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { if $0.kind == .erase { throw Stop() } }
        #expect(throws: Stop.self) {
            try CodableCache(at: store.url, migrations: [erasing], configuration: configuration)
        }
        let old = store.scratch.file("old.molt")
        try FileManager.default.moveItem(at: store.url, to: old)
        let fails = Migration(to: 3, "fails", .run { _ in throw Stop() })
        // There need not be a file at the new place.
        await store.run(MigrationRegistry([erasing]).storeMove(from: old, to: store.url)).expect()
        try store.parsed().expect(".note", "…The store would be moved from \(old.path)…", others: true)
        await store.run(MigrationRegistry([erasing, fails]).storeMove(from: old, to: store.url)).expect(1)
        try store.parsed().expect(
            ".note",
            "…The store would be moved from \(old.path).…Records that were deleted before would be erased from the file.…",
            others: true
        )
    }

    @Test func `an error before the upgrade, or in a value, has a page too`() async throws {
        let store = try ReportStore()
        await store.run([Migration(to: 1, "same"), Migration(to: 2, "same")]).expect(1)
        try store.parsed().expect(".finding", "…same…", others: true)
        try Data("no database".utf8).write(to: store.url)
        await store.run().expect(1)
        try store.parsed().expect(".finding", "…")
        let surrogate = try ReportStore([.json("half", #"{"name":"\ud800 x","phone":1}"#)])
        await surrogate.run().expect(1)
        try surrogate.parsed().expect(".finding", "…surrogate…", others: true)
    }

    // MARK: Samples

    @Test func `samples mark what was removed, added and changed, by signs too`() async throws {
        let store = try ReportStore([.json("ada", #"{"a":1,"name":"Ada King","z":{"b":[1,2]}}"#)])
        let registry: MigrationRegistry = [
            Migration(to: 1, "split", .splitProperty("Person", "name", into: ["first", "last"])),
            Migration(to: 2, "count", .transform("Person") { $0["a"] = 2 }),
            Migration(to: 3, "delete", .deleteType("Person")),
        ]
        await store.run(registry).expect()
        let page = try store.parsed()
        page.expect("del", #"−  "name": "Ada King","#, #"~  "a": 1,"#, others: true)
        page.expect("ins", #"+  "first": "Ada","#, #"+  "last": "King""#, #"→  "a": 2,"#, others: true)
        #expect(page.texts(".badge").contains("− deleted"))
    }

    @Test func `differences at both ends of a long value are marked, and the rest is not shown`() async throws {
        let list = "[" + (0..<3_000).map { #"{"n":\#($0),"m":1}"# }.joined(separator: ",") + "]"
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","list":\#(list)}"#)])
        await store.run([migrations.migrations[0]]).expect()
        let page = try store.parsed()
        page.expect("del", "…")
        page.expect("ins", "…", "…")
        page.expect(".gap", "…unchanged lines…")
        let shown = try #require(page.texts(".diff").first)
        #expect(shown.utf8.count < 1_000)
    }

    @Test func `values are shown only in samples, and the foot says so`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
        await store.run().expect(hides: "King")
        #expect(try store.text.contains("King"))
        try store.parsed().expect("footer", "…in 2 samples…")
        await store.run(words: "--samples", "1").expect(says: "King")
        await store.run(words: "--samples", "0").expect()
        #expect(try !store.text.contains("King"))
        try store.parsed().expect("footer", "…shows no value…")
    }

    // MARK: Hostile content

    @Test func `hostile keys and values stay text`() async throws {
        let store = try ReportStore.hostile()
        await store.run(.varied, onFailure: .quarantine(upTo: 5)).expect()
        let text = try store.text
        #expect(text.utf8.count < 100_000)
        let hidden = "\u{0}\u{202E}\u{2066}\u{2028}\(ReportStore.noncharacter)".unicodeScalars
        #expect(text.unicodeScalars.allSatisfy { !hidden.contains($0) })
        let page = try store.parsed()
        for tag in ["img", "script", "b"] { page.expect(tag) }
        let main = try #require(page.texts("main").first)
        for words in [
            "a</code></script><img src=x onerror=alert(1)>", #"<b>Ada & \"King\"</b>]]><!--"#,
            #"b\u{202E}\u{0}\u{A}\u{2028}\u{FFFE}'""#, "👩‍👧", "split-<name>", "more characters",
        ] {
            #expect(main.contains(words), "\(words)")
        }
    }

    @Test func `text cannot end the element or the attribute that it is in`() {
        #expect(EscapedText.attribute("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;")
        let content = EscapedText.content("<b>&\n\u{202E}", keepsLines: true)
        #expect(content == "&lt;b&gt;&amp;\n<span class=\"escape\">\\u{202E}</span>")
    }

    @Test func `shows migrations on read as run, also for the remaining records of a store`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King"}"#), .json("eve", #"{"name":"Eve"}"#)])
        let registry: MigrationRegistry = [
            Migration(to: 1, "split", .splitProperty("Person", "name", into: ["firstName", "lastName"])).onRead()
        ]
        await store.run(registry).expect()
        #expect(try store.text.contains("The upgrade from version 0 to version 1 succeeds."))
        var configuration = MoltConfiguration()
        configuration.runsBackfill = false
        try CodableCache(at: store.url, migrations: registry, configuration: configuration).close()
        await store.run(registry).expect()
        #expect(try store.text.contains("The upgrade of the remaining records of version 1 succeeds."))
        try store.parsed().expect("dd", "2", "1", "2", others: true)
    }
}

import Foundation
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("The page of a dry run") struct ReportPageTests {
    @Test func `is one well-formed file that loads nothing`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
        let run = await store.run(.varied)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("The page is at \(store.page.path).\n"))
        let text = try store.text
        #expect(text.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\" />"))
        for word in ["http:", "https:", "src=", "href=", "url(", "@import", "<script"] {
            #expect(!text.contains(word), "\(word)")
        }
        let page = try store.parsed()
        #expect(page.all("meta").contains { $0.attributes["name"] == "viewport" })
        #expect(page.all("main").count == 1 && page.all("h1").count == 1)
        #expect(page.all("th").allSatisfy { $0.attributes["scope"] != nil })
        #expect(page.all("figure").allSatisfy { $0.attributes["aria-label"] != nil })
        #expect(!page.all("table").isEmpty && page.all("img").isEmpty)
    }

    @Test func `has its sections in order, what needs attention first`() async throws {
        let store = try ReportStore([
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#),
            .json("t", "{}", type: "Trash"),
        ])
        #expect(await store.run(.varied, onFailure: .quarantine(upTo: 5)).code == 0)
        let page = try store.parsed()
        let headings = ["Needs your attention", "Versions", "Migrations", "Settings and files", "Samples"]
        #expect(page.all("h2").map(\.text) == headings)
        let findings = page.all("article").filter { $0.classes.contains("finding") }
        #expect(findings.map { $0.classes.last } == ["bad", "loss", "note"])
        #expect(findings[0].text.contains("1 record would go to quarantine") && findings[0].text.contains("eve"))
        #expect(findings[1].text.contains("Person.lastName") && findings[1].text.contains("Trash"))
        #expect(findings[2].text.contains("did you mean \"lastName\"?"))
        #expect(page.texts("facts").first?.contains("3records in the store") == false)
        #expect(page.all("dd").map(\.text).prefix(2) == ["3", "5"])
        #expect(page.texts("settings").first?.contains("showsPhotos") == true)
    }

    @Test func `says in one line that nothing needs attention`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
        #expect(await store.run().code == 0)
        #expect(try store.parsed().texts("finding").map { $0.contains("Nothing: all records") } == [true])
    }

    @Test func `the line shows what is applied, what runs and where it ends`() async throws {
        let store = try ReportStore()
        try CodableCache(at: store.url, migrations: migrations.upTo(version: 1)).close()
        #expect(await store.run().code == 0)
        let page = try store.parsed()
        #expect(page.texts("dot") == ["0", "1", "2"])
        #expect(page.texts("stop") == ["0", "1now", "2after"])
        #expect(page.texts("applied").map { $0.hasPrefix("✓split-name") } == [true])
        #expect(page.texts("runs").map { $0.hasPrefix("→strict") } == [true])
    }

    @Test func `joins a long past, and names migrations that the registry does not have`() async throws {
        let all = (1...8).map { Migration(to: $0, "step-\($0)") }
        let store = try ReportStore()
        try CodableCache(at: store.url, migrations: MigrationRegistry(all)).close()
        #expect(await store.run(MigrationRegistry(Array(all.prefix(6)))).code == 1)
        let page = try store.parsed()
        #expect(page.texts("dot") == ["0", "8"])
        #expect(page.all("summary").map(\.text) == ["✓ 8 migrations applied (versions 1 to 8)"])
        #expect(page.texts("applied").last?.contains("step-8") == true)
        #expect(page.texts("applied").last?.contains("not in the registry") == true)
    }

    @Test func `a failing upgrade has a page too, with the failure first and no value`() async throws {
        let store = try ReportStore([
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Evelyn"}"#),
            .json("zoe", #"{"name":"Zoe King"}"#),
        ])
        let run = await store.run(.varied)
        #expect(run.code == 1)
        #expect(run.errors.contains("The record has no property \"phone\"."))
        let page = try store.parsed()
        let findings = page.texts("finding")
        #expect(findings.first?.contains("The upgrade fails") == true)
        #expect(findings.first?.contains("\"eve\" of type Person") == true)
        #expect(findings.dropFirst().first?.contains("2 records cannot be converted") == true)
        #expect(page.texts("keys").map { $0.contains("eve") && $0.contains("zoe") } == [true])
        #expect(page.texts("fails").first?.contains("strict") == true)
        #expect(page.texts("runs").isEmpty)
        #expect(page.texts("waits").map { $0.hasSuffix("not run") } == [true, true, true, true])
        #expect(page.texts("stop").last == "4not reached")
        #expect(page.all("h2").map(\.text) == ["Needs your attention", "Versions", "Migrations to run"])
        #expect(try !store.text.contains("Evelyn") && !store.text.contains("King"))
    }

    @Test func `a plan that cannot be made still gives a page`() async throws {
        let store = try ReportStore()
        let run = await store.run([Migration(to: 1, "same"), Migration(to: 2, "same")])
        #expect(run.code == 1)
        #expect(try store.parsed().texts("finding").first?.contains("same") == true)
        try Data("no database".utf8).write(to: store.url)
        #expect(await store.run().code == 1)
        #expect(try store.parsed().texts("finding").count == 1)
    }

    // MARK: Samples

    @Test func `samples mark what was removed, added and changed, by signs too`() async throws {
        let store = try ReportStore([.json("ada", #"{"a":1,"name":"Ada King","z":{"b":[1,2]}}"#)])
        let registry: MigrationRegistry = [
            Migration(to: 1, "split", .splitProperty("Person", "name", into: ["first", "last"])),
            Migration(to: 2, "count", .transform("Person") { $0["a"] = 2 }),
            Migration(to: 3, "delete", .deleteType("Person")),
        ]
        let run = await store.run(registry)
        #expect(run.code == 0, "\(run.errors)")
        let page = try store.parsed()
        let del = page.all("del").map(\.text)
        #expect(del.prefix(2) == [#"−  "name": "Ada King","#, #"~  "a": 1,"#])
        #expect(
            page.all("ins").map(\.text).prefix(3) == [#"+  "first": "Ada","#, #"+  "last": "King""#, #"→  "a": 2,"#]
        )
        #expect(page.texts("badge").contains("− deleted"))
    }

    @Test func `differences at both ends of a long value are marked, and the rest is not shown`() async throws {
        let list = "[" + (0..<3_000).map { #"{"n":\#($0),"m":1}"# }.joined(separator: ",") + "]"
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","list":\#(list)}"#)])
        #expect(await store.run([migrations.migrations[0]]).code == 0)
        let page = try store.parsed()
        #expect(page.all("del").count == 1 && page.all("ins").count == 2)
        #expect(page.texts("gap").map { $0.contains("unchanged lines") } == [true])
        #expect(page.texts("diff").first.map { $0.utf8.count < 1_000 } == true)
    }

    @Test func `values are shown only in samples, and the foot says so`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
        let shown = await store.run()
        #expect(!shown.output.contains("King"))
        #expect(try store.text.contains("King"))
        #expect(try store.parsed().all("footer").first?.text.contains("in 2 samples") == true)
        #expect(await store.run(words: "--samples", "1").output.contains("King"))
        #expect(await store.run(words: "--samples", "0").code == 0)
        #expect(try !store.text.contains("King"))
        #expect(try store.parsed().all("footer").first?.text.contains("shows no value") == true)
    }

    // MARK: Hostile content

    @Test func `hostile keys and values stay text`() async throws {
        let store = try ReportStore.hostile()
        #expect(await store.run(.varied, onFailure: .quarantine(upTo: 5)).code == 0)
        let text = try store.text
        #expect(text.utf8.count < 100_000)
        let page = try store.parsed()
        #expect(page.all("img").isEmpty && page.all("script").isEmpty && page.all("b").isEmpty)
        let main = try #require(page.all("main").first?.text)
        #expect(main.contains("a</code></script><img src=x onerror=alert(1)>"))
        #expect(main.contains(#"<b>Ada & \"King\"</b>]]><!--"#))
        #expect(main.contains(#"b\u{202E}\u{0}\u{A}\u{2028}\u{FFFE}'""#))
        #expect(main.contains("👩‍👧") && main.contains("split-<name>"))
        #expect(main.contains("more characters"))
        let hidden = "\u{0}\u{202E}\u{2066}\u{2028}\(ReportStore.noncharacter)".unicodeScalars
        #expect(text.unicodeScalars.allSatisfy { !hidden.contains($0) })
    }

    @Test func `half of a surrogate pair is an error with a page`() async throws {
        let store = try ReportStore([.json("half", #"{"name":"\ud800 x","phone":1}"#)])
        #expect(await store.run().code == 1)
        #expect(try store.parsed().texts("finding").first?.contains("surrogate") == true)
    }

    @Test func `shows migrations on read as run, also for the remaining records of a store`() async throws {
        let store = try ReportStore([.json("ada", #"{"name":"Ada King"}"#), .json("eve", #"{"name":"Eve"}"#)])
        let registry: MigrationRegistry = [
            Migration(to: 1, "split", .splitProperty("Person", "name", into: ["firstName", "lastName"])).onRead()
        ]
        #expect(await store.run(registry).code == 0)
        #expect(try store.text.contains("The upgrade from version 0 to version 1 succeeds."))
        var configuration = CodableCache.Configuration()
        configuration.runsBackfill = false
        try CodableCache(at: store.url, migrations: registry, configuration: configuration).close()
        #expect(await store.run(registry).code == 0)
        #expect(try store.text.contains("The upgrade of the remaining records of version 1 succeeds."))
        #expect(try store.parsed().all("dd").map(\.text).prefix(3) == ["2", "1", "2"])
    }
}

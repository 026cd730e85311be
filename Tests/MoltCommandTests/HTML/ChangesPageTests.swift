import Foundation
import MoltCommand
import TestSupport
import Testing

@testable import Molt

@Suite("The page of a diff") struct ChangesPageTests {
    private func diff(_ a: ReportStore, _ b: ReportStore, _ words: String...) async -> CommandRun {
        await CommandRun(molt, ["diff", a.url.path, b.url.path, "--html", a.page.path] + words)
    }

    @Test func `shows what differs in the stores and in each record`() async throws {
        let a = try ReportStore([
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#),
            .json("same", "{}"),
        ])
        let b = try ReportStore([
            .json("ada", #"{"name":"Ada","phone":1,"mail":"a@b"}"#),
            .json("bob", #"{"name":"Bob"}"#), .json("same", "{}"),
        ])
        let run = await diff(a, b)
        #expect(run.code == 1)
        #expect(run.output == "1 added, 1 removed, 1 changed, 1 the same\nThe page is at \(a.page.path).\n")
        let page = try a.parsed()
        #expect(page.all("dd").map(\.text) == ["1", "1", "1", "1"])
        #expect(page.all("h2").map(\.text) == ["Records changed", "Records added", "Records removed"])
        #expect(page.texts("before") == ["−\"Ada King\"", "−{\"name\":\"Eve\"}"])
        #expect(page.texts("after") == ["+\"Ada\"", "+\"a@b\"", "+{\"name\":\"Bob\"}"])
        #expect(page.all("footer").last?.text.contains("shows values of records") == true)
    }

    @Test func `folds records in which only the version differs`() async throws {
        let stores = try (0..<2).map { _ in
            try ReportStore([.json("ada", #"{"number":1}"#), .json("eve", #"{"number":2}"#)])
        }
        let (a, b) = (stores[0], stores[1])
        try SQLite(b.url).run("UPDATE molt_record SET version = 3")
        #expect(await diff(a, b).code == 1)
        #expect(try a.text.contains("Only the version differs in 2 records."))
    }

    @Test func `says that stores are equal, and how many records it leaves out`() async throws {
        let records = (0..<130).map { StoreContents.StoredRecord.json("k\($0)", "{}") }
        let (a, b) = (try ReportStore(records), try ReportStore())
        #expect(await diff(a, a).code == 0)
        #expect(try a.text.contains("The stores are equal."))
        #expect(await diff(a, b).code == 1)
        #expect(try a.text.contains("Not listed: 30 more."))
        #expect(await diff(a, b, "--all").code == 1)
        #expect(try !a.text.contains("Not listed"))
    }

    @Test func `hostile content stays text`() async throws {
        let (a, b) = (try ReportStore.hostile(), try ReportStore())
        #expect(await diff(a, b).code == 1)
        let page = try a.parsed()
        #expect(page.all("img").isEmpty && page.all("script").isEmpty)
        #expect(try a.text.utf8.count < 100_000)
    }
}

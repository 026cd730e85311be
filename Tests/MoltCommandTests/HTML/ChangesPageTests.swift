import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

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
        await diff(a, b).expect(
            1,
            output: "1 added, 1 removed, 1 changed, 1 the same\nThe page is at \(a.page.path).\n"
        )
        let page = try a.parsed()
        page.expect("dd", "1", "1", "1", "1")
        page.expect("h2", "Records changed", "Records added", "Records removed")
        page.expect(".before", #"−"Ada King""#, #"−{"name":"Eve"}"#)
        page.expect(".after", #"+"Ada""#, #"+"a@b""#, #"+{"name":"Bob"}"#)
        page.expect("footer", "…shows values of records…")
    }

    @Test func `folds records in which only the version differs`() async throws {
        let records: [StoreContents.StoredRecord] = [.json("ada", #"{"number":1}"#), .json("eve", #"{"number":2}"#)]
        let (a, b) = (try ReportStore(records), try ReportStore(records))
        try SQLite(b.url).run("UPDATE molt_record SET version = 3")
        await diff(a, b).expect(1)
        #expect(try a.text.contains("Only the version differs in 2 records."))
    }

    @Test func `says that stores are equal, and how many records it leaves out`() async throws {
        let records = (0..<130).map { StoreContents.StoredRecord.json("k\($0)", "{}") }
        let (a, b) = (try ReportStore(records), try ReportStore())
        await diff(a, a).expect()
        #expect(try a.text.contains("The stores are equal."))
        await diff(a, b).expect(1)
        #expect(try a.text.contains("Not listed: 30 more."))
        await diff(a, b, "--all").expect(1)
        #expect(try !a.text.contains("Not listed"))
    }

    @Test func `hostile content stays text`() async throws {
        let (a, b) = (try ReportStore.hostile(), try ReportStore())
        await diff(a, b).expect(1)
        let page = try a.parsed()
        for tag in ["img", "script", "b"] { page.expect(tag) }
        #expect(try a.text.utf8.count < 100_000)
    }
}

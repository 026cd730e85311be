import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@Suite("The file of a page") struct PageFileTests {
    private let store: ReportStore

    init() throws {
        store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
    }

    private func run(page: String, _ words: String...) async -> CommandRun {
        await CommandRun(app, ["dry-run", store.url.path, "--html", page] + words)
    }

    @Test func `replaces an earlier page, and is only for the user`() async throws {
        for _ in 0..<2 { await run(page: store.page.path).expect() }
        let permissions = try FileManager.default.attributesOfItem(atPath: store.page.path)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
        #expect(try store.scratch.names().filter { $0.hasPrefix("report") } == ["report.html"])
    }

    @Test func `replaces no other file, such as the store itself`() async throws {
        let before = try Data(contentsOf: store.url)
        await run(page: store.url.path).expect(1, errors: "is not an HTML page, and is not replaced")
        #expect(try Data(contentsOf: store.url) == before)
        await run(page: store.scratch.url.path).expect(1, errors: "is not a regular file")
    }

    @Test func `an error names a page that cannot be written, also beside that of the upgrade`() async throws {
        let missing = store.scratch.file("none/report.html").path
        await run(page: missing).expect(1, errors: "the page cannot be written to \(missing): No such file")
        let broken = try ReportStore([.json("eve", #"{"name":"Eve"}"#)])
        await CommandRun(app, "dry-run", broken.url.path, "--html", missing).expect(
            1,
            says: "the page cannot be written",
            errors: "The record has no property \"phone\"."
        )
    }

    @Test func `the output of --json stays JSON`() async throws {
        let run = await run(page: store.page.path, "--json")
        run.expect(errors: "The page is at")
        #expect(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) is [String: Any])
    }
}

import Foundation
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("The file of a page") struct PageFileTests {
    private let store: ReportStore

    init() throws {
        store = try ReportStore([.json("ada", #"{"name":"Ada King","phone":1}"#)])
    }

    private func run(page: String, _ words: String...) async -> CommandRun {
        await CommandRun(app, ["dry-run", store.url.path, "--html", page] + words)
    }

    @Test func `replaces an earlier page, and is only for the user`() async throws {
        for _ in 0..<2 { #expect(await run(page: store.page.path).code == 0) }
        let permissions = try FileManager.default.attributesOfItem(atPath: store.page.path)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
        #expect(try store.scratch.names().filter { $0.hasPrefix("report") } == ["report.html"])
    }

    @Test func `replaces no other file, such as the store itself`() async throws {
        let before = try Data(contentsOf: store.url)
        let itself = await run(page: store.url.path)
        #expect(itself.code == 1)
        #expect(itself.errors.contains("is not an HTML page, and is not replaced"))
        #expect(try Data(contentsOf: store.url) == before)
        #expect(await run(page: store.scratch.url.path).errors.contains("is not a regular file"))
    }

    @Test func `an error names a page that cannot be written`() async throws {
        let missing = store.scratch.file("none/report.html").path
        let run = await run(page: missing)
        #expect(run.code == 1)
        #expect(run.errors.contains("the page cannot be written to \(missing): No such file"))
    }

    @Test func `a failing upgrade is reported even if its page cannot be written`() async throws {
        let broken = try ReportStore([.json("eve", #"{"name":"Eve"}"#)])
        let missing = broken.scratch.file("none/report.html").path
        let run = await CommandRun(app, ["dry-run", broken.url.path, "--html", missing])
        #expect(run.code == 1)
        #expect(run.errors.contains("The record has no property \"phone\"."))
        #expect((run.output + run.errors).contains("the page cannot be written"))
    }

    @Test func `the output of --json stays JSON`() async throws {
        let run = await run(page: store.page.path, "--json")
        #expect(run.errors.contains("The page is at"))
        #expect(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) is [String: Any])
    }
}

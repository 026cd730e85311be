#if CHILD_PROCESSES
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite("A page in a browser", .enabled(if: Browser.path != nil, "needs Chromium or Chrome in PATH"))
    struct BrowserTests {
        /// Pages of a dry run, of one that fails, and of a diff; in the ordinary run only the first.
        @Test func `shows all sections, and hostile content of a store does nothing`() async throws {
            let store = try ReportStore.hostile()
            await store.run(.varied, onFailure: .quarantine(upTo: 5)).expect()
            let document = try await open(store)
            for section in ["attention", "versions", "counts", "settings", "samples"] {
                #expect(document.contains("<section class=\"\(section)\""), "\(section)")
            }
            guard TestRun.isLong else { return }
            _ = await store.run(.varied)
            _ = try await open(store)
            let other = try ReportStore([.json("ada", "{}")])
            await CommandRun(molt, "diff", store.url.path, other.url.path, "--html", store.page.path).expect(1)
            let shown = try await Browser.open(store.page)
            #expect(shown.messages.isEmpty)
            #expect(shown.document.components(separatedBy: "<article").count == 6)
        }

        /// Expects that the browser finds the elements that the page was written with, and no others.
        private func open(_ store: ReportStore) async throws -> String {
            let shown = try await Browser.open(store.page)
            #expect(shown.messages.isEmpty)
            for tag in ["<img", "<script", "<b>"] { #expect(!shown.document.contains(tag), "\(tag)") }
            let codes = try store.parsed().all("code")
            #expect(shown.document.components(separatedBy: "<code").count == codes.count + 1)
            return shown.document
        }

        @Test func `a page could not load or run anything`() async throws {
            let store = try ReportStore()
            await store.run().expect()
            let more = "<img src=\"http://localhost/a.png\" /><script>document.title = 'changed'</script></main>"
            let page = store.scratch.file("changed.html")
            try Data(store.text.replacingOccurrences(of: "</main>", with: more).utf8).write(to: page)
            let shown = try await Browser.open(page)
            #expect(shown.messages.count == 2, "\(shown.messages)")
            #expect(!shown.document.contains("<title>changed"))
        }
    }

    /// A browser without a window.
    private struct Browser {
        /// The document after the page was read, as HTML.
        let document: String
        /// What the browser's console has shown, such as something that the page may not load.
        let messages: [String]

        static let path: String? = {
            let directories = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
            let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
            return names.flatMap { name in directories.map { "\($0)/\(name)" } }
                .first(where: FileManager.default.isExecutableFile)
        }()

        static func open(_ page: URL) async throws -> Browser {
            let profile = try ScratchDirectory()
            defer { withExtendedLifetime(profile) {} }
            let browser = try await ChildProcess(
                URL(filePath: try #require(path)),
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                    // The browser itself must not use the network either.
                    "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
                    "--user-data-dir=\(profile.url.path)", "--enable-logging=stderr", "--dump-dom",
                    page.absoluteString,
                ]
            )
            try #require(browser.status == 0)
            let lines = browser.errors.split(separator: "\n").filter { $0.contains(":CONSOLE") }
            return Browser(document: browser.output, messages: lines.map(String.init))
        }
    }
#endif

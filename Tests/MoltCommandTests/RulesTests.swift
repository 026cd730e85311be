import Foundation
import MoltCommand
import Testing

@Suite("molt rules") struct RulesTests {
    @Test func `prints the page of the documentation, which is short`() async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Molt/Molt.docc/RulesForChangingMigrations.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        await CommandRun(molt, "rules").expect(output: text)
        #expect(text.split { $0.isWhitespace }.count <= 250)
    }
}

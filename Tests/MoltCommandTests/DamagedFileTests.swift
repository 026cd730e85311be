import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

/// Numbers, texts and names that only a damaged or a crafted file has.
@Suite("The tool and a file with impossible values") struct DamagedFileTests {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file("people.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        try scratch.store("people.molt", [.json("ada", #"{"name":"Ada King","phone":1}"#)])
        try scratch.upgrade("people.molt") { _ in }
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    @Test(arguments: ["9e999", "-9e999", "-1e300", "1e300"])
    func `shows the ledger, whatever its numbers`(number: String) async throws {
        try SQLite(url).run(
            """
            UPDATE molt_ledger SET duration = \(number), applied_at = \(number), version = -9223372036854775808,
                records_read = 9223372036854775807, records_changed = 9223372036854775807, records_dropped = -1;
            UPDATE molt_record SET expires_at = \(number), version = -9223372036854775808;
            INSERT INTO molt_record SELECT 9, 'b', type_id, 9223372036854775807, created_at, updated_at, accessed_at,
                expires_at, content FROM molt_record LIMIT 1
            """
        )
        let history = try CacheFile(at: url).history()
        for row in history { #expect(row.description.contains("s since 1970")) }
        let counts = history.reduce(into: MigrationReport.Counts()) { $0 += $1.counts }
        #expect(counts.read > 1 << 40)
        for command in ["info", "ls", "dump"] {
            let result = await run(command, url.path)
            #expect(result.errors.isEmpty && !result.output.isEmpty, "\(command): \(result.errors)")
        }
    }

    @Test func `prints content that is not JSON as it is, and fails`() async throws {
        for content in ["}", "]]]", "{", #"{"a":"#, String(repeating: "[", count: 100_000)] {
            try SQLite(url).run("UPDATE molt_record SET content = '\(content)'")
            await run("get", url.path, "ada")
                .expect(1, output: content + "\n", errors: #"the content of "ada" is not JSON text"#)
            await run("get", url.path, "ada", "--raw").expect(output: content)
        }
        // No UTF-8.
        try SQLite(url).run("UPDATE molt_record SET content = CAST(x'22FF22' AS TEXT)")
        await run("get", url.path, "ada").expect(1, errors: "not JSON text")
    }

    @Test func `prints no line break and no bidirectional control of a foreign name`() async throws {
        let names = ["two\nlines", "a\u{202E}b", "c\u{2066}d", "e\u{9B}f", "tab\tbed"]
        for (id, name) in names.enumerated() {
            try SQLite(url).run("INSERT INTO molt_type(name) VALUES('\(name)')")
            try SQLite(url).run(
                """
                INSERT INTO molt_record SELECT \(100 + id), '\(name)', (SELECT id FROM molt_type WHERE name = '\(name)'),
                    version, created_at, updated_at, accessed_at, expires_at, '{"\(name.dropLast(3))":"x"}'
                FROM molt_record WHERE key = 'ada'
                """
            )
        }
        try SQLite(url).run(
            """
            UPDATE molt_record SET content = '{"broken\nlines\u{202E}' WHERE key = 'ada';
            UPDATE molt_ledger SET name = 'f\nlines', outcome = 'unmarked' WHERE id = (SELECT min(id) FROM molt_ledger)
            """
        )
        try scratch.store("empty.molt", [])
        let commands = [
            ["info", url.path], ["ls", url.path], ["dump", url.path], ["schema", url.path], ["fixture", url.path],
            ["get", url.path, names[1]], ["get", url.path, "ada"], ["get", url.path, "none\nlines"],
            ["diff", url.path, scratch.file("empty.molt").path], ["ls", url.path, "--json"],
            ["dump", url.path, "--json"],
        ]
        for command in commands {
            let run = await CommandRun(molt, command)
            let text = run.output + run.errors
            #expect(!text.contains { ["\u{202E}", "\u{2066}", "\u{9B}"].contains($0) }, "\(command): \(text)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("lines") }, "\(command): \(text)")
        }
        #expect(await run("fixture", url.path).code == 0)
    }

    @Test func `names the content that is not JSON, and prints no line that is not`() async throws {
        try SQLite(url).run("UPDATE molt_record SET content = '{broken'")
        let run = await run("dump", url.path, "--json")
        run.expect(1, output: "", errors: #"The content of "ada" is not JSON text"#)
    }

    @Test func `shows control characters of foreign names as escapes`() async throws {
        try SQLite(url).run(
            """
            UPDATE molt_record SET key = 'a' || char(27) || '[31m' || char(155) || 'b';
            UPDATE molt_type SET name = 'P' || char(27) || ']0;x' || char(7)
            """
        )
        for command in ["ls", "info", "dump", "schema"] {
            let run = await run(command, url.path)
            #expect(run.output.contains(#"\u{1B}"#), "\(command)")
            let controls = run.output.unicodeScalars.filter { scalar in
                scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
            }
            #expect(controls.isEmpty, "\(command)")
        }
    }

    @Test func `shows the version, the ledger and backups of a file whose records cannot be read`() async throws {
        _ = try CacheFile(at: url).backUp()
        let page = try #require(
            Int(try SQLite(url).text("SELECT rootpage FROM sqlite_schema WHERE name = 'molt_record'") ?? "")
        )
        let file = try FileHandle(forUpdating: url)
        try file.seek(toOffset: UInt64(page - 1) * 8192)
        try file.write(contentsOf: Data(repeating: 0xEE, count: 8192))
        try file.close()

        await run("info", url.path).expect(
            1,
            says: "version 2, records that cannot be read",
            "\"split-name\" (version 1): ran",
            "\nBackups\n",
            "damaged"
        )
    }

    @Test func `describes dates that no calendar has`() {
        for seconds in [Double.nan, .infinity, -1e300] {
            let text = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: seconds)).description
            #expect(text.hasSuffix("s since 1970"))
        }
    }
}

import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

/// A store in a directory of its own, and the pages about it.
struct ReportStore {
    let scratch: ScratchDirectory
    var url: URL { scratch.file("people.molt") }
    var page: URL { scratch.file("report.html") }

    init(_ records: [StoreContents.StoredRecord] = []) throws {
        scratch = try ScratchDirectory()
        try StoreContents(version: 0, records: records).write(to: StoreFile(at: url))
    }

    /// A scalar that markup must not contain, and that Swift's literals cannot have.
    static let noncharacter = Unicode.Scalar(0xFFFE as UInt32).map { String($0) } ?? ""

    /// A store whose keys and values try to leave their place in the page.
    static func hostile() throws -> ReportStore {
        let long = String(repeating: "long ", count: TestRun.choose(40_000, long: 200_000))
        return try ReportStore([
            .json(
                "a</code></script><img src=x onerror=alert(1)>",
                #"{"name":"<b>Ada & \"King\"</b>]]><!--","phone":1}"#
            ),
            .json(
                "b\u{202E}\u{0}\n\u{2028}\(noncharacter)'\"",
                "{\"name\":\"\\u0000\u{202E} \u{2066}x <&> 👩‍👧 \(noncharacter)\",\"phone\":2}"
            ),
            .json("c", #"{"name":"\#(long)King","phone":"\#(long)"}"#),
            .json(String(repeating: "d</td>", count: 100), #"{"name":"Dora"}"#),
        ])
    }

    /// Writes a page with the command, and returns what it printed.
    func run(
        _ migrations: MigrationRegistry = migrations,
        onFailure policy: FailurePolicy = .stop,
        words: String...
    ) async -> CommandRun {
        var configuration = MoltConfiguration()
        configuration.appVersion = "2.1"
        let app = RegisteredApp(migrations: migrations.onFailure(policy), configuration: configuration)
        return await CommandRun(Tool("app", "", app.commands), ["dry-run", url.path, "--html", page.path] + words)
    }

    var text: String {
        get throws { try String(contentsOf: page, encoding: .utf8) }
    }

    func parsed() throws -> ParsedPage { try ParsedPage(text) }
}

extension MigrationRegistry {
    /// Migrations with a misspelled name, a lossy step, a type to delete and a suite without values.
    static let varied: MigrationRegistry = [
        Migration(to: 1, "split-<name>", .splitProperty("Person", "name", into: ["firstName", "lastName"])),
        Migration(to: 2, "strict", .renameProperty("Person", "phone", to: "number", ifMissing: .fail)),
        Migration(to: 3, "forget", .removeProperty("Person", "lastName"), .removeProperty("Person", "lastNam")),
        Migration(to: 4, "delete-trash", .deleteType("Trash")),
        .defaultsV4ToV5(
            to: 4,
            suite: Suite("molt-tests.no-values"),
            keys: [.key("showsPhotos", .bool), .key("signature", .string)]
        ),
    ]
}

import Foundation
import Molt
import MoltTesting

extension FuzzTarget {
    /// Valid inputs to mutate.
    var corpus: [[UInt8]] {
        switch self {
        case .json: Self.texts
        case .fixture: Self.fixtures.map { Array($0.utf8) }
        case .export: Self.exports.map { Array($0.utf8) }
        case .ledger: Self.ledgers.map { Array($0.utf8) } + Self.binaryLists
        case .plist: Self.texts + Self.typedValues.map { Array($0.utf8) } + Self.xmlLists + Self.binaryLists
        case .archive: Self.archives + Self.binaryLists
        case .salvage, .tool: Self.databases
        case .descriptions: Self.rows.map { Array($0.utf8) } + Self.results
        case .settings: Self.xmlLists + Self.binaryLists + Self.archives
        case .documents: DocumentFuzzing.lines.map { Array($0.utf8) }
        }
    }

    /// Tokens of the grammar.
    var words: [[UInt8]] {
        switch self {
        case .json, .fixture, .export, .ledger, .plist, .descriptions, .documents:
            Self.jsonWords.map { Array($0.utf8) } + Self.strangeBytes
        case .archive, .salvage, .tool, .settings: Self.strangeBytes + Self.numbers
        }
    }

    private static let jsonWords = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\ud83d", "\\ude00", "\\u", "{\"a\":", "[[", "]]", "null",
        "true", "false", "-", "0", "-0", "1e400", "1E-400", "18446744073709551616", "-9223372036854775809", "0.1", "1.",
        ".5", "01", "+1", "NaN", "Infinity", "\u{FEFF}", "\u{2028}", "\t", "\n", " ", "\"\":", "\"a\":1,\"a\":2",
        "{\"int\":1}", "{\"jsonText\":", "{\"json\":",
        "{\"date\":", "{\"data\":\"AA==\"}", "<!--", "</dict>", "<array>", "<key>", "<date>", "&lt;", "&#0;",
        "<![CDATA[",
    ]

    private static let strangeBytes: [[UInt8]] = [
        [0x00], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFE, 0xFF], [0x80],
        [0xD1, 0x01],
        [0x80, 0x00], [0xAF, 0x10, 0xFF], [0xDF, 0x12, 0xFF, 0xFF], [0x5F, 0x13],
    ]

    private static let numbers: [[UInt8]] = [
        [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 2],
        [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0x0D], [0x05], [0x0A], [0x02], [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
    ]

    private static let texts = [
        #"{"name":"Ada","age":36,"tags":["a","b"],"born":{"year":1815,"day":null},"ok":true}"#,
        #"{"a":1,"a":2,"\u0061":3,"nested":{"a":{"a":{"a":[1,2,[3,[4]]]}}}}"#,
        #"[1,-2.5,3e2,0.1e-7,18446744073709551615,"é\ud83d\ude00\n\\\"",null,true,false,[],{}]"#,
        #" { "x" : [ 1 , 2 ] , "y" : "\/\b\f\n\r\t" } "#, #""a string""#, "12.50", "null", "[]", "{}",
        #"["2020-01-01T00:00:00Z",{"AQ==":"data"},["{\"a\":1}"]]"#, #"{"a":[0.5,1],"b":[-1e3]}"#, #"[1,5]"#,
        #"{"unicode":"ÄÖÜ 日本語 😀","long":"\#(String(repeating: "x", count: 300))"}"#,
    ].map { Array($0.utf8) }

    private static let typedValues = [
        #"{"dictionary":{"name":"Ada","born":{"date":-5853132000},"tags":["a",true,{"int":1},{"double":1}]}}"#,
        #"{"double":"nan"}"#, #"{"unsigned":18446744073709551615}"#, #"[["a"],{"data":"AQID"}]"#,
        #"{"migration":"m","value":{"int":1},"parts":[{"place":"[1]","value":"x","reason":"r"}]}"#,
    ]

    private static let fixtures = [
        #"{"format":1,"schemaVersion":3,"records":[{"key":"a","type":"T","content":{"x":1}}]}"#,
        """
        {
          "format": 1,
          "schemaVersion": 2,
          "primary": "cache",
          "ledger": [{"name": "m", "version": 2, "outcome": "ran", "appliedAt": 1000, "counts": {"read": 1}}],
          "records": [
            {"key": "a", "type": "T", "content": {"x": [1, 2.50, "é"]}, "expires": 4000000000, "version": 1},
            {"key": "b", "type": "Data", "data": "AQID"},
            {"key": "c", "type": "T", "text": "\\"x\\""}
          ],
          "suites": {"standard": {"a": {"int": 1}}, "suite x": {"b": {"date": 0}, "c": {"dictionary": {"d": {"double": "inf"}}}}}
        }
        """,
        #"{"format":1,"schemaVersion":0,"suites":{"standard":{"a":{"jsonText":{"b":[1,"\/"]}},"c":[{"json":[]},"[]"]}}}"#,
    ]

    private static let exports = [
        #"{"format":"molt-export","formatVersion":1,"version":1,"migrations":[{"name":"a","version":1}],"records":[]}"#,
        #"""
        {"format":"molt-export","formatVersion":1,"version":0,"migrations":[],"settings":{"standard":{"migrations":[{"name":"a","version":1}],
        "values":{"b":{"int":1},"c":[{"date":0.5},{"dictionary":{"d":{"data":"AP8="},"e":true}}]}}},"records":[]}
        """#,
        """
        {"format":"molt-export","formatVersion":1,"version":0,"migrations":[],"appVersion":"2","exportedAt":1.5e9,"records":[
        {"key":"a","type":"T","created":1,"updated":2.5,"content":{"x":[1,"}",{"y":"\\"]"}]}},
        {"key":"\\u00e9","type":"Data","created":1,"updated":1,"expires":4000000000,"data":"AP8="}
        ]}
        """,
    ]

    private static let ledgers = [
        #"{"format":2,"version":2,"entries":[]}"#, #"{"standard":3,"suite x":0}"#,
        """
        {"format":2,"version":2,"orders":[["k","l"]],"entries":[{"name":"m","version":1,"outcome":"ran","appliedAt":12.5,"duration":0.1,\
        "counts":{"read":1,"changed":1,"dropped":0,"created":0,"quarantined":0},"attachedCounts":{"a":1},\
        "appVersion":"1","moltVersion":"1","fingerprint":"f","replaces":["l"],"isReadableByOlderReleases":true,\
        "predecessors":2,"order":0,"oldestSupportedVersion":1}]}
        """,
        """
        {"snapshot":{"a":{"int":1},"b":"x"},"set":{"c":{"int":1}},"remove":["a"],"renamed":{"c":"a"},"arrived":["c"],\
        "moved":{"b":{"suite":"y","key":"b"}},"isReplacement":false,"rows":{"orders":[[]],"entries":[{"name":"m","version":1,"outcome":"ran",\
        "appliedAt":12.5,"duration":0.1,"counts":{"read":0,"changed":0,"dropped":0,"created":0,"quarantined":0},\
        "attachedCounts":{"a":1},"moltVersion":"1","replaces":[],"isReadableByOlderReleases":false,"predecessors":0}]}}
        """,
    ]

    /// Rows of ledgers, with numbers that no upgrade gives.
    private static let rows = [
        """
        {"name":"m","version":1,"outcome":"ran","appliedAt":12.5,"duration":0.1,"counts":{"read":1,"changed":1,"dropped":0,\
        "created":0,"quarantined":0},"attachedCounts":{"a":1},"appVersion":"1","moltVersion":"1","fingerprint":"f",\
        "replaces":["l"],"isReadableByOlderReleases":true}
        """,
        """
        [{"name":"m","version":9223372036854775807,"outcome":"later","appliedAt":1e300,"duration":-1e300,"counts":{"read":\
        9223372036854775807,"changed":1,"dropped":0,"created":0,"quarantined":0},"attachedCounts":{},"appVersion":"",\
        "moltVersion":"","replaces":[],"isReadableByOlderReleases":false}]
        """,
    ]

    /// The ledger after an upgrade.
    private static let results: [[UInt8]] = {
        let url = FileManager.default.temporaryDirectory.appending(path: "molt-fuzz-\(UUID().uuidString)")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
        try? StoreContents(
            version: 0,
            records: [.init(key: "a", typeName: "T", content: Array(#"{"a":1,"b":"x"}"#.utf8), version: 0)]
        ).write(to: StoreFile(at: url))
        let migrations: MigrationRegistry = [
            Migration(to: 1, "m", .removeProperty("T", "a")),
            Migration(to: 2, "n", .changeValue("T", "b", to: .integer, otherwise: .keep)),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try? CodableCache(at: url, migrations: migrations).close()
        let ledger = try? encoder.encode(CacheFile(at: url).history())
        return [ledger].compactMap { $0.map { Array($0) } }
    }()

    private static let binaryLists = decoded(binaryTexts)

    /// Decodes stored archives, because the order in a new archive differs between processes.
    private static func decoded(_ texts: [String]) -> [[UInt8]] {
        texts.compactMap { Data(base64Encoded: $0).map { Array($0) } }
    }

    private static let xmlLists = [
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>a</key><integer>-1</integer><key>b</key><real>1.5</real><key>c</key>
        <array><string>x &amp; y</string><true/><false/><date>2001-01-01T00:00:00Z</date><data>AQID</data></array></dict></plist>
        """,
        "<plist><array><integer>18446744073709551615</integer><dict/><array/><string></string></array></plist>",
        "{ a = b; c = (1, 2, <0102>); \"d e\" = \"\\U00e9\"; }",
    ].map { Array($0.utf8) }

    private static let archives = decoded(archiveTexts)

    /// Small caches with small pages: one with overflow pages, and one without its first page.
    private static let databases: [[UInt8]] = {
        let url = FileManager.default.temporaryDirectory.appending(path: "molt-fuzz-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = StoreFile(at: url)
        store.options.pageSize = 512
        let records = (0..<12).map { number in
            let text = String(repeating: "x", count: number == 5 ? 1_500 : number * 9)
            return StoreContents.StoredRecord(
                key: "key \(number)",
                typeName: "T",
                content: Array("\"\(text)\"".utf8),
                version: 1
            )
        }
        let ledger = [LedgerEntry(name: "m", version: 1, appliedAt: Date(timeIntervalSince1970: 1))]
        try? StoreContents(version: 1, ledger: ledger, records: records).write(to: store)
        store.close()
        let whole = Array((try? Data(contentsOf: url)) ?? Data())
        return [whole, [UInt8](repeating: 0, count: 512) + whole.dropFirst(512), Array(whole.dropFirst(1024))]
    }()
}

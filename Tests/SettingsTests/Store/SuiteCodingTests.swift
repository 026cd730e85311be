import Foundation
import Molt
import Testing

@Suite struct `The JSON of a suite's ledger` {
    private static let counts = #"{"changed":1,"created":2,"dropped":3,"handedOver":0,"quarantined":4,"read":5}"#
    /// Rows of two orders: one that says all that a row can say, one of each order, and one of unknown origin.
    private static let rows = """
        [{"appVersion":"2.1","appliedAt":7.5,"attachedCounts":{"suite a":2},\
        "corrections":[{"appVersion":"2","date":8.5,"kind":"markedApplied","reason":"It ran.","versionBefore":1},\
        {"appVersion":"","date":9.5,"kind":"acceptedEdit","reason":"It is the same."}],\
        "counts":\(counts),"duration":0.25,"extra":"{\\"a\\":1}","fingerprint":"f","isReadableByOlderReleases":true,\
        "isWorkPending":true,"isWritableByOlderReleases":true,"moltVersion":"0.1.0","name":"a",\
        "oldestSupportedVersion":1,"outcome":"replaced","predecessors":2,"replacedKinds":{"x":1,"y":2},\
        "replaces":["x","y"],"version":2},\
        {"appliedAt":0,"moltVersion":"0.1.0","name":"b","order":1,"predecessors":1,"version":3},\
        {"appliedAt":0,"isReadableByOlderReleases":true,"moltVersion":"0.1.0","name":"c","predecessors":0,"version":1},\
        {"appliedAt":0,"moltVersion":"0.1.0","name":"d","outcome":"bornFresh","version":1}]
        """
    private static let ledger = """
        {"entries":\(rows),"format":2,"identifier":"id","imports":["i","j"],"orders":[["x","y"],["z"]],\
        "readerFormat":2,"version":3}
        """

    @Test func `is read and written as it is`() throws {
        try expectCoding(
            Self.ledger,
            as: SuiteLedger.self,
            optional: ["identifier", "imports", "readerFormat"],
            unchecked: ["orders"]
        )
        try expectCoding(#"{"entries":[],"format":2,"version":0}"#, as: SuiteLedger.self)
    }

    @Test(arguments: ["appliedAt", "moltVersion", "name", "version"])
    func `has no row without one of four members`(name: String) throws {
        for value in [nil, NSNull(), ["a": 1]] as [Any?] {
            var row: [String: Any] = ["appliedAt": 0, "moltVersion": "0.1.0", "name": "a", "version": 1]
            row[name] = value
            let ledger: [String: Any] = ["entries": [row], "format": 2, "version": 1]
            let error = #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(SuiteLedger.self, from: JSONSerialization.data(withJSONObject: ledger))
            }
            #expect(error?.names == (value == nil ? ["entries", "0"] : ["entries", "0", name]))
        }
    }

    @Test func `names the member that it cannot read, as it is one of Molt's own`() throws {
        let scratch = try ScratchSuite()
        let row = #"{"appliedAt":0,"moltVersion":"0.1.0","name":1,"version":1}"#
        try scratch.suite.write(set: [Suite.ledgerKey: .string(#"{"entries":[\#(row)],"format":2,"version":1}"#)])
        let error = try #require(MoltError.thrown { try scratch.suite.history() })
        error.expect(.settingUnreadable)
        #expect("\(error.debugDescription)".contains(#"at "entries.0.name""#), "\(error.debugDescription)")
    }

    @Test func `refuses a row with an order that is not there, or with more predecessors than it has`() throws {
        for (member, other) in [(#""order":1"#, #""order":2"#), (#""predecessors":2"#, #""predecessors":3"#)] {
            let text = Self.ledger.replacing(member, with: other)
            #expect(throws: CocoaError.self) {
                try JSONDecoder().decode(SuiteLedger.self, from: Data(text.utf8))
            }
        }
    }

    @Test func `is the same in the changes that a journal keeps`() throws {
        let rows = #"{"entries":\#(Self.rows),"orders":[["x","y"],["z"]]}"#
        let patch = """
            {"arrived":["a"],"corrected":\(rows),"importID":"i","isReplacement":true,"ledger":\(Self.ledger),\
            "moved":{"a":{"key":"b","suite":"s"},"c":{"key":"d"}},"remove":["r"],"renamed":{"new":"old"},\
            "rows":\(rows),"set":{"s":{"int":1}},\
            "snapshot":{"a":[true,"text",{"double":1.5},{"date":2.5},{"data":"AQI="}],\
            "d":{"dictionary":{"u":{"unsigned":18446744073709551615}}}}}
            """
        try expectCoding(patch, as: SuitePatch.self, optional: ["corrected", "importID", "ledger", "moved"])
        let empty = """
            {"arrived":[],"isReplacement":false,"remove":[],"renamed":{},"rows":{"entries":[]},"set":{},"snapshot":{}}
            """
        try expectCoding(empty, as: SuitePatch.self)
    }
}

@Suite struct `The file of the settings in quarantine` {
    @Test func `is read and written as it is`() throws {
        let scratch = try ScratchSuite()
        let file = try TestHome.directory.appendingPathComponent("\(scratch.name).molt-unreadable")
        let kept = #"{"id":3,"key":"a","quarantinedAt":8.5,"reason":"It is no number.","value":["x"],"version":2}"#
        let removed = #"{"id":4,"key":"b","quarantinedAt":9,"reason":"","value":{"int":1},"version":0}"#
        let text = #"{"format":1,"lastID":7,"settings":[\#(kept),\#(removed)]}"#
        try FileManager.default.createDirectory(at: TestHome.directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        let settings = try scratch.suite.quarantined()
        #expect(settings.map(\.id) == [3, 4] && settings.map(\.version) == [2, 0])
        #expect(settings.map(\.quarantined) == [8.5, 9].map(Date.init(timeIntervalSince1970:)))
        _ = try scratch.suite.removeQuarantined([4])
        let after = try String(contentsOf: file, encoding: .utf8)
        #expect(after == #"{"format":1,"lastID":7,"settings":[\#(kept)]}"#)
        for name in ["id", "key", "quarantinedAt", "reason", "value", "version"] {
            let broken = text.replacing("\"\(name)\"", with: "\"another\"", maxReplacements: 1)
            try Data(broken.utf8).write(to: file)
            MoltError.thrown { try scratch.suite.quarantined() }?.expect(.settingUnreadable, says: "is damaged")
        }
        try FileManager.default.removeItem(at: file)
    }
}

extension DecodingError {
    /// The names and indexes on the way to the value that cannot be decoded.
    fileprivate var names: [String] {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        @unknown default: []
        }
    }
}

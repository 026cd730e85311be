internal import Foundation
internal import MoltCore
internal import MoltDefaults

/// How what was found in a store is not what was expected.
enum StateDifference {
    /// A line for each difference.
    static func lines(_ found: StoreFixture, expected: StoreFixture) -> [String] {
        var lines: [String] = []
        if found.schemaVersion != expected.schemaVersion {
            lines.append("the schema version is \(found.schemaVersion), not \(expected.schemaVersion)")
        }
        if found.ledger != expected.ledger {
            let (names, others) = (found.ledger.map(\.name), expected.ledger.map(\.name))
            lines.append(
                names == others
                    ? "the ledger's rows are not the same"
                    : "the ledger has \(names.isEmpty ? "no row" : names.joined(separator: ", ")), not "
                        + (others.isEmpty ? "none" : others.joined(separator: ", "))
            )
        }
        lines += recordLines(found, expected)
        let suites = Set(found.suites.keys).union(expected.suites.keys)
        for suite in suites.sorted(by: { $0.attachedName < $1.attachedName }) {
            let (values, others) = (found.suites[suite] ?? [:], expected.suites[suite] ?? [:])
            for key in Set(values.keys).union(others.keys).sorted() where values[key] != others[key] {
                lines.append("\(suite): \(key) is \(text(values[key])), not \(text(others[key]))")
            }
        }
        return lines
    }

    private static func recordLines(_ found: StoreFixture, _ expected: StoreFixture) -> [String] {
        guard found.records != expected.records else { return [] }
        var lines: [String] = []
        let records = Dictionary(found.records.map { (Array($0.key.utf8), $0) }) { first, _ in first }
        let others = Dictionary(expected.records.map { (Array($0.key.utf8), $0) }) { first, _ in first }
        for other in expected.records {
            guard let record = records[Array(other.key.utf8)] else {
                lines.append("record \(other.key) is missing")
                continue
            }
            if record != other { lines.append("record \(other.key) is \(text(record)), not \(text(other))") }
        }
        for record in found.records where others[Array(record.key.utf8)] == nil {
            lines.append("record \(record.key) is new: \(text(record))")
        }
        return lines.isEmpty ? ["the records are in another order, or doubled"] : lines
    }

    private static func text(_ record: StoreFixture.Record) -> String {
        let content = record.content.isData ? "data" : String(decoding: record.content.bytes, as: UTF8.self)
        let expiry = record.expiration.map { ", expires \($0.timeIntervalSince1970)" } ?? ""
        return "\(record.typeName) \(cut(content))\(expiry)" + (record.version.map { ", at version \($0)" } ?? "")
    }

    private static func text(_ value: PropertyListValue?) -> String {
        switch value {
        case nil: "nothing"
        case .string(let text): cut("\"\(text)\"")
        case .bool(let flag): "\(flag)"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .some(let other): cut("\(other)")
        }
    }

    private static func cut(_ text: String) -> String {
        text.count > 100 ? "\(text.prefix(100))…" : text
    }
}

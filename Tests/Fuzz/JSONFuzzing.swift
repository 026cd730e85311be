import Foundation
import Molt

/// Reads, changes and writes a record, and compares the results with Foundation's.
enum JSONFuzzing {
    static func feed(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        var record: Record
        do {
            record = try Record(key: "key", typeName: "Type", json: input)
        } catch {
            // Foundation may accept what Molt rejects, because it is more lenient.
            if (try? RecordValue(json: input)) != nil { return .failed("it is read as a value, but not as a record") }
            throw error
        }
        guard written(record) == input else { return .failed("it is written otherwise than it was read") }
        let value = try? RecordValue(json: input)
        guard (try? record.content()) == value else { return .failed("it is read as another value than the record's") }
        if let value, (try? RecordValue(json: value.json())) != value {
            return .failed("its value is written otherwise")
        }
        // Foundation has different limits for depth, numbers and duplicate names.
        let isRead = isReadByFoundation(input)
        if !isRead, !hasUnlikeLimits(input) { return .failed("Foundation does not read it") }
        _ = try? record.decoded(as: [String: Double].self)
        guard record.isObject else { return .accepted }
        for name in record.propertyNames.prefix(4).map({ PropertyPath($0) }) {
            _ = record[name]
            _ = try? record.string(name)
            _ = try? record.int(name)
            _ = try? record.double(name)
            try? record.mapValue([name, .each], [1: "one"], otherwise: .value([:]))
            try? record.changeValue(name, from: .millisecondsSince1970, to: .iso8601, otherwise: .keep)
            try? record.changeValue(name, from: .iso8601, to: .deferredToDate, otherwise: .keep)
            try? record.changeValue(name, to: .integer, otherwise: .keep)
            try? record.split(name, at: .last(" "), into: [name, "second part"])
            try? record.wrap([name, .each], in: .object("\u{0}\""))
            try? record.unwrap(name, from: .array)
            try? record.rename(name, to: "renamed \(name)")
        }
        record["added"] = .array([.string("\u{0}\"\\é"), .bool(true), .null])
        if let name = record.propertyNames.first { _ = try? record.remove(PropertyPath(name)) }
        let changed = written(record)
        do {
            _ = try Record(key: "key", typeName: "Type", json: changed)
        } catch {
            return .failed("changed, it is no JSON text any more")
        }
        if isRead, !isReadByFoundation(changed), !hasUnlikeLimits(changed) {
            return .failed("changed, Foundation does not read it any more")
        }
        return .accepted
    }

    private static func written(_ record: borrowing Record) -> [UInt8] {
        var bytes: [UInt8] = []
        record.writeContent(to: &bytes)
        return bytes
    }

    private static func isReadByFoundation(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    /// Whether the input has features for which RFC 8259 lets readers set limits: an exponent, many digits, deep
    /// nesting, or an unpaired surrogate.
    private static func hasUnlikeLimits(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try RecordValue(json: bytes)
        } catch {
            return true
        }
        let openings = bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        let hasExponent = bytes.contains(UInt8(ascii: "e")) || bytes.contains(UInt8(ascii: "E"))
        let digits = bytes.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.map(\.count).max() ?? 0
        return openings > 500 || hasExponent || digits > 18
    }
}

import Foundation
import MoltCore

/// Reads a record, changes it, writes it back, and asks Foundation whether it agrees.
enum JSONFuzzing {
    static func feed(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        var record: Record
        do {
            record = try Record(key: "key", typeName: "Type", json: input)
        } catch {
            // What Molt refuses, Foundation must not have to accept; it is the more lenient of the two.
            _ = try? RecordValue(json: input)
            throw error
        }
        guard written(record) == input else { return .failed("it is written otherwise than it was read") }
        // Foundation's reader knows other limits: of depth, of numbers, and of names that are there twice.
        let isRead = isReadByFoundation(input)
        if !isRead, !hasUnlikeLimits(input) { return .failed("Foundation does not read it") }
        _ = try? record.decoded(as: [String: Double].self)
        guard record.isObject else { return .accepted }
        for name in record.propertyNames.prefix(4).map({ PropertyPath($0) }) {
            _ = record[name]
            _ = try? record.string(name)
            _ = try? record.int(name)
            _ = try? record.double(name)
            _ = try? record.renameIfPresent(name, to: "renamed \(name)")
        }
        record["added"] = .array([.string("\u{0}\"\\é"), .bool(true), .null])
        if let name = record.propertyNames.first { _ = try? record.removeIfPresent(PropertyPath(name)) }
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

    /// Whether there is what RFC 8259 allows and leaves to each reader: an exponent, many digits, depth, or half of a
    /// surrogate pair.
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

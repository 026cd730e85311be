import Foundation
import Generators
import Molt
import MoltTesting

/// Random fixtures with every kind of content, determined by a seed.
enum RandomFixture {
    static func make(seed: UInt64) -> StoreFixture {
        var random = SeededGenerator(seed: seed)
        let suites: [Molt.Suite] = [.standard, Molt.Suite("group.example"), Molt.Suite("a b \"c\"")]
        var fixture = StoreFixture(
            primary: random.oneIn(3) ? .suite(suites[Int.random(in: 0..<3, using: &random)]) : .cache,
            version: Int.random(in: 0..<5, using: &random)
        )
        for index in 0..<Int.random(in: 0..<4, using: &random) { fixture.ledger.append(entry(index, &random)) }
        let records = (0..<Int.random(in: 0..<6, using: &random)).map { record($0, &random) }
        if fixture.primary == .cache { fixture.records = records }
        for suite in suites where random.oneIn(2) { fixture.suites[suite] = dictionary(3, &random) }
        return fixture
    }

    private static func entry(_ index: Int, _ random: inout SeededGenerator) -> LedgerEntry {
        var entry = LedgerEntry(
            name: "\(index)\(text(&random))",
            version: index,
            appliedAt: Date(timeIntervalSince1970: 0),
            moltVersion: ""
        )
        if random.oneIn(2) { entry.appliedAt = Date(timeIntervalSinceReferenceDate: number(&random)) }
        if random.oneIn(2) { entry.duration = number(&random) }
        if random.oneIn(2) { entry.counts.created = Int.random(in: 0..<9, using: &random) }
        if random.oneIn(2) { entry.attachedCounts = [text(&random): 1, "standard": .max] }
        if random.oneIn(2) { entry.fingerprint = text(&random) }
        if random.oneIn(2) { entry.appVersion = text(&random) }
        if random.oneIn(2) { entry.moltVersion = text(&random) }
        entry.olderReleases = random.pick([.nothing, .nothing, .read, .write])
        entry.outcome = random.pick([.ran, .createdAtVersion, .replaced, .deferred])
        return entry
    }

    private static func record(_ index: Int, _ random: inout SeededGenerator) -> StoreFixture.Record {
        var bytes = Array(json(4, &random).utf8)
        // A changed byte may yield other JSON, invalid JSON, or invalid UTF-8.
        if random.oneIn(2), let place = bytes.indices.randomElement(using: &random) {
            bytes[place] = random.oneIn(3) ? 0x20 : UInt8.random(in: 0...255, using: &random)
        }
        return StoreFixture.Record(
            "\(index)\(text(&random))",
            text(&random),
            StoreFixture.Content(bytes: bytes, isData: random.oneIn(4)),
            expiration: random.oneIn(3) ? Date(timeIntervalSinceReferenceDate: number(&random)) : nil,
            version: random.oneIn(3) ? Int.random(in: 0..<5, using: &random) : nil
        )
    }

    private static func json(_ depth: Int, _ random: inout SeededGenerator) -> String {
        let space = random.oneIn(20) ? random.pick([" ", "\n", "\t", "\r\n"]) : ""
        let count = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return space + random.pick(["null", "true", "false"])
        case 1: return random.pick(["0", "-0", "1.50", "1e5", "18446744073709551615", "0.1", "1E+400"]) + space
        case 2, 3, 4: return string(&random)
        case 5: return "[" + (0..<count).map { _ in json(depth - 1, &random) }.joined(separator: "," + space) + "]"
        default:
            let members = (0..<count).map { _ in string(&random) + ":" + space + json(depth - 1, &random) }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private static func string(_ random: inout SeededGenerator) -> String {
        let parts = [
            "a", "\\\"", "\\\\", "{", "}", "[", "]", ",", ":", " ", "\\u0000", "é", "e\u{301}", "\\ud83d\\ude00", "😀",
        ]
        return "\"" + (0..<Int.random(in: 0..<6, using: &random)).map { _ in random.pick(parts) }.joined() + "\""
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let parts = [
            "a", "\"", "\\", "{", "}", "[", ",", ":", " ", "\n", "\r", "\t", "\0", "\u{1F}", "\u{7F}", "é", "e\u{301}",
            "😀",
        ]
        return (0..<Int.random(in: 0..<6, using: &random)).map { _ in random.pick(parts) }.joined()
    }

    private static func number(_ random: inout SeededGenerator) -> Double {
        let edges = [0, -0.0, 1, 0.1, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return random.pick(edges)
        case 1: return Double.random(in: -1e9..<2e9, using: &random)
        case 2: return Double(Int.random(in: -1_000_000_000..<1_000_000_000, using: &random))
        default:
            let number = Double(bitPattern: random.next())
            return number.isNaN ? 1 : number
        }
    }

    private static func dictionary(_ depth: Int, _ random: inout SeededGenerator) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        for _ in 0..<Int.random(in: 0..<4, using: &random) { values[text(&random)] = setting(depth - 1, &random) }
        return values
    }

    private static func setting(_ depth: Int, _ random: inout SeededGenerator) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 10), using: &random) {
        case 0: .bool(random.oneIn(2))
        case 1: .int(Int64(truncatingIfNeeded: random.next()))
        case 2: .unsigned(random.next())
        case 3: .double(random.oneIn(9) ? .nan : number(&random))
        case 4: .date(Date(timeIntervalSinceReferenceDate: number(&random)))
        case 5: .data(Data((0..<Int.random(in: 0..<5, using: &random)).map { UInt8($0) }))
        case 6, 7: .string(text(&random))
        case 8: .string(json(3, &random))
        case 9: .data(Data(json(3, &random).utf8))
        case 10: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in setting(depth - 1, &random) })
        default: .dictionary(dictionary(depth, &random))
        }
    }
}

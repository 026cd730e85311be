import Foundation
import Generators
import TestSupport
import Testing

@testable import Molt

/// Conversions of random values in random forms, each from its own seed.
@Suite("Random conversions from Defaults 4") struct DefaultsV4PropertyTests {
    @Test(arguments: [DefaultsRelease.v5, .v6dot2, .v6dot3])
    func `Converting twice gives the same as converting once`(target: DefaultsRelease) {
        let conversion = DefaultsV4Conversion(target: target)
        var counts = (converted: 0, current: 0, left: 0)
        let trials = TestRun.choose(400, long: 3000)
        for seed in 0..<trials {
            var random = RandomSetting(seed: UInt64(seed))
            let form = random.form(depth: 3)
            let stored = random.stored(as: form)
            switch conversion.convert(stored, as: form) {
            case .converted(let value):
                counts.converted += 1
                #expect(conversion.convert(value, as: form) == .alreadyCurrent, "seed \(seed)")
            case .alreadyCurrent: counts.current += 1
            case .notConvertible: counts.left += 1
            }
        }
        // The generator makes enough values of each kind.
        let enough = trials / TestRun.choose(20, long: 10)
        #expect(counts.converted > enough && counts.current > enough && counts.left > enough, "\(counts)")
    }
}

/// Generates forms, and values that mostly fit them.
private struct RandomSetting {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func form(depth: Int) -> DefaultsForm {
        let scalars: [DefaultsForm] = [
            .bool, .int, .integer(Int8.self), .integer(UInt64.self), .float, .double, .string, .date, .data, .url,
            .uuid, .decimal, .codable,
            .keyedArchive, .period, .level, .timeZone, .range(of: .int), .closedRange(of: .date),
            .codable,
        ]
        guard depth > 0, !random.oneIn(3) else { return random.pick(scalars) }
        let element = form(depth: depth - 1)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .array(of: element)
        case 1: return .set(of: element)
        case 2: return .dictionary(of: element)
        default: return .dictionary(key: .of(UInt32.self), of: element)
        }
    }

    /// Usually JSON text or a native value, sometimes anything else.
    mutating func stored(as form: DefaultsForm) -> PropertyListValue {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...5: return .string(json(form))
        case 6: return .string(String(json(form).dropLast()))
        default: return native(form)
        }
    }

    private mutating func json(_ form: DefaultsForm) -> String {
        if random.oneIn(40) { return random.pick(["null", "\"x\"", "{\"a\":[]}", "[1,2]", "true", "0.5", "\"\""]) }
        let space = random.oneIn(5) ? " \n" : ""
        return space + jsonValue(form) + space
    }

    private mutating func jsonValue(_ form: DefaultsForm) -> String {
        switch form.kind {
        case .bool: random.pick(["true", "false"])
        case .integer: random.pick(["0", "-1", "42", "1e1", "100", "127"])
        case .float, .double: random.pick(["0", "-0", "0.1", "1e10"])
        case .date: random.pick(["0", "642000000.5", "-1.25"])
        case .decimal: random.pick(["1.10", "0.00000000000000000000000001"])
        case .string: random.pick(["\"\"", #""a\/b""#, #""\"x\"""#, #""1""#, #""\u0001""#])
        case .data: random.pick(["\"\"", "\"SGk=\""])
        case .url: random.pick([#""https:\/\/e.com""#, "\"file.txt\""])
        case .uuid: #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#
        case .range: random.pick(["[1,5]", "[2, 2]", "[5,1]"])
        case .codable, .native: random.pick([#"{"id":"0","name":"a\/b"}"#, #"{ "name" : "n", "id" : "" }"#])
        case .rawValue(let raw, _):
            if case .string = raw.kind { random.pick([#""1 Hour""#, #""10 Minutes""#, #""Nope""#]) } else { "2" }
        case .keyedArchive: "\"SGk=\""
        case .array(let element), .set(let element): "[\(elements(element).joined(separator: ","))]"
        case .dictionary(let keys, let element):
            if keys.mayAlternate, random.oneIn(2) {
                "[\(elements(element).enumerated().map { "\($0.offset),\($0.element)" }.joined(separator: ","))]"
            } else {
                "{\(elements(element).enumerated().map { "\"\($0.offset)\":\($0.element)" }.joined(separator: ","))}"
            }
        }
    }

    private mutating func elements(_ form: DefaultsForm) -> [String] {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in json(form) }
    }

    private mutating func native(_ form: DefaultsForm) -> PropertyListValue {
        switch form.kind {
        case .bool: return .bool(random.oneIn(2))
        case .integer: return random.pick([.int(0), .int(42), .int(300), .unsigned(.max)])
        case .float, .double: return random.pick([.double(.infinity), .double(-0.0), .double(0.5), .int(1)])
        case .date: return .date(.distantPast)
        case .string: return .string(random.pick(["", "a", "\"a\"", "[1]"]))
        case .data, .keyedArchive: return .data(Data([1, 2]))
        case .url, .decimal, .codable: return .string(json(form))
        case .uuid: return .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        case .range(let bound, _):
            let value = native(bound)
            return .array([value, value])
        case .native: return .dictionary(["id": .string("0"), "name": .string(random.pick(["a", "b"]))])
        case .rawValue(let raw, _):
            if case .string = raw.kind { return .string(random.pick(["1 Hour", "Nope"])) }
            return .int(2)
        case .array(let element), .set(let element): return .array(natives(element))
        case .dictionary(_, let element):
            let pairs = natives(element).enumerated().map { (String($0.offset), $0.element) }
            return .dictionary(Dictionary(uniqueKeysWithValues: pairs))
        }
    }

    private mutating func natives(_ form: DefaultsForm) -> [PropertyListValue] {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in random.oneIn(3) ? stored(as: form) : native(form) }
    }
}

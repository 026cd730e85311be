import Foundation
import Molt

/// Random numbers that are the same in every run: SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes records of a few types and migrations that rename, merge, move, swap and drop them.
struct RandomRegistry {
    private static let types = ["A", "B", "C"]
    private var numbers: SeededNumbers

    init(_ seed: Int) {
        numbers = SeededNumbers(seed)
    }

    mutating func records() -> [StoredRecord] {
        (0..<9).map { index in
            let json = [#"{"n":\#(index),"x":1}"#, #"{ "x" : 2, "n":\#(index) }"#, #"{"n":\#(index),"y":3}"#]
            return StoredRecord(Self.types[below(3)], "k\(index)", json[below(3)])
        }
    }

    mutating func registry() -> MigrationRegistry {
        var registry = MigrationRegistry()
        for version in 1...Int.random(in: 2...6, using: &numbers) {
            let first = step(version)
            let both = Migration(to: version, "m\(version)", first, step(version + 10))
            let isValid = MigrationRegistry([both]).faults.isEmpty
            registry.register(isValid ? both : Migration(to: version, "m\(version)", first))
        }
        return registry
    }

    private mutating func below(_ limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &numbers)
    }

    private mutating func step(_ number: Int) -> MigrationStep {
        let type = Self.types[below(3)]
        let other = Self.types.filter { $0 != type }[below(2)]
        let shift = below(9)
        switch below(12) {
        case 0, 1: return .renameType(type, to: other)
        case 2: return .deleteType(type)
        case 3: return .renameProperty(type, "x", to: "x\(number)")
        case 4: return .addProperty(type, "z", default: .int(number))
        case 5: return .transform(type) { if try $0.int("n") % 4 == shift % 4 { $0.drop() } }
        case 6: return .transform(type) { if try $0.int("n") % 2 == 0 { $0.typeName = other } }
        case 7: return .transform(type) { $0.key = "k\((try $0.int("n") + shift) % 9)" }
        case 8:
            return .transform(type) {
                $0.typeName = other
                $0.key += "+"
                $0["t"] = .int(number)
                $0.expiration = Date(timeIntervalSince1970: 4_000_000_000.5 + Double(number))
            }
        case 9: return .convert(type, from: [String: Int].self, to: [String: Int].self) { $0.mapValues { $0 + 1 } }
        case 10:
            return .run { migration in
                try migration.renameType(type, to: other)
                try migration.enumerate(other) { old, new in
                    new["was"] = .string(old.typeName)
                    if try old.int("n") % 3 == 0 { new.typeName = type }
                }
            }
        default:
            return .run { migration in
                try migration.create(type, forKey: "new\(number)", ["n": .int(number)])
                try migration.enumerate(type) { old, new in
                    new.key = "k\((try old.int("n") + shift) % 9)"
                    if try old.int("n") == shift { new.drop() }
                }
            }
        }
    }
}

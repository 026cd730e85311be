#if os(Linux)
    import Foundation
    import Generators
    import Molt
    import TestSupport
    import Testing

    @Suite struct `XML of a suite's file` {
        @Test(arguments: 0..<TestRun.choose(10 as UInt64, long: 50))
        func `All values are read back, by UserDefaults too`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let values = RandomValues.domain(&random)
            let scratch = try ScratchSuite(values)
            let stored = PropertyListValue.dictionary(values).asStored()
            #expect(try .dictionary(scratch.values) == stored)
            #expect(try PropertyListReader.value(Data(contentsOf: scratch.file)) == stored)
            let seen = try #require(try scratch.defaults.persistentDomain(forName: scratch.name))
            #expect(try PropertyListValue(normalizing: seen) == stored)
        }

        static let doubles: [Double] = [
            0, -0.0, .nan, -.nan, .signalingNaN, .infinity, -.infinity, 1, -1, 0.1, 1.5, 1e15, 1e16, 1e17, 1e22, 1e-5,
            1e300,
            .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 1 / 3, .pi,
            123_456_789_012_345_680,
        ]

        @Test func `Numbers are exact, NaN and infinities included, and dates far from now are kept`() throws {
            let numbers = Self.doubles.flatMap { [PropertyListValue.double($0), .double(-$0)] }
            let dates: [PropertyListValue] = [
                .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 1e12)),
            ]
            let scratch = try ScratchSuite(["numbers": .array(numbers), "dates": .array(dates)])
            let stored = PropertyListValue.array(dates).asStored()
            #expect(try scratch.values == ["numbers": .array(numbers), "dates": stored])
        }

        /// Whether this machine has the sources of a locale.
        static let hasLocales = ["/usr/bin/localedef", "/usr/share/i18n/locales/de_DE"].allSatisfy {
            FileManager.default.fileExists(atPath: $0)
        }

        /// A process may set the C locale, in which the decimal separator may be a comma.
        @Test(.enabled(if: hasLocales, "needs the sources of locales"))
        func `The decimal separator is the same in every locale`() async {
            await #expect(processExitsWith: .success) {
                let directory = try ScratchDirectory()
                let process = Process()
                process.executableURL = URL(filePath: "/usr/bin/localedef")
                let locale = directory.url.appending(path: "molt").path
                process.arguments = ["-c", "-i", "de_DE", "-f", "ISO-8859-1", locale]
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                setenv("LOCPATH", directory.url.path, 1)
                try #require(setlocale(LC_ALL, "molt") != nil)
                #expect(localeconv().pointee.decimal_point.pointee == CChar(UInt8(ascii: ",")))
                let scratch = try ScratchSuite(["a": 0.5, "b": -1.25e-7, "c": 3])
                let text = try String(contentsOf: scratch.file, encoding: .utf8)
                #expect(text.contains("<real>0.5</real>"))
                #expect(try scratch.values == ["a": 0.5, "b": -1.25e-7, "c": 3])
                #expect(try scratch.suite.value(forKey: "a") == 0.5)
                try scratch.defaults.set(2.5, forKey: "unsaved")
                #expect(try scratch.values["unsaved"] == 2.5)
                #expect(localeconv().pointee.decimal_point.pointee == CChar(UInt8(ascii: ",")))
            }
        }
    }

    /// Settings of all kinds with their keys in a fixed order.
    enum RandomValues {
        static func domain(_ random: inout SeededGenerator) -> [String: PropertyListValue] {
            var values: [String: PropertyListValue] = [:]
            for _ in 0...random.below(12) { values[text(&random, isKey: true)] = value(&random, depth: 0) }
            return values
        }

        static func value(_ random: inout SeededGenerator, depth: Int) -> PropertyListValue {
            switch random.below(depth > 3 ? 8 : 10) {
            case 0: return .bool(random.oneIn(2))
            case 1: return .int(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
            case 2: return PropertyListValue(exactly: random.next()) ?? 0
            case 3: return .double(Double(Int64(bitPattern: random.next())) / Double(1 + random.below(100_000)))
            case 4, 5: return .string(text(&random, isKey: false))
            case 6: return .date(Date(timeIntervalSinceReferenceDate: Double(random.below(1 << 38)) - 3e10))
            case 7: return .data(Data((0..<random.below(200)).map { _ in UInt8(random.below(256)) }))
            case 8: return .array((0..<random.below(4)).map { _ in value(&random, depth: depth + 1) })
            default:
                var values: [String: PropertyListValue] = [:]
                for _ in 0..<random.below(4) { values[text(&random, isKey: true)] = value(&random, depth: depth + 1) }
                return .dictionary(values)
            }
        }

        private static func text(_ random: inout SeededGenerator, isKey: Bool) -> String {
            let plain = ["a", "B", "0", ".", "_", "-", " ", "z"]
            let letters =
                isKey ? plain : plain + ["<", ">", "&", "é", "e\u{301}", "🦄", "\n", "\t", "\"", "\r\n", "]]>"]
            return (0...random.below(12)).map { _ in letters[random.below(letters.count)] }.joined()
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Glibc
    import MoltDefaults
    import MoltTesting
    import Testing
    import TestSupport

    @Suite struct `XML of a suite's file` {
        /// What Foundation writes, which is what `UserDefaults` writes.
        private func bytes(_ values: [String: PropertyListValue]) throws -> Data {
            try PropertyListSerialization.data(
                fromPropertyList: PropertyListValue.dictionary(values).object,
                format: .xml,
                options: 0
            )
        }

        /// What Foundation reads.
        private func values(_ bytes: Data) throws -> PropertyListValue {
            try PropertyListValue(
                normalizing: PropertyListSerialization.propertyList(from: bytes, format: nil)
            )
        }

        @Test(arguments: 0..<150 as Range<UInt64>)
        func `is to the byte what Foundation writes, and is read as Foundation reads it`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let values = RandomValues.domain(&random)
            let expected = try bytes(values)
            #expect(XMLPropertyListWriter.data(values) == expected)
            let read = try #require(XMLPropertyListReader.values(expected))
            #expect(try .dictionary(read) == self.values(expected))
            #expect(.dictionary(read) == PropertyListValue.dictionary(values).asStored())
        }

        @Test func `has every kind of value in it`() throws {
            let values = `Values from UserDefaults`.values
            let bytes = try #require(XMLPropertyListWriter.data(values))
            #expect(try bytes == self.bytes(values))
            #expect(try self.values(bytes) == .dictionary(values))
            // What is no number is written as words, which Foundation is to read.
            let numbers = values.filter { $0.value.double?.isFinite != false }
            #expect(try XMLPropertyListReader.values(#require(XMLPropertyListWriter.data(numbers))) == numbers)
        }

        static let doubles: [Double] = [
            0, -0.0, .nan, -.nan, .signalingNaN, .infinity, -.infinity, 1, -1, 0.1, 1.5, 1e15, 1e16, 1e17, 1e22, 1e-5,
            1e300,
            .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 1 / 3, .pi,
            123_456_789_012_345_680,
        ]

        @Test(arguments: doubles)
        func `has the digits of a number, or the word for it, that Foundation writes`(double: Double) throws {
            for value in [double, -double] {
                let bytes = try #require(XMLPropertyListWriter.data(["a": .double(value)]))
                #expect(try bytes == self.bytes(["a": .double(value)]))
                #expect(try values(bytes) == ["a": .double(value)])
                let scratch = try ScratchSuite(["a": .double(value)])
                #expect(try Data(contentsOf: scratch.file) == bytes)
                #expect(try scratch.values == ["a": .double(value)])
            }
        }

        /// Whether this machine has what a locale is made of.
        static let hasLocales = ["/usr/bin/localedef", "/usr/share/i18n/locales/de_DE"].allSatisfy {
            FileManager.default.fileExists(atPath: $0)
        }

        /// A process may set the locale of C, in which a comma may be the point.
        @Test(.enabled(if: hasLocales, "needs the sources of locales"))
        func `has the same point in every locale`() async {
            await #expect(processExitsWith: .success) {
                let directory = try ScratchDirectory()
                let process = Process()
                process.executableURL = URL(filePath: "/usr/bin/localedef")
                process.arguments = ["-c", "-i", "de_DE", "-f", "UTF-8", directory.url.appending(path: "molt").path]
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                setenv("LOCPATH", directory.url.path, 1)
                try #require(setlocale(LC_ALL, "molt") != nil)
                #expect(localeconv().pointee.decimal_point.pointee == CChar(UInt8(ascii: ",")))
                let bytes = try #require(XMLPropertyListWriter.data(["a": 0.5, "b": -1.25e-7, "c": 3]))
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(text.contains("<real>0.5</real>"))
                #expect(text.contains("<real>-1.2499999999999999e-07</real>"))
                #expect(XMLPropertyListReader.values(bytes) == ["a": 0.5, "b": -1.25e-7, "c": 3])
            }
        }

        static let foreign: [PropertyListValue] = [
            .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 1e12)),
        ]

        @Test(arguments: foreign)
        func `is left to Foundation where its form is not certain`(value: PropertyListValue) throws {
            #expect(XMLPropertyListWriter.data(["a": [value]]) == nil)
            let scratch = try ScratchSuite(["a": [value]])
            #expect(try scratch.values == ["a": [value.asStored()]])
        }

        static let odd = [
            "<string>&#65;</string>", "<string>a<!-- b --></string>", "<string><![CDATA[a]]></string>",
            "<string>\u{FEFF}a</string>", "<string/>", "<integer>0x10</integer>", "<integer>+1</integer>",
            "<integer>007</integer>", "<integer>-0</integer>", "<integer> 1</integer>", "<real>nan</real>",
            "<real>1 </real>", "<date>2021-02-30T00:00:00Z</date>", "<date>2021-02-03T24:00:00Z</date>",
            "<data>a</data>", "<dict><key>CF$UID</key><integer>1</integer></dict>",
            "<dict><key>a</key><true/><key>a</key><false/></dict>", "<true></true>", "<null/>", "<array><true/>",
            "<integer>18446744073709551616</integer>", "<integer>-9223372036854775809</integer>", "<array>x</array>",
        ]

        @Test(arguments: odd)
        func `is left to Foundation where it is written in another way`(value: String) {
            let text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>key</key>
                \t\(value)
                </dict>
                </plist>

                """
            #expect(XMLPropertyListReader.values(Data(text.utf8)) == nil)
            let good = text.replacing(value, with: "<true/>")
            #expect(XMLPropertyListReader.values(Data(good.utf8)) == ["key": true])
        }

        /// Whatever is changed in it, what is read is what Foundation reads.
        @Test(arguments: 0..<20 as Range<UInt64>)
        func `that is damaged is never read as something else`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let original = Array(try bytes(RandomValues.domain(&random)))
            var accepted = 0
            for _ in 0..<100 {
                var damaged = original
                for _ in 0...random.below(2) {
                    let index = random.below(damaged.count)
                    switch random.below(4) {
                    case 0: damaged[index] = UInt8(random.below(256))
                    case 1: damaged.remove(at: index)
                    case 2: damaged.insert(Array("<>&/;0-9 \n".utf8)[random.below(10)], at: index)
                    default: damaged.removeSubrange(index..<min(index + random.below(40), damaged.count))
                    }
                }
                guard let read = XMLPropertyListReader.values(Data(damaged)) else { continue }
                accepted += 1
                #expect(try .dictionary(read) == values(Data(damaged)))
            }
            // A letter of a text may be another one.
            #expect(accepted > 0)
        }
    }

    /// Settings of all kinds, in an order of keys that everybody has.
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

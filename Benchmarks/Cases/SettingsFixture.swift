import Foundation
import Molt

/// The settings of the cases about suites, as Defaults 4 writes them and as Defaults 5 reads them.
enum SettingsFixture {
    /// The suite that is converted or moved.
    static let source = Suite("dev.molt.benchmarks.app")
    /// The suite that settings are moved to.
    static let destination = Suite("group.dev.molt.benchmarks")

    static let suite = BenchmarkFixture(name: "settings-v4") { context in
        try source.update(set: values(context.records))
    }

    private struct Kind: Sendable {
        let form: DefaultsForm
        let value: @Sendable (Int) -> PropertyListValue

        init(_ form: DefaultsForm, _ value: @escaping @Sendable (Int) -> PropertyListValue) {
            self.form = form
            self.value = value
        }

        /// Creates a kind whose value is JSON text in the suite.
        init(_ form: DefaultsForm, json: @escaping @Sendable (Int) -> String) {
            self.init(form) { .string(json($0)) }
        }
    }

    private struct Zone: Codable, Sendable {
        var id: String
        var name: String
    }

    private enum Period: String, Codable, Sendable {
        case tenMinutes = "10 Minutes"
        case oneHour = "1 Hour"
    }

    /// The archive of a text, where an app would have a color; a new one would be other bytes in each process.
    private static let archive =
        Data(
            base64Encoded: """
                YnBsaXN0MDDUAQIDBAUICwxUJHRvcFgkb2JqZWN0c1gkdmVyc2lvblkkYXJjaGl2ZXLRBgdUcm9vdIABogkKVSRudWxsVHRleHQS\
                AAGGoF8QD05TS2V5ZWRBcmNoaXZlcggRFh8oMjU6PD9FSk8AAAAAAAABAQAAAAAAAAANAAAAAAAAAAAAAAAAAAAAYQ==
                """
        ) ?? Data()

    /// Ten kinds that are converted, and six whose form never changes.
    private static let kinds: [Kind] = [
        Kind(.array(of: .string)) { #"["red","green\/\#($0)","🦄"]"# },
        Kind(.set(of: .int)) { "[\($0),\($0 + 1),\($0 + 2),\($0 + 3)]" },
        Kind(.dictionary(of: .int)) { #"{"width":\#($0),"height":480,"depth":3}"# },
        Kind(.array(of: .array(of: .int))) { "[[\($0)],[2,3],[]]" },
        Kind(.array(of: .url)) { #"["https:\/\/example.com\/\#($0)","https:\/\/example.org"]"# },
        Kind(.array(of: .codable)) {
            #"[{"id":"\#($0)","name":"Asia\/Taipei"},{"id":"1","name":"Asia\/Tokyo"}]"#
        },
        Kind(.array(of: .codable)) { _ in #"["10 Minutes","1 Hour"]"# },
        Kind(.dictionary(of: .codable)) { #"{"home":{"name":"Asia\/Taipei","id":"\#($0)"}}"# },
        Kind(.integer(UInt64.self)) { "\(UInt64.max - UInt64($0))" },
        Kind(.array(of: .date)) { "[\(642_000_000 + $0),642000001]" },
        Kind(.codable) { #"{"name":"Europe\/Zürich","id":"\#($0)"}"# },
        Kind(.codable) { _ in #""1 Hour""# },
        Kind(.url) { #""https:\/\/example.com\/\#($0)""# },
        Kind(.keyedArchive) { _ in .data(archive) },
        Kind(.string) { .string("a text of the user, the \($0)th of them") },
        Kind(.bool) { .bool($0.isMultiple(of: 2)) },
    ]

    /// The beginning of all keys, and the one that replaces it.
    static let (prefix, newPrefix) = ("setting.", "value.")

    private static func name(_ index: Int) -> String {
        "\(prefix)\(index)"
    }

    static func renamed(_ key: String) -> String {
        key.hasPrefix(prefix) ? newPrefix + key.dropFirst(prefix.count) : key
    }

    /// The keys, as an app passes them to a migration.
    static func keys(_ count: Int) -> [SettingKeys] {
        (0..<count).map { .key(name($0), kinds[$0 % kinds.count].form) }
    }

    /// The values as Defaults 4 writes them.
    static func values(_ count: Int) -> [String: PropertyListValue] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { (name($0), kinds[$0 % kinds.count].value($0)) })
    }

    /// The values whose form changes in Defaults 5, in the new form.
    static func changedValues(_ count: Int) throws -> [String: PropertyListValue] {
        let conversion = DefaultsV4Conversion()
        var changed: [String: PropertyListValue] = [:]
        for index in 0..<count {
            let kind = kinds[index % kinds.count]
            switch conversion.convert(kind.value(index), as: kind.form) {
            case .converted(let value): changed[name(index)] = value.asStored()
            case .alreadyCurrent: break
            case .notConvertible(let reason, _): throw BenchmarkError("\(name(index)) cannot be converted: \(reason)")
            }
        }
        return changed
    }

    /// Fails unless UserDefaults has the values in a suite and has saved them.
    static func check(_ suite: Suite, has values: [String: PropertyListValue]) throws {
        guard let defaults = UserDefaults(suiteName: suite.domainName) else {
            throw BenchmarkError("There is no suite \(suite).")
        }
        for (key, value) in values {
            guard let object = defaults.object(forKey: key), try PropertyListValue(normalizing: object) == value else {
                throw BenchmarkError("\(suite): \(key) is not what it was set to.")
            }
        }
        let stored = try suite.values()
        guard values.allSatisfy({ stored[$0.key] == $0.value }) else {
            throw BenchmarkError("\(suite): not all of it is saved.")
        }
    }

    /// Removes the suites where the system shares them between processes.
    static func erase() {
        #if canImport(Darwin)
            source.erase()
            destination.erase()
        #endif
    }
}

internal import Foundation
internal import Molt

/// A setting whose shape is recorded beside those of types.
struct SampledSetting: Hashable {
    var key: String
    /// The suite's name in code, or "standard".
    var suite: String

    init(_ key: String, in suite: Suite) {
        self.key = key
        self.suite = suite.description
    }

    /// Reads the name of a shape; nil for that of a type.
    init?(shapeName: String) {
        guard shapeName.hasPrefix(Self.start), let middle = shapeName.range(of: Self.middle, options: .backwards) else {
            return nil
        }
        key = String(shapeName[..<middle.lowerBound].dropFirst(Self.start.count))
        suite = String(shapeName[middle.upperBound...])
    }

    // No type in Swift has such a name.
    private static let start = "setting "
    private static let middle = " in "

    /// The name of the setting's shape.
    var shapeName: String { Self.start + key + Self.middle + suite }

    /// The key in quotes and the suite, for sentences about the setting.
    var text: String { "\"\(key)\" in \(suite)" }

    /// A type or setting in sentences, by the name of its shape.
    static func text(ofShape name: String) -> String {
        SampledSetting(shapeName: name).map { "setting \($0.text)" } ?? "\"\(name)\""
    }

    /// The suite itself.
    var suiteValue: Suite { suite == Suite.standard.description ? .standard : Suite(suite) }

    /// The suite as source.
    var suiteCode: String { suite == Suite.standard.description ? ".standard" : "Suite(\(suite.debugDescription))" }

    /// The key and the suite as the source of arguments.
    var arguments: String { "\(key.debugDescription), in: \(suiteCode)" }
}

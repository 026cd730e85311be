internal import Foundation
internal import MoltCore

/// Converts what any release of SwiftyUserDefaults wrote under a key to a named form.
///
/// Whatever release wrote a value, all forms are read: native arrays and data of JSON, keyed archives of plain values,
/// an archive around data of JSON, and texts that stand for a number or a truth value. What is in the target's form
/// already is not touched. Archives of other objects stay as they are.
package struct SwiftyConversion: Sendable {
    /// The form of the result.
    package var target: SwiftyTarget
    /// Whether what can be converted is kept when a part of it cannot.
    package var salvage: Bool

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - target: The form of the result.
    ///   - salvage: Whether bad elements of arrays, sets and dictionaries are set aside, where the result is native or
    ///     a list. Without it, a value with one bad element is not converted.
    package init(target: SwiftyTarget, salvage: Bool = false) {
        self.target = target
        self.salvage = salvage
    }

    /// Converts a stored value.
    ///
    /// - Parameters:
    ///   - stored: What the suite's own domain has under the key.
    ///   - form: How the values under the key are built.
    package func convert(_ stored: PropertyListValue, as form: DefaultsForm) -> ConversionOutcome {
        do throws(ConversionFailure) {
            var walk = DefaultsV4Walk(target: target.release, salvage: salvage)
            let value = try converted(stored, as: form, &walk)
            return value == stored ? .alreadyCurrent : .converted(value, setAside: walk.setAside)
        } catch {
            return .notConvertible(reason: error.reason, place: error.place)
        }
    }

    private func converted(
        _ stored: PropertyListValue,
        as form: DefaultsForm,
        _ walk: inout DefaultsV4Walk
    ) throws(ConversionFailure) -> PropertyListValue {
        if case .native(_, let isCurrent) = form.kind, isCurrent(stored) { return stored }
        let storage = form.swiftyStorage
        if storage == .data || storage == .archives && !target.isDefaults {
            guard case .data = stored else { throw mismatch(stored.kindName, "data") }
            return stored
        }
        let content = try SwiftyContent(stored, as: form)
        // Also where it is not the result, it is what says that the value is one of its type.
        let native: PropertyListValue
        switch content {
        case .native(let value), .archive(let value, _): native = try walk.convert(value, as: form)
        case .json(let part, _): native = try walk.convert(part, as: form)
        }
        if target.isDefaults { return native }
        let bad = walk.setAside.first
        switch (storage, content) {
        case (.list, .json(_, let data)) where target == .swifty5 && bad == nil: return .data(data)
        case (.list, _): return target == .swifty5 ? try json(native) : native
        case (.json, .json(_, let data)), (.url, .json(_, let data)), (.url, .archive(_, let data)),
            (.containers, .json(_, let data)):
            // What is kept as it was, is kept whole.
            if let bad { throw ConversionFailure(reason: bad.reason, place: bad.place) }
            return .data(data)
        case (.json, .native): throw mismatch(stored.kindName, "data of JSON")
        case (.json, .archive): throw mismatch("an archive", "data of JSON")
        case (.url, .native(let value)):
            guard value != stored else { throw mismatch(stored.kindName, "an archive of URLs or a path") }
            return stored
        case (.plain, _), (.containers, _), (.data, _), (.archives, _): return native
        }
    }

    /// A list as data of JSON.
    private func json(_ native: PropertyListValue) throws(ConversionFailure) -> PropertyListValue {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return .data(try encoder.encode(native.array?.map(JSONElement.init)))
        } catch {
            throw ConversionFailure(reason: "a number that JSON does not have", place: ValuePlace())
        }
    }

    private func mismatch(_ kind: String, _ expected: String) -> ConversionFailure {
        ConversionFailure(reason: "\(kind), where \(expected) was expected", place: ValuePlace())
    }
}

extension SwiftyTarget {
    /// Whether it is a release of Defaults.
    fileprivate var isDefaults: Bool {
        if case .defaults = self { true } else { false }
    }

    /// The release of Defaults whose forms a value takes on its way.
    fileprivate var release: DefaultsRelease {
        if case .defaults(let release) = self { release } else { .latest }
    }
}

/// An element of a list of plain values, as JSON.
private struct JSONElement: Encodable {
    let value: PropertyListValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let values): try container.encode(values.map(JSONElement.init))
        case .dictionary(let values): try container.encode(values.mapValues(JSONElement.init))
        }
    }
}

/// How SwiftyUserDefaults stores values of a form.
enum SwiftyStorage {
    /// Natively, in every release: scalars and raw values, and arrays of raw values.
    case plain
    /// Natively until 4.0, since 5.0 as data of JSON.
    case list
    /// As data that nothing is known of.
    case data
    /// As a keyed archive, or the path of a file.
    case url
    /// As data of JSON.
    case json
    /// As one keyed archive of objects of the app.
    case archives
    /// As whatever it is: dictionaries, and types with a bridge of their own.
    case containers
}

extension DefaultsForm {
    /// How SwiftyUserDefaults stores such values.
    var swiftyStorage: SwiftyStorage {
        switch kind {
        case .bool, .integer, .float, .double, .string, .date, .rawValue: .plain
        case .data, .keyedArchive: .data
        case .url: .url
        case .codable, .uuid, .decimal, .range: .json
        case .dictionary, .native: .containers
        case .array(let element), .set(let element): element.swiftyListStorage
        }
    }

    private var swiftyListStorage: SwiftyStorage {
        switch (kind, swiftyStorage) {
        case (.keyedArchive, _): .archives
        case (.rawValue, _): .plain
        case (_, .plain), (_, .data): .list
        case (_, .list): .containers
        case (_, let storage): storage
        }
    }
}

/// The library whose forms settings of SwiftyUserDefaults are converted to.
public enum SwiftyTarget: Hashable, Sendable {
    /// SwiftyUserDefaults 3.x: arrays of native values are native.
    case swifty3
    /// SwiftyUserDefaults 4.0: as 3.x; what is Codable is data of JSON.
    case swifty4
    /// SwiftyUserDefaults 5.x: arrays of texts, numbers, truth values, dates and data are data of JSON, too.
    case swifty5
    /// A release of Defaults, which is also what Molt's typed keys read.
    case defaults(DefaultsRelease)
}

extension SwiftyTarget {
    /// What fingerprints are made of.
    var identity: String {
        switch self {
        case .swifty3: "swifty 3"
        case .swifty4: "swifty 4"
        case .swifty5: "swifty 5"
        case .defaults(let release): "defaults \(release.identity)"
        }
    }
}

extension SwiftyTarget: CustomStringConvertible {
    /// The library and its release, as plans show it: `SwiftyUserDefaults 5`.
    public var description: String {
        switch self {
        case .swifty3: "SwiftyUserDefaults 3"
        case .swifty4: "SwiftyUserDefaults 4"
        case .swifty5: "SwiftyUserDefaults 5"
        case .defaults(let release): "Defaults, release \(release)"
        }
    }
}

internal import Foundation
internal import MoltCore

/// Converts a value that any release of SwiftyUserDefaults wrote to a target form.
///
/// It reads the forms of all releases: native arrays, JSON data, keyed archives of plain values, archives around JSON
/// data, and strings that denote a number or a Boolean. Values in the target form stay unchanged, and so do archives
/// of other objects.
package struct SwiftyConversion: Sendable {
    package var target: SwiftyTarget
    /// Whether the convertible parts of a value are kept when another part cannot be converted.
    package var salvage: Bool

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - target: The form of the result.
    ///   - salvage: Whether invalid elements of arrays, sets and dictionaries are set aside, if the result is native or
    ///     a list. If false, a value with one invalid element is not converted.
    package init(target: SwiftyTarget, salvage: Bool = false) {
        self.target = target
        self.salvage = salvage
    }

    /// Converts a stored value.
    ///
    /// - Parameters:
    ///   - stored: The value in the suite's own domain.
    ///   - form: The form of values under the key.
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
        // Converted even if it is not the result, because the conversion proves that the value has its type.
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
            // Data that is kept unchanged cannot lose a part.
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
    fileprivate var isDefaults: Bool {
        if case .defaults = self { true } else { false }
    }

    /// The release of Defaults whose form is the intermediate form.
    fileprivate var release: DefaultsRelease {
        if case .defaults(let release) = self { release } else { .latest }
    }
}

/// An element of a list of plain values, encoded as JSON.
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

/// The way SwiftyUserDefaults stores values of a form.
enum SwiftyStorage {
    /// Native in every release: scalars, raw values, and arrays of raw values.
    case plain
    /// Native until 4.0; JSON data since 5.0.
    case list
    /// Data of unknown content.
    case data
    /// A keyed archive, or the path of a file.
    case url
    case json
    /// One keyed archive of the app's objects.
    case archives
    /// Any representation: dictionaries, and types with a bridge of their own.
    case containers
}

extension DefaultsForm {
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

/// The library whose form the settings of SwiftyUserDefaults are converted to.
public enum SwiftyTarget: Hashable, Sendable {
    /// SwiftyUserDefaults 3.x: arrays of native values are native.
    case swifty3
    /// SwiftyUserDefaults 4.0: as 3.x, but Codable values are JSON data.
    case swifty4
    /// SwiftyUserDefaults 5.x: as 4.0, but arrays of strings, numbers, Booleans, dates and data are JSON data, too.
    case swifty5
    /// A release of Defaults, whose forms Molt's typed keys read too.
    case defaults(DefaultsRelease)
}

extension SwiftyTarget {
    /// The target's name in fingerprints.
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
    /// The library and its release as plans show them, such as `SwiftyUserDefaults 5`.
    public var description: String {
        switch self {
        case .swifty3: "SwiftyUserDefaults 3"
        case .swifty4: "SwiftyUserDefaults 4"
        case .swifty5: "SwiftyUserDefaults 5"
        case .defaults(let release): "Defaults, release \(release)"
        }
    }
}

internal import Foundation

/// Converts a value that any release of SwiftyUserDefaults wrote to the form that typed keys and Defaults read.
///
/// It reads the forms of all releases: native arrays, JSON data, keyed archives of plain values, archives around JSON
/// data, and strings that denote a number or a Boolean. Values in the new form stay unchanged, and so do archives of
/// other objects.
package struct SwiftyConversion: Sendable {
    package init() {}

    /// Converts a stored value; one with an element that cannot be converted is not converted.
    package func convert(_ stored: PropertyListValue, as form: DefaultsForm) -> ConversionResult {
        do throws(ConversionFailure) {
            var walk = DefaultsV4Walk(target: .latest)
            let value = try converted(stored, as: form, &walk)
            return value == stored ? .alreadyCurrent : .converted(value)
        } catch {
            return .notConvertible(reason: error.reason, path: error.path)
        }
    }

    private func converted(
        _ stored: PropertyListValue,
        as form: DefaultsForm,
        _ walk: inout DefaultsV4Walk
    ) throws(ConversionFailure) -> PropertyListValue {
        switch form.kind {
        case .decoded(_, let isCurrent) where isCurrent(stored):
            return stored
        case .data, .keyedArchive:
            guard case .data(let data) = stored else {
                throw Self.failure("\(stored.kindName), where data was expected")
            }
            if case .keyedArchive = form.kind { try walk.check(archive: data) }
            return stored
        default:
            return try walk.convert(Self.content(of: stored, as: form), as: form)
        }
    }

    /// The maximum number of nested archives.
    private static let layers = 8

    /// The content of a value without the archives around it; URLs from an archive are JSON strings.
    private static func content(
        of stored: PropertyListValue,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> DefaultsV4Walk.Source {
        var value = stored
        for _ in 0..<layers {
            guard case .data(let data) = value, let archive = PlainArchive(data) else { break }
            guard let content = archive.value(url: { form.holdsURLs ? text(of: $0) : nil }) else {
                throw failure("an archive that is damaged, or of objects that only the app can read")
            }
            value = content
        }
        guard case .data(let data) = value else { return .native(try self.value(value, as: form)) }
        return .json(try part(of: data))
    }

    /// Whether a value is JSON data or a keyed archive.
    static func mayConvert(_ stored: PropertyListValue) -> Bool {
        guard case .data(let data) = stored else { return false }
        return PlainArchive(data) != nil
            || data.first.map { "[{".utf8.contains($0) } == true && (try? part(of: data)) != nil
    }

    private static func part(of data: Data) throws(ConversionFailure) -> JSONPart {
        guard let text = String(utf8: data) else { throw failure("data that is not JSON text") }
        do {
            return try JSONPart(text)
        } catch {
            throw failure("data that is not JSON text: \(error.description)")
        }
    }

    /// The value that a string denotes, as SwiftyUserDefaults reads it.
    private static func value(
        _ stored: PropertyListValue,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        guard case .string(let text) = stored else { return stored }
        switch form.kind {
        case .bool:
            guard let value = bool(text) else { throw failure("a string that is not a Boolean") }
            return .bool(value)
        case .integer:
            guard let value = UInt64(text).flatMap({ PropertyListValue(exactly: $0) }) ?? Int64(text).map({ .int($0) })
            else { throw failure("a string that is not an integer") }
            return value
        case .float, .double:
            guard let value = Double(text) else { throw failure("a string that is not a number") }
            return .double(value)
        case .url:
            guard text.hasPrefix("/") || text.hasPrefix("~") else { return stored }
            let path = NSString(string: text).expandingTildeInPath
            return Self.text(of: URL(fileURLWithPath: path)) ?? stored
        default: return stored
        }
    }

    private static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "t", "yes", "y", "1": true
        case "false", "f", "no", "n", "0": false
        default: nil
        }
    }

    /// The JSON string of a URL, which is how Defaults stores one.
    private static func text(of url: URL) -> PropertyListValue? {
        // Encoding a string cannot fail. If it did, the value would stay unchanged and be reported.
        (try? JSONEncoder().encode(url)).map { .string(String(decoding: $0, as: UTF8.self)) }
    }

    private static func failure(_ reason: String) -> ConversionFailure {
        ConversionFailure(reason: reason, path: ValuePath())
    }
}

extension DefaultsForm {
    /// Whether SwiftyUserDefaults stores values of the form as an archive of URLs.
    fileprivate var holdsURLs: Bool {
        switch kind {
        case .url: true
        case .array(let element), .set(let element): element.holdsURLs
        default: false
        }
    }
}

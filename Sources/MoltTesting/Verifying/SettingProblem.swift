internal import Foundation
internal import Molt

/// The problem with reading a setting as the app does, in words; only an error of the app's own code may contain
/// something of the value.
enum SettingProblem {
    /// The problem that an attempt to read a value has; nil if there is none.
    static func text(_ read: () throws -> Void) -> String? {
        do {
            try read()
            return nil
        } catch let error as SettingContent.Unreadable {
            return "it is \(error.reason)."
        } catch let error as MoltError {
            let path = error.valuePath.map(\.description) ?? ""
            let problem = path.isEmpty ? error.problem : "\"\(path)\": \(error.problem)"
            guard let cause = error.underlying, !(cause is DecodingError || cause is MoltError) else { return problem }
            return "\(problem)\n\(cause)"
        } catch {
            return String(describing: error)
        }
    }

    /// The problem with decoding a stored value, or with not knowing its coders; nil if there is none.
    ///
    /// - Parameters:
    ///   - coding: The coders that the test names; nil for Foundation's own.
    ///   - registered: The coders of the registry.
    static func with<Value: Decodable>(
        _ stored: PropertyListValue,
        as type: Value.Type,
        coding: RecordCoding?,
        registered: RecordCoding
    ) -> String? {
        func decode(_ coding: RecordCoding) throws -> Value { try stored.decoded(as: type, coding: coding) }
        let others = OtherCoders.all(registered, besides: coding)
        if let problem = text({ _ = try decode(coding ?? .standard) }) {
            let fitting = others.first { (try? decode($0.coding)) != nil }
            return problem + (fitting.map { "\n\($0.advice)" } ?? "")
        }
        guard coding == nil, registered !== RecordCoding.standard, let own = try? decode(.standard),
            let other = try? decode(registered), shown(own) != shown(other)
        else { return nil }
        return
            "Foundation's own coders and those of the registry read different values. Pass those with which the app stores "
            + "the setting: `coding: .standard`, or others."
    }

    /// A text that tells values apart: their JSON if they have one.
    private static func shown(_ value: some Any) -> String {
        let json = (value as? any Encodable).flatMap { try? RecordCoding.standard.encoder.encode($0) }
        return json.map { String(decoding: $0, as: UTF8.self) } ?? String(reflecting: value)
    }
}

/// Coders that a setting may have been written with, and the code to write for them.
private struct OtherCoders {
    let coding: RecordCoding
    let advice: String

    /// - Parameter named: The coders that the test names; nil for Foundation's own.
    static func all(_ registered: RecordCoding, besides named: RecordCoding?) -> [OtherCoders] {
        var all: [OtherCoders] = []
        if named == nil || named !== registered, registered !== RecordCoding.standard {
            all.append(OtherCoders(registered, "The registry's coders can read it", "them as `coding:`"))
        }
        if named != nil {
            all.append(OtherCoders(.standard, "Foundation's own coders can read it", "`coding: .standard`"))
        }
        for (hasDates, hasNames) in [(true, false), (false, true), (true, true)] {
            let coding = RecordCoding { _, decoder in
                if hasDates { decoder.dateDecodingStrategy = .iso8601 }
                if hasNames { decoder.keyDecodingStrategy = .convertFromSnakeCase }
            }
            let parts = (hasDates ? [dates] : []) + (hasNames ? [names] : [])
            let words = parts.map(\.words).joined(separator: " and ")
            let code = parts.map(\.code).joined(separator: "; ")
            all.append(OtherCoders(coding, "It can be read with \(words)", "`coding: RecordCoding { \(code) }`"))
        }
        return all
    }

    private static let dates = (
        words: "dates in ISO 8601",
        code: "$0.dateEncodingStrategy = .iso8601; $1.dateDecodingStrategy = .iso8601"
    )
    private static let names = (
        words: "names in snake case",
        code: "$0.keyEncodingStrategy = .convertToSnakeCase; $1.keyDecodingStrategy = .convertFromSnakeCase"
    )

    private init(_ coding: RecordCoding, _ problem: String, _ code: String) {
        self.coding = coding
        advice = "\(problem). If the app stores it so, pass \(code)."
    }
}

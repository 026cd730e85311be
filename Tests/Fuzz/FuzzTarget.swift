import Foundation
import Molt
import MoltSalvage
import MoltTesting

/// A reader of untrusted data.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The JSON reader, and the writer that splices changes into a record.
    case json
    /// The reader of fixtures.
    case fixture
    /// The ledgers and journals of suites, and the counts in a cache file's ledger.
    case ledger
    /// Values of suites: as typed JSON, as property lists, and as the JSON strings of Defaults 4.
    case plist
    /// Binary property lists and keyed archives.
    case archive
    /// The pages of a damaged file.
    case salvage

    enum Outcome {
        case accepted
        case refused
        case failed(String)
    }

    func feed(_ input: [UInt8]) -> Outcome {
        do {
            switch self {
            case .json: return try JSONFuzzing.feed(input)
            case .fixture: return try Self.fixture(input)
            case .ledger: return try Self.ledger(input)
            case .plist: return try Self.propertyList(input)
            case .archive: return Self.archive(input)
            case .salvage: return PageRows.count(in: input, log: input.reversed()) > 0 ? .accepted : .refused
            }
        } catch is MigrationError {
            return .refused
        } catch is TestingError {
            return .refused
        } catch is DefaultsError {
            return .refused
        } catch is DecodingError {
            return .refused
        } catch let error as CocoaError where [.coderReadCorrupt, .propertyListReadCorrupt].contains(error.code) {
            return .refused
        } catch {
            return .failed("it threw \(type(of: error)): \(error)")
        }
    }

    private static func fixture(_ input: [UInt8]) throws -> Outcome {
        let fixture = try StoreFixture(json: Data(input))
        let written = fixture.json
        guard try StoreFixture(json: written) == fixture else { return .failed("what is written reads differently") }
        return .accepted
    }

    private static func ledger(_ input: [UInt8]) throws -> Outcome {
        let _: [String: Int]? = LedgerTable.value(of: String(decoding: input, as: UTF8.self))
        _ = try? SuiteIntent(input)
        _ = try? JSONDecoder().decode(DefaultsJournal.self, from: Data(input))
        _ = try? JSONDecoder().decode(SalvageReport.self, from: Data(input)).description
        _ = try JSONDecoder().decode(DefaultsLedger.self, from: Data(input))
        return .accepted
    }

    private static let forms: [DefaultsForm] = [
        .array(of: .int), .dictionary(of: .array(of: .date)), .set(of: .string), .codable, .data, .bool, .uuid, .url,
        .decimal, .range(of: .int), .closedRange(of: .double), .integer(UInt64.self), .float, .keyedArchive,
        .dictionary(of: .codable),
    ]

    private static func propertyList(_ input: [UInt8]) throws -> Outcome {
        let stored = PropertyListValue.string(String(decoding: input, as: UTF8.self))
        for form in forms {
            guard case .converted(let value) = DefaultsV4Conversion().convert(stored, as: form) else { continue }
            // A converted value must already have the new form.
            if case .notConvertible(let reason, _) = DefaultsV4Conversion().convert(value, as: form) {
                return .failed("converted as \(form), it cannot be converted again: \(reason)")
            }
        }
        if let value = try? JSONDecoder().decode(PropertyListValue.self, from: Data(input)) {
            let again = try JSONDecoder().decode(PropertyListValue.self, from: JSONEncoder().encode(value))
            guard again == value else { return .failed("what is encoded decodes differently") }
        }
        _ = try PropertyListReader.value(Data(input))
        return .accepted
    }

    private static func archive(_ input: [UInt8]) -> Outcome {
        let data = Data(input)
        let plain = PlainArchive(data)?.value { .string($0.absoluteString) }
        let value = try? PropertyListReader.value(data)
        let object: NSObject? = try? KeyedArchive.object([NSObject.self], from: .data(data))
        return plain != nil || value != nil || object != nil ? .accepted : .refused
    }
}

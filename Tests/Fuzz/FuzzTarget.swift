import Foundation
import Molt
import MoltCommand
import MoltSalvage
import MoltTesting

/// A reader of untrusted data.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The JSON reader, and the writer that splices changes into a record.
    case json
    /// The reader of fixtures.
    case fixture
    /// The reader of exports.
    case export
    /// The ledgers and patches of suites, and the counts in a cache file's ledger.
    case ledger
    /// Values of suites: as typed JSON, as property lists, and as the JSON strings of Defaults 4.
    case plist
    /// Binary property lists and keyed archives.
    case archive
    /// The pages of a damaged file.
    case salvage
    /// Reports, plans and rows of ledgers as JSON, and their descriptions.
    case descriptions
    /// The commands of the tool, on a cache file.
    case tool
    /// The tool's command for the file of a suite.
    case settings
    /// Lines with documents.
    case documents

    enum Outcome {
        case accepted
        case refused
        case failed(String)
    }

    func feed(_ input: [UInt8]) async -> Outcome {
        do {
            switch self {
            case .json: return try JSONFuzzing.feed(input)
            case .fixture: return try Self.fixture(input)
            case .export: return try Self.importing(input)
            case .ledger: return try Self.ledger(input)
            case .plist: return try Self.propertyList(input)
            case .archive: return Self.archive(input)
            case .salvage: return PageRows.count(in: input, log: input.reversed()) > 0 ? .accepted : .refused
            case .descriptions: return Self.describe(input)
            case .tool: return try await Self.run(Self.commands, on: input)
            case .settings: return try await Self.run([["settings"], ["settings", "--json"]], on: input)
            case .documents: return try await DocumentFuzzing.feed(input)
            }
        } catch is MoltError {
            return .refused
        } catch is TestingError {
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

    /// Imports a file; what is exported then must be the same records.
    private static func importing(_ input: [UInt8]) throws -> Outcome {
        let file = FileManager.default.temporaryDirectory.appending(path: "molt-fuzz-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(input).write(to: file)
        let cache = try CodableCache(inMemory: [])
        try cache.importAndWait(from: file)
        try cache.exportAndWait(to: file)
        let other = try CodableCache(inMemory: [])
        try other.importAndWait(from: file)
        guard try other.contents().records == cache.contents().records else {
            return .failed("what is exported is imported differently")
        }
        return .accepted
    }

    private static func ledger(_ input: [UInt8]) throws -> Outcome {
        let _: [String: Int]? = LedgerTable.value(of: String(decoding: input, as: UTF8.self))
        _ = try? SuitePatch(input)
        _ = try JSONDecoder().decode(SuiteLedger.self, fromStored: Data(input))
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
        if let value = try? JSONDecoder().decode(PropertyListValue.self, fromStored: Data(input)) {
            let again = try JSONDecoder().decode(PropertyListValue.self, fromStored: JSONEncoder().encode(value))
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

    // MARK: What people read

    private static let described: [any (Decodable & Sendable).Type] = [
        LedgerEntry.self, MigrationSummary.self,
        SalvageReport.self, UpgradeAttempt.self, [LedgerEntry].self,
    ]

    private static func describe(_ input: [UInt8]) -> Outcome {
        var outcome = Outcome.refused
        for type in described {
            guard let value = try? JSONDecoder().decode(type, fromStored: Data(input)) else { continue }
            let texts = [String(describing: value), String(reflecting: value)]
            guard texts.allSatisfy({ !$0.isEmpty }) else { return .failed("\(type) has no description") }
            outcome = .accepted
        }
        return outcome
    }

    private static let commands = [
        ["info"], ["ls"], ["dump"], ["schema"], ["quarantine"], ["get", "key 3"], ["verify"], ["info", "--json"],
    ]

    /// Runs commands of the tool on a file; each must print something and end with one of its exit codes.
    private static func run(_ commands: [[String]], on input: [UInt8]) async throws -> Outcome {
        let file = FileManager.default.temporaryDirectory.appending(path: "molt-fuzz-\(UUID().uuidString)")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        try Data(input).write(to: file)
        let tool = Tool("molt", "Shows stores.", StoreCommands.all)
        var outcome = Outcome.refused
        for command in commands {
            let printed = Locked(0)
            let terminal = Terminal(
                output: { text in printed.withLock { $0 += text.count } },
                errors: { text in printed.withLock { $0 += text.count } }
            )
            let code = await tool.run([command[0], file.path] + command.dropFirst(), on: terminal)
            guard (ExitCode.success...ExitCode.trouble).contains(code), printed.withLock({ $0 }) > 0 else {
                return .failed("\(command) ended with \(code), and printed \(printed.withLock { $0 }) bytes")
            }
            if code == ExitCode.success { outcome = .accepted }
        }
        return outcome
    }
}

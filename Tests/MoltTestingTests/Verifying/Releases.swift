import Foundation
import Molt
import MoltTesting
import Testing

/// An app with three releases: its registry, its current types, and the store of its first release.
enum Releases {
    struct Person: Codable, Equatable {
        struct Address: Codable, Equatable {
            var city: String
        }

        var firstName: String
        var lastName: String
        var address: Address
        var nickname: String
    }

    static let types: [FixtureType] = [.type(Person.self)]

    static let alien = Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"))
    static let split = Migration(to: 2, "split-full-name", .transform("Person") { try Releases.splitName(of: &$0) })
    static let nickname = Migration(to: 3, "nickname", .addProperty("Person", "nickname", default: ""))

    /// Makes two properties of the full name.
    static func splitName(of person: inout Record) throws {
        let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
        person["firstName"] = .string(String(parts.first ?? ""))
        person["lastName"] = .string(parts.count > 1 ? String(parts[1]) : "")
    }

    static let migrations: MigrationRegistry = [alien, split, nickname]

    static let first = StoreFixture(
        version: 0,
        records: [
            .init("john", "Alien", .json(#"{"address":{"city":"Paris"},"fullName":"John Appleseed","extra":1.0}"#)),
            .init(
                "jane",
                "Alien",
                .json(#"{"fullName":"Jane Roe","address":{"city":"Rome"}}"#),
                expiration: Date(timeIntervalSince1970: 4_102_444_800)
            ),
            .init("photo", "Data", .data(Data([0, 1, 255]))),
        ]
    )

    /// Returns the store that the release of a version wrote.
    static func store(at version: Int, _ migrations: MigrationRegistry = migrations) throws -> StoreFixture {
        version == 0 ? first : try first.migrated(through: migrations, upTo: version).fixture
    }

    /// Creates a catalog with a fixture of each given version, and their upgraded fixtures.
    static func catalog(of versions: [Int] = [0, 1, 2, 3]) async throws -> CatalogDirectory {
        let directory = CatalogDirectory()
        for (path, data) in try await recorded.value {
            let name = path.split(separator: "/").last ?? ""
            guard versions.contains(where: { name.hasPrefix("\($0)-") }) else { continue }
            try directory.write(String(decoding: data, as: UTF8.self), to: path)
        }
        return directory
    }

    /// The files of the whole catalog, recorded once.
    private static let recorded = Task {
        let directory = CatalogDirectory()
        let catalog = directory.catalog(recording: .missing)
        for version in 0...3 { try catalog.keep(store(at: version), named: "everyday") }
        let recording = await failure { try await catalog.verify(migrations, types: types) }
        if let recording, recording.kinds != [.recorded] { throw recording }
        return try directory.files()
    }

    /// Returns a configuration that calls a closure when an upgrade has finished.
    static func afterEachUpgrade(_ body: @escaping @Sendable () -> Void) -> MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.monitor = MigrationMonitor { event in
            if case .finished = event { body() }
        }
        return configuration
    }

    /// Returns the failure that a verification throws; nil if it passes, or after recording another error as an issue.
    static func failure(_ body: () async throws -> Void) async -> VerificationFailure? {
        do {
            try await body()
            return nil
        } catch let failure as VerificationFailure {
            return failure
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// Returns the failure of a verification that must not pass.
    static func requireFailure(_ body: () async throws -> Void) async throws -> VerificationFailure {
        let failure = await failure(body)
        return try #require(failure)
    }
}

extension VerificationFailure {
    /// The distinct kinds, in the order in which they were found.
    var kinds: [Kind] {
        failures.reduce(into: []) { if !$0.contains($1.kind) { $0.append($1.kind) } }
    }

    /// Returns the messages of the failures of a kind.
    func messages(_ kind: Kind) -> [String] {
        failures.filter { $0.kind == kind }.map(\.message)
    }

    /// Expects the distinct kinds of the failures, in the order in which they were found.
    func expect(kinds: Kind..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.kinds == kinds, "\(self)", sourceLocation: sourceLocation)
    }

    /// Expects failures of one kind only; see ``expect(_:of:begins:says:sourceLocation:)``.
    func expect(
        only kind: Kind,
        of subjects: [String]? = nil,
        begins start: String = "",
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(kinds: kind, sourceLocation: sourceLocation)
        expect(kind, of: subjects, begins: start, saysAll: words, sourceLocation)
    }

    /// Expects failures of a kind.
    ///
    /// - Parameters:
    ///   - subjects: The subjects of the failures of the kind; nil is not compared.
    ///   - start: The beginning of each of them: its place, if it has one, and its message.
    ///   - words: Words in the message of each of them.
    func expect(
        _ kind: Kind,
        of subjects: [String]? = nil,
        begins start: String = "",
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(kind, of: subjects, begins: start, saysAll: words, sourceLocation)
    }

    private func expect(
        _ kind: Kind,
        of subjects: [String]?,
        begins start: String,
        saysAll words: [String],
        _ sourceLocation: SourceLocation
    ) {
        let found = failures.filter { $0.kind == kind }
        let foundSubjects = found.map(\.subject)
        #expect(!found.isEmpty, "\(self)", sourceLocation: sourceLocation)
        if let subjects { #expect(foundSubjects == subjects, "\(self)", sourceLocation: sourceLocation) }
        for failure in found {
            let text = failure.description
            #expect(text.hasPrefix(start), "\(text)", sourceLocation: sourceLocation)
            for words in words { #expect(failure.message.contains(words), "\(text)", sourceLocation: sourceLocation) }
        }
    }
}

import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

/// The model of the older release.
private enum V1 {
    enum Status: Codable {
        case idle
        case busy(since: Int?)
    }

    enum Color: String, Codable, CaseIterable { case red, green }

    struct Address: Codable {
        var street = "Rue"
        var city: String? = "Paris"
    }

    struct Person: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "Ada"
        var address: Address? = Address()
        var others: [Address?] = [Address()]
        var status = Status.idle
        var color = Color.red
    }

    struct Profile: Codable { var mail: String? = "a@b.c" }
}

/// The model of today's release.
private enum V2 {
    struct Address: Codable {
        var street: String
        var city: String?
        var country: String
    }

    struct Person: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name: String
        var address: Address?
        var others: [V1.Address?]
        var status: V1.Status
        var color: V1.Color
    }
}

private struct Failure: Error {}

@Suite struct `Variations of samples` {
    private let directory = CatalogDirectory()
    private static let first = Migration(to: 1, "first")
    private static let profile = FixtureSetting.setting(
        "profile",
        V1.Profile.self,
        in: Suite("group.molt.variations"),
        samples: [V1.Profile()]
    )

    /// Records the stores of the older release.
    private func record(_ people: [String: V1.Person], settings: [FixtureSetting] = []) async throws {
        let types: [FixtureType] = people.isEmpty ? [] : [.type(V1.Person.self, samples: people)]
        try await Releases.requireFailure {
            try await directory.catalog(recording: .missing)
                .verify([Self.first], types: types, settings: settings, versions: [1])
        }
        .expect(kinds: .recorded)
    }

    /// Verifies the stores of the older release with a step of today's release.
    private func verify(
        _ step: MigrationStep,
        _ types: [FixtureType] = [.type(V1.Person.self)],
        settings: [FixtureSetting] = [],
        variations: Int = 500
    ) async throws -> VerificationReport {
        try await directory.catalog(recording: .missing).verify(
            [Self.first, Migration(to: 2, "second", step)],
            types: types,
            settings: settings,
            versions: [1],
            variations: variations
        )
    }

    /// Expects one failure, of the variations in some places, and that nothing is recorded.
    private func expectFailure(
        _ places: [String],
        says text: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async throws {
        let files = try directory.files()
        let failure = try await Releases.requireFailure(body)
        let found = failure.failures.filter { $0.kind == .variation }
        #expect(found.map(\.location) == places, "\(failure)", sourceLocation: sourceLocation)
        #expect(found.allSatisfy { $0.message.contains(text) }, "\(failure)", sourceLocation: sourceLocation)
        #expect(try directory.files() == files, sourceLocation: sourceLocation)
    }

    @Test func `A step that creates an object is found though all samples have the object`() async throws {
        try await record(["ada": V1.Person(), "bob": V1.Person()])
        let place: PropertyPath = ["address", "country"]
        let step = MigrationStep.addProperty("Person", place, default: "FR", creatingObjects: true)
        try await expectFailure(
            [#"sample "ada" of version 1 without "address"; sample "ada" of version 1 with null as "address""#],
            says: #""ada" cannot be read as Person: "#
        ) { _ = try await verify(step, [.type(V2.Person.self)]) }
        let right = MigrationStep.addProperty("Person", place, default: "FR")
        try await Releases.requireFailure { _ = try await verify(right, [.type(V2.Person.self)]) }
            .expect(kinds: .recorded)
    }

    @Test func `A step that fails for one case of an enum beside another property is found`() async throws {
        try await record(["ada": V1.Person(), "bob": V1.Person(address: nil, status: .busy(since: 1))])
        let step = MigrationStep.transform("Person") { person in
            if person[["status", "busy"]] != nil, person[["address", "city"]] != nil { throw Failure() }
        }
        try await expectFailure(
            [#"sample "ada" of version 1 with the case "busy" as "status""#],
            says: "the upgrade throws"
        ) { _ = try await verify(step) }
    }

    @Test func `A step that fails for an empty setting is found`() async throws {
        try await record([:], settings: [Self.profile])
        let step = MigrationStep.transform(.setting("profile", in: Suite("group.molt.variations"))) { profile in
            if profile[["mail"]] == nil { throw Failure() }
        }
        try await expectFailure(
            [#"sample "profile" in group.molt.variations of version 1 with nothing set"#],
            says: "the upgrade throws"
        ) { _ = try await verify(step, [], settings: [Self.profile]) }
    }

    @Test func `The number of variations is limited, and told`() async throws {
        try await record(["ada": V1.Person(), "bob": V1.Person(status: .busy(since: nil))])
        try directory.write(#"{"format":1,"schemaVersion":0}"#, to: "0-empty.json")
        let rename = MigrationStep.transform("Person") { $0["name"] = "" }
        try await Releases.requireFailure { _ = try await verify(rename) }.expect(kinds: .recorded)
        let all = try await verify(rename)
        #expect(all.description.hasSuffix("\n19 variations of samples were upgraded, at most 500 of each fixture."))
        let some = try await verify(rename, variations: 7)
        let text = "7 variations of samples were upgraded, at most 7 of each fixture."
        #expect(some.description.hasSuffix("\n\(text)\n1-samples.json has 19: upgrade more with `variations:`."))
        let none = try await verify(rename, variations: 0)
        #expect(none.description.hasSuffix("\nNo variations of samples were upgraded."))
    }
}

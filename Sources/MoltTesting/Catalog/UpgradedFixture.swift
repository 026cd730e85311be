internal import Foundation

/// An upgraded fixture, with the digest of its fixture.
///
/// Its file is a fixture file with the additional member `fixtureDigest`.
struct UpgradedFixture {
    let store: StoreFixture
    /// The SHA-256 of the fixture's file, in hexadecimal digits.
    let fixtureDigest: String

    private static let member = "fixtureDigest"

    init(_ store: StoreFixture, fixtureDigest: String) {
        self.store = store
        self.fixtureDigest = fixtureDigest
    }

    /// Reads a file.
    ///
    /// - Throws: ``TestingError`` with the code `malformedFixture` or `unreadable`.
    init(contentsOf url: URL) throws {
        let root = try FixtureText(contentsOf: url).root()
        store = try StoreFixture(root, alsoKnown: [Self.member])
        let members = try root.members("an object")
        guard let digest = members.first(where: { $0.name == Self.member })?.value else {
            throw root.failure(
                "The member \"\(Self.member)\" is missing. Remove the file, and then: \(RecordingMode.missing.command)"
            )
        }
        fixtureDigest = try digest.string("the SHA-256 of the fixture")
    }

    var json: String {
        store.json(with: [(Self.member, fixtureDigest)])
    }
}

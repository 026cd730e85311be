internal import Foundation

/// An expected store, with the digest of the fixture that it was made from.
///
/// Its file is that of a fixture with one more member, `fixtureDigest`.
struct GoldenStore {
    /// The store.
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
        let root = try FixtureText(contentsOf: url).root
        store = try StoreFixture(root, alsoKnown: [Self.member])
        let members = try root.members("an object")
        guard let digest = members.first(where: { $0.name == Self.member })?.value else {
            throw root.failure("The member \"\(Self.member)\" is missing. Remove the file, and record it again.")
        }
        fixtureDigest = try digest.string("the SHA-256 of the fixture")
    }

    /// The text of the file.
    var json: String {
        store.json(with: [(Self.member, fixtureDigest)])
    }
}

import Testing

@testable import Molt

@Suite("Fingerprints of migrations")
struct FingerprintTests {
    private struct Old: Codable {}
    private struct New: Codable {}

    private func fingerprint(_ steps: MigrationStep..., version: Int = 1, name: String = "name") -> String {
        Migration(to: version, name, steps: steps).fingerprint
    }

    // Ledgers keep fingerprints: a changed one would make every app's migrations count as edited.
    private static let fingerprints: [([MigrationStep], String)] = [
        ([], "620248a35788ef6a2bf108dd3cc56308"),
        ([.renameType("Alien", to: "Person")], "beb109dcca39ae1edfe8d021ea38f1a2"),
        ([.renameProperty("Person", ["a", "b"], to: "c")], "3bf61342c1322a8133c1581fc19841ea"),
        ([.addProperty("Person", "a", default: [1, .null, "x"])], "b6d9fe37bdde829c360c65c74022ccc3"),
        ([.copyProperty("A", "b", to: ["c", "d"])], "fcf71e50d0338e8b2f313e30448f99b0"),
        ([.splitProperty("A", "b", at: .last("-"), into: ["c", "d"])], "6a928ce7ebb2adf8abc7293322430b83"),
        ([.joinProperties("A", ["b", "c"], into: "d")], "c6a38c54b94290e158095315168762bb"),
        ([.mapValue("A", "b", ["c": "d", 1: .null], otherwise: .fail)], "5f755cd5d4aeadc5b5d7823ed5e543a8"),
        ([.renameProperty("A", ["b", .each, "c"], to: "d")], "bbcc730cbc006c702a3d54a0704f0079"),
        ([.changeValue("A", "b", to: .integer, otherwise: .value(1))], "6d8644d8ecf46e83b423c2b75a7baea7"),
        ([.changeValue("A", "b", from: .iso8601, to: .secondsSince1970)], "877106f9b0075bf52831645e9e069a7a"),
        ([.wrapProperty("A", "b", in: .array)], "b8dd59462a4fd15b29a567e2f20ca6ec"),
        ([.unwrapProperty("A", "b", from: .object("c"))], "c0d8ee9b4afe127809e16bb5ec58b863"),
        (
            [.extractRecords("A", ["b", .each], as: "B", key: .property("c"), owner: "d")],
            "75ef09f55812aa1e93016d897f984e64"
        ),
        ([.transform("Person") { _ in }, .run { _ in }], "ab2995409c33abd896964f559e812225"),
    ]

    @Test(arguments: fingerprints)
    func `A fingerprint is the same in all releases of Molt`(steps: [MigrationStep], fingerprint: String) {
        #expect(Migration(to: 1, "name", steps: steps).fingerprint == fingerprint)
    }

    @Test func `Any difference between declared steps changes the fingerprint`() {
        let all: [String] = [
            fingerprint(),
            fingerprint(version: 2),
            fingerprint(name: "other"),
            fingerprint(.renameType("A", to: "B")),
            fingerprint(.renameType("A", to: "C")),
            fingerprint(.renameType("AB", to: "")),
            fingerprint(.deleteType("A")),
            fingerprint(.renameProperty("A", "b", to: "c")),
            fingerprint(.renameProperty("A", "b", to: "c", ifMissing: .fail)),
            fingerprint(.renameProperty("A", ["b", "b"], to: "c")),
            fingerprint(.moveProperty("A", "b", to: "c")),
            fingerprint(.moveProperty("A", ["b", "c"], to: "d")),
            fingerprint(.moveProperty("A", "b", to: ["c", "d"])),
            fingerprint(.moveProperty("A", "b", to: "c", ifMissing: .fail)),
            fingerprint(.removeProperty("A", "b")),
            fingerprint(.removeProperty("A", "b", ifMissing: .fail)),
            fingerprint(.addProperty("A", "b", default: 1)),
            fingerprint(.addProperty("A", "b", default: "1")),
            fingerprint(.copyProperty("A", "b", to: "c")),
            fingerprint(.copyProperty("A", "b", to: "c", ifMissing: .fail)),
            fingerprint(.splitProperty("A", "b", into: ["c", "d"])),
            fingerprint(.splitProperty("A", "b", into: [["c", "d"], "e"])),
            fingerprint(.splitProperty("A", "b", into: ["c", ["d", "e"]])),
            fingerprint(.splitProperty("A", "b", at: .last(" "), into: ["c", "d"])),
            fingerprint(.splitProperty("A", "b", at: .first("-"), into: ["c", "d"])),
            fingerprint(.splitProperty("A", "b", into: ["c", "d"], missing: .null)),
            fingerprint(.splitProperty("A", "b", into: ["c", "d"], ifMissing: .fail)),
            fingerprint(.joinProperties("A", ["b", "c"], into: "d")),
            fingerprint(.joinProperties("A", ["c", "b"], into: "d")),
            fingerprint(.joinProperties("A", ["b", "c"], into: "d", separator: "-")),
            fingerprint(.mapValue("A", "b", ["c": "d"])),
            fingerprint(.mapValue("A", "b", ["c": "d", "e": "f"])),
            fingerprint(.mapValue("A", "b", ["c": "d"], otherwise: .fail)),
            fingerprint(.mapValue("A", "b", ["c": "d"], otherwise: .remove)),
            fingerprint(.mapValue("A", "b", ["c": "d"], otherwise: .value("x"))),
            fingerprint(.renameProperty("A", ["b", .each, "c"], to: "d")),
            fingerprint(.renameProperty("A", ["b", "", "c"], to: "d")),
            fingerprint(.renameProperty("A", [.each, "b", "c"], to: "d")),
            fingerprint(.changeValue("A", "b", to: .integer)),
            fingerprint(.changeValue("A", "b", to: .number)),
            fingerprint(.changeValue("A", "b", to: .integer, otherwise: .keep)),
            fingerprint(.changeValue("A", "b", to: .integer, ifMissing: .fail)),
            fingerprint(.changeValue("A", "b", from: .iso8601, to: .secondsSince1970)),
            fingerprint(.changeValue("A", "b", from: .secondsSince1970, to: .iso8601)),
            fingerprint(.wrapProperty("A", "b", in: .array)),
            fingerprint(.wrapProperty("A", "b", in: .object("array"))),
            fingerprint(.unwrapProperty("A", "b", from: .array)),
            fingerprint(.extractRecords("A", "b", as: "B", key: .derived)),
            fingerprint(.extractRecords("A", "b", as: "B", key: .property("derived"))),
            fingerprint(.extractRecords("A", "b", as: "B", key: .derived, leaving: .nothing)),
            fingerprint(.extractRecords("A", "b", as: "B", key: .derived, owner: "key")),
            fingerprint(.transform("A") { _ in }),
            fingerprint(.transform("A", revision: 2) { _ in }),
            fingerprint(.convert("A", from: Old.self, to: New.self) { _ in New() }),
            fingerprint(.convert("A", from: Old.self, to: New.self, revision: 2) { _ in New() }),
            fingerprint(.run { _ in }),
            fingerprint(.run(revision: 2) { _ in }),
            fingerprint(.run(onFreshStore: true) { _ in }),
            fingerprint(.renameType("A", to: "B"), .renameType("B", to: "C")),
            fingerprint(.renameType("B", to: "C"), .renameType("A", to: "B")),
        ]
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { $0.utf8.count == 32 })
    }

    @Test func `A fingerprint does not depend on descriptions, closures or model names in code`() {
        #expect(fingerprint(.run("one") { _ in }) == fingerprint(.run("two") { _ = $0.version }))
        #expect(fingerprint(.transform("A") { _ in }) == fingerprint(.transform("A") { $0.drop() }))
        #expect(
            fingerprint(.convert("A", from: Old.self, to: New.self) { _ in New() })
                == fingerprint(.convert("A", from: New.self, to: Old.self) { _ in Old() })
        )
    }

    @Test func `A fingerprint depends on the revision of a registered block`() {
        var first = MigrationRegistry()
        first.register(to: 1, "block") { _ in }
        var second = MigrationRegistry()
        second.register(to: 1, "block", revision: 2) { _ in }
        #expect(first.migrations[0].fingerprint == fingerprint(.run { _ in }, name: "block"))
        #expect(first.migrations[0].fingerprint != second.migrations[0].fingerprint)
    }
}

@Suite("SHA-256")
struct SHA256Tests {
    @Test(arguments: [
        // Examples of FIPS 180-4, and their digests from other tools.
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `A digest equals the digest of other tools`(text: String, digest: String) {
        #expect(SHA256.hexadecimal(of: text.utf8) == digest)
    }

    @Test func `A digest is correct at block boundaries`() {
        let digests = [55, 56, 63, 64, 65, 1000].map { SHA256.hexadecimal(of: [UInt8](repeating: 0x61, count: $0)) }
        #expect(digests == SHA256Tests.ofLettersA)
    }

    private static let ofLettersA = [
        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
        "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
        "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
        "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3",
    ]
}

import Foundation
import Molt
import Testing

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
        ([.changeValue("A", "b", toPathIn: "c")], "cf6fb91f1c4823505d8e5ec7bd0fcc7d"),
        ([.wrapProperty("A", "b", in: .array)], "b8dd59462a4fd15b29a567e2f20ca6ec"),
        ([.unwrapProperty("A", "b", from: .object("c"))], "c0d8ee9b4afe127809e16bb5ec58b863"),
        (
            [.extractRecords("A", ["b", .each], as: "B", key: .property("c"), owner: "d")],
            "75ef09f55812aa1e93016d897f984e64"
        ),
        (
            [.extractRecords("A", "b", as: "B", key: .derived, onConflict: .newest(by: "at"))],
            "693e57068a2a027d89627be5dcd9d5eb"
        ),
        ([.renameKeys("A", to: .property("id"), onConflict: .keep)], "fb1d81d579b9dbf77fb12e2de897d7d9"),
        ([.changeDictionary("A", "b", to: .object)], "c3cb3406e608941b32614c3ccd56eb7a"),
        ([.mapValue("A", "b", in: .keys, ["c": "d"])], "5420380ed5238368dbd5e080bdf0126c"),
        ([.splitIntoArray("A", "b", separator: ",")], "6b79c8e7e502640eb822a30d56ad5d59"),
        ([.joinArray("A", "b", separator: ",")], "3417e715daba5c0f7d89ed88db6d924f"),
        ([.parseJSONText("A", "b"), .encodeAsJSONText("A", "b")], "e91126841e829171d7cdf99d445e8333"),
        ([.transform("Person") { _ in }, .run { _ in }], "ab2995409c33abd896964f559e812225"),
    ]

    @Test func `A fingerprint is the same in all releases of Molt`() {
        for (steps, fingerprint) in Self.fingerprints {
            #expect(Migration(to: 1, "name", steps: steps).fingerprint == fingerprint, "\(steps)")
        }
    }

    @Test func `Each case of a step's options has the same text in all releases of Molt`() {
        let forms: [SettingForm] = [.native, .jsonText, .jsonData, .binaryPropertyList, .xmlPropertyList, .jsonTexts]
        let dates: [Record.DateForm] = [
            .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601,
            .iso8601WithFractionalSeconds, .propertyListDate,
        ]
        var steps: [MigrationStep] = [
            .renameProperty("A", "b", to: "c", ifMissing: .skip), .renameProperty("A", "b", to: "c", ifMissing: .fail),
            .changeValue("A", "b", to: .string), .changeValue("A", "b", to: .integer),
            .changeValue("A", "b", to: .number), .changeValue("A", "b", to: .bool),
            .changeDictionary("A", "b", to: .object), .changeDictionary("A", "b", to: .alternatingArray),
            .changeDictionary("A", "b", to: .alternatingArrayOfIntegers),
            .changeDictionary("A", "b", to: .arrayOfValues),
            .mapValue("A", "b", in: .keys, ["c": "d"]), .mapValue("A", "b", in: .values, ["c": "d"]),
            .extractRecords("A", "b", as: "B", key: .derived, leaving: .key),
            .extractRecords("A", "b", as: "B", key: .derived, leaving: .nothing),
        ]
        for (form, date) in zip(forms, dates) {
            steps.append(.changeForm(.setting("a", in: .standard, form: form), to: form, dates: date))
            steps.append(.moveToRecords(.setting("b", in: .standard), ofType: "B", dates: date))
            steps.append(.changeValue("A", "b", from: date, to: date))
        }
        let group = Suite("group")
        let migrations: [Migration] = [
            Migration(to: 1, "steps", steps: steps),
            .defaultsV4ToV5(to: 1, suite: group, keys: []),
            .defaultsV4ToV5(to: 1, suite: group, keys: [], strict: true),
            .suiteToAppGroup(to: 1, from: .standard, into: group),
            .suiteToAppGroup(to: 1, from: .standard, into: group, removingSource: true),
            .adoptCacheDirectory(
                to: 1,
                directory: CacheDirectory(at: URL(filePath: "/a"), keys: .fileNames, type: .value("A")),
                onConflict: .keep
            ),
            .adoptCacheDirectory(
                to: 1,
                directory: CacheDirectory(at: URL(filePath: "/a"), keys: .fileNames, type: .value("A")),
                onConflict: .replace,
                removingSource: true
            ),
        ]
        #expect(
            migrations.map(\.fingerprint) == [
                "4c048f79b5b13511c4af807ca790d98e",
                "f0145c24b91b57b9804e22e677955336",
                "7078af2da5f01c6d7cfc4893e8494eef",
                "1d6ef3e77fe8c314b068ca2cdc206e3f",
                "81f31ed717cdab3537d1623b8dd82e15",
                "2feb03004bbb3f979b573fab1b953f8c",
                "4eea4625ca12b6c83b1c7c642c3cf7d1",
            ]
        )
    }

    @Test func `Any difference between declared steps changes the fingerprint`() {
        let steps: [MigrationStep] = [
            .renameType("A", to: "B"), .renameType("A", to: "C"), .renameType("AB", to: ""), .deleteType("A"),
            .deleteType("A", erasing: true),
            .renameProperty("A", "b", to: "c"), .renameProperty("A", "b", to: "c", ifMissing: .fail),
            .renameProperty("A", ["b", "b"], to: "c"), .moveProperty("A", "b", to: "c"),
            .moveProperty("A", ["b", "c"], to: "d"), .moveProperty("A", "b", to: ["c", "d"]),
            .moveProperty("A", "b", to: "c", ifMissing: .fail), .removeProperty("A", "b"),
            .removeProperty("A", "b", ifMissing: .fail), .addProperty("A", "b", default: 1),
            .addProperty("A", "b", default: "1"), .copyProperty("A", "b", to: "c"),
            .copyProperty("A", "b", to: "c", ifMissing: .fail), .splitProperty("A", "b", into: ["c", "d"]),
            .splitProperty("A", "b", into: [["c", "d"], "e"]), .splitProperty("A", "b", into: ["c", ["d", "e"]]),
            .splitProperty("A", "b", at: .last(" "), into: ["c", "d"]),
            .splitProperty("A", "b", at: .first("-"), into: ["c", "d"]),
            .splitProperty("A", "b", into: ["c", "d"], missing: .null),
            .splitProperty("A", "b", into: ["c", "d"], ifMissing: .fail), .joinProperties("A", ["b", "c"], into: "d"),
            .joinProperties("A", ["c", "b"], into: "d"), .joinProperties("A", ["b", "c"], into: "d", separator: "-"),
            .mapValue("A", "b", ["c": "d"]), .mapValue("A", "b", ["c": "d", "e": "f"]),
            .mapValue("A", "b", ["c": "d"], otherwise: .fail), .mapValue("A", "b", ["c": "d"], otherwise: .remove),
            .mapValue("A", "b", ["c": "d"], otherwise: .value("x")), .renameProperty("A", ["b", .each, "c"], to: "d"),
            .renameProperty("A", ["b", "", "c"], to: "d"), .renameProperty("A", [.each, "b", "c"], to: "d"),
            .changeValue("A", "b", to: .integer), .changeValue("A", "b", to: .number),
            .changeValue("A", "b", to: .integer, otherwise: .keep),
            .changeValue("A", "b", to: .integer, ifMissing: .fail),
            .changeValue("A", "b", from: .iso8601, to: .secondsSince1970),
            .changeValue("A", "b", from: .secondsSince1970, to: .iso8601), .wrapProperty("A", "b", in: .array),
            .changeValue("A", "b", toPathIn: "c"), .changeValue("A", "b", toPathIn: "d"),
            .wrapProperty("A", "b", in: .object("array")), .unwrapProperty("A", "b", from: .array),
            .extractRecords("A", "b", as: "B", key: .derived),
            .extractRecords("A", "b", as: "B", key: .property("derived")),
            .extractRecords("A", "b", as: "B", key: .derived, leaving: .nothing),
            .extractRecords("A", "b", as: "B", key: .derived, owner: "key"),
            .extractRecords("A", "b", as: "B", key: .derived, owner: "keep"),
            .extractRecords("A", "b", as: "B", key: .derived, onConflict: .keep),
            .extractRecords("A", "b", as: "B", key: .derived, owner: "onConflict", onConflict: .keep),
            .renameKeys("A", to: .lowercased), .renameKeys("A", to: .precomposed),
            .renameKeys("A", to: .property("lowercased")), .renameKeys("A", to: .property("b")),
            .renameKeys("A", to: .lowercased, onConflict: .keep),
            .renameKeys("A", to: .lowercased, onConflict: .newest(by: "b")),
            .renameKeys("A", to: .lowercased, onConflict: .newest(by: "c")),
            .renameKeys("A", to: .lowercased, onConflict: .merge { _, _ in }),
            .renameKeys("A", to: .lowercased, onConflict: .merge(revision: 2) { _, _ in }),
            .changeDictionary("A", "b", to: .object), .changeDictionary("A", "b", to: .alternatingArray),
            .changeDictionary("A", "b", to: .alternatingArrayOfIntegers),
            .changeDictionary("A", "b", to: .object, ifMissing: .fail), .mapValue("A", "b", in: .keys, ["c": "d"]),
            .mapValue("A", "b", in: .values, ["c": "d"]), .mapValue("A", "b", in: .keys, ["c": "e"]),
            .splitIntoArray("A", "b", separator: ","), .splitIntoArray("A", "b", separator: ";"),
            .splitIntoArray("A", "b", separator: ",", trimming: true), .joinArray("A", "b", separator: ","),
            .joinArray("A", "b", separator: ";"), .joinArray("A", "b", separator: ",", ifMissing: .fail),
            .parseJSONText("A", "b"), .parseJSONText("A", "b", otherwise: .keep),
            .parseJSONText("A", "b", ifMissing: .fail), .encodeAsJSONText("A", "b"),
            .transform("A") { _ in },
            .transform("A", revision: 2) { _ in }, .convert("A", from: Old.self, to: New.self) { _ in New() },
            .convert("A", from: Old.self, to: New.self, revision: 2) { _ in New() }, .run { _ in },
            .run(revision: 2) { _ in }, .run(onFreshStore: true) { _ in },
        ]
        let all =
            steps.map { fingerprint($0) } + [
                fingerprint(), fingerprint(version: 2), fingerprint(name: "other"),
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

    @Test func `A fingerprint does not depend on what older releases may do`() {
        let migration = Migration(to: 1, "name")
        #expect(migration.olderReleases(may: .read).fingerprint == migration.fingerprint)
        #expect(migration.olderReleases(may: .write).fingerprint == migration.fingerprint)
    }

    @Test func `A fingerprint depends on the revision of a registered block`() {
        var first = MigrationRegistry()
        first.register(to: 1, "block") { _ in }
        var second = MigrationRegistry()
        second.register(Migration(to: 1, "block", .run(revision: 2) { _ in }))
        #expect(first.migrations[0].fingerprint == fingerprint(.run { _ in }, name: "block"))
        #expect(first.migrations[0].fingerprint != second.migrations[0].fingerprint)
    }
}

@Suite("SHA-256")
struct SHA256Tests {
    @Test func `A digest equals the digest of other tools, also at block boundaries`() {
        // The first three are examples of FIPS 180-4.
        let digests: [(String, String)] = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (letters(55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (letters(56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (letters(63), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (letters(64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (letters(65), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
            (letters(1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ]
        for (text, digest) in digests { #expect(SHA256.hexadecimal(of: text.utf8) == digest) }
    }

    private func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
}

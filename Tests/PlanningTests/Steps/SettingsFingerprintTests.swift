import Foundation
import Molt
import Testing

@Suite("Fingerprints of migrations of settings") struct SettingsFingerprintTests {
    private static let suite = Suite("s")
    private static let group = Suite("group.g")
    private static let file = URL(filePath: "/a/old.plist")

    private static let keys: [SettingKeys] = [.key("tags", .array(of: .string)), .key("size", .integer(Int16.self))]

    /// Each migration with its fingerprint, which ledgers keep and which must never change.
    private static let shipped: [(Migration, String)] = [
        (.defaultsV4ToV5(to: 1, suite: .standard, keys: keys), "a4e5560ae9d9de868bcdda1144c646d0"),
        (
            .defaultsV4ToV5(to: 1, suite: suite, keys: keys, readBy: .v5, strict: true),
            "90c03c740b83f9697588936bdb7d70a0"
        ),
        (
            .defaultsV4ToV5(to: 1, suite: suite, keys: [.key("a", .decoded(Int.self) { "\($0)" })]),
            "580c2b92e7521b85965e900ab8407fa0"
        ),
        (.swiftyUserDefaults(to: 1, suite: suite, keys: keys), "1ea536c6e1f0b58a126786fe4661f3b5"),
        (.suiteToAppGroup(to: 1, from: .standard, into: group), "091fbdff70caa68cfcba75fb9da33b39"),
        (
            .suiteToAppGroup(
                to: 1,
                from: suite,
                into: group,
                keys: .only(["a", "b"]),
                renaming: ["a": "c"],
                onConflict: .newest(by: "b"),
                removingSource: true
            ), "eb27cad9e91b9a564d53fc397b54275c"
        ),
        (
            .suiteToAppGroup(to: 1, from: suite, into: group, keys: .except(["a"]), onConflict: .replace),
            "460ce8ab98abd86b7e00273d1732e9ed"
        ),
        (.propertyListToSuite(to: 1, from: file, into: .standard), "0ec383be51773ee916945dbe407e059f"),
        (Migration(to: 1, "n", .changeSettings(in: suite) { _ in }), "e98115005d9db7cf95ce80139b74df0b"),
        (Migration(to: 1, "n", .changeSettings(in: suite, revision: 2) { _ in }), "16ff141a633388b02bf4f8bd42972e75"),
        (Migration(to: 1, "n", .renameSetting("a", to: "b", in: suite)), "5df3fc43087005f15019d54ed4e38134"),
        (Migration(to: 1, "n", .removeSettings("a", "b", in: suite)), "3bf1de3d0bd11e90981c170dba4d1dc4"),
        (Migration(to: 1, "n", .removeSettings(withPrefix: "a", in: suite)), "95e68565919d89df12169826e945429d"),
        (
            Migration(to: 1, "n", .renameSettings(withPrefix: "a", to: "b", in: suite)),
            "5b38c16488f6f6aef2df30e3a0f710cb"
        ),
        (Migration(to: 1, "n", .copySetting("a", to: "b", in: suite)), "907b779fc3a5ddd7512a8f0fa6c7b8c2"),
        (Migration(to: 1, "n", .copySettings(withPrefix: "a", to: "b", in: suite)), "66a4e413496cef0b1b0f3b9b7c6dd0dd"),
        (Migration(to: 1, "n", .removeProperty(.setting("a", in: suite), "b")), "aafc6403abef383e3c17187f46bc15a8"),
        (
            Migration(to: 1, "n", .removeProperty(.settings(withPrefix: "a", in: suite), "b")),
            "a7baad1f704b58ed7faaa681c592a243"
        ),
        (
            Migration(to: 1, "n", .changeForm(.setting("a", in: suite), to: .jsonTexts)),
            "9fbbf46bb7d7b0ab9ab8fdbcb5bdd5e2"
        ),
        (
            Migration(to: 1, "n", .moveToRecords(.setting("a", in: suite), ofType: "A")),
            "374b9723c715f6542db483c0538b2abd"
        ),
    ]

    @Test func `A fingerprint is the same in all releases of Molt`() {
        for (migration, fingerprint) in Self.shipped { #expect(migration.fingerprint == fingerprint) }
        let different = Set(Self.shipped.map(\.1))
        #expect(different.count == Self.shipped.count)
    }

    @Test func `A fingerprint does not depend on descriptions, closures or the process`() {
        func fingerprint(_ step: MigrationStep) -> String { Migration(to: 1, "n", step).fingerprint }
        #expect(
            fingerprint(.changeSettings(in: Self.suite, "a") { _ in })
                == fingerprint(.changeSettings(in: Self.suite, "b") { _ in })
        )
        // The system moves an app's container.
        let moved = Migration.propertyListToSuite(to: 1, from: URL(filePath: "/b/old.plist"), into: .standard)
        #expect(moved.fingerprint == Self.shipped.first { $0.0.name == moved.name }?.1)
        // The standard suite of this process, which in other processes has another name.
        let own = Suite(Suite.standard.domainName)
        #expect(own.attachedName == Suite.standard.attachedName)
        #expect(fingerprint(.removeSettings("a", in: own)) != fingerprint(.removeSettings("a", in: .standard)))
    }
}

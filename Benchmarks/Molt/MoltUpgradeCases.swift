import Molt

/// Molt's upgrades of the records that the peers upgrade, each from opening the file to closing it.
enum MoltUpgradeCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] =
        [rename.benchmark]
        + others.map(\.benchmark)
        + (Platform.canLimitCores ? [convertOnOneCore.benchmark] : [])
        + [renameType.benchmark]
        + rename.benchmark.atAllSizes.dropFirst()
        + (others + [renameType]).map { upgrade in
            let isInQuickMode = ["molt-split", "molt-convert", "molt-run-enumerate", "molt-change-keys"]
                .contains(upgrade.name)
            return upgrade.benchmark.at(memoryCount, isInQuickMode: isInQuickMode)
        }

    /// One of each kind of step, and how often a step can be run: what is looked at for its memory.
    static let allKinds: [MoltUpgrade] = [rename] + others + [renameType]

    /// All but those that are named by themselves.
    private static let others: [MoltUpgrade] = [
        split, add, remove, move, convert, run, fiveVersions, changeKeys, dropHalf, setAside, deleteType,
    ]

    /// A count at which any memory that grows with the count is still small.
    static let memoryCount = 10_000

    /// One property is renamed.
    static let rename = MoltUpgrade(
        name: "molt-rename",
        summary: "renameProperty",
        migrations: MoltMigrations.rename,
        reference: PeerCases.Change.rename.jsonFunctionsCase,
        isRight: isRenamed
    )

    /// A closure splits a property.
    static let split = MoltUpgrade(
        name: "molt-split",
        summary: "transform with a closure that makes firstName and lastName of fullName",
        migrations: MoltMigrations.split,
        reference: PeerCases.Change.split.jsonFunctionsCase,
        isRight: isSplit
    )

    /// One property is added.
    static let add = MoltUpgrade(
        name: "molt-add",
        summary: "addProperty with a default",
        migrations: MoltMigrations.add,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index, _ in
        let new = try cache.value(AddedProperty.self, forKey: People.key(index))
        return new?.level == 1 && new?.fullName == People.person(index).fullName
    }

    /// One property is removed.
    static let remove = MoltUpgrade(
        name: "molt-remove",
        summary: "removeProperty",
        migrations: MoltMigrations.remove,
        reference: PeerCases.Change.rename.jsonFunctionsCase,
        isRight: isWithoutActive
    )

    /// One property is moved into an object.
    static let move = MoltUpgrade(
        name: "molt-move",
        summary: "moveProperty into an object that is added",
        migrations: MoltMigrations.move,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index, _ in
        let new = try cache.value(MovedProperty.self, forKey: People.key(index))
        return new?.city == nil && new?.address.city == People.person(index).city
    }

    /// The record goes through both models.
    static let convert = MoltUpgrade(
        name: "molt-convert",
        summary: "convert from the old model to the new one, Codable both",
        migrations: MoltMigrations.convert,
        reference: PeerCases.Change.split.decodeEncodeCase,
        isRight: isSplit
    )

    /// The same, with one core.
    static let convertOnOneCore = MoltUpgrade(
        name: "molt-convert-one-core",
        summary: "the same with the process limited to one core",
        migrations: MoltMigrations.convert,
        reference: PeerCases.Change.split.decodeEncodeCase,
        isOnOneCore: true,
        isRight: isSplit
    )

    /// A block enumerates.
    static let run = MoltUpgrade(
        name: "molt-run-enumerate",
        summary: "run a block that enumerates, old and new side by side, and splits the name",
        migrations: MoltMigrations.run,
        reference: PeerCases.Change.split.jsonFunctionsCase,
        isRight: isSplit
    )

    /// Five versions at once.
    static let fiveVersions = MoltUpgrade(
        name: "molt-five-versions",
        summary: "five versions at once, each with one change of a property",
        migrations: MoltMigrations.fiveVersions,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index, _ in
        let old = People.person(index)
        let new = try cache.value(FiveVersionsLater.self, forKey: People.key(index))
        return new?.email == old.mail && new?.town == old.city && new?.remarks == old.notes && new?.level == 1
    }

    /// Every key is changed.
    static let changeKeys = MoltUpgrade(
        name: "molt-change-keys",
        summary: "transform with a closure that gives each record another key",
        migrations: MoltMigrations.changeKeys
    ) { cache, index, _ in
        let key = People.key(index)
        let new = try cache.value(PersonV1.self, forKey: "contact-" + key.dropFirst("person-".count))
        return try new?.mail == People.person(index).mail && !cache.contains(key)
    }

    /// Half of the records go.
    static let dropHalf = MoltUpgrade(
        name: "molt-drop-half",
        summary: "transform with a closure that drops about every second record",
        migrations: MoltMigrations.dropHalf,
        remains: { People.person($0).age >= MoltMigrations.dropAge },
        isRight: { cache, index, _ in
            try cache.value(PersonV1.self, forKey: People.key(index))?.mail == People.person(index).mail
        }
    )

    /// Some records cannot be converted.
    static let setAside = MoltUpgrade(
        name: "molt-set-aside",
        summary: "transform with a closure that fails for one record of eighty, which is set aside",
        migrations: MoltMigrations.setAside,
        remains: { People.person($0).age > MoltMigrations.minorAge },
        setsAside: true,
        isRight: isWithoutActive
    )

    /// All records of a type go.
    static let deleteType = MoltUpgrade(
        name: "molt-delete-type",
        summary: "deleteType, with all records",
        migrations: MoltMigrations.deleteType,
        isAboutContents: false,
        remains: { _ in false },
        isRight: { _, _, _ in false }
    )

    /// A type gets another name.
    static let renameType = MoltUpgrade(
        name: "molt-rename-type",
        summary: "renameType, which changes no record; the indexes are compared with all of them",
        migrations: MoltMigrations.renameType,
        isAboutContents: false
    ) { cache, index, _ in
        try cache.typeName(forKey: People.key(index)) == "Contact"
    }

    // MARK: Checking

    @Sendable
    private static func isRenamed(_ cache: CodableCache, _ index: Int, _ size: RecordSize) throws -> Bool {
        let key = People.key(index)
        guard size == .small else {
            let expected = RenamedProfile(People.profile(index, size))
            return try cache.value(RenamedProfile.self, forKey: key) == expected
        }
        let old = People.person(index)
        let new = try cache.value(RenamedPerson.self, forKey: key)
        return new?.email == old.mail && new?.fullName == old.fullName && new?.notes == old.notes
    }

    @Sendable
    private static func isSplit(_ cache: CodableCache, _ index: Int, _: RecordSize) throws -> Bool {
        let expected = SplitPerson(People.person(index))
        let new = try cache.value(SplitPerson.self, forKey: People.key(index))
        return new?.firstName == expected.firstName && new?.lastName == expected.lastName
            && new?.notes == expected.notes
    }

    @Sendable
    private static func isWithoutActive(_ cache: CodableCache, _ index: Int, _: RecordSize) throws -> Bool {
        let new = try cache.value(RemovedProperty.self, forKey: People.key(index))
        return new?.isActive == nil && new?.fullName == People.person(index).fullName
    }
}

private struct AddedProperty: Decodable, Sendable {
    var level: Int
    var fullName: String
}

private struct RemovedProperty: Decodable, Sendable {
    var isActive: Bool?
    var fullName: String
}

private struct MovedProperty: Decodable, Sendable {
    var city: String?
    var address: Address

    struct Address: Decodable, Sendable {
        var city: String
    }
}

private struct FiveVersionsLater: Decodable, Sendable {
    var email: String
    var town: String
    var level: Int
    var remarks: String
}

internal import Molt

/// The store and the types of this release, made from the samples of a test.
struct SampledRelease {
    /// The fixture's file, named by the registry's version.
    let file: CatalogFile
    /// The store that the app writes, without times.
    let store: StoreFixture
    /// The shapes by the type names of records, and by those of ``SampledSetting``.
    let types: [String: TypeShape]

    /// Writes the samples as an app that was just installed would.
    ///
    /// Without types, the store is the suite of the first setting that has a sample.
    ///
    /// - Parameter migrations: A valid registry.
    /// - Returns: nil if there is no sample.
    /// - Throws: ``TestingError`` with the code `unsuitable` for samples that cannot be used, or the error of writing
    ///   them.
    init?(
        _ types: [FixtureType],
        _ settings: [FixtureSetting],
        _ migrations: MigrationRegistry,
        _ configuration: MoltConfiguration
    ) throws {
        let samples = types.compactMap(\.samples)
        let sampled = settings.filter { $0.samples != nil }
        guard !samples.isEmpty || !sampled.isEmpty else { return nil }
        file = CatalogFile(fixtureVersion: migrations.version, name: CatalogFile.samples)
        self.types = try Self.shapes(types, sampled, migrations.coding)
        try Self.requireUniqueKeys(types)
        let primary: StoreFixture.Primary =
            if types.isEmpty, let suite = sampled.first?.place.suite { .suite(suite) } else { .cache }
        let store = try TemporaryStore(primary)
        switch primary {
        case .cache:
            let cache = try store.open(migrations: migrations, configuration: configuration)
            defer { cache.close() }
            for samples in samples { try samples.write(cache) }
        case .suite:
            _ = try store.upgradeNow(through: migrations, by: .suite, configuration: configuration)
        }
        for setting in sampled {
            try setting.samples?.write(store.temporarySuite(for: setting.place.suite), migrations.coding)
        }
        self.store = try store.contents().withoutTimes().naming(types)
    }

    /// The store with nothing but records of the types, and the settings, that a fixture has: the fixture itself, if
    /// only new types and settings were added to its samples.
    func store(likeThatOf kept: StoreFixture) -> StoreFixture {
        var store = store
        let types = Set(kept.records.map { ExactName($0.typeName) })
        store.records.removeAll { !types.contains(ExactName($0.typeName)) }
        store.suites = store.suites.filter { kept.suites[$0.key] != nil }
        for (suite, settings) in store.suites {
            store.suites[suite] = settings.filter { kept.suites[suite]?[$0.key] != nil }
        }
        return store
    }

    private static func shapes(
        _ types: [FixtureType],
        _ settings: [FixtureSetting],
        _ coding: RecordCoding
    ) throws -> [String: TypeShape] {
        var shapes: [String: TypeShape] = [:]
        func add(_ shape: TypeShape?, _ name: String) throws {
            guard let shape, shape.form != .unknown else {
                throw TestingError(
                    .unsuitable,
                    "The samples of \(name) show nothing: there is none, or it cannot be encoded."
                )
            }
            shapes[name] = shapes[name].map { $0.merged(with: shape) } ?? shape
        }
        for type in types {
            if let samples = type.samples { try add(samples.shape(coding), type.name) }
        }
        for setting in settings {
            guard let samples = setting.samples, samples.isEncodable else { continue }
            let name = SampledSetting(setting.place.name.text, in: setting.place.suite).shapeName
            try add(samples.shape(), name)
        }
        return shapes
    }

    /// A later sample would replace an earlier one.
    private static func requireUniqueKeys(_ types: [FixtureType]) throws {
        var owners: [String: String] = [:]
        for type in types {
            for key in type.samples?.keys ?? [] {
                guard let other = owners.updateValue(type.name, forKey: key) else { continue }
                throw TestingError(
                    .unsuitable,
                    "Samples of \(other) and of \(type.name) have the key \(Shown.key(key)), and a cache has one record "
                        + "for a key. Give one of them another key."
                )
            }
        }
    }
}

extension StoreFixture {
    /// The store with the names of the types, which may differ from those under which a cache writes the samples.
    fileprivate func naming(_ types: [FixtureType]) -> StoreFixture {
        var fixture = self
        let names = types.flatMap { type in (type.samples?.keys ?? []).map { (ExactName($0), type.name) } }
        let nameByKey = Dictionary(names) { $1 }
        for index in records.indices {
            if let name = nameByKey[ExactName(records[index].key)] { fixture.records[index].typeName = name }
        }
        return fixture
    }
}

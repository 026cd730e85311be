import Foundation
package import Molt

/// The value that all models of an app's releases store: one part of each kind that a strategy of coders concerns.
package struct Item: Equatable, Sendable {
    var date: Date
    var data: Data
    var number: Double
    var edits = 0
    var lastEdit: Date?
    var resident: Resident
}

extension Item {
    package init(_ random: inout SeededGenerator) {
        date = Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000_000)) / 4)
        data = Data((0..<random.below(9)).map { _ in UInt8(random.below(256)) })
        number = random.pick([.infinity, -0.5, 1e300])
        resident = Resident(&random)
    }
}

/// The form in which a release stores an ``Item``, frozen with that release.
package protocol ItemModel: Codable, RecordType, Sendable {
    init(_ item: Item)
    var item: Item { get throws }
}

extension ItemModel {
    package static var recordTypeName: String { "Item" }
}

private struct FlatItem: ItemModel {
    var someDate: Date
    var someData: Data
    var someNumber: Double
    var countOfEdits: Int
    var lastEdit: Date?
    var resident: Resident

    init(_ item: Item) {
        (someDate, someData, someNumber) = (item.date, item.data, item.number)
        (countOfEdits, lastEdit, resident) = (item.edits, item.lastEdit, item.resident)
    }

    var item: Item {
        Item(
            date: someDate,
            data: someData,
            number: someNumber,
            edits: countOfEdits,
            lastEdit: lastEdit,
            resident: resident
        )
    }
}

private struct NestedItem: ItemModel {
    struct Edit: Codable {
        var lastDate: Date
    }

    var isNested = true
    var allEdits: [Edit]
    var content: [String: Data]
    var someNumbers: [Double]
    var numberOfEdits: String
    var firstDate: Date
    var resident: Resident

    init(_ item: Item) {
        (content, someNumbers, firstDate) = (["raw data": item.data], [item.number], item.date)
        resident = item.resident
        (numberOfEdits, allEdits) = ("\(item.edits)", item.lastEdit.map { [Edit(lastDate: $0)] } ?? [])
    }

    var item: Item {
        get throws {
            guard let data = content["raw data"], let number = someNumbers.first, let edits = Int(numberOfEdits) else {
                throw Refused()
            }
            return Item(
                date: firstDate,
                data: data,
                number: number,
                edits: edits,
                lastEdit: allEdits.first?.lastDate,
                resident: resident
            )
        }
    }
}

private struct ShortItem: ItemModel {
    var d: [Date]
    var n: [String: Double]
    var raw: [Data]
    var e: Int
    var resident: Resident

    init(_ item: Item) {
        resident = item.resident
        (d, n, raw, e) = (
            [item.date] + (item.lastEdit.map { [$0] } ?? []), ["oneNumber": item.number], [item.data], item.edits
        )
    }

    var item: Item {
        get throws {
            guard let date = d.first, let number = n["oneNumber"], let data = raw.first else { throw Refused() }
            return Item(
                date: date,
                data: data,
                number: number,
                edits: e,
                lastEdit: d.dropFirst().first,
                resident: resident
            )
        }
    }
}

/// Releases that each may have other coders, and another model of the type Item.
package struct RandomReleases: Sendable {
    /// The models by version.
    private var models: [any ItemModel.Type]
    /// The coders by version.
    private var codings: [RecordCoding]
    /// Whether a release has moved the parts of an address into an object.
    private var hasAddress = false

    /// - Parameter varies: Whether there are records of the type Item.
    init(_ random: inout SeededGenerator, varies: Bool) {
        models = [Self.model(&random)]
        codings = [varies ? Self.coding(&random) : .standard]
    }

    /// Begins a release, for now with the coders and the model of the last one.
    mutating func begin() {
        let last = version
        models.append(models[last])
        codings.append(codings[last])
    }

    private var version: Int { models.count - 1 }

    /// Whether the last release has other coders than the one before.
    var changesCoders: Bool { version > 0 && codings[version] !== codings[version - 1] }

    /// Adds the coders of all releases.
    func registry(_ migrations: [Migration]) -> MigrationRegistry {
        var registry = MigrationRegistry(migrations)
        for version in 1..<codings.count where codings[version] !== codings[version - 1] {
            registry = registry.coding(codings[version - 1], through: version - 1)
        }
        return Self.checking(registry.coding(codings[version]), models[version])
    }

    /// The registry with a check that what it changes decodes as the last release's model.
    private static func checking<Model: ItemModel>(
        _ registry: MigrationRegistry,
        _ model: Model.Type
    ) -> MigrationRegistry {
        registry.checkingDecodes("Item", as: model)
    }

    // MARK: Values

    /// An item as the value that a release stores.
    package func value(of item: Item, at version: Int) -> any ItemModel { models[version].init(item) }

    func encode(_ item: Item, at version: Int) throws -> Data {
        let value: any Encodable = value(of: item, at: version)
        return try codings[version].encoder.encode(value)
    }

    /// Reads an item as a release would.
    ///
    /// - Parameter read: Reads a value of the release's model.
    package func item(at version: Int, _ read: (any ItemModel.Type) throws -> (any ItemModel)?) throws -> Item? {
        try read(models[version])?.item
    }

    // MARK: Migrations

    /// Whether a migration is one of ``migrations(_:fails:)``.
    static func owns(_ migration: Migration) -> Bool { migration.name.contains(" ") }

    /// The migrations of the last release.
    mutating func migrations(_ random: inout SeededGenerator, fails: Bool) -> [Migration] {
        var migrations: [Migration] = []
        let (oldModel, oldCoding) = (models[version], codings[version])
        if random.oneIn(2) { models[version] = Self.model(&random) }
        if random.oneIn(2) { codings[version] = Self.coding(&random) }
        let isRecoded = changesCoders
        if isRecoded || oldModel != models[version] {
            let step = Self.conversion(from: oldModel, to: models[version])
            let migration = Migration(to: version, "convert \(version)", step)
            let coding = Self.coding(decoding: oldCoding, encoding: codings[version])
            migrations.append(isRecoded ? migration.coding(coding) : migration)
        }
        if migrations.isEmpty || random.oneIn(2) {
            var step = Self.edit(models[version], version, &random, fails: fails)
            if fails, random.oneIn(2) {
                step = step.onFailure(random.pick([.quarantine(upTo: .unlimited), .drop(upTo: .unlimited)]))
            }
            let migration = Migration(to: version, "edit \(version)", step)
            migrations.append(isRecoded ? migration.coding(codings[version]) : migration)
        }
        if random.oneIn(2) {
            // All models have it under the same name.
            var steps = Resident.steps("Item", at: "resident", fails: false, &random)
            let movesAddress = Resident.moveAddress(steps)
            // Once: a model may write the old parts as null, which no step moves over an address.
            if movesAddress, hasAddress { steps.removeFirst(2) }
            migrations.append(Migration(to: version, "move in \(version)", steps: steps))
            hasAddress = hasAddress || movesAddress
        }
        return migrations
    }

    private static func conversion<Old: ItemModel, New: ItemModel>(
        from old: Old.Type,
        to new: New.Type
    ) -> MigrationStep {
        .convert("Item", from: Old.self, to: New.self) { New(try $0.item) }
    }

    /// A step whose closure decodes and encodes a date.
    private static func edit<Model: ItemModel>(
        _ model: Model.Type,
        _ version: Int,
        _ random: inout SeededGenerator,
        fails: Bool
    ) -> MigrationStep {
        let salt = fails ? random.below(4) : .max
        if random.oneIn(2) {
            return .convert("Item", from: Model.self, to: Model.self) { old in
                var item = try old.item
                guard item.data.count % 4 != salt else { throw Refused() }
                item.edits += version
                item.lastEdit = item.date + 86_400
                return Model(item)
            }
        }
        return .transform("Item") { record in
            var item = try record.decoded(as: Model.self).item
            guard item.data.count % 4 != salt else { throw Refused() }
            item.edits *= version
            item.lastEdit = (item.lastEdit ?? item.date) - 3_600
            try record.replaceContent(with: Model(item))
        }
    }

    private static func model(_ random: inout SeededGenerator) -> any ItemModel.Type {
        random.pick([FlatItem.self, NestedItem.self, ShortItem.self])
    }

    // MARK: Coders

    private static func coding(_ random: inout SeededGenerator) -> RecordCoding {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS"
        let date = random.below(5)
        let hasSnakeCase = random.oneIn(2)
        let hasPlainData = random.oneIn(2)
        let infinity = random.pick(["inf", "∞"])
        return RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy =
                [.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(formatter)][date]
            decoder.dateDecodingStrategy =
                [.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(formatter)][date]
            if hasSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
            if hasSnakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
            if hasPlainData { encoder.dataEncodingStrategy = .deferredToData }
            if hasPlainData { decoder.dataDecodingStrategy = .deferredToData }
            encoder.nonConformingFloatEncodingStrategy =
                .convertToString(positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: "nan")
            decoder.nonConformingFloatDecodingStrategy =
                .convertFromString(positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: "nan")
        }
    }

    /// Coders that read the values of one release and write those of another.
    private static func coding(decoding old: RecordCoding, encoding new: RecordCoding) -> RecordCoding {
        RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = new.encoder.dateEncodingStrategy
            encoder.dataEncodingStrategy = new.encoder.dataEncodingStrategy
            encoder.keyEncodingStrategy = new.encoder.keyEncodingStrategy
            encoder.nonConformingFloatEncodingStrategy = new.encoder.nonConformingFloatEncodingStrategy
            decoder.dateDecodingStrategy = old.decoder.dateDecodingStrategy
            decoder.dataDecodingStrategy = old.decoder.dataDecodingStrategy
            decoder.keyDecodingStrategy = old.decoder.keyDecodingStrategy
            decoder.nonConformingFloatDecodingStrategy = old.decoder.nonConformingFloatDecodingStrategy
        }
    }
}

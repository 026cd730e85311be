internal import Foundation
internal import Molt

/// The values on which proposed steps are tried before they are shown: those of a catalog's stores, with variations,
/// and values that are made up from the shapes of types and settings of which no store has any.
struct ProposalTrial {
    /// The content of a record or a setting.
    private struct Sample {
        /// The name of its type, or that of a setting's shape.
        var shapeName: String
        /// Where it is from.
        let text: String
        var json: Data
        /// The form of a setting.
        var setting: SettingContent?
        /// Whether it had the shape of its type.
        var isSound = false

        var value: RecordValue? { try? RecordValue(json: json) }
    }

    /// How a library has stored a setting, so that a step would change the form as if it were the value itself.
    enum ForeignForm {
        /// JSON in a string, though the setting is a string.
        case defaults4
        /// Data or text that only its app can read.
        case unreadable
    }

    private var samples: [Sample] = []
    private(set) var foreign: [SampledSetting: ForeignForm] = [:]

    /// - Parameters:
    ///   - shapes: The shapes of the stores' version, with names as they are stored.
    ///   - stores: The stores, by the names of their files.
    init(_ shapes: [String: TypeShape], _ stores: [String: StoreFixture]) {
        var stores = stores
        for store in stores.values { findForeign(store, shapes) }
        stores["made up"] = madeUp(shapes, besides: Array(stores.values))
        let release = ReleaseForms(shapes, .standard, samples: Array(stores.values), settings: [:])
        for (file, store) in stores.sorted(by: { $0.key < $1.key }) { add(store, file, release) }
        for index in samples.indices {
            guard let value = samples[index].value, let shape = shapes[samples[index].shapeName] else { continue }
            let place = ProposedPlace(shapeName: samples[index].shapeName)
            samples[index].isSound = ShapeMismatches(of: value, shape, at: place).found.isEmpty
        }
    }

    private mutating func findForeign(_ store: StoreFixture, _ shapes: [String: TypeShape]) {
        for setting in store.sampledSettings {
            guard let shape = shapes[setting.name.shapeName] else { continue }
            guard let content = try? SettingContent(setting.value), let value = content.record[[]] else {
                foreign[setting.name] = .unreadable
                continue
            }
            if content.form == .jsonText, shape.scalarKind == .string, value.string == nil {
                foreign[setting.name] = .defaults4
            }
        }
    }

    /// A store with a value of each type and setting that no other has.
    private func madeUp(_ shapes: [String: TypeShape], besides stores: [StoreFixture]) -> StoreFixture {
        var store = StoreFixture(version: 0)
        let types = Set(stores.flatMap(\.records).map(\.typeName))
        let known = Set(stores.flatMap(\.sampledSettings).map(\.name))
        for (name, shape) in shapes.sorted(by: { $0.key < $1.key }) {
            let value = shape.madeUpValue
            if let setting = SampledSetting(shapeName: name) {
                guard !known.contains(setting), let value = PropertyListValue(madeUp: value) else { continue }
                store.suites[setting.suiteValue, default: [:]][setting.key] = value
            } else if !types.contains(name) {
                store.records.append(.init(name, name, .json(value.description)))
            }
        }
        return store
    }

    /// Adds the records and settings of a store, and variations of them.
    private mutating func add(_ store: StoreFixture, _ file: String, _ release: ReleaseForms) {
        for record in store.records { add(record, record.key, file) }
        for setting in store.sampledSettings { add(setting.name, setting.value, file) }
        let varied = StoreVariations(of: store, at: 0, release, limit: 300, now: .distantPast)
        for variation in varied.variations {
            let changed = varied.store(with: [variation])
            switch variation.subject {
            case .record(let index):
                let record = changed.records[index]
                add(record, "\(record.key) \(variation.change.dropFirst(record.typeName.count + 1))", file)
            case .setting(let suite, let key):
                if let value = changed.suites[suite]?[key] { add(SampledSetting(key, in: suite), value, file) }
            }
        }
    }

    private mutating func add(_ record: StoreFixture.Record, _ name: String, _ file: String) {
        guard !record.content.isData else { return }
        let json = Data(record.content.bytes)
        samples.append(Sample(shapeName: record.typeName, text: "\(name) (\(file))", json: json))
    }

    private mutating func add(_ setting: SampledSetting, _ value: PropertyListValue, _ file: String) {
        guard foreign[setting] == nil, let content = try? SettingContent(value), let value = content.record[[]] else {
            return
        }
        let json = Data(value.description.utf8)
        samples.append(
            Sample(shapeName: setting.shapeName, text: "\(setting.text) (\(file))", json: json, setting: content)
        )
    }

    // MARK: Trying a step

    /// Changes the samples as a step does.
    ///
    /// - Returns: Nil if it keeps all values; otherwise what it does, and the samples are as they were.
    mutating func run(_ step: ProposedStep) -> String? {
        switch step.change {
        case .renameType(let name, let newName): rename(name, to: newName)
        case .renameSetting(let setting, let new): rename(setting.shapeName, to: new.shapeName)
        case .changeForm(let place, let form): return changeForm(place.shapeName, to: form)
        default: return change(step)
        }
        return nil
    }

    private mutating func rename(_ name: String, to newName: String) {
        for index in samples.indices where samples[index].shapeName == name { samples[index].shapeName = newName }
    }

    private mutating func changeForm(_ name: String, to form: SettingForm) -> String? {
        var changed = samples
        for index in samples.indices where samples[index].shapeName == name {
            do {
                try changed[index].setting?.changeForm(to: form, dates: .deferredToDate)
                _ = try changed[index].setting?.value()
            } catch {
                return "fails for \(samples[index].text)"
            }
        }
        samples = changed
        return nil
    }

    private mutating func change(_ step: ProposedStep) -> String? {
        guard let name = step.destinations.first?.shapeName, let value = step.valueOnRecords,
            let upgrade = try? DocumentUpgrade([Migration(to: 1, "proposed", value)])
        else { return "is not valid" }
        var changed = samples
        for (index, sample) in samples.enumerated() where sample.shapeName == name {
            do {
                let output = try upgrade.upgrade(sample.json, ofType: name, writtenAt: 0)
                changed[index].json = output.content
                if let value = changed[index].value { try changed[index].setting?.record.replaceContent(with: value) }
                _ = try changed[index].setting?.value()
            } catch let error as MoltError {
                return "fails for \(sample.text): \(error.code)"
            } catch {
                return "fails for \(sample.text)"
            }
            let (old, new) = (TextCounts(sample.value, step), TextCounts(changed[index].value, step))
            if !step.replacesValues, !new.contains(old) { return "loses a value of \(sample.text)" }
        }
        samples = changed
        return nil
    }

    // MARK: Looking at the samples

    /// What does not have the new shapes, by place.
    ///
    /// Values that did not have the old shape are left out.
    func mismatches(_ shapes: [String: TypeShape]) -> [ProposedPlace: String] {
        var found: [ProposedPlace: String] = [:]
        for sample in samples where sample.isSound {
            guard let shape = shapes[sample.shapeName], let value = sample.value else { continue }
            let place = ProposedPlace(shapeName: sample.shapeName)
            found.merge(ShapeMismatches(of: value, shape, at: place).found) { first, _ in first }
        }
        return found
    }

    /// Whether there are texts at a place, all of which are JSON of an object or an array.
    func hasJSONTexts(at place: ProposedPlace) -> Bool {
        let texts = texts(at: place)
        return !texts.isEmpty
            && texts.allSatisfy { text in
                let value = try? RecordValue(json: text)
                return value?.object != nil || value?.array != nil
            }
    }

    /// The texts at a place, also those in an array there.
    func texts(at place: ProposedPlace) -> [String] {
        samples.filter { $0.shapeName == place.shapeName }
            .flatMap { $0.value?.texts(at: place.path[...]) ?? [] }
    }
}

extension RecordValue {
    fileprivate func texts(at path: ArraySlice<ProposedPlace.Part>) -> [String] {
        switch path.first {
        case nil: string.map { [$0] } ?? array?.compactMap(\.string) ?? []
        case .name(let name)?: object?[name]?.texts(at: path.dropFirst()) ?? []
        case .each?:
            (array ?? object?.properties.map(\.value) ?? []).flatMap { $0.texts(at: path.dropFirst()) }
        }
    }
}

extension PropertyListValue {
    /// A value as an app stores it that declares no form: natively if it is a scalar or an array of them, or JSON text.
    fileprivate init?(madeUp value: RecordValue) {
        switch value {
        case .null: return nil
        case .bool(let bool): self = .bool(bool)
        case .string(let text): self = .string(text)
        case .number: self = .int(1)
        case .array(let elements):
            let values = elements.compactMap { $0.array == nil ? PropertyListValue(madeUp: $0) : nil }
            self = values.count == elements.count ? .array(values) : .string(value.description)
        case .object: self = .string(value.description)
        }
    }
}

/// How often each letter and digit occurs in the parts of a value.
///
/// No proposed step has fewer, however it moves, splits, joins or converts values.
private struct TextCounts {
    private var counts: [Character: Int] = [:]

    /// - Parameter step: The step; where it changes dictionaries, the names of properties count, too.
    init(_ value: RecordValue?, _ step: ProposedStep) {
        let hasNames = if case .changeDictionary = step.change { true } else { false }
        if let value { add(value, hasNames) }
    }

    private mutating func add(_ value: RecordValue, _ hasNames: Bool) {
        switch value {
        case .null: break
        case .bool(let bool): add(bool ? "1" : "0")
        case .number(let number): add(number.text)
        case .string(let text): add(text)
        case .array(let elements): for element in elements { add(element, hasNames) }
        case .object(let object):
            for (name, value) in object.properties {
                if hasNames { add(name) }
                add(value, hasNames)
            }
        }
    }

    private mutating func add(_ text: String) {
        // A Boolean may become a number or a text, and 36.0 becomes 36.
        let text = text == "true" ? "1" : text == "false" ? "0" : text
        for character in text where character.isLetter || character.isNumber && character != "0" {
            counts[character, default: 0] += 1
        }
    }

    func contains(_ other: TextCounts) -> Bool {
        other.counts.allSatisfy { counts[$0, default: 0] >= $1 }
    }
}

internal import Molt

/// What the releases of one version could have written: the shapes of their types, and what all of their samples show.
struct ReleaseForms {
    /// The shapes by the type names of records, and by those of ``SampledSetting``.
    let shapes: [String: TypeShape]
    /// The coders of the release.
    let coding: RecordCoding
    private let settings: [SampledSetting: RecordCoding]
    private(set) var forms: [String: SampledForms] = [:]

    /// - Parameters:
    ///   - samples: All fixtures of the version.
    ///   - settings: The coders of settings, if they are not Foundation's own.
    init(
        _ shapes: [String: TypeShape],
        _ coding: RecordCoding,
        samples: [StoreFixture],
        settings: [SampledSetting: RecordCoding]
    ) {
        self.shapes = shapes
        self.coding = coding
        self.settings = settings
        for sample in samples {
            for record in sample.records {
                if let content = content(of: record) { forms[record.typeName, default: SampledForms()].add(content) }
            }
            for setting in sample.sampledSettings {
                guard let content = content(of: setting)?.content else { continue }
                forms[setting.name.shapeName, default: SampledForms()].add(content)
            }
        }
    }

    /// The content of a record; nil if it has no shape, or is not JSON.
    func content(of record: StoreFixture.Record) -> ShapedContent? {
        guard !record.content.isData, let shape = shapes[record.typeName],
            let json = try? JSONPart(String(decoding: record.content.bytes, as: UTF8.self))
        else { return nil }
        return ShapedContent(json, shape, coding)
    }

    /// The content of a setting; nil if it has no shape, or is in no form that can be read.
    func content(of setting: StoreFixture.StoredSetting) -> (setting: SettingContent, content: ShapedContent)? {
        let coding = settings[setting.name] ?? .standard
        guard let shape = shapes[setting.name.shapeName],
            let stored = try? SettingContent(setting.value, coding: coding),
            let json = stored.record[[]].flatMap({ try? JSONPart($0.description) })
        else { return nil }
        return (stored, ShapedContent(json, shape, stored.form.isPropertyList ? .standard : coding))
    }
}

extension StoreFixture {
    struct StoredSetting {
        let suite: Suite
        let key: String
        let value: PropertyListValue
        var name: SampledSetting { SampledSetting(key, in: suite) }
    }

    /// All settings, by suite and key.
    var sampledSettings: [StoredSetting] {
        suites.sorted { $0.key.attachedName.utf8Precedes($1.key.attachedName) }.flatMap { suite, values in
            values.sorted { $0.key.utf8Precedes($1.key) }
                .map { StoredSetting(suite: suite, key: $0.key, value: $0.value) }
        }
    }
}

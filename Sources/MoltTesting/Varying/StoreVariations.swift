internal import Foundation
internal import Molt

/// Variations of a fixture's records and settings, each of which its release could have written.
struct StoreVariations {
    struct Variation {
        enum Subject: Hashable {
            case record(Int)
            case setting(Suite, key: String)
        }

        fileprivate(set) var subject: Subject
        /// The sample and the change in words, such as `sample "ada" of version 2 without "address"`.
        fileprivate(set) var text: String
        /// The same change of other samples of the type has the same name.
        fileprivate(set) var change: String
        fileprivate var content: StoreFixture.Content?
        fileprivate var setting: PropertyListValue?
    }

    /// The variations to try, those that differ most first.
    private(set) var variations: [Variation] = []
    /// The number of variations without the limit.
    private(set) var possible = 0
    private let fixture: StoreFixture
    private let version: Int

    /// - Parameters:
    ///   - limit: The greatest number of variations.
    ///   - now: The time by which records that have expired are not varied.
    init(of fixture: StoreFixture, at version: Int, _ release: ReleaseForms, limit: Int, now: Date) {
        self.fixture = fixture
        self.version = version
        var found: [Variation] = []
        for (index, record) in fixture.records.enumerated() where !record.hasExpired(by: now) {
            guard let content = release.content(of: record), let forms = release.forms[record.typeName] else {
                continue
            }
            for variation in ContentVariation.all(of: content, forms) {
                var varied = self.variation(.record(index), Shown.key(record.key), record.typeName, variation.text)
                varied.content = StoreFixture.Content(bytes: variation.bytes, isData: false)
                found.append(varied)
            }
        }
        for setting in fixture.sampledSettings {
            let name = setting.name.shapeName
            guard let (stored, content) = release.content(of: setting), let forms = release.forms[name] else {
                continue
            }
            let hasNulls = !stored.form.isPropertyList
            for variation in ContentVariation.all(of: content, forms, hasNulls: hasNulls) {
                // Not every variation can be stored in each form.
                guard let value = try? stored.value(of: variation.bytes) else { continue }
                let subject = Variation.Subject.setting(setting.suite, key: setting.key)
                var varied = self.variation(subject, setting.name.text, name, variation.text)
                varied.setting = value
                found.append(varied)
            }
        }
        possible = found.count
        variations = Array(Self.mostDifferentFirst(found).prefix(max(0, limit)))
    }

    private func variation(_ subject: Variation.Subject, _ name: String, _ type: String, _ change: String) -> Variation
    {
        let text = "sample \(name) of version \(version) \(change)"
        return Variation(subject: subject, text: text, change: "\(type) \(change)")
    }

    /// One variation for each change, then a second one for each, and so on.
    private static func mostDifferentFirst(_ variations: [Variation]) -> [Variation] {
        var counts: [String: Int] = [:]
        let numbered = variations.enumerated().map { index, variation in
            let count = counts[variation.change, default: 0]
            counts[variation.change] = count + 1
            return (count, index, variation)
        }
        return numbered.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    /// Lists of variations, with at most one of each record or setting, that one store can have at once.
    var batches: [[Variation]] {
        var batches: [[Variation]] = []
        var counts: [Variation.Subject: Int] = [:]
        for variation in variations {
            let count = counts[variation.subject, default: 0]
            counts[variation.subject] = count + 1
            if count == batches.count { batches.append([]) }
            batches[count].append(variation)
        }
        return batches
    }

    /// The fixture with some variations.
    func store(with variations: [Variation]) -> StoreFixture {
        var store = fixture
        for variation in variations {
            switch variation.subject {
            case .record(let index): if let content = variation.content { store.records[index].content = content }
            case .setting(let suite, let key): store.suites[suite]?[key] = variation.setting
            }
        }
        return store
    }
}

extension SettingContent {
    /// The value that a suite holds for another content in the same form.
    fileprivate func value(of json: [UInt8]) throws -> PropertyListValue? {
        var content = self
        try content.record.replaceContent(with: RecordValue(json: json))
        return try content.value()
    }
}

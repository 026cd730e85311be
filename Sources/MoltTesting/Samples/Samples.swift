internal import Molt

/// Samples of the records of one type.
struct TypeSamples: Sendable {
    /// The keys, sorted.
    let keys: [String]
    /// Sets the values in a cache, in the order of the keys.
    let write: @Sendable (CodableCache) throws -> Void
    /// The shape of all values; nil if there is none.
    let shape: @Sendable (RecordCoding) -> TypeShape?

    init<Value: Encodable & SendableMetatype>(_ samples: sending [String: Value]) {
        let keys = samples.keys.sorted()
        self.keys = keys
        let samples = Locked(samples)
        write = { cache in
            try samples.withLock { samples in
                for key in keys {
                    if let value = samples[key] { try cache.set(value, forKey: key) }
                }
            }
        }
        shape = { coding in
            samples.withLock { samples in
                // In the order of the keys, because the later shape takes precedence.
                TypeShape.of(all: keys.compactMap { samples[$0] }, coding: coding)
            }
        }
    }
}

/// Samples of one setting.
struct SettingSamples: Sendable {
    /// Whether a shape can be derived from them.
    let isEncodable: Bool
    /// Whether nothing but the type says that they are JSON text.
    let isPresumedText: Bool
    /// Sets the first value in a suite; the coders are those of the registry.
    let write: @Sendable (Suite, RecordCoding) throws -> Void
    /// The shape of all values; nil if there is none.
    let shape: @Sendable () -> TypeShape?

    /// - Parameters:
    ///   - form: The form in which the app stores the value; nil for the one that fits its type.
    ///   - coding: The coders; nil for Foundation's own, if those of the registry give the same.
    init<Value: Encodable & SendableMetatype>(
        _ key: String,
        _ samples: sending [Value],
        as form: SettingForm?,
        coding: RecordCoding?
    ) {
        isEncodable = true
        isPresumedText = form == nil && samples.first.map { !PropertyListValue.isNative($0) } ?? false
        let samples = Locked(samples)
        write = { suite, registered in
            try samples.withLock { samples in
                guard let first = samples.first else { return }
                guard form != nil || !PropertyListValue.isContainer(first) else {
                    throw TestingError(
                        .unsuitable,
                        "The sample of the setting \(Shown.key(key)) is an array or a dictionary, which apps store in "
                            + "several forms. Pass that of the setting: `form: .native` for one that `UserDefaults` holds as "
                            + "it is, `form: .jsonText`, `form: .jsonData`, or another one."
                    )
                }
                for value in samples where coding == nil {
                    let own = try PropertyListValue.encoding(value, as: form, coding: .standard)
                    guard try own == .encoding(value, as: form, coding: registered) else {
                        throw TestingError(
                            .unsuitable,
                            "A sample of the setting \(Shown.key(key)) is written differently by the registry's coders and "
                                + "by Foundation's own. Pass those of the setting: `coding: .standard`, or others."
                        )
                    }
                }
                try suite.set(.encoding(first, as: form, coding: coding ?? .standard), forKey: key)
            }
        }
        shape = { samples.withLock { TypeShape.of(all: $0, coding: coding ?? .standard) } }
    }

    init<Value>(_ key: SettingKey<Value>, _ sample: sending Value) {
        isEncodable = Value.self is any Encodable.Type
        // The key itself says it.
        isPresumedText = false
        let sample = Locked(sample)
        write = { suite, _ in try sample.withLock { try suite.set($0, for: key) } }
        shape = {
            sample.withLock { sample in
                (sample as? any Encodable).map { TypeShape.of($0) }
            }
        }
    }
}

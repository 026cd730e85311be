internal import MoltDefaults

/// One way to make a store smaller that leaves it a store that could have been drawn.
enum StoreReduction {
    /// Leaves out records.
    case records(Range<Int>)
    /// Leaves out a suite.
    case suite(Suite)
    /// Lets a record never expire.
    case expiration(Int)
    /// Gives a record a plain key.
    case key(Int)
    /// Gives a record a smaller value.
    case content(Int, GeneratedValue)
    /// Gives a suite smaller settings.
    case settings(Suite, GeneratedValue)

    /// All ways for a store, those that take most away first.
    static func all(for store: StoreFixture, _ sets: [SampleSet]) -> [StoreReduction] {
        var ways: [StoreReduction] = []
        let count = store.records.count
        var size = count
        while size > 0 {
            for start in stride(from: 0, to: count, by: size) {
                ways.append(.records(start..<min(start + size, count)))
            }
            size /= 2
        }
        let suites = store.suites.keys.sorted { $0.attachedName < $1.attachedName }
        ways += suites.map { .suite($0) }
        for suite in suites {
            guard let set = sets.first(where: { $0.subject == .suite(suite) }) else { continue }
            let value = GeneratedValue(store.suites[suite] ?? [:])
            ways += value.smaller(set.shape).map { .settings(suite, $0) }
        }
        for (index, record) in store.records.enumerated() {
            if record.expiration != nil { ways.append(.expiration(index)) }
            guard let set = sets.first(where: { $0.subject == .type(record.typeName) }) else { continue }
            // Content that is no JSON has no parts that could be left out.
            guard let value = try? GeneratedValue(record.content) else { continue }
            ways += value.smaller(set.shape).map { .content(index, $0) }
        }
        return ways + store.records.indices.map { .key($0) }
    }

    /// The smaller store, or nil when it would be one that could not have been drawn.
    func applied(to store: StoreFixture, _ sets: [SampleSet]) -> StoreFixture? {
        var store = store
        switch self {
        case .records(let range):
            store.records.removeSubrange(range)
        case .suite(let suite):
            store.suites[suite] = nil
        case .expiration(let index):
            store.records[index].expiration = nil
        case .key(let index):
            guard let key = Self.plainKey(for: store.records[index].key, in: store) else { return nil }
            store.records[index].key = key
        case .content(let index, let value):
            let set = sets.first { $0.subject == .type(store.records[index].typeName) }
            guard set?.accepts(value) ?? false else { return nil }
            store.records[index].content = value.content
        case .settings(let suite, let value):
            let settings = value.settings
            store.suites[suite] = settings.isEmpty ? nil : settings
        }
        return store
    }

    /// The first of "key1", "key2" and so on that is free; nil for a key that is one before it.
    private static func plainKey(for key: String, in store: StoreFixture) -> String? {
        for number in 1...(store.records.count + 1) {
            let plain = "key\(number)"
            if plain.utf8.elementsEqual(key.utf8) { return nil }
            if store.record(forKey: plain) == nil { return plain }
        }
        return nil
    }
}

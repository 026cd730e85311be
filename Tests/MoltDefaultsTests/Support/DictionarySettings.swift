@testable import Molt

/// Settings in memory: typed keys without the details of a real suite.
final class DictionarySettings: SettingsAccess {
    private let values: Locked<[String: PropertyListValue]>

    init(_ values: [String: PropertyListValue] = [:]) {
        self.values = Locked(values)
    }

    func value(forKey key: String) -> PropertyListValue? {
        values.withLock { $0[key] }
    }

    func set(_ value: PropertyListValue, forKey key: String) {
        values.withLock { $0[key] = value }
    }

    func removeValue(forKey key: String) {
        _ = values.withLock { $0.removeValue(forKey: key) }
    }
}

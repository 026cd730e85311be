public import Foundation

extension Suite {
    /// A setting that was put aside because a value was written over it whose key could not read it.
    public struct QuarantinedSetting: Equatable, Sendable, Identifiable {
        /// The setting's id in quarantine, which no other setting of the suite ever gets.
        public package(set) var id: Int64
        /// The setting's key.
        public package(set) var key: String
        /// The value that could not be read.
        public package(set) var value: PropertyListValue
        /// The version that the suite had by its ledger; 0 without a ledger.
        public package(set) var version: Int
        /// The reason why it could not be read, without values.
        package var reason: String
        /// The time when it was put aside.
        public package(set) var quarantined: Date

        /// The reason why it could not be read.
        public var failure: MoltError { MoltError(.typeMismatch, reason, key: key) }
    }

    /// Returns the settings in quarantine, in the order in which they were put there.
    ///
    /// ```swift
    /// for setting in try Suite.standard.quarantined() { print(setting) }
    /// ```
    ///
    /// A setting goes there when a value is set with a typed key that cannot read the stored one; see
    /// ``SettingKeys/unreadableValues``. It stays until it is removed, or until there are too many.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `settingUnreadable`, `noPermission` or `newerFormat`.
    public func quarantined() throws -> [QuarantinedSetting] {
        try validate()
        do {
            return try SettingsQuarantine(of: self).settings()
        } catch let error as MoltError {
            throw error.of(suite: self)
        }
    }

    /// Deletes some settings in quarantine.
    ///
    /// - Important: Deleted settings cannot be recovered.
    /// - Parameter ids: The settings to delete; ids of settings that are not in quarantine do nothing.
    /// - Returns: The number of deleted settings.
    /// - Throws: ``MoltError`` as ``quarantined()`` does, or with the code `suiteNotWritable` or `busy`.
    @discardableResult
    public func removeQuarantined(_ ids: [Int64]) throws -> Int {
        try validate()
        return try SettingsQuarantine(of: self).remove(Set(ids))
    }

    /// Deletes all settings in quarantine.
    ///
    /// - Important: Deleted settings cannot be recovered.
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `suiteNotWritable`, `noPermission` or `busy`.
    public func removeAllQuarantined() throws {
        try validate()
        try SettingsQuarantine(of: self).removeAll()
    }

    /// Puts the stored value of a key aside, before another one is written over it, if the key cannot read it.
    ///
    /// The write goes on if that is not possible: the app must not lose today's value for an old one.
    func putAside<Value>(unlessReadableBy key: SettingKey<Value>) {
        guard content == nil, let limit = SettingKeys.unreadableValues.limit, !WrittenSettings.contains(key, in: self),
            !Self.reservedKeys.contains(key.name),
            // A suite that cannot be read cannot be written either.
            let stored = try? value(forKey: key.name)
        else { return }
        do {
            _ = try key.value(of: stored)
        } catch {
            let setting = QuarantinedSetting(
                id: 0,
                key: key.name,
                value: stored,
                version: ledgerVersion,
                reason: MoltError.wrapping(error, as: .typeMismatch).problemWithPlace,
                quarantined: Date()
            )
            do {
                try SettingsQuarantine(of: self).add(setting, within: limit)
                DebugWarning.print(
                    "the value under \"\(key.name)\" of \(self) cannot be read with its key, and was put aside before "
                        + "another one was written: \(setting.reason) See `Suite.quarantined()`."
                )
            } catch {
                DebugWarning.print(
                    "the value under \"\(key.name)\" of \(self) cannot be read with its key, and is overwritten, "
                        + "because it cannot be put aside: \(ErrorSummary.line(of: error))"
                )
            }
        }
    }

    /// The version in the suite's ledger; 0 without one that can be read.
    private var ledgerVersion: Int {
        guard let ledger = try? value(forKey: Self.ledgerKey) else { return 0 }
        return (try? SuiteLedger(in: [Self.ledgerKey: ledger], of: self)?.version) ?? 0
    }
}

extension Suite.QuarantinedSetting: CustomStringConvertible, CustomReflectable {
    /// The key, the kind of the value and the reason, without the value.
    public var description: String {
        ErrorSummary.oneLine("\(id): \"\(key)\" (\(value.kindName), version \(version)): \(reason)")
    }

    /// The members without the value, so that a dump shows no value either.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "key": key, "version": version, "reason": reason])
    }
}

extension MoltError {
    /// The problem, and its place inside the value.
    fileprivate var problemWithPlace: String {
        let place = valuePath.map { "\($0)" } ?? ""
        return ErrorSummary.oneLine(place.isEmpty ? problem : "\(problem) Its place is \(place).")
    }
}

/// The settings that this process has written with typed keys: another write need not look at them.
enum WrittenSettings {
    private struct Name: Hashable {
        var domain: String
        var key: String
    }

    /// The keys themselves: two keys of one name may read different values.
    private static let keys = Locked<[Name: SettingKeys]>([:])
    /// Beyond that number, they start anew.
    private static let limit = 4_096

    static func contains(_ key: SettingKeys, in suite: Suite) -> Bool {
        keys.withLock { $0[Name(domain: suite.domainName, key: key.name)] === key }
    }

    static func add(_ key: SettingKeys, in suite: Suite) {
        let name = Name(domain: suite.domainName, key: key.name)
        keys.withLock { keys in
            if keys.count >= limit { keys.removeAll() }
            keys[name] = key
        }
    }

    /// Notes that some settings are changed in other ways.
    static func remove(_ names: some Sequence<String>, in suite: Suite) {
        keys.withLock { keys in
            if keys.isEmpty { return }
            for name in names { keys[Name(domain: suite.domainName, key: name)] = nil }
        }
    }
}

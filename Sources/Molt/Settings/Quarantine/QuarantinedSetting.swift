public import Foundation

extension Suite {
    /// A setting that was put into quarantine because a value was written over it whose key could not read it.
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
        /// The time when it was put into quarantine.
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

    /// Sets a value with a typed key, and puts the stored one into quarantine first, if the key cannot read it.
    ///
    /// The write goes on if that is not possible: the app must not lose today's value for an old one.
    func set<Value>(_ value: PropertyListValue, for key: SettingKey<Value>) throws {
        guard content == nil, let limit = SettingKeys.unreadableValues.limit, !Self.reservedKeys.contains(key.name)
        else { return try set(value, forKey: key.name) }
        // The app's code decodes the stored value, so it is looked at without the lock.
        var isWritten = false
        while !isWritten {
            let stored = try self.value(forKey: key.name)?.asStored()
            let failure = stored.flatMap { quarantine($0, unlessReadableBy: key, within: limit) }
            try change { current in
                isWritten = current[key.name] == stored
                guard isWritten else { return [:] }
                try checkForm(of: key.name, among: current)
                return [key.name: value.asStored()]
            }
            if let failure { SettingKeys.onFailure(failure) }
        }
    }

    /// - Returns: The error that says so; nil if the key can read the value.
    private func quarantine<Value>(
        _ stored: PropertyListValue,
        unlessReadableBy key: SettingKey<Value>,
        within limit: UnreadablePolicy.Limit
    ) -> (any Error)? {
        do {
            _ = try key.value(of: stored)
            return nil
        } catch {
            var failure = MoltError.wrapping(error, as: .typeMismatch)
            let setting = QuarantinedSetting(
                id: 0,
                key: key.name,
                value: stored,
                version: ledgerVersion,
                reason: failure.problemWithPlace,
                quarantined: Date()
            )
            do {
                try SettingsQuarantine(of: self).add(setting, within: limit)
                failure.problem += " The stored value was put into quarantine before another one was set."
                failure.advice = "See `Suite.quarantined()`."
            } catch {
                failure.problem +=
                    " The stored value is overwritten, because it cannot be put into quarantine: "
                    + ErrorSummary.line(of: error)
            }
            return failure.at(key: key.name).of(suite: self)
        }
    }

    /// The version in the suite's ledger; 0 without one that can be read.
    private var ledgerVersion: Int { (try? ledger()?.version) ?? 0 }
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
        return ErrorSummary.oneLine(place.isEmpty ? problem : "\(problem) It is at \(place) in the value.")
    }
}

internal import Foundation

/// The settings of a suite that typed keys could not read when values were written over them, in a file of its own.
///
/// The file is JSON text. It is replaced as a whole, under a lock of its own, before the suite is changed.
package struct SettingsQuarantine {
    private let suite: Suite

    init(of suite: Suite) {
        self.suite = suite
    }

    /// What the name of the file has after that of the domain.
    package static let suffix = ".molt-unreadable"
    /// The suffixes of the names of all its files.
    static let suffixes = [suffix, lockSuffix, partSuffix, damagedSuffix]
    private static let lockSuffix = suffix + "-lock"
    private static let partSuffix = suffix + "-part"
    private static let damagedSuffix = suffix + "-damaged"

    // MARK: Reading

    private struct Content: Codable {
        static let currentFormat = 1

        var format = Self.currentFormat
        /// The last id, which no other setting of the suite ever gets.
        var lastID: Int64 = 0
        var settings: [Row] = []
    }

    private struct Row: Codable {
        var setting: Suite.QuarantinedSetting

        init(_ setting: Suite.QuarantinedSetting) {
            self.setting = setting
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: MemberName.self)
            setting = Suite.QuarantinedSetting(
                id: try members.value("id"),
                key: try members.value("key"),
                value: try members.value("value"),
                version: try members.value("version"),
                reason: try members.value("reason"),
                quarantined: Date(timeIntervalSince1970: try members.value("quarantinedAt"))
            )
        }

        func encode(to encoder: any Encoder) throws {
            try encoder.encode([
                "id": setting.id, "key": setting.key, "value": setting.value, "version": setting.version,
                "reason": setting.reason, "quarantinedAt": setting.quarantined.timeIntervalSince1970,
            ])
        }
    }

    /// The settings, in the order in which they were put into quarantine.
    ///
    /// - Throws: ``MoltError`` with the code `unreadable`, `noPermission` or `newerFormat`.
    func settings() throws -> [Suite.QuarantinedSetting] {
        guard let path = path(Self.suffix) else { return [] }
        return try Self.settings(in: path)
    }

    /// The settings in a file; none if there is no file.
    package static func settings(in path: String) throws -> [Suite.QuarantinedSetting] {
        try content(of: path).settings.map(\.setting)
    }

    private static func content(of path: String) throws(MoltError) -> Content {
        let bytes: Data?
        do {
            bytes = try DurableFile.read(path)
        } catch {
            throw MoltError(
                .noPermission,
                "The file at \(path), with the settings in quarantine, cannot be read.",
                advice: "Check its permissions.",
                underlying: error
            )
        }
        guard let bytes else { return Content() }
        struct Head: Decodable { var format: Int }
        if let head = try? JSONDecoder().decode(Head.self, from: bytes), head.format > Content.currentFormat {
            throw MoltError(
                .newerFormat,
                "A newer release of Molt has written the file at \(path), with the settings in quarantine.",
                advice: "Update the app."
            )
        }
        do {
            return try JSONDecoder().decode(Content.self, fromStored: bytes)
        } catch {
            throw MoltError(
                .settingUnreadable,
                "The file at \(path), with the settings in quarantine, is damaged.",
                advice: "Remove it with `removeAllQuarantined()`.",
                underlying: error
            )
        }
    }

    /// The path of a file; nil if there is no directory for it.
    private func path(_ suffix: String) -> String? {
        suite.filesDirectory?.appending(path: suite.domainName + suffix, directoryHint: .notDirectory).path
    }

    // MARK: Changing

    /// Adds a setting, and removes the oldest ones until the others are within a limit.
    ///
    /// A value that is there already under its key becomes the newest one: perhaps the process was killed, or the suite
    /// could not be written, after it was added.
    func add(_ new: Suite.QuarantinedSetting, within limit: UnreadablePolicy.Limit) throws {
        let encoder = JSONEncoder(.sortedKeys)
        let added = try encoder.encode(new.value)
        try change(settingDamageAside: true) { content in
            var row = Row(new)
            let known = try content.settings.firstIndex { row in
                let other = row.setting
                return try ExactName.isSame(other.key, new.key) && encoder.encode(other.value) == added
            }
            if let known {
                row.setting.id = content.settings.remove(at: known).setting.id
            } else {
                content.lastID += 1
                row.setting.id = content.lastID
            }
            let values = try content.settings.map { try encoder.encode($0.setting.value) } + [added]
            content.settings.append(row)
            content.settings = content.settings.suffix(limit.keptCount(of: values.reversed().lazy.map(\.count)))
            return true
        }
    }

    /// Removes some settings, and returns their number.
    func remove(_ ids: Set<Int64>) throws -> Int {
        var count = 0
        try change { content in
            count = content.settings.count
            content.settings.removeAll { ids.contains($0.setting.id) }
            count -= content.settings.count
            return count > 0
        }
        return count
    }

    /// Removes all settings, also those that cannot be read.
    func removeAll() throws {
        if let damagedPath = path(Self.damagedSuffix) { try? DurableFile.remove(damagedPath) }
        guard let path = path(Self.suffix), FileStatus.unfollowed(path) != nil else { return }
        // Ids are not used again.
        let lastID = (try? Self.content(of: path).lastID) ?? 0
        try change(from: Content(lastID: lastID)) { _ in true }
    }

    /// Changes the file under its lock, if a closure returns true.
    ///
    /// - Parameters:
    ///   - replaced: What to change in the place of what is stored.
    ///   - movesDamage: Whether a damaged file gets another name, and is begun anew.
    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    private func change<Failure: Error>(
        from replaced: Content? = nil,
        settingDamageAside movesDamage: Bool = false,
        _ body: (inout Content) throws(Failure) -> Bool
    ) throws {
        guard let path = self.path(Self.suffix), let lockPath = self.path(Self.lockSuffix),
            let partPath = self.path(Self.partSuffix)
        else {
            throw MoltError(.suiteNotWritable, "There is no directory for application support.").of(suite: suite)
        }
        do {
            try DurableFile.makeDirectory(at: (path as NSString).deletingLastPathComponent)
            let patience = Patience(.seconds(1))
            let lock = try FileLock(lockPath) {
                try patience.wait(
                    orThrow: MoltError(
                        .busy,
                        "Another process is changing the settings in quarantine.",
                        advice: "Try again."
                    )
                )
            }
            var content: Content
            do {
                content = try replaced ?? Self.content(of: path)
            } catch let error as MoltError where movesDamage && error.code == .settingUnreadable {
                if let damagedPath = self.path(Self.damagedSuffix) { try DurableFile.move(path, to: damagedPath) }
                content = Content()
            }
            if try body(&content) {
                PartFile.removeLeftover(partPath)
                let part = try PartFile(partPath)
                try part.write(JSONEncoder(.sortedKeys).encode(content))
                try part.replace(path)
            }
            _ = consume lock
        } catch let error as DurableFile.Failure {
            throw MoltError(
                error.number == EACCES ? .noPermission : .suiteNotWritable,
                "The file at \(path), with the settings in quarantine, cannot be written: \(error.reason).",
                advice: "Check its permissions, and that its volume is not full.",
                underlying: error
            )
            .of(suite: suite)
        }
    }
}

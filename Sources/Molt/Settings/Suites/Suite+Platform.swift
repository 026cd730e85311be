internal import Foundation

#if canImport(Darwin)
    internal import CoreFoundation
#endif

// What differs between the platforms' `UserDefaults`. All other code about suites is the same on every platform.

extension Suite {
    /// Creates a `UserDefaults` object for one use.
    ///
    /// `UserDefaults` is not `Sendable` on Linux, so objects are not kept. All objects of one name share the settings,
    /// which the library protects with a lock.
    func makeDefaults() throws(MoltError) -> UserDefaults {
        guard let name else { return .standard }
        guard let defaults = UserDefaults(suiteName: name) else {
            throw MoltError(.invalidSuite, "The system provides no suite \"\(name)\".", store: domainName)
        }
        return defaults
    }
}

#if canImport(Darwin)
    /// A service keeps the settings: a value survives a kill as soon as it is set, and each one is set by itself.
    ///
    /// The service writes the file a little later, so a loss of power may undo the last changes. The file belongs to
    /// the service.
    extension Suite {
        static var standardDomainName: String {
            Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        }

        /// Why settings that were there may read as empty.
        static let causeOfLoss = "The device may not have been unlocked since it restarted."

        // MARK: Values

        /// All values in the domain; the service loses no file, so there is nothing to restore.
        func storedValues(restoring snapshot: [String: PropertyListValue]? = nil) throws -> [String: PropertyListValue]
        {
            let objects = try makeDefaults().persistentDomain(forName: domainName) ?? [:]
            if !objects.isEmpty { Self.seenDomains.withLock { _ = $0.insert(domainName) } }
            return try normalized(objects)
        }

        /// The values in the domain after a call of ``save()``.
        func savedValues() throws -> [String: PropertyListValue] { try storedValues() }

        /// One value in the domain, without reading the others; nil if there is none.
        func savedValue(forKey key: String) throws -> PropertyListValue? {
            let value = try liveValue(forKey: key)
            if value != nil { Self.seenDomains.withLock { _ = $0.insert(domainName) } }
            return value
        }

        /// One value in the domain; `UserDefaults` can only copy a whole one.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            let object = CFPreferencesCopyValue(
                key as CFString,
                domainName as CFString,
                kCFPreferencesCurrentUser,
                kCFPreferencesAnyHost
            )
            return try object.flatMap { try normalized([key: $0])[key] }
        }

        func set(
            _ value: PropertyListValue,
            replacing old: PropertyListValue?,
            forKey key: String,
            in defaults: UserDefaults
        ) {
            defaults.set(value.object, forKey: key)
        }

        func save() throws {
            try makeDefaults().synchronize()
        }

        /// Saves changes of some values.
        func save(replacing values: [String: PropertyListValue]) throws { try save() }

        /// Only creates the object, because the service reports no write errors in advance.
        package func checkWritable() throws {
            try validate()
            _ = try makeDefaults()
        }

        // MARK: Access

        /// Why the app cannot use the suite, in a sentence; nil if it can.
        ///
        /// The answer involves another process, and does not change while the app runs, so it is remembered.
        var accessFault: String? {
            guard let name, !Self.usableNames.withLock({ $0.contains(name) }) else { return nil }
            // The system does not return a suite with the app's own name; reads would miss its values.
            guard name != Bundle.main.bundleIdentifier, UserDefaults(suiteName: name) != nil else {
                return "UserDefaults does not accept it. For the app's own settings, use `Suite.standard`."
            }
            // macOS reports no missing entitlement.
            guard !name.hasPrefix("group.") || groupDirectory != nil else {
                return "the app is not entitled to the group. Add it to the app groups of the target's capabilities."
            }
            Self.usableNames.withLock { _ = $0.insert(name) }
            return nil
        }

        private static let usableNames = Locked<Set<String>>([])

        /// Whether the suite has settings that the system does not return now, as on a locked device.
        func isHidden() throws -> Bool {
            guard try savedValue(forKey: Self.ledgerKey) == nil, try allValues().isEmpty else { return false }
            return switch SuiteEvidence(fileAt: preferencesPath) {
            case .empty: false
            // The process was perhaps started before the unlock, and was told since then that there are no settings.
            // If it has seen some, they were removed, and the service has not written the file yet.
            case .filled: !Self.seenDomains.withLock { $0.contains(domainName) }
            case .closed: true
            }
        }

        /// The names of domains in which this process has read settings.
        private static let seenDomains = Locked<Set<String>>([])

        // MARK: Files

        /// The directory of the app group; nil for other suites, and for a group that the app is not entitled to.
        ///
        /// macOS returns a directory for any name, and asks the user when an app opens one that is not its own. It is
        /// therefore asked only about names of app groups.
        private var groupDirectory: URL? {
            guard hasGroupName, let name else { return nil }
            return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
        }

        /// The directory for Molt's files about the suite, which all apps that share the suite can write.
        ///
        /// It is for data that cannot be recreated. On tvOS, apps can write only directories of caches, which the
        /// system may empty while the app is not running.
        var filesDirectory: URL? {
            #if os(tvOS)
                let (path, directory) = ("Library/Caches", FileManager.SearchPathDirectory.cachesDirectory)
            #else
                let (path, directory) = (
                    "Library/Application Support", FileManager.SearchPathDirectory.applicationSupportDirectory
                )
            #endif
            let support =
                groupDirectory?.appending(path: path, directoryHint: .isDirectory)
                ?? FileManager.default.urls(for: directory, in: .userDomainMask).first
            return support?.appending(path: "Molt", directoryHint: .isDirectory)
        }

        /// The file in which the system keeps the suite; Molt only checks whether it exists and can be opened.
        var preferencesPath: String {
            let home = groupDirectory ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
            return home.appending(path: "Library/Preferences/\(domainName).plist").path
        }

        /// Removes the empty file that the system leaves of a suite without settings.
        func removeFile() {
            UserDefaults.standard.removePersistentDomain(forName: domainName)
            if let library = FileManager.default.urls(for: .libraryDirectory, in: .userDomainMask).first {
                try? FileManager.default.removeItem(at: library.appending(path: "Preferences/\(domainName).plist"))
            }
        }
    }
#else
    /// `UserDefaults` (Swift 6.3) keeps values in memory until `synchronize()`.
    ///
    /// That call rereads the file, overwrites the keys that were set, truncates the file and writes it in place. With
    /// nothing set, it discards what was read. An unreadable file counts as empty.
    extension Suite {
        /// Why settings that were there may read as empty.
        static let causeOfLoss =
            "Something may have emptied or removed their file, or HOME or XDG_CONFIG_HOME was another directory then."

        static var standardDomainName: String { ProcessInfo.processInfo.processName }

        // MARK: Values

        /// All values in the domain, once the app's unsaved ones are saved.
        ///
        /// - Parameter snapshot: The values to restore first if the file was lost: the journal of an upgrade has them
        ///   until the upgrade's changes are in the file.
        func storedValues(restoring snapshot: [String: PropertyListValue]? = nil) throws -> [String: PropertyListValue]
        {
            let defaults = try makeDefaults()
            var content = try fileState(acceptingZeros: snapshot == nil)
            switch (snapshot, content) {
            case (let snapshot?, .damaged(_, let isReadable)):
                try restore(snapshot, isReadable: isReadable, defaults)
                content = try fileState()
            case (let snapshot?, .values(let values)) where hasUnreadableLedger(values):
                try setAgain(snapshot, defaults)
                content = try fileState()
            case (nil, .damaged(_, isReadable: false)):
                // This process has lost it, and the library has in memory what was to be saved.
                guard let values = Self.unsavedChanges.withLock({ $0[domainName] }) else { break }
                try restore(values, isReadable: false, defaults)
                content = try fileState()
            default: break
            }
            let saved: [String: PropertyListValue]
            switch content {
            case .values(let values):
                saved = values
                noteSaved(values)
            // Nothing is saved: the file would look as if the app had removed all settings that it lacks.
            case .damaged(let bytes, _): throw damage(of: bytes)
            }
            let seen = try objectsInMemory(defaults)
            // Values that no suite can hold are reported when they are read again.
            let values = seen.compactMapValues { try? PropertyListValue(normalizing: $0) }
            let whole = PropertyListValue.dictionary(values)
            let isSaved = values.count == seen.count && [whole, whole.asStored()].contains(.dictionary(saved))
            // Only for the app's own settings may there be more to save than the app sees.
            if isSaved, name != nil { return saved }
            if let fault = unstorableDate(in: values) {
                guard isSaved else { throw fault }
                return values
            }
            // After the second call, with nothing left to save, the values come from the file.
            guard isSynchronized(defaults), isSynchronized(defaults) else {
                return try normalized(objectsInMemory(defaults))
            }
            return try normalized(
                SuiteFormat.withDecimalPoint { defaults.persistentDomain(forName: domainName) ?? [:] }
            )
        }

        /// A string in the file, if the app sees the same one; nil if all values must be read to tell.
        func savedValue(forKey key: String) throws -> PropertyListValue? {
            guard !Self.unsavedChanges.withLock({ $0[domainName] != nil }), let bytes = try readFile(),
                let text = try values(in: bytes)?[key]?.string
            else { return nil }
            let seen = try makeDefaults().object(forKey: key) as? String
            return seen.map { $0.utf8.elementsEqual(text.utf8) } == true ? .string(text) : nil
        }

        /// Whether only a part of the last write may be in the file: a loss of power can mix old and new sectors.
        private func hasUnreadableLedger(_ values: [String: PropertyListValue]) -> Bool {
            do {
                _ = try SuiteLedger(in: values, of: self)
                return false
            } catch {
                return (error as? MoltError)?.code == .settingUnreadable
            }
        }

        /// The values in the file, which are all after a call of ``save()``.
        func savedValues() throws -> [String: PropertyListValue] {
            if case .values(let values) = try fileState() { values } else { try storedValues() }
        }

        /// The objects that the app sees in the domain, saved or not.
        ///
        /// For the app's own settings, the library returns them only together with registered defaults. A value that
        /// equals the registered one counts as it.
        private func objectsInMemory(_ defaults: UserDefaults) throws -> [String: Any] {
            try SuiteFormat.withDecimalPoint {
                guard name == nil else { return defaults.persistentDomain(forName: domainName) ?? [:] }
                let registered = try Self.empty.makeDefaults().dictionaryRepresentation()
                return defaults.dictionaryRepresentation().filter { key, object in
                    guard let other = registered[key] else { return true }
                    return (try? PropertyListValue(normalizing: object)) != (try? PropertyListValue(normalizing: other))
                }
            }
        }

        /// The error for a date that the library would save and not read back: the whole file would be lost with it.
        private func unstorableDate(in values: [String: PropertyListValue]) -> MoltError? {
            for (key, value) in values where Self.hasUnstorableDate(value) {
                do throws(MoltError) {
                    try check(value, forKey: key)
                } catch {
                    var error = error
                    error.code = .settingUnreadable
                    return error
                }
            }
            return nil
        }

        private static func hasUnstorableDate(_ value: PropertyListValue) -> Bool {
            switch value {
            case .date(let date): SuiteFormat.fault(of: date) != nil
            case .array(let elements): elements.contains(where: hasUnstorableDate)
            case .dictionary(let values): values.values.contains(where: hasUnstorableDate)
            default: false
            }
        }

        /// One value in the domain, as the app sees it.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            // The object may be a registered default or an argument; without one, the file may be damaged.
            guard let object = try makeDefaults().object(forKey: key),
                try Self.empty.makeDefaults().object(forKey: key) == nil
            else { return try storedValues()[key] }
            return try normalized([key: object])[key]
        }

        /// A suite that is never written, which shows only registered defaults and launch arguments.
        private static let empty = Suite("dev.molt.empty")

        /// Sets a value, even if the library takes it for equal to the old one and would ignore it.
        ///
        /// It does so for numbers, such as 1 and 1.0, and for texts that differ in their Unicode form.
        func set(
            _ value: PropertyListValue,
            replacing old: PropertyListValue?,
            forKey key: String,
            in defaults: UserDefaults
        ) {
            if let old, (old.string == nil) == (value.string == nil) { defaults.removeObject(forKey: key) }
            defaults.set(value.object, forKey: key)
        }

        /// Saves changes of some values.
        func save(replacing values: [String: PropertyListValue]) throws {
            do {
                try save()
                Self.unsavedChanges.withLock { $0[domainName] = nil }
            } catch {
                Self.unsavedChanges.withLock { $0[domainName] = values }
                throw error
            }
        }

        /// The values before the last change, of domains where this process could not save it.
        ///
        /// A full disk may leave an empty file, now or when the library tries again.
        private static let unsavedChanges = Locked<[String: [String: PropertyListValue]]>([:])

        /// Forgets a change that could not be saved once the file has other values than before it.
        private func noteSaved(_ values: [String: PropertyListValue]) {
            Self.unsavedChanges.withLock { changes in
                guard let before = changes[domainName], before != values else { return }
                changes[domainName] = nil
            }
        }

        /// Saves what was set, and waits until it is on disk.
        func save() throws {
            guard try isSynchronized(makeDefaults()) else {
                try checkWritable()
                throw failure(
                    .suiteNotWritable,
                    "The settings cannot be saved to \(preferencesPath).",
                    advice: "Free some space, and try again.",
                    // The library does not say why, and the file and its directory can be written.
                    underlying: DurableFile.Failure(number: ENOSPC)
                )
            }
            do {
                try DurableFile.sync(file.path)
                try DurableFile.sync(directory: file.deletingLastPathComponent().path)
            } catch {
                // Without settings, there need not be a file or its directory.
                guard error.number != ENOENT else { return }
                throw failure(of: error.number)
            }
        }

        private func isSynchronized(_ defaults: UserDefaults) -> Bool {
            SuiteFormat.withDecimalPoint { defaults.synchronize() }
        }

        // MARK: The file

        var accessFault: String? { nil }

        /// Whether the suite has settings that the system does not return now; a file without access is an error.
        func isHidden() throws -> Bool { false }

        /// What the suite's file holds.
        private enum FileState {
            /// The library removes a file without settings, so a missing one has no values.
            case values([String: PropertyListValue])
            /// What a kill during the library's writing, or a loss of power, has left, down to an empty file.
            case damaged(Data, isReadable: Bool)
        }

        /// - Parameter acceptsZeros: Whether a file that a loss of power has left with a sector of zeros is read as it
        ///   is: inside a string, zeros can be read.
        /// - Throws: ``MoltError`` with the code `unreadable` for a list with values that no suite can hold.
        private func fileState(acceptingZeros acceptsZeros: Bool = true) throws -> FileState {
            var damaged = FileState.values([:])
            // Another process may be writing it now.
            let whole = try poll(every: .milliseconds(2), atMost: 100) { () throws -> FileState? in
                guard let bytes = try readFile() else { return .values([:]) }
                let values = try values(in: bytes)
                if let values, acceptsZeros || !Self.hasZeros(bytes) { return .values(values) }
                damaged = .damaged(bytes, isReadable: values != nil)
                return nil
            }
            return whole ?? damaged
        }

        private func readFile() throws -> Data? {
            do {
                return try DurableFile.read(file.path)
            } catch let error as DurableFile.Failure {
                throw failure(of: error.number)
            }
        }

        /// The values in a file's bytes; nil if they are not a whole property list of keys and values.
        private func values(in bytes: Data) throws -> [String: PropertyListValue]? {
            if let cached = Self.latest.withLock({ $0.first { $0.bytes == bytes } }) { return cached.values }
            do {
                let values = try PropertyListReader.value(bytes, around: 1).dictionary
                if let values { Self.latest.withLock { $0 = [(bytes, values)] + $0.prefix(1) } }
                return values
            } catch var error as MoltError {
                error.code = .settingUnreadable
                if case .key(let key)? = error.valuePath?.steps.first { error = error.at(key: key) }
                throw error.of(suite: self)
            } catch {
                return nil
            }
        }

        /// The two latest files: an upgrade reads each file several times, and a move has two.
        private static let latest = Locked<[(bytes: Data, values: [String: PropertyListValue])]>([])

        /// Writes a file that was lost again, with the values that it had; those that the app has set since stay.
        private func restore(_ values: [String: PropertyListValue], isReadable: Bool, _ defaults: UserDefaults) throws {
            // Of a file with zeros, the library has read what is left.
            let seen = try objectsInMemory(defaults)
            let unsaved = isReadable ? [:] : seen
            if isReadable {
                // A value with zeros inside would look as if the app had set it, and the journal's would not replace
                // it.
                for (key, object) in seen where values[key] == nil && Self.hasZeros(object) {
                    defaults.removeObject(forKey: key)
                }
            }
            guard !values.isEmpty || !unsaved.isEmpty else { return removeFile() }
            try setAgain(values, except: unsaved, defaults)
        }

        /// Saves values, and removes what is left of a ledger that was being written if they have none.
        ///
        /// - Parameter newer: The objects that the app has set since.
        private func setAgain(
            _ values: [String: PropertyListValue],
            except newer: [String: Any] = [:],
            _ defaults: UserDefaults
        ) throws {
            // The library saves only what differs from its memory, where an object may be still, or not yet.
            for key in Suite.reservedKeys where values[key] == nil {
                defaults.set("", forKey: key)
                defaults.removeObject(forKey: key)
            }
            for (key, value) in values {
                defaults.removeObject(forKey: key)
                defaults.set(newer[key] ?? value.object, forKey: key)
            }
            try save()
        }

        private func damage(of bytes: Data) -> MoltError {
            if let key = Self.keyOfLostDate(bytes) {
                return failure(
                    .settingUnreadable,
                    "The suite's file at \(preferencesPath) cannot be read, because it holds a date that was infinite.",
                    advice: "Write another date into the file, or remove the key there.",
                    key: key
                )
            }
            // The library truncates the file before it writes it.
            let damage =
                bytes.isEmpty
                ? "is empty, as a kill during a write leaves it; one without settings would be removed"
                : "is damaged: it is not a property list of keys and values"
            return failure(
                .settingUnreadable,
                "The suite's file at \(preferencesPath) \(damage).",
                advice: "If an upgrade was interrupted, first open its store again, which restores the settings. "
                    + "Otherwise restore the file from a backup, or move it away."
            )
        }

        /// The key of a date that the library has written but cannot read; nil if the damage is another one.
        ///
        /// It writes infinite dates with negative seconds.
        private static func keyOfLostDate(_ bytes: Data) -> String? {
            let text = String(decoding: bytes, as: UTF8.self)
            return text.firstMatch(of: /\n\t<key>([^<]*)<\/key>\n\t<date>[^<]*:-/).map { String($0.output.1) }
        }

        /// Whether a string in an object has a zero; a property list's other values cannot.
        private static func hasZeros(_ object: Any) -> Bool {
            switch try? PropertyListValue(normalizing: object) {
            case .string(let text)?: text.utf8.contains(0)
            case .array(let elements)?: elements.contains { hasZeros($0.object) }
            case .dictionary(let members)?: members.contains { $0.key.utf8.contains(0) || hasZeros($0.value.object) }
            default: false
            }
        }

        private static func hasZeros(_ bytes: Data) -> Bool {
            stride(from: 0, through: bytes.count - 512, by: 512).contains { start in
                bytes[start..<(start + 512)].allSatisfy { $0 == 0 }
            }
        }

        /// Checks that the file could be written now; the library makes missing directories.
        ///
        /// - Throws: ``MoltError`` with the code `invalidSuite`, `noPermission` or `suiteNotWritable`.
        package func checkWritable() throws {
            try validate()
            var path = preferencesPath
            while access(path, W_OK) != 0 {
                guard errno == ENOENT, path.count > 1 else { throw failure(of: errno) }
                path = (path as NSString).deletingLastPathComponent
            }
        }

        /// The directory of the suites' files, where Molt's files about a suite are too.
        var filesDirectory: URL? { URL(fileURLWithPath: Self.home, isDirectory: true) }

        /// The file in which the library keeps the suite, or a link to it.
        var preferencesPath: String { "\(Self.home)/\(domainName).plist" }

        /// The file itself, if there is a symbolic link in its place.
        private var file: URL { URL(fileURLWithPath: preferencesPath).resolvingSymlinksInPath() }

        /// `$XDG_CONFIG_HOME` if that is an absolute path, else `~/.config`.
        private static let home: String = {
            let variables = ProcessInfo.processInfo.environment
            if let home = variables["XDG_CONFIG_HOME"], home.hasPrefix("/") { return home }
            return "\(variables["HOME"] ?? "")/.config"
        }()

        func removeFile() {
            try? FileManager.default.removeItem(at: file)
        }

        // MARK: Failures

        private func failure(
            _ code: MoltError.Code,
            _ problem: String,
            advice: String? = nil,
            key: String? = nil,
            underlying: (any Error)? = nil
        ) -> MoltError {
            MoltError(code, problem, advice: advice, store: domainName, key: key, underlying: underlying)
        }

        private func failure(of number: Int32) -> MoltError {
            let reason = String(cString: strerror(number))
            return switch number {
            case EACCES, EPERM:
                failure(
                    .noPermission,
                    "The suite's file at \(preferencesPath) is not accessible: \(reason).",
                    advice: "Check its permissions."
                )
            case EROFS:
                failure(
                    .suiteNotWritable,
                    "The suite's file at \(preferencesPath) is on a read-only volume.",
                    advice: "Choose another home directory."
                )
            default:
                failure(
                    .suiteNotWritable,
                    "The suite's file at \(preferencesPath) cannot be used: \(reason).",
                    underlying: DurableFile.Failure(number: number)
                )
            }
        }
    }
#endif

/// The values that the platform's file format for suites does not preserve.
///
/// On Linux the format is XML. In Swift 6.3 it preserves numbers exactly, including infinities and NaN, but not the
/// sign of zero. It preserves strings with any character, even those that XML forbids, except a leading byte order
/// mark. A dictionary whose only key is `CF$UID` is read back as a keyed archive's reference, or not at all. On Apple
/// platforms the format is a binary property list, which preserves all of these.
enum SuiteFormat {
    #if canImport(Darwin)
        /// Whether a number is a Boolean, which a cast does not tell from 1.
        static func isBool(_ number: NSNumber, castFrom object: Any) -> Bool {
            CFGetTypeID(number) == CFBooleanGetTypeID()
        }

        static func withDecimalPoint<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
        static func stored(_ date: Date) -> Date { date }
        static func fault(of date: Date) -> String? { nil }
        static func fault(ofText text: String) -> String? { nil }
        static func fault(ofDictionary dictionary: [String: PropertyListValue]) -> String? { nil }
    #else
        /// Whether a number is a Boolean: the only one whose class is not `NSNumber` itself.
        static func isBool(_ number: NSNumber, castFrom object: Any) -> Bool {
            type(of: number) != NSNumber.self
        }

        /// Runs a closure in which numbers have a decimal point, even if the app has set another C locale.
        ///
        /// Foundation writes that locale's decimal separator into XML, and cannot read a comma back.
        static func withDecimalPoint<Result>(_ body: () throws -> Result) rethrows -> Result {
            guard localeconv().pointee.decimal_point.pointee != CChar(UInt8(ascii: ".")) else { return try body() }
            let plain = newlocale(1 << LC_NUMERIC, "C", nil)
            let own = uselocale(plain)
            defer {
                uselocale(own)
                freelocale(plain)
            }
            return try body()
        }

        /// The maximum distance of a date from 2001, in seconds; beyond the year 2147483647 the XML is wrong.
        private static let furthest = 1e15

        /// The date rounded down to whole seconds, as the library writes it.
        static func stored(_ date: Date) -> Date {
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        }

        /// Why a date is not preserved; nil if it is.
        static func fault(of date: Date) -> String? {
            abs(date.timeIntervalSinceReferenceDate) <= furthest
                ? nil
                : "The date is infinite or more than 30 million years away, which a suite's file cannot hold. Set another "
                    + "one, or remove it."
        }

        /// Why a string or a key is not preserved; nil if it is.
        static func fault(ofText text: String) -> String? {
            text.unicodeScalars.first == "\u{FEFF}"
                ? "The text begins with a byte order mark, which a suite's file loses. Remove it, or store data." : nil
        }

        static func fault(ofDictionary dictionary: [String: PropertyListValue]) -> String? {
            dictionary.count == 1 && dictionary.keys.first == "CF$UID"
                ? "A dictionary whose only key is CF$UID is read back as something else. Choose another key." : nil
        }
    #endif
}

/// What `Migration.adoptCacheDirectory` is told about a directory that the library Cache wrote.
public enum CacheDirectory {
    /// Which files are adopted, and under which keys.
    ///
    /// Cache names a file by a digest of its key, and the key cannot be read from that. So either the app says which
    /// keys it may have used, or the files keep their names for keys until their keys are first written.
    ///
    /// ```swift
    /// let people = (0..<100).map { "person-\($0)" }
    /// let keys = CacheDirectory.Keys.list(people).and(.fileNames)
    /// ```
    public struct Keys: Sendable {
        /// The keys that are named, in their order.
        var known: [Key] = []
        /// Whether files of other keys are adopted, too.
        var takesFileNames = false

        /// The files of these keys, in this order, under these keys; files of other keys are left.
        public static func list(_ keys: some Sequence<String>) -> Keys {
            Keys(known: keys.map { .string($0) })
        }

        /// The files of a storage with whole numbers for keys, under the numbers' decimal texts: "-1", "0", "12".
        ///
        /// Their names depend on how long an `Int` is: the same on all devices but for old watches.
        public static func integers(_ keys: some Sequence<Int>) -> Keys {
            Keys(known: keys.map { .integer($0) })
        }

        /// All files that Cache may have written, each under its file's name until its key is first written.
        ///
        /// From then on the record has that key, whether it was read, set, removed or only looked for, alone or with
        /// others. Until then a listing of keys shows the file's name, and migrations see the record under it.
        ///
        /// A string is recognized as a key, and the decimal text of a whole number as the key of a storage with `Int`
        /// keys. Storages with keys of other types are not; their records keep their file's name.
        public static var fileNames: Keys {
            Keys(takesFileNames: true)
        }

        /// A key as Cache was given it.
        enum Key: Sendable {
            case string(String)
            case integer(Int)

            /// The key of the record.
            var text: String {
                switch self {
                case .string(let text): text
                case .integer(let number): String(number)
                }
            }

            /// What the name of its file begins with.
            var digest: String {
                switch self {
                case .string(let text): CacheFileName.digest(of: text)
                case .integer(let number): CacheFileName.digest(of: number)
                }
            }
        }

        /// These keys and others.
        public func and(_ others: Keys) -> Keys {
            Keys(known: known + others.known, takesFileNames: takesFileNames || others.takesFileNames)
        }
    }

    /// What the file of a key holds, and the type name that it is stored as.
    ///
    /// The text of a type's name means a value of that type or, where the file is something else, raw data:
    ///
    /// ```swift
    /// let content: CacheDirectory.Content = "Person"
    /// ```
    public struct Content: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The type name of a value; nil when the file is raw data.
        let typeName: String?
        /// Whether a file that holds no value is raw data.
        let mayBeData: Bool

        /// A `Codable` value: Cache wrote `{"object": …}`, and what is in it is stored as it was written.
        ///
        /// A file that holds something else is left, and named in the report.
        public static func value(_ typeName: String) -> Content {
            Content(typeName: typeName, mayBeData: false)
        }

        /// Raw data, of a storage with a data transformer: stored as it is, whatever it looks like, as type `Data`.
        public static var data: Content {
            Content(typeName: nil, mayBeData: true)
        }

        /// A value when the file holds exactly `{"object": …}`, and raw data otherwise.
        public static func valueOrData(_ typeName: String) -> Content {
            Content(typeName: typeName, mayBeData: true)
        }

        private init(typeName: String?, mayBeData: Bool) {
            self.typeName = typeName
            self.mayBeData = mayBeData
        }

        /// As ``valueOrData(_:)``.
        public init(stringLiteral typeName: String) {
            self = .valueOrData(typeName)
        }
    }

    /// Which of two wins when the store has a record under the key of a file.
    public enum Existing: Hashable, Sendable {
        /// The store's own record.
        case keep
        /// What the file holds.
        case replace
    }

    /// What becomes of the directory when everything is committed.
    public enum Afterwards: Hashable, Sendable {
        /// It stays as it is.
        case keep
        /// The files that were brought in are removed, unless they were written to since; so is the directory when
        /// nothing else is left in it.
        ///
        /// A kill in between loses nothing: the rest is removed when the store is next opened. What cannot be removed
        /// is left.
        case remove
    }
}

// What fingerprints are made of: it stays the same in all releases of Molt.

extension CacheDirectory.Existing {
    var identity: String {
        switch self {
        case .keep: "keep"
        case .replace: "replace"
        }
    }
}

extension CacheDirectory.Afterwards {
    var identity: String {
        switch self {
        case .keep: "keep"
        case .remove: "remove"
        }
    }
}

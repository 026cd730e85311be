/// Namespace for the options of `Migration.adoptCacheDirectory`, which adopts a directory of the library Cache.
public enum CacheDirectory {
    /// The files to adopt, and the keys of their records.
    ///
    /// Cache names a file after a digest of its key, and a digest does not reveal the key. Either the app lists the
    /// keys that it may have used, or each record keeps its file's name as its key until the real key is first used.
    ///
    /// ```swift
    /// let people = (0..<100).map { "person-\($0)" }
    /// let keys = CacheDirectory.Keys.list(people).and(.fileNames)
    /// ```
    public struct Keys: Sendable {
        /// The listed keys, in order.
        var known: [Key] = []
        /// Whether files of unlisted keys are adopted, too.
        var takesFileNames = false

        /// Adopts the files of these string keys, in this order, and leaves other files alone.
        public static func list(_ keys: some Sequence<String>) -> Keys {
            Keys(known: keys.map { .string($0) })
        }

        /// Adopts the files of a storage with `Int` keys; the records get the decimal strings "-1", "0", "12" as keys.
        ///
        /// The file names depend on the size of `Int`, which is 64 bits on all devices except old watches.
        public static func integers(_ keys: some Sequence<Int>) -> Keys {
            Keys(known: keys.map { .integer($0) })
        }

        /// Adopts every file that Cache may have written, under the file's name until its key is first written.
        ///
        /// Reads find the record by its key at once, and write nothing. Setting or removing the key gives the record
        /// that key. Until then, listings and migrations see the record under the file's name.
        ///
        /// Keys of a storage with `String` or `Int` keys are recognized, the latter by their decimal strings. Records
        /// of a storage with any other key type keep the file's name.
        public static var fileNames: Keys {
            Keys(takesFileNames: true)
        }

        /// A key as the app passed it to Cache.
        enum Key: Sendable {
            case string(String)
            case integer(Int)

            /// The key of the adopted record.
            var text: String {
                switch self {
                case .string(let text): text
                case .integer(let number): String(number)
                }
            }

            /// The digest that the file's name begins with.
            var digest: String {
                switch self {
                case .string(let text): CacheFileName.digest(of: text)
                case .integer(let number): CacheFileName.digest(of: number)
                }
            }
        }

        /// Adopts the files of these keys, then those of others.
        public func and(_ others: Keys) -> Keys {
            Keys(known: known + others.known, takesFileNames: takesFileNames || others.takesFileNames)
        }
    }

    /// The kind of content in a file, and the type name of its record.
    ///
    /// A string literal is shorthand for ``valueOrData(_:)``:
    ///
    /// ```swift
    /// let content: CacheDirectory.Content = "Person"
    /// ```
    public struct Content: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The type name of a value; nil when the file can only be raw data.
        let typeName: String?
        /// Whether a file without a value is adopted as raw data.
        let mayBeData: Bool

        /// A `Codable` value: Cache wrote `{"object": …}`, and the inner JSON is stored unchanged.
        ///
        /// Any other file is left in place and named in the report.
        public static func value(_ typeName: String) -> Content {
            Content(typeName: typeName, mayBeData: false)
        }

        /// Raw data of a storage with a data transformer, stored unchanged as type `Data`.
        public static var data: Content {
            Content(typeName: nil, mayBeData: true)
        }

        /// A value when the file is exactly `{"object": …}`, and raw data otherwise.
        public static func valueOrData(_ typeName: String) -> Content {
            Content(typeName: typeName, mayBeData: true)
        }

        private init(typeName: String?, mayBeData: Bool) {
            self.typeName = typeName
            self.mayBeData = mayBeData
        }

        /// Same as ``valueOrData(_:)``.
        public init(stringLiteral typeName: String) {
            self = .valueOrData(typeName)
        }
    }

    // The names of the cases are part of fingerprints, so they must be the same in all releases of Molt.

    /// Which content to keep when the store already has a record under a file's key.
    public enum Existing: String, Sendable {
        /// Keep the store's record.
        case keep
        /// Replace the record with the file's content.
        case replace
    }

    /// What to do with the directory after the commit.
    public enum Afterwards: String, Sendable {
        /// Leave it unchanged.
        case keep
        /// Remove the adopted files that were not modified since, and the directory if it is then empty.
        ///
        /// A kill in between loses nothing: the remaining files are removed when the store is next opened. A file that
        /// cannot be removed is left in place.
        case remove
    }
}

public import Foundation

/// A directory of the library Cache (hyperoslo, version 7), and what is known of its files.
///
/// ```swift
/// let directory = CacheDirectory(at: url, keys: .list(["john", "jane"]), type: "Alien")
/// ```
public struct CacheDirectory: Sendable {
    /// The directory of one storage: the subdirectory `DiskConfig.name` of Cache's `DiskConfig.directory`, or of the
    /// caches directory.
    public let url: URL
    let keys: Keys
    /// Returns the kind of content for a key, or for the name of a file whose key is not listed.
    let content: @Sendable (_ key: String) -> Content

    /// Describes a directory whose files have values of one type.
    ///
    /// - Parameters:
    ///   - url: The directory of one storage.
    ///   - keys: The keys of the records: listed, from the values, or the names of the files.
    ///   - type: The kind of content in the files, and its type name. A string literal is the type name alone.
    public init(at url: URL, keys: Keys, type: Content) {
        self.init(at: url, keys: keys) { _ in type }
    }

    /// Describes a directory with a type for each key.
    ///
    /// ```swift
    /// CacheDirectory(at: url, keys: .list(keys)) { key in key.hasPrefix("person-") ? "Person" : .data }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The directory of one storage.
    ///   - keys: The keys of the records.
    ///   - type: Returns the kind of content for a key, or for the name of a file whose key is not listed.
    public init(at url: URL, keys: Keys, type: @escaping @Sendable (_ key: String) -> Content) {
        self.url = url
        self.keys = keys
        content = type
    }

    /// The keys of the adopted records.
    ///
    /// Cache names a file after a digest of its key, and a digest does not reveal the key. The app lists the keys that
    /// it may have used, or takes them from the values. A record whose key remains unknown has its file's name as its
    /// key; ``CacheDirectory/fileName(forKey:)`` tells which name belongs to a key.
    ///
    /// Keys of other types than `String` cannot be listed: Cache names their files after a hash, a decimal number. To
    /// give such records other keys, set ``Record/key`` in a `.transform` of a later migration.
    public struct Keys: Sendable {
        /// The listed keys, in order.
        var listed: [String] = []
        /// Returns the key in a value.
        var inValue: (@Sendable (Record) throws -> String?)?

        /// The keys that the app may have used; they need not have files.
        ///
        /// The files of these keys are adopted in this order, then all others under their names.
        public static func list(_ keys: some Sequence<String>) -> Keys {
            Keys(listed: Array(keys))
        }

        /// Takes the key of each record from its value.
        ///
        /// ```swift
        /// let keys = CacheDirectory.Keys.fromValues { person in "person-\(try person.int("id"))" }
        /// ```
        ///
        /// A record keeps its file's name as its key, and the report names it, if it is raw data, or the closure
        /// returns nil, throws, or returns a key whose file has a different name.
        ///
        /// - Parameter key: Returns the key that the app used for a value with Cache.
        public static func fromValues(_ key: @escaping @Sendable (Record) throws -> String?) -> Keys {
            Keys(inValue: key)
        }

        /// The names of the files.
        public static var fileNames: Keys { Keys() }
    }

    /// The kind of content in a file, and the type name of its record.
    ///
    /// A string literal is shorthand for ``valueOrData(_:)``:
    ///
    /// ```swift
    /// let content: CacheDirectory.Content = "Person"
    /// ```
    public struct Content: Equatable, Sendable {
        /// The type name of a value; nil when the file can only be raw data.
        package let typeName: String?
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
    }

    // MARK: File names

    /// Returns the name of the file in which Cache keeps the value of a string key.
    ///
    /// A record that was adopted by its file's name has this key:
    ///
    /// ```swift
    /// let photo = try cache.data(forKey: CacheDirectory.fileName(forKey: "https://example.com/photo.png"))
    /// ```
    ///
    /// The name is the MD5 digest of the key, and the key's path extension if it has one. Up to version 5.0, Cache left
    /// the extension out; a value that was last written by such a version has a name without it.
    public static func fileName(forKey key: String) -> String {
        // As `DiskStorage.makeFileName(for:)` of github.com/hyperoslo/Cache 7 does.
        let pathExtension = URL(fileURLWithPath: key).pathExtension
        return digest(ofKey: key) + (pathExtension.isEmpty ? "" : "." + pathExtension)
    }

    /// The part of a file's name that identifies its key: versions of Foundation disagree about path extensions.
    static func digest(ofKey key: String) -> String {
        MD5.hexadecimal(of: key.utf8)
    }

    /// Returns the part of a file's name that identifies its key; nil when Cache cannot have chosen the name.
    ///
    /// The file of a key that is not a string is named after a hash of it: a decimal number.
    static func digest(ofFile name: String) -> String? {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if let digest = parts.first, digest.utf8.count == 32, parts.last?.isEmpty == false,
            digest.utf8.allSatisfy("0123456789ABCDEF".utf8.contains)
        {
            return String(digest)
        }
        return Int(name).map(String.init) == name ? name : nil
    }
}

extension CacheDirectory.Content: ExpressibleByStringLiteral {
    /// Same as ``valueOrData(_:)``.
    public init(stringLiteral typeName: String) {
        self = .valueOrData(typeName)
    }
}

extension ConflictPolicy<CacheDirectory> {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch rule {
        case .fail, .merge, .newest, .newestSuite, .newestValue, .mergeImported: "fail"
        case .keep: "keep"
        case .replace: "replace"
        }
    }
}

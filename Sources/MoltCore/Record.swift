public import Foundation

/// One stored value during a migration: its key, type name, expiry, and content as the bytes that were written.
///
/// Properties are read from and spliced into those bytes. What a migration does not touch stays byte for byte as it
/// was: the text of numbers, the order of properties, escapes, white space, and properties that this app never knew.
///
/// ```swift
/// Migration(to: 2, "split-full-name", .transform("Person") { person in
///     let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
///     person["firstName"] = .string(parts.first ?? "")
///     person["lastName"] = .string(parts.count > 1 ? parts[1] : "")
/// })
/// ```
///
/// A property that is written twice in the same object is read as its last value; both are renamed and removed
/// together, and both are kept when nothing touches them.
public struct Record: Sendable {
    /// The coders that typed reads and writes use.
    var coding: RecordCoding
    /// The content, with the key's UTF-8 behind it: one buffer for both.
    var object: SplicedObject
    /// The record's id in its store; 0 for a record that is in none yet.
    public private(set) var id: Int64
    /// Whether the content is raw data and not JSON text.
    public internal(set) var isData: Bool
    /// The type name that the record is written as.
    ///
    /// Set it to give this one record another type; use the step `renameType` to rename a type.
    public var typeName: String {
        didSet {
            hasNewTypeName = true
            headRevision += 1
        }
    }
    /// Whether ``typeName`` was set since the record was loaded.
    package private(set) var hasNewTypeName = false
    /// Whether ``drop()`` was called.
    public private(set) var isDropped = false
    private var writeFailure: (any Error)?
    /// What a subscript could not read; there is one only for a content that has what cannot be read.
    private(set) var unreadable: UnreadableText?
    /// Seconds since 1970; nil for never.
    package private(set) var expirationSeconds: Double?
    /// Whether ``expiration`` was set since the record was loaded.
    package private(set) var hasNewExpiration = false
    private var newKey: String?
    private var headRevision = 0

    /// Creates a record that is in no store yet.
    init(
        coding: RecordCoding,
        key: String = "",
        typeName: String = "",
        content: [UInt8] = [],
        isData: Bool = false
    ) {
        self.coding = coding
        self.typeName = typeName
        self.isData = isData
        id = 0
        object = SplicedObject(bytes: content)
        newKey = key
    }

    /// Takes a stored record's place, and keeps the buffers.
    package mutating func load(
        id: Int64,
        typeName: String,
        key: UnsafeRawBufferPointer,
        content: UnsafeRawBufferPointer,
        isData: Bool,
        expiration: Double?
    ) {
        object.load(content, tail: key)
        self.id = id
        self.isData = isData
        self.typeName = typeName
        hasNewTypeName = false
        isDropped = false
        writeFailure = nil
        unreadable = nil
        expirationSeconds = expiration
        hasNewExpiration = false
        newKey = nil
        headRevision = 0
    }

    // MARK: Key, expiry, existence

    /// The key that the record is stored under.
    ///
    /// A change is made when all records of the step have been seen, so two records may swap their keys. A key that
    /// another record has then is an error that rolls the upgrade back.
    public var key: String {
        get {
            if let newKey { return newKey }
            return String(decoding: object.bytes[object.contentEnd..<object.tailEnd], as: UTF8.self)
        }
        set {
            newKey = newValue
            headRevision += 1
        }
    }

    /// When the record expires; nil for never.
    public var expiration: Date? {
        get { expirationSeconds.map { Date(timeIntervalSince1970: $0) } }
        set {
            expirationSeconds = newValue?.timeIntervalSince1970
            hasNewExpiration = true
            headRevision += 1
        }
    }

    /// Deletes the record when the step has seen all records; nothing after this call is done to it.
    public mutating func drop() {
        isDropped = true
        headRevision += 1
    }

    // MARK: For the runner

    /// Grows with each change of the record, whatever was changed.
    package var revision: Int {
        object.revision &+ headRevision
    }

    /// The key that the record is to be stored under, when it was changed.
    package var changedKey: String? { newKey }

    /// Checks and indexes the content, unless it is raw data.
    package mutating func read() throws {
        guard !isData else { return }
        do throws(JSONSyntaxError) {
            try object.read()
        } catch {
            throw malformed(error)
        }
        if object.hasHalfPairs, unreadable == nil { unreadable = UnreadableText() }
    }

    /// Appends the content as it is to be stored.
    public func writeContent(to bytes: inout [UInt8]) {
        if isData {
            bytes.append(contentsOf: object.bytes[0..<object.contentEnd])
        } else {
            object.write(to: &bytes)
        }
    }

    /// Keeps the first thing that could not be done where nothing can be thrown.
    mutating func fail(_ error: any Error) {
        if writeFailure == nil { writeFailure = error }
    }

    /// What a subscript could not do; thrown by the step that runs the closure, when the closure returns.
    package var failure: (any Error)? {
        writeFailure ?? unreadable?.failure
    }

    /// The error for content that is not JSON text.
    func malformed(_ syntax: JSONSyntaxError) -> MigrationError {
        error(
            .malformedContent,
            "The content is not JSON text: \(syntax). Drop the record in an earlier migration, or repair it by hand.",
            underlying: syntax
        )
    }

    /// An error that names the record.
    func error(
        _ code: MigrationError.Code,
        _ message: String,
        property: PropertyPath? = nil,
        underlying: (any Error)? = nil
    ) -> MigrationError {
        var error = MigrationError(code, message, underlying: underlying)
        error.recordKey = key
        error.recordType = typeName
        error.property = property?.description
        return error
    }
}

extension Record: CustomStringConvertible, CustomReflectable {
    /// The key, the type name and the names of the properties; never a value.
    public var description: String {
        let content = isData ? "data, \(object.contentEnd) B" : object.names.joined(separator: ", ")
        return "\(typeName) \"\(key)\" (\(content))"
    }

    /// The key and the type name, so that a dump shows no value either.
    public var customMirror: Mirror {
        Mirror(self, children: ["key": key, "typeName": typeName])
    }
}

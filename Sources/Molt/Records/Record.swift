public import Foundation

/// One stored value during a migration: its key, type name, expiry, and content as the original bytes.
///
/// Properties are read from those bytes and spliced into them. Everything that a migration does not change stays byte
/// for byte the same: the text of numbers, the order of properties, escapes, white space, and unknown properties.
///
/// ```swift
/// Migration(to: 2, "greeting", .transform("Person") { person in
///     person["greeting"] = try "Dear \(person.string("firstName"))"
///     try person.remove("title")
/// })
/// ```
///
/// A property that occurs twice in an object is read as its last value. Both occurrences are renamed and removed
/// together, and both are kept if nothing changes them.
public struct Record: Sendable {
    /// The coders of the values that closures decode and encode; each migration sets its own.
    var coding: RecordCoding
    /// The content followed by the key's UTF-8, in one buffer.
    var object: SplicedObject
    /// The record's id in its store; 0 for a record that is not in a store yet.
    public private(set) var id: Int64
    /// The version at which the record's content was stored.
    package private(set) var storedVersion = 0
    /// Whether the content is raw data and not JSON.
    public internal(set) var isData: Bool
    /// The record's type name.
    ///
    /// Set it to change the type of this one record; use the step `renameType` to rename a type. An empty name fails the
    /// step with the code `stepFailed`.
    public var typeName: String {
        didSet {
            if typeName.isEmpty { fail(error(.stepFailed, Self.noTypeName)) }
            hasNewTypeName = true
            headRevision += 1
        }
    }
    /// Whether ``typeName`` was set since the record was loaded.
    package private(set) var hasNewTypeName = false
    /// Whether ``drop()`` was called.
    public private(set) var isDropped = false
    /// The first error of a subscript; the step throws it after its closure has returned.
    package private(set) var failure: (any Error)?
    /// Seconds since 1970; nil for never.
    package private(set) var expirationSeconds: Double?
    /// Whether ``expiration`` was set since the record was loaded.
    package private(set) var hasNewExpiration = false
    private var newKey: String?
    private var headRevision = 0
    /// The path of an element that is changed as a record of its own; nil for a whole record.
    var elementPath: PropertyPath?
    /// The positions and dictionary keys that lead to such an element, if they were asked for.
    var elementNames: [String] = []

    /// Creates a record that is not in a store yet.
    init(
        coding: RecordCoding = .standard,
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

    /// Loads a stored record into this one, and reuses its buffers.
    package mutating func load(
        id: Int64,
        typeName: String,
        key: UnsafeRawBufferPointer,
        content: UnsafeRawBufferPointer,
        isData: Bool,
        expiration: Double?,
        version: Int = 0
    ) {
        object.load(content, tail: key)
        self.id = id
        storedVersion = version
        self.isData = isData
        self.typeName = typeName
        hasNewTypeName = false
        isDropped = false
        failure = nil
        expirationSeconds = expiration
        hasNewExpiration = false
        newKey = nil
        headRevision = 0
    }

    // MARK: Key, expiry, existence

    /// The record's key.
    ///
    /// A new key takes effect when the step has processed all records, so two records may swap their keys. If another
    /// record then has the same key, the upgrade fails and is rolled back.
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

    /// Deletes the record when the step has processed all records; later changes to it have no effect.
    public mutating func drop() {
        isDropped = true
        headRevision += 1
    }

    // MARK: For the runner

    /// Increases with each change of the record.
    package var revision: Int {
        object.revision &+ headRevision
    }

    package var changedKey: String? { newKey }

    /// Checks and indexes the content, unless it is raw data.
    package mutating func read() throws {
        guard !isData else { return }
        do throws(JSONSyntaxError) {
            try object.read()
        } catch {
            throw malformed(error)
        }
    }

    /// Appends the content in its stored form.
    public func writeContent(to bytes: inout [UInt8]) {
        if isData {
            bytes.append(contentsOf: object.bytes[0..<object.contentEnd])
        } else {
            object.write(to: &bytes)
        }
    }

    /// Keeps the first error that occurs where nothing can be thrown.
    mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    static let noTypeName = "The record's new type name is empty. Give it the name of a type."

    func malformed(_ syntax: JSONSyntaxError) -> MoltError {
        error(
            .malformedContent,
            "The content is not JSON text: \(syntax).",
            advice: "Drop the record in an earlier migration, or repair it by hand.",
            underlying: syntax
        )
    }

    func error(
        _ code: MoltError.Code,
        _ problem: String,
        advice: String? = nil,
        property: PropertyPath? = nil,
        underlying: (any Error)? = nil
    ) -> MoltError {
        MoltError(
            code,
            problem,
            advice: advice,
            key: key,
            type: typeName,
            property: property.map { full($0).description },
            underlying: underlying
        )
    }
}

extension Record: CustomStringConvertible, CustomReflectable {
    /// The key, the type name and the names of the properties; never a value.
    public var description: String {
        let content = isData ? "data, \(object.contentEnd) B" : object.names.joined(separator: ", ")
        return "\(typeName) \"\(key)\" (\(content))"
    }

    /// The key and the type name, so that a dump shows no values either.
    public var customMirror: Mirror {
        Mirror(self, children: ["key": key, "typeName": typeName])
    }
}

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
    var coding: any ContentCoding
    /// The content followed by the key's UTF-8, in one buffer.
    private var object: SplicedObject
    /// The record's id in its store; 0 for a record that is not in a store yet.
    package private(set) var id: Int64 = 0
    /// The version at which the record's content was stored.
    private(set) var storedVersion = 0
    /// Whether the content is raw data and not JSON.
    public private(set) var isData: Bool
    /// The record's type name.
    ///
    /// Set it to change the type of this one record; use the step `renameType` to rename a type. An empty name fails
    /// the step with the code `stepFailed`.
    public var typeName: String {
        didSet {
            if typeName.isEmpty { fail(error(.stepFailed, Self.noTypeName)) }
            hasNewTypeName = true
            headRevision += 1
        }
    }
    /// Whether ``typeName`` was set since the record was loaded.
    private(set) var hasNewTypeName = false
    /// Whether ``drop()`` was called.
    public private(set) var isDropped = false
    /// The first error of a subscript; the step throws it after its closure has returned.
    package private(set) var failure: (any Error)?
    /// Seconds since 1970; nil for never.
    package private(set) var expirationSeconds: Double?
    /// Whether ``expiration`` was set since the record was loaded.
    private(set) var hasNewExpiration = false
    /// The key that was set since the record was loaded.
    package private(set) var changedKey: String?
    /// Increases with each change of the record beside its content.
    private(set) var headRevision = 0
    /// Whether it is the content of a setting.
    var isSetting = false
    /// The path of an element that is changed as a record of its own; nil for a whole record.
    var elementPath: PropertyPath?
    /// The positions and dictionary keys that lead to such an element; nil if they are not asked for.
    var elementNames: [String]?
    /// The conditions for its elements while a step with such conditions changes it; nil for none.
    var elementConditions: [RecordCondition]?

    // MARK: Loading and writing

    /// Creates a record, whose content is not read yet.
    package init(
        coding: any ContentCoding = RecordCoding.standard,
        key: String = "",
        typeName: String = "",
        content: some Collection<UInt8> = [UInt8](),
        isData: Bool = false
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + key.utf8.count)
        bytes += content
        bytes += key.utf8
        object = SplicedObject(bytes: bytes, contentEnd: content.count)
        self.coding = coding
        self.typeName = typeName
        self.isData = isData
    }

    /// Creates a record with JSON as its content, and reads it.
    ///
    /// - Throws: ``MoltError`` with the code `malformedContent`.
    package init(
        key: String = "",
        typeName: String = "",
        json: some Collection<UInt8>,
        coding: any ContentCoding = RecordCoding.standard
    ) throws {
        self.init(coding: coding, key: key, typeName: typeName, content: json)
        try read()
    }

    /// Loads a stored record into this one, and reuses its buffers.
    package mutating func load(_ stored: LentRecord, id: Int64 = 0, typeName: String, version: Int = 0) {
        object.load(stored.content, tail: stored.key)
        self.id = id
        storedVersion = version
        isData = stored.isData
        self.typeName = typeName
        hasNewTypeName = false
        isDropped = false
        failure = nil
        expirationSeconds = stored.expiration
        hasNewExpiration = false
        changedKey = nil
        headRevision = 0
    }

    /// Loads an element of a record, which was checked with the record's content.
    mutating func loadElement(_ bytes: UnsafeBufferPointer<UInt8>) {
        let noKey = UnsafeRawBufferPointer(start: nil, count: 0)
        let stored = LentRecord(key: noKey, content: UnsafeRawBufferPointer(bytes), isData: false, expiration: nil)
        load(stored, id: id, typeName: typeName)
        try? object.read()
    }

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
    package func writeContent(to bytes: inout [UInt8]) {
        if isData {
            bytes.append(contentsOf: object.bytes[0..<object.contentEnd])
        } else {
            object.write(to: &bytes)
        }
    }

    /// Appends the key's UTF-8.
    func writeKey(to bytes: inout [UInt8]) {
        if let changedKey {
            bytes += changedKey.utf8
        } else {
            bytes += object.bytes[object.contentEnd..<object.tailEnd]
        }
    }

    // MARK: Key, expiry, existence

    /// The record's key.
    ///
    /// A new key takes effect when the step has processed all records, so two records may swap their keys. If another
    /// record then has the same key, the upgrade fails and is rolled back.
    public var key: String {
        get {
            changedKey ?? String(decoding: object.bytes[object.contentEnd..<object.tailEnd], as: UTF8.self)
        }
        set {
            changedKey = newValue
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

    /// Increases with each change of the record.
    package var revision: Int { object.revision &+ headRevision }

    // MARK: Properties

    /// The names of the properties, in their stored order; empty when the content is not an object.
    public var propertyNames: [String] { object.names }

    /// Whether the content is an object, and so may have properties.
    public var isObject: Bool { object.kind == .object }

    /// The value of a property, or nil when the record has none; setting nil removes the property.
    ///
    /// ```swift
    /// person["firstName"] = "Ada"
    /// person[["address", "city"]] = "Paris"
    /// ```
    ///
    /// A path with ``PropertyPath/each`` gives an array of the values of all elements that have the property, and sets
    /// the property of all elements. The empty path is that of the whole content.
    ///
    /// Setting a property creates missing or null objects on its path, whatever is beside them. To set it only where
    /// its object is, use ``add(_:default:creatingObjects:)``.
    ///
    /// Setting a property of a record whose content is not an object fails the step when its closure returns.
    public subscript(path: PropertyPath) -> RecordValue? {
        get { withValue(at: path) { RecordValue(checked: $0) } }
        set {
            do { try write(newValue, at: path) } catch { fail(error) }
        }
    }

    /// Not available: a subscript has values of JSON, such as literals.
    @available(
        *,
        unavailable,
        message: "Write `try record.set(path, to: value)` or `try record.value(path, as: Value.self)`"
    )
    public subscript<Value: Codable>(path: PropertyPath) -> Value? {
        get { nil }
        set {}
    }

    /// Whether the record, or one of the elements at a path with ``PropertyPath/each``, has a property, including one
    /// with a null value.
    public func contains(_ path: PropertyPath) -> Bool {
        if let name = path.onlyName { return object.lastIndex(of: name) != nil }
        guard let (outer, inner) = path.atFirstEach else { return withValue(at: path) { _ in true } ?? false }
        return containsElement(with: inner, at: outer)
    }

    /// The value of a property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`.
    public func value(_ path: PropertyPath) throws -> RecordValue {
        guard let value = self[path] else { throw missing(path) }
        return value
    }

    /// The value of a property, decoded as a type with the migration's coders.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func value<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        try decode(type, at: path)
    }

    /// The value of a string property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func string(_ path: PropertyPath) throws -> String {
        try decode(String.self, at: path)
    }

    /// The value of an integer property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func int(_ path: PropertyPath) throws -> Int {
        try decode(Int.self, at: path)
    }

    /// The value of a numeric property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func double(_ path: PropertyPath) throws -> Double {
        try decode(Double.self, at: path)
    }

    /// The value of a Boolean property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func bool(_ path: PropertyPath) throws -> Bool {
        try decode(Bool.self, at: path)
    }

    /// Sets a property to a value, encoded with the migration's coders; missing or null objects on the path are
    /// created, whatever is beside them.
    ///
    /// To set it only where its object is, use ``add(_:default:creatingObjects:)``.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the value cannot be encoded, or when the path
    ///   leads through another kind of value.
    public mutating func set(_ path: PropertyPath, to value: some Encodable) throws {
        let bytes = try encode(value, depth: path.count, property: path)
        try put(Array(bytes), at: path)
    }

    /// Removes a property and returns its value.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`.
    @discardableResult
    public mutating func remove(_ path: PropertyPath) throws -> RecordValue {
        let value = try value(path)
        try remove(path, ifMissing: .skip)
        return value
    }

    /// Removes a property and returns its value, decoded as a type with the migration's coders.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`; the property is then unchanged.
    public mutating func remove<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        let value = try decode(type, at: path)
        try remove(path, ifMissing: .skip)
        return value
    }

    /// Adds a property where it is missing or null, and where the object that it belongs in is there.
    ///
    /// ```swift
    /// try person.add(["address", "country"], default: "DE")
    /// ```
    ///
    /// The rules are those of ``MigrationStep/addProperty(_:_:default:creatingObjects:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - value: The value.
    ///   - createsObjects: Whether missing or null objects on the path are created; by default they are not.
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the path leads through another kind of value, or when
    ///   the value would be nested too deeply.
    public mutating func add(
        _ path: PropertyPath,
        default value: RecordValue,
        creatingObjects createsObjects: Bool = false
    ) throws {
        guard let json = value.json(within: [path]) else { throw tooDeep(path) }
        try setIfMissing(path, to: json, createsObjects: createsObjects)
    }

    /// Renames a property, and keeps its value and position; creates nothing.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newName: The new name, without the path.
    ///   - policy: The policy if another value has the new name.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `propertyExists` when another value has the new
    ///   name.
    public mutating func rename(
        _ path: PropertyPath,
        to newName: String,
        onConflict policy: ConflictPolicy<RecordValue> = .fail
    ) throws {
        try rename(path, to: newName, ifMissing: requirement(of: [path]), onConflict: policy)
    }

    // MARK: For steps

    /// The policy of a call by the app: with `each`, elements may lack the property, but there must be elements.
    func requirement(of paths: [PropertyPath]) throws -> Record.MissingProperty {
        guard let each = paths.first(where: { $0.hasEach })?.atFirstEach else { return .fail }
        guard elements(at: each.outer) != nil || hasNoElements(at: each.outer) else { throw missing(paths[0]) }
        return .skip
    }

    package mutating func remove(_ path: PropertyPath, ifMissing: Record.MissingProperty) throws {
        if try changeElements(at: path, ifMissing: ifMissing, { try $0.remove($1, ifMissing: ifMissing) }) { return }
        guard path.count > 0 else {
            guard elementPath != nil else { throw error(.propertyMissing, "No property is named.", property: path) }
            return drop()
        }
        let isPresent = try edit(path) { object, name in object.remove(name) } ?? false
        if !isPresent, ifMissing == .fail { throw missing(path) }
    }

    package mutating func rename(
        _ path: PropertyPath,
        to newName: String,
        ifMissing: Record.MissingProperty,
        onConflict policy: ConflictPolicy<RecordValue> = .fail
    ) throws {
        let isEach = try changeElements(at: path, ifMissing: ifMissing) {
            try $0.rename($1, to: newName, ifMissing: ifMissing, onConflict: policy)
        }
        if isEach { return }
        switch try edit(path, { object, name in object.rename(name, to: newName) }) ?? .missing {
        case .done: break
        case .missing: if ifMissing == .fail { throw missing(path) }
        case .exists: try rename(path, toTaken: path.parent + PropertyPath(newName), named: newName, policy)
        }
    }

    /// Renames a property where there is one with the new name.
    private mutating func rename(
        _ path: PropertyPath,
        toTaken newPath: PropertyPath,
        named newName: String,
        _ policy: ConflictPolicy<RecordValue>
    ) throws {
        let value = withValue(at: path) { Array($0) } ?? []
        let resolved = try resolve(
            value,
            at: newPath,
            policy,
            orThrow: error(
                .propertyExists,
                "The property \"\(full(path))\" cannot be renamed to \"\(newName)\": the \(noun) has another value with "
                    + "that name already.",
                advice: ConflictPolicy<RecordValue>.advice,
                property: newPath
            )
        )
        guard let resolved else { return try remove(path, ifMissing: .skip) }
        if resolved != value { try put(resolved, at: path) }
        try remove(newPath, ifMissing: .skip)
        try rename(path, to: newName, ifMissing: .skip)
    }

    /// Sets a property if it is missing or null; a null content and null elements stay null.
    ///
    /// - Parameter createsObjects: Whether missing or null objects on the path are created.
    package mutating func setIfMissing(_ path: PropertyPath, to value: [UInt8], createsObjects: Bool) throws {
        let isEach = try changeElements(at: path) { element, inner in
            try element.setIfMissing(inner, to: value, createsObjects: createsObjects)
        }
        // The content itself is there, or null.
        if isEach || path.count == 0 { return }
        guard isObject else { return isNull ? () : try put(value, at: path) }
        if let name = path.onlyName { return object.setIfMissing(name, to: value) }
        switch object.site(of: path.parts[...]) {
        case .value(isNull: false): return
        case .noObject where !createsObjects: return
        case .value, .free, .noObject, .obstacle: try put(value, at: path)
        }
    }

    /// Whether a value can be put at the path of a new property that is not known to exist.
    ///
    /// An object on the path is created for a value only: for null, nothing is, because the app's type reads a missing
    /// object like null, but may not read an object without its other properties.
    ///
    /// - Parameters:
    ///   - isNull: Whether the value is null.
    ///   - source: The property from which the value is moved, if it leaves its place.
    /// - Throws: ``MoltError`` with the code `typeMismatch` when an object would be created beside an enum's case.
    func hasRoom(at path: PropertyPath, forNull isNull: Bool, leaving source: PropertyPath? = nil) throws -> Bool {
        // Beside the only property of the whole content there is room: the value comes from inside that property, which
        // is therefore no case of an enum.
        let isRoot = { count in elementPath == nil && count == 0 }
        guard path.onlyName == nil, isObject, isNull || !isRoot(path.count - 2),
            case .noObject(let depth, isNull: let replacesNull) = object.site(of: path.parts[...])
        else { return true }
        if isNull { return false }
        if replacesNull || isRoot(depth) { return true }
        let outer = PropertyPath(parts: path.parts.prefix(depth))
        // The only property of the object may be the one that leaves it.
        let isLeft = source.map { $0.count == depth + 1 && $0.starts(with: outer) } ?? false
        guard !isLeft, object.looksLikeCase(at: outer.parts[...]) else { return true }
        let new = PropertyPath(parts: path.parts.prefix(depth + 1))
        throw error(
            .typeMismatch,
            "\"\(full(path))\" needs a new object \"\(full(new))\" beside the only property of \"\(full(outer))\", which "
                + "is an object, too. That looks like the case of an enum, and an enum cannot have two.",
            advice: "If it is no enum, add `creatingObjects: true` to the step or call; if it is one, use `transform`.",
            property: path
        )
    }

    /// Passes the bytes of a property's value to a closure; returns nil when the property is missing.
    @inline(__always)
    package func withValue<R>(at path: PropertyPath, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
        if let name = path.onlyName {
            return try object.lastIndex(of: name).map { try object.withValue(at: $0, body) }
        }
        if let (outer, inner) = path.atFirstEach { return try withValues(at: inner, inEachOf: outer, body) }
        if path.count == 0 { return isData ? nil : try withTrimmedContent(body) }
        return try object.withValue(at: path.parts[...], body)
    }

    /// A value without parts, or the kind of another one.
    package enum Scalar {
        case missing
        case null
        case string(String)
        /// The text of a number.
        case number(String)
        case other
    }

    /// The value of a property, without the cost of generic values.
    package func scalar(at path: PropertyPath) -> Scalar {
        let found = withValue(at: path) { bytes -> Scalar in
            guard let base = bytes.baseAddress else { return .other }
            switch bytes[0] {
            case 0x22: return .string(JSONString.decode(base, from: 0, to: bytes.count))
            case 0x6E: return .null
            case 0x2D, 0x30...0x39: return .number(String(decoding: bytes, as: UTF8.self))
            default: return .other
            }
        }
        return found ?? .missing
    }

    /// The text of a string property as UTF-8; nil for other kinds, and if there is none.
    package func text(at path: PropertyPath) -> [UInt8]? {
        withValue(at: path) { bytes in
            guard bytes.first == 0x22 else { return nil }
            return JSONString.unescaped(UnsafeBufferPointer(rebasing: bytes[1..<bytes.count - 1]))
        } ?? nil
    }

    /// Sets a property to a string.
    ///
    /// - Parameter text: UTF-8.
    package mutating func put(text: some ContiguousBytes, at path: PropertyPath) throws {
        try put(at: path, isNew: false) { output in
            text.withUnsafeBytes { JSONString.write($0.bindMemory(to: UInt8.self), to: &output) }
        }
    }

    private mutating func write(_ value: RecordValue?, at path: PropertyPath) throws {
        guard let value else { return try remove(path, ifMissing: .skip) }
        let json: [UInt8]
        do throws(JSONSyntaxError) {
            if let name = path.onlyName, isObject {
                if case .string(let string) = value { return object.set(name) { JSONString.write(string, to: &$0) } }
                return try object.set(name) { bytes throws(JSONSyntaxError) in try value.write(to: &bytes, depth: 1) }
            }
            json = try value.json(depth: path.count)
        } catch {
            throw tooDeep(path, error)
        }
        try put(json, at: path)
    }

    /// Passes the object with the last name of a path to a closure; returns nil if there is no such object.
    @inline(__always)
    private mutating func edit<R>(
        _ path: PropertyPath,
        _ body: (inout SplicedObject, _ name: String) throws -> R
    ) throws -> R? {
        if let name = path.onlyName { return try body(&object, name) }
        return try object.edit(path.parts[...], body)
    }

    /// Sets a property to the bytes of a value, and creates missing or null objects on the path.
    package mutating func put(_ bytes: [UInt8], at path: PropertyPath) throws {
        if try changeElements(at: path, { try $0.put(bytes, at: $1) }) { return }
        if path.count == 0, !isData { return replaceChecked(bytes) }
        guard isObject else {
            throw error(
                .typeMismatch,
                "\(subject) is \(isData ? "raw data" : "not an object"), so it has no properties.",
                property: path
            )
        }
        if let name = path.onlyName { return object.set(name, to: bytes) }
        guard full(path).count <= JSONScanner.depthLimit else { throw tooDeep(path) }
        do {
            let put: Void? = try object.edit(path.parts[...], createsParents: true) { $0.set($1, to: bytes) }
            if put == nil { throw missing(path) }
        } catch let obstacle as SplicedObject.Obstacle {
            throw error(
                .typeMismatch,
                "The property \"\(full(PropertyPath(obstacle.path)))\" is neither an object nor null, so "
                    + "\"\(full(path))\" cannot be set in it.",
                property: path
            )
        }
    }

    /// Sets a property to the JSON that a closure appends.
    ///
    /// - Parameter isNew: Whether a property at the top of the record is known to be missing.
    @inline(__always)
    package mutating func put(at path: PropertyPath, isNew: Bool, _ body: (inout [UInt8]) -> Void) throws {
        if let name = path.onlyName, isObject {
            return isNew ? object.append(name, writing: body) : object.set(name, writing: body)
        }
        var bytes: [UInt8] = []
        body(&bytes)
        try put(bytes, at: path)
    }

    private var isNull: Bool { withContent { $0.elementsEqual("null".utf8) } }

    private func isObject(at path: ArraySlice<PropertyPath.Part>) -> Bool {
        object.withValue(at: path) { $0.first == 0x7B } ?? false
    }

    // MARK: Content

    /// The whole content as a value.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the content is raw data.
    public func content() throws -> RecordValue {
        guard !isData else {
            throw error(.typeMismatch, "The content is raw data.", advice: "Read the property `data` instead.")
        }
        do {
            return try withContent { try RecordValue(json: $0) }
        } catch let syntax as JSONSyntaxError {
            throw malformed(syntax)
        }
    }

    /// The content if it is raw data; nil if it is JSON.
    public var data: Data? {
        isData ? Data(object.bytes[0..<object.contentEnd]) : nil
    }

    /// The whole content, decoded as a type with the migration's coders.
    ///
    /// If an object has two properties of the same name, it is the decoder that chooses one; all other reads take the
    /// last one.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch`.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        if isData {
            if let data = data as? Value { return data }
            throw error(
                .typeMismatch,
                "The content is raw data and cannot be decoded as \(type).",
                advice: "Read the property `data` instead."
            )
        }
        if object.kind == .unread, let syntax = withContent({ JSONScanner.fault(in: $0) }) { throw malformed(syntax) }
        do {
            return try withContent { try coding.decode(type, from: Data(buffer: $0)) }
        } catch {
            throw mismatch(type, property: nil, error)
        }
    }

    /// Replaces the whole content with a value, encoded with the migration's coders; `Data` is stored as raw data.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the value cannot be encoded.
    public mutating func replaceContent(with value: some Encodable) throws {
        try replaceUnread(with: value)
        try read()
    }

    /// Replaces the whole content with a value without indexing its properties.
    mutating func replaceUnread(with value: some Encodable) throws {
        // The cast also unwraps optionals.
        let data = value as? Data
        let content = try data ?? encode(value, depth: 0, property: nil)
        content.withUnsafeBytes { object.replaceContent(with: $0) }
        isData = data != nil
    }

    /// Replaces the whole content with a value.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when it is nested too deeply.
    public mutating func replaceContent(with value: RecordValue) throws {
        do {
            let content = try value.json()
            content.withUnsafeBytes { object.replaceContent(with: $0) }
        } catch let syntax as JSONSyntaxError {
            throw tooDeep(nil, syntax)
        }
        isData = false
        try read()
    }

    /// The current content, in an array of its own.
    var writtenContent: [UInt8] {
        var bytes: [UInt8] = []
        writeContent(to: &bytes)
        return bytes
    }

    /// Passes the current content to a closure.
    func withContent<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        if object.isUnchanged {
            return try object.bytes.withUnsafeBufferPointer { bytes in
                try body(UnsafeBufferPointer(rebasing: bytes[..<object.contentEnd]))
            }
        }
        return try writtenContent.withUnsafeBufferPointer(body)
    }

    /// Passes the current JSON to a closure, without surrounding white space.
    private func withTrimmedContent<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        try withContent { bytes in
            let start = bytes.firstIndex { $0 > 0x20 } ?? 0
            let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
            return try body(UnsafeBufferPointer(rebasing: bytes[start..<max(start, end)]))
        }
    }

    /// Notes a change of the form in which the content is stored.
    mutating func touch() {
        headRevision += 1
    }

    /// Replaces the whole content with valid JSON.
    mutating func replaceChecked(_ json: [UInt8]) {
        json.withUnsafeBytes { object.replaceContent(with: $0) }
        isData = false
        try? object.read()
    }

    /// Encodes a value, and checks that the encoder's output is valid JSON at its nesting depth.
    func encode(_ value: some Encodable, depth: Int, property: PropertyPath?) throws -> Data {
        let content: Data
        do {
            content = try coding.encode(value)
        } catch {
            throw self.error(
                .typeMismatch,
                CodingProblem(error, encoding: Swift.type(of: value)).text(in: property),
                property: property,
                underlying: error
            )
        }
        let failure = content.withUnsafeBytes { JSONScanner.fault(in: $0.bindMemory(to: UInt8.self), depth: depth) }
        if let failure { throw tooDeep(property, failure) }
        return content
    }

    /// Decodes a property; strings, Booleans and plain integers are decoded without a decoder.
    func decode<Value: Decodable>(_ type: Value.Type, at path: PropertyPath) throws -> Value {
        // A fast path for the most common case, without the cost of generic values.
        if type == String.self, let name = path.onlyName, let index = object.lastIndex(of: name),
            let string = object.string(at: index)
        {
            return withUnsafePointer(to: string) { string in
                UnsafeRawPointer(string).assumingMemoryBound(to: Value.self).pointee
            }
        }
        return try decodeWithCoders(type, at: path)
    }

    private func decodeWithCoders<Value: Decodable>(_ type: Value.Type, at path: PropertyPath) throws -> Value {
        let decoded: Value?
        do {
            decoded = try withValue(at: path) { bytes in
                try Self.scalar(type, bytes) ?? coding.decode(type, from: Data(buffer: bytes))
            }
        } catch {
            throw mismatch(type, property: path, error)
        }
        if let decoded { return decoded }
        throw missing(path)
    }

    /// A string, a plain integer or a Boolean; nil leaves the value to the decoder.
    @inline(__always)
    private static func scalar<Value>(_ type: Value.Type, _ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
        guard let base = bytes.baseAddress else { return nil }
        if type == String.self {
            return bytes[0] == 0x22 ? JSONString.decode(base, from: 0, to: bytes.count) as? Value : nil
        }
        if type == Int.self { return Self.integer(bytes) as? Value }
        if type == Bool.self, bytes[0] == 0x74 || bytes[0] == 0x66 { return (bytes[0] == 0x74) as? Value }
        return nil
    }

    /// An integer of at most 18 digits, which cannot overflow.
    private static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let isNegative = bytes[0] == 0x2D
        let digits = bytes[(isNegative ? 1 : 0)...]
        guard digits.count <= 18 else { return nil }
        var value = 0
        for byte in digits {
            guard 0x30...0x39 ~= byte else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return isNegative ? -value : value
    }

    // MARK: Errors

    /// Keeps the first error that occurs where nothing can be thrown.
    mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    static let noTypeName = "The record's new type name is empty. Give it the name of a type."

    /// What messages call it.
    var noun: String { isSetting ? "setting" : "record" }

    private var subject: String {
        elementPath.map { "The value of \"\($0)\"" } ?? "The content"
    }

    /// The error for a missing property; the message names the first missing part of the path.
    func missing(_ path: PropertyPath) -> MoltError {
        if let outer = path.atFirstEach?.outer, outer.count == 0 || contains(outer) {
            let subject = outer.count == 0 ? subject : "The value of \"\(full(outer))\""
            return error(
                .propertyMissing,
                "\(subject) is neither an array nor an object, so it has no elements.",
                property: path
            )
        }
        guard path.count > 0 else { return error(.propertyMissing, "\(subject) is raw data.", property: path) }
        var missing = path.atFirstEach?.outer ?? path
        var obstacle: String?
        if !isObject {
            obstacle =
                isData
                ? "the content is raw data" : "\(subject.prefix(1).lowercased())\(subject.dropFirst()) is not an object"
        } else if let length = (1..<max(1, missing.count)).first(where: { !isObject(at: path.parts.prefix($0)) }) {
            let outer = PropertyPath(parts: path.parts.prefix(length))
            if contains(outer) { obstacle = "\"\(full(outer))\" is not an object" } else { missing = outer }
        }
        return error(
            .propertyMissing,
            (elementPath.map { "An element of \"\($0.parent)\"" } ?? "The \(noun)")
                + " has no property \"\(full(missing))\"\(obstacle.map { ": \($0)" } ?? "").",
            advice:
                "If the property may be missing, check with `contains()` in a closure, or omit `ifMissing: .fail` in a "
                + "step; nil optionals are not encoded.",
            property: path
        )
    }

    /// The error for a value that would be nested too deeply to be read again.
    func tooDeep(
        _ path: PropertyPath?,
        _ syntax: JSONSyntaxError = JSONSyntaxError(reason: .tooDeep, offset: 0)
    ) -> MoltError {
        error(
            .typeMismatch,
            "The value cannot be written: \(syntax.reason.rawValue).",
            property: path,
            underlying: syntax
        )
    }

    private func mismatch(_ type: Any.Type, property: PropertyPath?, _ underlying: any Error) -> MoltError {
        let content = property.map { path in withValue(at: path) { Array($0) } ?? [] } ?? withContent { Array($0) }
        let problem = CodingProblem(underlying, decoding: type, from: content)
        let advice =
            property == nil
            ? (isSetting ? "The setting" : "The record was written as \(typeName), and")
                + " is decoded as \(type). Decode it as a type that has the stored properties, and "
                + "with the same coders: see `MigrationRegistry.coding(_:through:)`."
            : "Read the property as its stored type, and convert the value."
        return error(
            .typeMismatch,
            problem.text(in: property),
            advice: advice,
            property: property ?? (problem.codingNames.isEmpty ? nil : PropertyPath(problem.codingNames)),
            underlying: underlying
        )
    }

    func malformed(_ syntax: JSONSyntaxError) -> MoltError {
        error(
            .malformedContent,
            "The content is not JSON text: \(syntax).",
            advice: "Drop the record in an earlier migration, or repair it by hand.",
            underlying: syntax
        )
    }

    @inline(never)
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
            property: property.map(full).flatMap { $0.count == 0 ? nil : $0.description },
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

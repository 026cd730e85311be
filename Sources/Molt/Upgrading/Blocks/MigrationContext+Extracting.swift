extension MigrationContext {
    /// Extracts objects inside the records of a type into records of their own.
    ///
    /// ```swift
    /// try migration.extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"))
    /// ```
    ///
    /// The rules are those of the step
    /// ``MigrationStep/extractRecords(_:_:as:key:leaving:owner:onConflict:)``.
    ///
    /// - Parameters:
    ///   - type: The type name of the outer records.
    ///   - path: The path of the object, or of the elements.
    ///   - newType: The type name of the new records.
    ///   - key: The keys of the new records.
    ///   - remainder: What stays in place of an object; by default its key.
    ///   - owner: The property of the new records that gets the key of the outer record; by default there is none.
    ///     Missing or null objects on its path are created.
    ///   - policy: The policy for two different records that would have the same key; by default the upgrade fails.
    /// - Throws: ``MoltError`` with the code `typeMismatch` for a value that is not an object or has no key,
    ///   or `propertyExists` for an object with a property at `owner`; with `keyExists` when different records would
    ///   have the same key and the policy does not decide, or when they have different types; or the error of the
    ///   closure of `merge`. The last two always end the upgrade.
    public func extractRecords(
        _ type: String,
        _ path: PropertyPath,
        as newType: String,
        key: Record.ExtractedKey,
        leaving remainder: Record.ExtractedRemainder = .key,
        owner: PropertyPath? = nil,
        onConflict policy: ConflictPolicy<Record> = .fail
    ) throws {
        try extract(
            ExtractRecordsStep(
                type: type,
                path: path,
                newType: newType,
                key: key,
                remainder: remainder,
                owner: owner,
                policy: policy
            )
        )
    }

    func extract(_ extraction: ExtractRecordsStep) throws {
        let (path, newType, policy) = (extraction.path, extraction.newType, extraction.policy)
        // Before the first record loses its objects, because a block may go on after the error.
        guard !newType.isEmpty else { throw MoltError(.stepFailed, Record.noTypeName) }
        var (count, isFound) = (0, false)
        var sought = SoughtProperty(policy.path)
        // Another thread has taken the objects out of copies of the records that it has read ahead, by their ids.
        let prepared = Locked<[Int64: (record: Record, new: NewRecords)]>([:])
        let prepare = { @Sendable (record: Record) in
            var record = record
            // An error is that of the visit.
            guard let new = try? extraction.take(from: &record) else { return }
            prepared.withLock { $0[record.id] = (record, new) }
        }
        var pending = NewRecords(ofType: newType)
        let isImmediate = addsAtOnce(extraction)
        try enumerate(extraction.type, preparing: prepare) { _, record in
            count += 1
            isFound = isFound || record.contains(path)
            let new: NewRecords
            if let ready = prepared.withLock({ $0.removeValue(forKey: record.id) }), isReadAhead {
                (record, new) = ready
            } else {
                new = try extraction.take(from: &record)
            }
            if policy.path != nil { try visit(new, &sought) }
            pending.append(new)
            if isImmediate || pending.rows.count >= 512 || pending.bytes.count >= 1 << 18 {
                try add(&pending, extraction)
            }
        }
        try add(&pending, extraction)
        if count > 0, !isFound { noteMissing(path, of: extraction.type, count) }
        noteMissing(sought, of: newType)
    }

    /// Whether extracted records are added before the next record is visited.
    ///
    /// Notes are in the order of changes. Records that are visited later may have the new type, or give up their keys
    /// when they fail.
    private func addsAtOnce(_ extraction: ExtractRecordsStep) -> Bool {
        runner.notes != nil || arrival != nil || ExactName.isSame(extraction.type, extraction.newType)
            || failurePolicy != .stop
    }

    private func visit(_ new: NewRecords, _ sought: inout SoughtProperty) throws {
        for index in new.rows.indices {
            var record = new.record(index, coding: coding)
            try record.read()
            sought.visit(record)
        }
    }

    /// Adds extracted records, or merges them with those that have their keys.
    private func add(_ new: inout NewRecords, _ extraction: ExtractRecordsStep) throws {
        guard !new.isEmpty else { return }
        if let arrival {
            try insertArriving(new, arrival, extraction)
            return new.removeAll()
        }
        // The contents that are not written yet do not matter for them.
        let taken = try perform(at: UpgradePoint(.insert, "of \(new.typeName)"), writingFirst: false) {
            try $0.insert(new, from: nextID, version: recordVersion)
        }
        nextID += Int64(new.rows.count)
        counts.created += new.rows.count - taken.count
        var rest = taken[...]
        for index in new.rows.indices where runner.notes != nil || !rest.isEmpty {
            if rest.first == index {
                rest.removeFirst()
                try merge(new.record(index, coding: coding), fromID: new.rows[index].outer, extraction)
            } else {
                try noteNew(new.record(index, coding: coding))
            }
        }
        new.removeAll()
    }

    /// Adds extracted records that have missed later steps, or merges them with those that have their keys.
    private func insertArriving(_ new: NewRecords, _ arrival: RecordArrival, _ extraction: ExtractRecordsStep) throws {
        for index in new.rows.indices {
            var documents = try arrival.documents(from: new.record(index, coding: coding))
            if !documents[0].isDropped, try record(forKey: documents[0].record.key) != nil {
                try merge(documents.removeFirst().record, fromID: new.rows[index].outer, extraction)
            }
            try insert(documents)
        }
    }

    /// Merges an extracted record with the one that has its key.
    ///
    /// - Throws: The error of the policy. It ends the upgrade, whatever the failure policy: both records are whole, and
    ///   so is the one that contained the object.
    private func merge(_ new: Record, fromID outerID: Int64, _ extraction: ExtractRecordsStep) throws {
        var new = new
        try new.read()
        let outer = try perform { try $0.record(id: outerID) } ?? new
        do {
            guard var record = try record(forKey: new.key) else { throw runner.records.keyExists(new) }
            let revision = record.revision
            if try record.merge(new, from: outer, extraction).isLossy {
                noteMerged(ofType: new.typeName)
                note(new, nil)
            }
            if record.revision != revision { try update(record) }
        } catch {
            let error = MoltError(error, in: step, key: outer.key, type: outer.typeName, store: runner.storeName)
            failure = failure ?? error
            throw error
        }
    }
}

extension Record {
    /// Merges an object that was extracted from a record into the one that has its key.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists` if the policy does not decide; or the error of a closure.
    mutating func merge(
        _ new: Record,
        from outer: Record,
        _ extraction: ExtractRecordsStep
    ) throws -> ConflictPolicy<Record>.Resolution {
        let isSameType = ExactName.isSame(typeName, new.typeName)
        var merged = self
        let resolution = isSameType ? try extraction.policy.merge(new, into: &merged) : .undecided(nil)
        switch resolution {
        case .equal, .first, .merged: self = merged
        case .second:
            // The record stays, with other content.
            replaceChecked(merged.writtenContent)
            extend(to: merged)
        case .undecided(let reason):
            throw outer.error(
                .keyExists,
                "An object of the record \"\(outer.key)\" would become a record of type \(new.typeName) with the key of "
                    + "a different record of type \(typeName)\(extraction.key.path.map { ", from \"\($0)\"" } ?? "")."
                    + (reason.map { " " + $0 } ?? ""),
                advice: (isSameType
                    ? "Choose with `onConflict:` which record stays, derive the keys of new records, "
                    : "Derive the keys of new records, ")
                    + "or change the other record's key first. A failure policy does not apply.",
                property: extraction.path
            )
        }
        return resolution
    }
}

/// Takes objects out of records.
extension ExtractRecordsStep {
    /// The new records; their contents are not read, because most are only written.
    func take(from record: inout Record) throws -> NewRecords {
        let (outer, expiration, remainder) = (record.id, record.expirationSeconds, remainder)
        var taken = NewRecords(ofType: newType)
        if key == .derived { record.elementNames = [] }
        defer { record.elementNames = nil }
        let naming = ObjectNaming(by: self, outerKey: record.key)
        try record.changeRecordOrElements(at: [path], ifMissing: .skip) { object, paths in
            let newKey = try object.withValue(at: paths[0]) { json -> String? in
                if json.elementsEqual("null".utf8) { return nil }
                let newKey = try naming.key(of: json, in: object, at: paths[0])
                let content = try naming.withOwner(json, ofKey: newKey, in: object, at: paths[0])
                if let content {
                    taken.append(content, key: newKey, expiration: expiration, outer: outer)
                } else {
                    taken.append(json, key: newKey, expiration: expiration, outer: outer)
                }
                return newKey
            }
            guard let newKey else { return false }
            // Null stays.
            guard let newKey else { return true }
            switch remainder {
            case .key: try object.put(at: paths[0], isNew: false) { JSONString.write(newKey, to: &$0) }
            case .nothing: try object.remove(paths[0], ifMissing: .skip)
            }
            return true
        }
        if remainder == .nothing, path.parts.last == .each {
            try Self.removeEmpty(path.parent, from: &record)
        }
        return taken
    }

    /// Removes the arrays and dictionaries at a path that have no elements any more.
    private static func removeEmpty(_ path: PropertyPath, from record: inout Record) throws {
        try record.changeRecordOrElements(at: [path], ifMissing: .skip) { object, paths in
            guard let value = object[paths[0]], value == [] || value == [:] else { return false }
            try object.remove(paths[0], ifMissing: .skip)
            return true
        }
    }
}

/// What the objects in a record are called as records, and what they say of their owner.
///
/// A class, because a closure for each object would copy the whole step.
private final class ObjectNaming {
    private let step: ExtractRecordsStep
    private let outerKey: String

    init(by step: ExtractRecordsStep, outerKey: String) {
        self.step = step
        self.outerKey = outerKey
    }

    /// The key of an object that becomes a record.
    func key(of json: UnsafeBufferPointer<UInt8>, in object: Record, at path: PropertyPath) throws -> String {
        guard json.first == 0x7B else {
            throw object.error(
                .typeMismatch,
                "The value of \"\(object.full(path))\" is not an object, so it cannot become a record.",
                property: path
            )
        }
        return try key(in: object, at: path)
    }

    /// The bytes of an object with the key of its owner; nil if it gets none.
    func withOwner(
        _ json: UnsafeBufferPointer<UInt8>,
        ofKey newKey: String,
        in object: Record,
        at path: PropertyPath
    ) throws -> [UInt8]? {
        guard let owner = step.owner else { return nil }
        var new = Record(coding: object.coding, key: newKey, typeName: step.newType, content: json)
        try new.read()
        guard !new.contains(owner) else {
            throw object.error(
                .propertyExists,
                "The property \"\(owner)\" of a new record cannot be set to the key of its owner: the object has a "
                    + "property there already.",
                property: path
            )
        }
        try new.set(owner, to: outerKey)
        return new.writtenContent
    }

    private func key(in object: Record, at path: PropertyPath) throws -> String {
        switch step.key {
        case .derived:
            var elements = (object.elementNames ?? [])[...]
            let names = step.path.parts.map { $0.name ?? elements.popFirst() ?? "" }
            return ([outerKey] + names).joined(separator: "/")
        case .property(let name):
            let keyPath = path.count == 0 ? name : path + name
            if let key = object.key(at: keyPath) { return key }
            let subject = "object at \"\(object.full(path))\""
            throw object.error(
                .typeMismatch,
                object[keyPath]?.string == ""
                    ? "The property \"\(name)\" of an \(subject) is empty, and the key of a record must not be."
                    : "An \(subject) has no string or integer \"\(name)\", so the new record has no key.",
                property: path
            )
        }
    }
}

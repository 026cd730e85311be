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
        onConflict policy: Record.ConflictPolicy = .stop
    ) throws {
        var (count, isFound) = (0, false)
        var sought = SoughtProperty(policy.path)
        let nothing = ExtractedRecords(type: newType, key: key, remainder: remainder, owner: owner, path: path)
        // Another thread has taken the objects out of copies of the records that it has read ahead, by their ids.
        let prepared = Locked<[Int64: (record: Record, extracted: ExtractedRecords)]>([:])
        let prepare = { @Sendable (record: Record) in
            var (record, extracted) = (record, nothing)
            // An error is that of the visit.
            guard (try? extracted.take(from: &record)) != nil else { return }
            prepared.withLock { $0[record.id] = (record, extracted) }
        }
        try enumerate(type, preparing: prepare) { _, record in
            count += 1
            isFound = isFound || record.contains(path)
            var extracted = nothing
            if let ready = prepared.withLock({ $0.removeValue(forKey: record.id) }), isReadAhead {
                (record, extracted) = ready
            } else {
                try extracted.take(from: &record)
            }
            for index in extracted.records.indices {
                if policy.path != nil {
                    try extracted.records[index].read()
                    sought.visit(extracted.records[index])
                }
                try add(&extracted.records[index], from: record, at: path, key, policy)
            }
        }
        if count > 0, !isFound { noteMissing(path, of: type, count) }
        noteMissing(sought, of: newType)
    }

    /// Adds an extracted record, or merges it with the one that has its key.
    ///
    /// - Throws: The error of the policy. It ends the upgrade, whatever the failure policy: both records are whole, and
    ///   so is the one that contained the object.
    private func add(
        _ new: inout Record,
        from outer: Record,
        at path: PropertyPath,
        _ key: Record.ExtractedKey,
        _ policy: Record.ConflictPolicy
    ) throws {
        if try insertIfNew(&new, outer.expiration) { return }
        try new.read()
        do {
            guard var record = try record(forKey: new.key) else { throw runner.records.keyExists(new) }
            let revision = record.revision
            if try record.merge(new, policy, from: outer, at: path, key: key).isLossy {
                noteMerged(ofType: new.typeName)
                note(new, nil)
            }
            if record.revision != revision { try update(record) }
        } catch {
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
        _ policy: ConflictPolicy,
        from outer: Record,
        at path: PropertyPath,
        key: ExtractedKey
    ) throws -> ConflictPolicy.Outcome {
        let isSameType = ExactName.isSame(typeName, new.typeName)
        var merged = self
        let outcome = isSameType ? try policy.merge(new, into: &merged) : .undecided(nil)
        switch outcome {
        case .equal, .first, .merged: self = merged
        case .second:
            // The record stays, with other content.
            var content: [UInt8] = []
            merged.writeContent(to: &content)
            replaceChecked(content)
            extend(to: merged)
        case .undecided(let reason):
            throw outer.error(
                .keyExists,
                "An object of the record \"\(outer.key)\" would become a record of type \(new.typeName) with the key of "
                    + "a different record of type \(typeName)\(key.path.map { ", from \"\($0)\"" } ?? "")."
                    + (reason.map { " " + $0 } ?? ""),
                advice: "Derive the keys of new records, or change the other record's key first"
                    + (isSameType ? "; or choose with `onConflict` which record stays." : "."),
                property: path
            )
        }
        return outcome
    }
}

/// The objects that were taken out of one record.
struct ExtractedRecords {
    let type: String
    let key: Record.ExtractedKey
    let remainder: Record.ExtractedRemainder
    let owner: PropertyPath?
    let path: PropertyPath
    /// The new records; their contents are not read yet, because most are only written.
    var records: [Record] = []

    mutating func take(from record: inout Record) throws {
        let owner = record.key
        var taken = self
        try record.changeEachPlace(of: [path], ifMissing: .skip, areNamed: key == .derived) { place, paths in
            guard let json = place.withValue(at: paths[0], { Array($0) }) else { return false }
            if json.elementsEqual("null".utf8) { return true }
            let new = try taken.record(json, in: place, at: paths[0], owner)
            taken.records.append(new)
            switch remainder {
            case .key: try place.put(at: paths[0], isNew: false) { JSONString.write(new.key, to: &$0) }
            case .nothing: try place.remove(paths[0], ifMissing: .skip)
            }
            return true
        }
        self = taken
        if remainder == .nothing, path.parts.last == .each {
            try Self.removeEmpty(path.parent, from: &record)
        }
    }

    /// Removes the arrays and dictionaries at a path that have no elements any more.
    private static func removeEmpty(_ path: PropertyPath, from record: inout Record) throws {
        try record.changeEachPlace(of: [path], ifMissing: .skip) { place, paths in
            guard let value = place[paths[0]], value == [] || value == [:] else { return false }
            try place.remove(paths[0], ifMissing: .skip)
            return true
        }
    }

    /// A record with the bytes of an object, which are not read again.
    private func record(_ json: [UInt8], in place: Record, at path: PropertyPath, _ ownerKey: String) throws -> Record {
        guard json.first == 0x7B else {
            throw place.error(
                .typeMismatch,
                "The value of \"\(place.full(path))\" is not an object, so it cannot become a record.",
                property: path
            )
        }
        let key = try key(in: place, at: path, ownerKey)
        var new = Record(coding: place.coding, key: key, typeName: type, content: json)
        if let owner {
            try new.read()
            guard !new.contains(owner) else {
                throw place.error(
                    .propertyExists,
                    "Cannot set \"\(owner)\" of a new record to the key of its owner: the object already has that "
                        + "property.",
                    property: path
                )
            }
            try new.set(owner, to: ownerKey)
        }
        return new
    }

    private func key(in place: Record, at path: PropertyPath, _ ownerKey: String) throws -> String {
        switch key {
        case .derived:
            var elements = place.elementNames[...]
            let names = self.path.parts.map { $0.name ?? elements.popFirst() ?? "" }
            return ([ownerKey] + names).joined(separator: "/")
        case .property(let name):
            if let key = place.key(at: path.count == 0 ? name : path + name) { return key }
            throw place.error(
                .typeMismatch,
                "The object at \"\(place.full(path))\" has no string or integer \"\(name)\", so the new record has no key.",
                property: path
            )
        }
    }
}

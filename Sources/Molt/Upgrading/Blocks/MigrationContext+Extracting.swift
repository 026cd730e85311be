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
        try enumerate(type) { _, record in
            count += 1
            isFound = isFound || record.contains(path)
            var extracted = ExtractedRecords(type: newType, key: key, remainder: remainder, owner: owner, path: path)
            try extracted.take(from: &record)
            for new in extracted.records {
                sought.visit(new)
                try add(new, from: record, at: path, key, policy)
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
        _ new: Record,
        from outer: Record,
        at path: PropertyPath,
        _ key: Record.ExtractedKey,
        _ policy: Record.ConflictPolicy
    ) throws {
        var new = new
        guard var record = try record(forKey: new.key) else { return try insert(&new, outer.expiration) }
        new.expiration = outer.expiration
        do {
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
    var records: [Record] = []

    mutating func take(from record: inout Record) throws {
        let owner = record.key
        var taken = self
        try record.changeEachPlace(of: [path], ifMissing: .skip, areNamed: true) { place, paths in
            guard let json = place.withValue(at: paths[0], { Array($0) }) else { return false }
            if json.elementsEqual("null".utf8) { return true }
            let new = try taken.record(json, in: place, at: paths[0], owner)
            taken.records.append(new)
            switch remainder {
            case .key: try place.set(paths[0], to: new.key)
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

    private func record(_ json: [UInt8], in place: Record, at path: PropertyPath, _ ownerKey: String) throws -> Record {
        var new = try Record(key: "", typeName: type, json: json, coding: place.coding)
        guard new.isObject else {
            throw place.error(
                .typeMismatch,
                "The value of \"\(place.full(path))\" is not an object, so it cannot become a record.",
                property: path
            )
        }
        let key = try key(of: new, in: place, at: path, ownerKey)
        new.key = key
        if let owner {
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

    private func key(of new: Record, in place: Record, at path: PropertyPath, _ ownerKey: String) throws -> String {
        switch key {
        case .derived:
            var elements = place.elementNames[...]
            let names = self.path.parts.map { $0.name ?? elements.popFirst() ?? "" }
            return ([ownerKey] + names).joined(separator: "/")
        case .property(let name):
            if let key = new.key(at: name) { return key }
            throw place.error(
                .typeMismatch,
                "The object at \"\(place.full(path))\" has no string or integer \"\(name)\", so the new record has no key.",
                property: path
            )
        }
    }
}

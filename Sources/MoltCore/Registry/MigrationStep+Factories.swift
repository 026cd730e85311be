extension MigrationStep {
    /// What a step does with a record that lacks the property it is about.
    public enum MissingProperty: Hashable, Sendable {
        /// Leaves the record as it is: an optional that was nil is not written at all.
        case skip
        /// Fails the upgrade with the code `propertyMissing`.
        case fail
    }

    // MARK: Types

    /// Renames a type for all its records: one row of the store, however many records there are.
    ///
    /// When there are records with the new name already, the two become one type. When there is no record with the
    /// old name, nothing happens.
    public static func renameType(_ name: String, to newName: String) -> MigrationStep {
        MigrationStep(.renameType(name, to: newName), .renameType(name, to: newName))
    }

    /// Deletes all records of a type.
    ///
    /// - Important: The records are gone when the upgrade is committed.
    public static func deleteType(_ name: String) -> MigrationStep {
        MigrationStep(.deleteType(name), .deleteType(name))
    }

    // MARK: Properties

    /// Renames a property of each record of a type; its value, its place and all else stay as they were written.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it: `["address", "zip"]`.
    ///   - newName: The new name alone.
    ///   - ifMissing: What to do with a record that has no such property; leaves it as it is by default. A record
    ///     that has a property with the new name already fails the upgrade, with the code `propertyExists`.
    public static func renameProperty(
        _ type: String,
        _ path: PropertyPath,
        to newName: String,
        ifMissing: MissingProperty = .skip
    ) -> MigrationStep {
        let edit = renameEdit(type, path, to: newName, ifMissing: ifMissing)
        return MigrationStep(.renameProperty(type: type, path: path, to: newName, ifMissing), .edit(edit))
    }

    /// What `renameProperty` does, as a step and in a block.
    static func renameEdit(
        _ type: String,
        _ path: PropertyPath,
        to newName: String,
        ifMissing: MissingProperty
    ) -> RecordEdit {
        RecordEdit(typeName: type, property: path) { record in
            if try !record.renameIfPresent(path, to: newName), ifMissing == .fail { throw record.missing(path) }
        }
    }

    /// Moves a property of each record of a type to another place of the record; its value stays byte for byte.
    ///
    /// ```swift
    /// .moveProperty("Person", "street", to: ["address", "street"])
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it.
    ///   - newPath: Its new name, behind the names of the objects around it, which are added where there is nothing or
    ///     null.
    ///   - ifMissing: What to do with a record that has no such property; leaves it as it is by default. A record
    ///     that has a property at the new place already fails the upgrade, with the code `propertyExists`.
    public static func moveProperty(
        _ type: String,
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: MissingProperty = .skip
    ) -> MigrationStep {
        let edit = RecordEdit(typeName: type, property: path) { record in
            if try !record.moveIfPresent(path, to: newPath), ifMissing == .fail { throw record.missing(path) }
        }
        return MigrationStep(.moveProperty(type: type, path: path, to: newPath, ifMissing), .edit(edit))
    }

    /// Removes a property from each record of a type.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it.
    ///   - ifMissing: What to do with a record that has no such property; leaves it as it is by default.
    /// - Important: The property's values are gone when the upgrade is committed.
    public static func removeProperty(
        _ type: String,
        _ path: PropertyPath,
        ifMissing: MissingProperty = .skip
    ) -> MigrationStep {
        let edit = RecordEdit(typeName: type, property: path) { record in
            if try !record.removeIfPresent(path), ifMissing == .fail { throw record.missing(path) }
        }
        return MigrationStep(.removeProperty(type: type, path: path, ifMissing), .edit(edit))
    }

    /// Gives each record of a type that lacks a property, or holds null there, a value.
    ///
    /// Use it when a new property is not optional, or when an optional one becomes required: values that are there
    /// are kept.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it, which are added where there is nothing or null.
    ///   - value: The value.
    public static func addProperty(_ type: String, _ path: PropertyPath, default value: RecordValue) -> MigrationStep {
        // Validation has refused a value that is nested too deep before any record is seen.
        let bytes = value.json(depth: path.count) ?? []
        let edit = RecordEdit(typeName: type) { record in
            try record.setIfMissing(path, to: bytes)
        }
        return MigrationStep(.addProperty(type: type, path: path, value: value), .edit(edit))
    }

    // MARK: Records

    /// Changes each record of a type in place: its properties, its key, its expiry, or whether it stays at all.
    ///
    /// ```swift
    /// .transform("Person") { person in
    ///     if try person.int("age") < 0 { person.drop() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - revision: Which writing of the closure it is, 1 by default: count it up when you edit the closure, so that
    ///     stores which an earlier writing has upgraded are told apart. See ``Migration/fingerprint``.
    ///   - body: Changes a record; what it throws rolls the upgrade back.
    public static func transform(
        _ type: String,
        revision: Int = 1,
        _ body: @escaping @Sendable (inout Record) throws -> Void
    ) -> MigrationStep {
        let edit = RecordEdit(typeName: type, runsClosure: true, apply: body)
        return MigrationStep(.transform(type: type, revision: revision), .edit(edit))
    }

    /// Decodes each record of a type as the model of an old release, and encodes what a closure makes of it.
    ///
    /// ```swift
    /// .convert("Person", from: PersonV1.self, to: PersonV2.self) { old in
    ///     PersonV2(name: old.fullName)
    /// }
    /// ```
    /// The records keep their key, their expiry and their type name. Properties that the old model does not know are
    /// lost: use `transform` to keep them. The closure runs on all cores.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - old: The model as the old release had it.
    ///   - new: The model that the closure makes.
    ///   - revision: Which writing of the closure it is, 1 by default; see ``transform(_:revision:_:)``.
    ///   - body: Makes the new value; what it throws rolls the upgrade back.
    public static func convert<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        _ type: String,
        from old: Old.Type,
        to new: New.Type,
        revision: Int = 1,
        _ body: @escaping @Sendable (Old) throws -> New
    ) -> MigrationStep {
        let edit = RecordEdit(typeName: type, isParallel: true, runsClosure: true) { record in
            try record.replaceUnread(with: body(record.decoded(as: Old.self)))
        }
        let declaration = StepDeclaration.convert(
            type: type,
            from: String(describing: old),
            to: String(describing: new),
            revision: revision
        )
        return MigrationStep(declaration, .edit(edit))
    }

    // MARK: The whole store

    /// Runs a block over the whole store, once, for what the other steps cannot say.
    ///
    /// ```swift
    /// .run("number the people") { migration in
    ///     var number = 0
    ///     try migration.enumerate("Person") { old, new in
    ///         number += 1
    ///         new["number"] = .int(number)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - words: What the block does, as plans and reports show it; the migration's name by default.
    ///   - onFreshStore: Whether it also runs on a store that was just created, because it brings data in from
    ///     elsewhere. False by default: a new store has nothing to migrate. When it has created records there, all
    ///     steps and migrations that follow run on them, so it creates them as they were at its own version.
    ///   - attached: What the block works on outside the store; none by default. When one of these cannot be worked
    ///     on now, as settings of a locked device, opening the store fails with the code `deferred`.
    ///   - revision: Which writing of the block it is, 1 by default; see ``transform(_:revision:_:)``.
    ///   - body: Gets the store; what it throws rolls the upgrade back.
    public static func run(
        _ words: String? = nil,
        onFreshStore: Bool = false,
        attaching attached: [any AttachedStore] = [],
        revision: Int = 1,
        _ body: @escaping @Sendable (MigrationContext) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            .run(words: words, revision: revision),
            .run(body),
            runsOnFreshStore: onFreshStore,
            attaching: attached
        )
    }
}

extension RecordValue {
    /// The value as JSON text; nil when it is nested too deep to stand inside so many objects.
    func json(depth: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        do throws(JSONSyntaxError) {
            try write(to: &bytes, depth: depth)
            return bytes
        } catch {
            return nil
        }
    }
}

extension MigrationStep {
    /// Renames a key of a suite; if it has no value, does nothing and reports it as absent.
    ///
    /// ```swift
    /// .renameSetting("theme", to: "appearance", in: .standard)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - newKey: The new key.
    ///   - suite: The suite.
    ///   - policy: The policy if the new key has another value; by default the upgrade fails with the code `keyExists`.
    public static func renameSetting(
        _ key: String,
        to newKey: String,
        in suite: Suite,
        onConflict policy: ConflictPolicy<PropertyListValue> = .fail
    ) -> MigrationStep {
        MigrationStep(SettingsPlace(suite, key: key), to: newKey, copies: false, onConflict: policy)
    }

    /// Renames all keys of a suite that begin with a prefix, by replacing the prefix.
    ///
    /// ```swift
    /// .renameSettings(withPrefix: "draft.", to: "drafts/", in: .standard)    // "draft.7" becomes "drafts/7"
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the keys.
    ///   - newPrefix: The beginning of the new keys.
    ///   - suite: The suite.
    ///   - policy: The policy if a new key has another value; by default the upgrade fails with the code `keyExists`.
    public static func renameSettings(
        withPrefix prefix: String,
        to newPrefix: String,
        in suite: Suite,
        onConflict policy: ConflictPolicy<PropertyListValue> = .fail
    ) -> MigrationStep {
        MigrationStep(SettingsPlace(suite, prefix: prefix), to: newPrefix, copies: false, onConflict: policy)
    }

    /// Copies the value of a key to another key of the suite; if it has none, does nothing and reports it as absent.
    ///
    /// ```swift
    /// .copySetting("volume", to: "speechVolume", in: .standard)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - newKey: The new key.
    ///   - suite: The suite.
    ///   - policy: The policy if the new key has another value; by default the upgrade fails with the code `keyExists`.
    public static func copySetting(
        _ key: String,
        to newKey: String,
        in suite: Suite,
        onConflict policy: ConflictPolicy<PropertyListValue> = .fail
    ) -> MigrationStep {
        MigrationStep(SettingsPlace(suite, key: key), to: newKey, copies: true, onConflict: policy)
    }

    /// Copies the values of all keys of a suite that begin with a prefix to keys with another prefix.
    ///
    /// ```swift
    /// .copySettings(withPrefix: "draft.", to: "backup.", in: .standard)    // "backup.7" gets the value of "draft.7"
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the keys.
    ///   - newPrefix: The beginning of the new keys.
    ///   - suite: The suite.
    ///   - policy: The policy if a new key has another value; by default the upgrade fails with the code `keyExists`.
    public static func copySettings(
        withPrefix prefix: String,
        to newPrefix: String,
        in suite: Suite,
        onConflict policy: ConflictPolicy<PropertyListValue> = .fail
    ) -> MigrationStep {
        MigrationStep(SettingsPlace(suite, prefix: prefix), to: newPrefix, copies: true, onConflict: policy)
    }

    private init(
        _ place: SettingsPlace,
        to newName: String,
        copies: Bool,
        onConflict policy: ConflictPolicy<PropertyListValue>
    ) {
        let declaration = RenameSettingsStep(place: place, newName: newName, copies: copies, onConflict: policy)
        self.init(declaration, .settings(.renameKeys(declaration)))
    }
}

struct RenameSettingsStep: StepDeclaration {
    var place: SettingsPlace
    /// The new key, or the new prefix.
    var newName: String
    /// Whether the values stay under their old keys, too.
    var copies: Bool
    var onConflict: ConflictPolicy<PropertyListValue>

    var newPlace: SettingsPlace {
        place.isPrefix ? SettingsPlace(place.suite, prefix: newName) : SettingsPlace(place.suite, key: newName)
    }

    var description: String {
        let keys = place.isPrefix ? "keys" : "key"
        return
            "\(copies ? "copy" : "rename") the \(keys) \(place.label) to \(newPlace.label) in \(place.suite)\(onConflict.phrase)"
    }
    var identity: [String] {
        let kind = (copies ? "copy" : "rename") + (place.isPrefix ? "Keys" : "Key")
        return [kind, place.suite.declaredName, place.name.text, newName] + onConflict.valueIdentity
    }
    var losses: [MigrationReport.DataLoss] {
        onConflict.losesValue(isCopy: copies) ? [.conflicts(at: newPlace.label)] : []
    }
    var valueUses: [ValueUse] { [] }

    /// Where a setting of a suite gets its new key; nil if it gets none.
    func destination(of key: String, in suite: String) -> SettingsWork.Destination? {
        guard place.suite.attachedName == suite, place.includes(key) else { return nil }
        return SettingsWork.Destination(suite: place.suite, key: place.newKey(for: key, newName), isCopy: copies)
    }

    func check(_ check: inout StepCheck) {
        let (old, new) = (StepPlace(place), StepPlace(newPlace))
        check.use(old)
        if newPlace == place {
            check.add(
                "\(old.subject) \(place.isPrefix ? "are" : "is") \(copies ? "copied to itself" : "renamed to its own name")."
            )
        } else if newName.isEmpty, !place.isPrefix {
            check.add("The new key is empty.")
        } else if !place.isPrefix, Suite.reservedKeys.contains(newName) {
            check.add("The key \"\(newName)\" is reserved by Molt.")
        }
        if place.isPrefix {
            check.forgetSettings()
        } else if copies {
            check.create(new)
        } else {
            check.rename(old, to: new)
        }
    }

    /// The keys in an order in which a new key is free before it is set, also if one prefix begins with the other.
    func keys(of settings: SuiteEditor) throws -> [String] {
        let keys = try place.keys(in: settings)
        let grows = newName.utf8.count > place.name.text.utf8.count
        return grows
            ? keys.ordered { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
            : keys.ordered { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }
}

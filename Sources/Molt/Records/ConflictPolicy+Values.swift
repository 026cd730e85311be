extension ConflictPolicy<RecordValue> {
    /// A closure merges the value that gets a new place into the one that is there.
    ///
    /// ```swift
    /// .renameProperty("Note", "labels", to: "tags", onConflict: .merge { tags, labels in
    ///     tags = .array((tags.array ?? []) + (labels.array ?? []))
    /// })
    /// ```
    ///
    /// It must give the same result whenever it runs. Increase the revision when you edit the closure; see
    /// ``MigrationStep/transform(_:revision:_:)``.
    ///
    /// - Important: Whatever the closure does not take over is lost.
    public static func merge(
        revision: Int = 1,
        _ body: @escaping @Sendable (_ value: inout RecordValue, _ other: RecordValue) throws -> Void
    ) -> Self {
        Self(rule: .merge(revision: revision, body))
    }
}

/// Two values, of which one gets the place of the other.
extension ConflictPolicy {
    enum Choice {
        case existing, new
        case merged(Subject)
        /// The upgrade must stop.
        case undecided
    }

    /// Decides between two different values.
    ///
    /// - Throws: The error of a closure.
    func choose(between existing: Subject, and new: Subject) throws -> Choice {
        switch rule {
        case .keep: return .existing
        case .replace: return .new
        case .merge(_, let merge):
            var merged = existing
            try merge(&merged, new)
            return .merged(merged)
        case .fail, .newest, .newestSuite, .newestValue, .mergeImported: return .undecided
        }
    }

    /// Its part of the fingerprints of steps that give a value another place; nothing if they fail.
    var valueIdentity: [String] {
        switch rule {
        case .keep: ["keep"]
        case .replace: ["replace"]
        case .merge(let revision, _): ["merge", String(revision)]
        case .fail, .newest, .newestSuite, .newestValue, .mergeImported: []
        }
    }

    /// The end of the description of such a step.
    var phrase: String {
        switch rule {
        case .keep: ", unless there is a value already"
        case .replace: ", replacing the value there"
        case .merge: ", merging it with the value there"
        case .fail, .newest, .newestSuite, .newestValue, .mergeImported: ""
        }
    }

    /// Whether such a step may lose a value.
    ///
    /// - Parameter isCopy: Whether the value stays at its old place, too.
    func losesValue(isCopy: Bool) -> Bool {
        switch rule {
        case .keep: !isCopy
        case .replace, .merge: true
        case .fail, .newest, .newestSuite, .newestValue, .mergeImported: false
        }
    }

    /// What to do if such a step has failed.
    static var advice: String {
        "Say with `onConflict:` which value stays. If the migration has shipped, say it in a new one right after it, "
            + "with its version, that replaces it: see `replacing:`."
    }

    package var runsClosure: Bool { if case .merge = rule { true } else { false } }
}

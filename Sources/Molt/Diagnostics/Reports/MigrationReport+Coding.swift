internal import Foundation

// The JSON of a report, without samples, which contain the user's values.

extension MigrationReport {
    /// Writes the report's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "store": store, "from": from, "to": to, "isFresh": isFresh, "startedAt": startedAt, "duration": duration,
            "entries": entries, "expiredCount": expiredCount, "deferred": deferred, "onRead": onRead, "space": space,
            "work": work, "seeds": seeds, "isDryRun": isDryRun, "isReadOnly": isReadOnly, "erasure": erasure,
            "movedFrom": movedFrom, "otherStores": otherStores, "notes": notes, "isNewer": isNewer,
        ])
    }
}

extension MigrationReport.Entry {
    /// Writes the entry's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "migration": migration, "outcome": outcome, "neededBy": neededBy, "duration": duration, "counts": counts,
            "steps": steps, "attachedCounts": attachedCounts,
        ])
    }
}

extension MigrationReport.Step {
    /// Writes the step's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "summary": summary, "counts": counts, "keys": keys, "failedRecords": failedRecords, "losses": losses,
            "unmatchedNames": unmatchedNames,
        ])
    }
}

extension MigrationReport.KeyOutcome {
    /// Writes the outcome's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(["store": store, "key": key, "outcome": outcome, "reason": reason, "place": place])
    }
}

extension MigrationReport.DataLoss {
    /// Writes the loss's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(["kind": kind, "name": name, "count": count])
    }
}

extension MigrationReport.Deferral {
    /// Writes the deferral's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(["migration": migration, "reason": reason])
    }
}

extension MigrationReport.Work {
    /// Writes the work's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(["migration": migration, "summary": summary, "problem": problem])
    }
}

extension MigrationReport.Seed {
    /// Writes the seed's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "name": name, "added": added, "replaced": replaced, "unchanged": unchanged, "kept": kept,
            "leftDeleted": leftDeleted, "removed": removed, "expired": expired, "quarantined": quarantined,
        ])
    }
}

extension MigrationReport.Erasure {
    /// Writes the result's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(["isComplete": isComplete, "reason": reason, "copies": copies])
    }
}

extension StoreBackup {
    /// Writes the backup's JSON.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "url": url, "schemaVersion": version, "date": date, "size": size, "recordCount": recordCount,
            "isAutomatic": isAutomatic, "attachedStores": suites,
        ])
    }
}

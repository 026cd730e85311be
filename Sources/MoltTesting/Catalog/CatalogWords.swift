/// Sentences that say what to do about a file.
enum CatalogWords {
    static let toWrite = "To write it: \(RecordingMode.variable)=missing swift test"
    /// What to do about a change at the newest version: nothing in the catalog says whether it has shipped.
    static func ifNotShipped(_ version: Int) -> String {
        "If version \(version) has shipped, undo the change, or make it a migration to version \(version + 1). If it has "
            + "not, and the new one is right: \(RecordingMode.variable)=all swift test"
    }
    static let edited =
        "What is in the store is the same: migrations were edited since the file was written. Undo that where they have "
        + "shipped. Where they have not: \(RecordingMode.variable)=all swift test"
    static let removed =
        "The file is of an older version, and was removed. Restore it from version control: it is what devices in the field "
        + "may hold. If it was never checked in, remove its line in \(FixtureLock.file)."
    static let changed =
        "The file is of an older version, and not what it was: its SHA-256 is not that in \(FixtureLock.file). Restore both from "
        + "version control. A mistake in an upgrade is mended by a migration, and a new case by a new fixture. "
        + "If it was never checked in, remove its line in \(FixtureLock.file), and record it again."
    static let lineEnds =
        "The file's line ends were changed to those of Windows, and nothing else. Put a file `.gitattributes` with the "
        + "line `*.json -text` beside the fixtures, and check them out again."
    static let unlocked =
        "The file has no line in \(FixtureLock.file). If it is a new one, add its line: "
        + "\(RecordingMode.variable)=missing swift test. If not, restore the line from version control."
    static let notLocked =
        "Its line was not written to \(FixtureLock.file), because of what else is wrong with it. Mend that first."
    static let restoreLock = "Restore the file from version control."
}

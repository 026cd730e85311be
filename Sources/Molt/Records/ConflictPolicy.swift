/// What happens where two different values meet under one key.
///
/// | two values of | in |
/// |---|---|
/// | `ConflictPolicy<Record>` | `renameKeys` and `extractRecords` |
/// | `ConflictPolicy<RecordValue>` | `renameProperty`, `moveProperty` and `copyProperty` |
/// | `ConflictPolicy<PropertyListValue>` | `renameSetting(s)` and `copySetting(s)` |
/// | `ConflictPolicy<Suite>` | moves of settings, such as
/// ``Migration/suiteToAppGroup(to:_:from:into:keys:renaming:onConflict:removingSource:)`` |
/// | `ConflictPolicy<CodableCache>` | ``CodableCache/import(from:only:suites:onConflict:progress:)`` |
/// | `ConflictPolicy<CacheDirectory>` |
/// ``Migration/adoptCacheDirectory(to:_:directory:onConflict:removingSource:strict:)`` |
///
/// Equal values are no conflict. Two records of one type with equal contents become one, and nothing is lost; only the
/// `merge` of a migration runs its closure for them, too. The order of properties and white space make no difference,
/// but the text of numbers does: `1` and `1.0` differ. The record that stays expires with the last of them. If a record
/// of another type has the key, an upgrade always stops. If the policy cannot decide or its closure throws, it stops,
/// too; `onFailure` does not apply, because neither value is at fault.
///
/// A property counts as missing if its value is null. For two values of a property, `onFailure` applies: a record whose
/// step fails can be quarantined.
public struct ConflictPolicy<Subject>: Sendable {
    typealias Merge<Value> = @Sendable (_ value: inout Value, _ other: Value) throws -> Void

    enum Rule: Sendable {
        case fail, keep, replace
        /// By a property of a record.
        case newest(by: PropertyPath)
        /// By a setting of a suite.
        case newestSuite(by: String)
        /// By the time of the last `set`.
        case newestValue
        case merge(revision: Int, Merge<Subject>)
        /// Of an import; without a closure for settings, two different ones are an error.
        case mergeImported(records: Merge<Record>, settings: Merge<PropertyListValue>?)
    }

    let rule: Rule

    /// The work stops with the code `keyExists`, for properties `propertyExists`, and nothing is changed.
    public static var fail: Self { Self(rule: .fail) }
    /// The value that is there already stays.
    ///
    /// When keys of records are renamed and none of the records has the new key yet, the one with the first old key
    /// stays, in the order of their bytes.
    ///
    /// - Important: The other value is lost where it would be removed anyway, as that of a record whose key is renamed.
    public static var keep: Self { Self(rule: .keep) }
    /// The new value replaces the one that is there.
    ///
    /// - Important: The value that is there is lost.
    public static var replace: Self { Self(rule: .replace) }
}

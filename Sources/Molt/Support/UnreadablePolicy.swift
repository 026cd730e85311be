/// What becomes of a stored value that its type cannot read when a value is written over it.
///
/// ``MoltConfiguration/unreadableValues`` is for records, and ``SettingKeys/unreadableValues`` for settings.
public enum UnreadablePolicy: Equatable, Sendable {
    /// It is put into quarantine first. As many are kept as fit; the oldest are removed first.
    ///
    /// - Parameters:
    ///   - upTo: How many are kept in one file, or of one suite; 100 by default, and none at 0.
    ///   - bytes: How many bytes they may have together; 1 000 000 by default. The newest is kept, whatever its size.
    case quarantine(upTo: Int = 100, bytes: Int = 1_000_000)
    /// It is overwritten.
    case overwrite

    /// How much is kept; nil for nothing.
    var limit: Limit? {
        guard case .quarantine(let count, let bytes) = self, count > 0 else { return nil }
        return Limit(count: count, bytes: bytes)
    }

    /// How many values are kept, and their bytes.
    struct Limit: Sendable {
        var count: Int
        var bytes: Int

        /// The number of the newest values that are kept: at least one, whatever its size.
        ///
        /// - Parameter sizes: The sizes of all values, the newest first.
        func keptCount(of sizes: some Sequence<Int>) -> Int {
            var (kept, sum) = (0, 0)
            for size in sizes {
                sum += size
                guard kept == 0 || kept < count && sum <= bytes else { break }
                kept += 1
            }
            return kept
        }
    }
}

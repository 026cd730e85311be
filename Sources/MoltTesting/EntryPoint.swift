/// How a store is opened, and upgraded with that.
public enum EntryPoint: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// A file: `CodableCache(at:migrations:)`.
    case open = "open"
    /// A file: `CodableCache.open(at:migrations:)`.
    case asyncOpen = "async open"
    /// A cache in memory.
    case inMemory = "in memory"
    /// A file: a `Migrator` on a `CacheStore`.
    case migrator = "migrator"
    /// A suite without a cache: `Suite.upgrade(with:)`.
    case suite = "suite"
    /// A suite without a cache: the `async` `Suite.upgrade(with:)`.
    case asyncSuite = "async suite"

    /// In words.
    public var description: String { rawValue }

    /// The entry points that there are for a primary store.
    public static func all(for primary: StoreFixture.Primary) -> [EntryPoint] {
        switch primary {
        case .cache: [.open, .asyncOpen, .inMemory, .migrator]
        case .suite: [.suite, .asyncSuite]
        }
    }
}

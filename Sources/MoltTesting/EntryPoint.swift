/// A way to open and upgrade a store.
package enum EntryPoint: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// For a file: `CodableCache(at:migrations:)`.
    case open = "open"
    /// For a file: `CodableCache.open(at:migrations:)`.
    case asyncOpen = "async open"
    /// For a cache in memory.
    case inMemory = "in memory"
    /// For a suite without a cache: `Suite.upgrade(with:)`.
    case suite = "suite"

    /// The entry point's name, such as `async open`.
    package var description: String { rawValue }

    /// The entry points of a primary store.
    package static func all(for primary: StoreFixture.Primary) -> [EntryPoint] {
        switch primary {
        case .cache: [.open, .asyncOpen, .inMemory]
        case .suite: [.suite]
        }
    }
}

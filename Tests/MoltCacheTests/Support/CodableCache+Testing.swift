@testable import Molt

extension CodableCache.Configuration {
    /// The standard configuration with changes.
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

extension CodableCache {
    /// Closes the cache, and returns everything that a sequence of its changes delivered.
    func close(thenAll changes: AsyncStream<Change>) async -> [Change] {
        close()
        return await changes.reduce(into: []) { $0.append($1) }
    }
}

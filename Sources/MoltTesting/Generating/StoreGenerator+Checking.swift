extension TestingError.Code {
    /// A property that should hold for all stores does not hold for one.
    public static let propertyFailed = TestingError.Code(rawValue: "propertyFailed")
}

extension StoreGenerator {
    /// Runs a closure on random stores; when it throws, looks for a small store with which it throws, too.
    ///
    /// ```swift
    /// try generator.check(seed: 7) { store in
    ///     let migrated = try store.migrated(through: migrations)
    ///     for record in migrated.fixture.records {
    ///         _ = try migrated.value(Person.self, forKey: record.key)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - runs: How many stores are tried, 1 or more.
    ///   - seed: Which; the same seed gives the same stores.
    ///   - tries: How often the closure is run at most to find a smaller store.
    ///   - property: Throws when something is wrong. It must not depend on what it did before.
    /// - Throws: ``TestingError`` with the code `propertyFailed`: the seed, the smallest store that was found, and what
    ///   the closure has thrown for it; or `unsuitable` when there are no runs. A `CancellationError` of the closure is thrown as it is.
    public func check(
        runs: Int = 100,
        seed: UInt64 = 1,
        tries: Int = 500,
        _ property: (StoreFixture) throws -> Void
    ) throws {
        let sets = try sets(forRuns: runs)
        for run in 0..<runs {
            let store = store(seed: seed &+ UInt64(run), sets)
            do {
                try property(store)
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch {
                var failing = FailingStore(store, error, sets, tries: tries)
                while let smaller = failing.nextSmaller() {
                    do { try property(smaller) } catch { failing.keep(smaller, error) }
                }
                throw failing.error(run: run, of: runs, seed: seed &+ UInt64(run))
            }
        }
    }

    /// Runs an `async` closure on random stores; when it throws, looks for a small store with which it throws, too.
    ///
    /// - Parameters:
    ///   - runs: How many stores are tried, 1 or more.
    ///   - seed: Which; the same seed gives the same stores.
    ///   - tries: How often the closure is run at most to find a smaller store.
    ///   - property: Throws when something is wrong. It must not depend on what it did before.
    /// - Throws: ``TestingError`` with the code `propertyFailed`: the seed, the smallest store that was found, and what
    ///   the closure has thrown for it; or `unsuitable` when there are no runs. A `CancellationError` of the closure is thrown as it is.
    public func check(
        runs: Int = 100,
        seed: UInt64 = 1,
        tries: Int = 500,
        _ property: (StoreFixture) async throws -> Void
    ) async throws {
        let sets = try sets(forRuns: runs)
        for run in 0..<runs {
            let store = store(seed: seed &+ UInt64(run), sets)
            do {
                try await property(store)
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch {
                var failing = FailingStore(store, error, sets, tries: tries)
                while let smaller = failing.nextSmaller() {
                    do { try await property(smaller) } catch { failing.keep(smaller, error) }
                }
                throw failing.error(run: run, of: runs, seed: seed &+ UInt64(run))
            }
        }
    }

    private func sets(forRuns runs: Int) throws -> [SampleSet] {
        guard runs > 0 else {
            throw TestingError(.unsuitable, "With \(runs) runs nothing is tried. Give 1 or more.")
        }
        return try sets()
    }
}

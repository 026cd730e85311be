extension Suite {
    /// The value of a setting now, and each one after it; its default where nothing is set.
    ///
    /// ```swift
    /// for await period in Suite.standard.updates(for: .period) { apply(period) }
    /// ```
    ///
    /// What is heard of, and when, is as with ``updates(forKey:)``. For what cannot be read as the key's type the
    /// default comes, and ``DefaultsKeys/onFailure`` is told.
    public func updates<Value>(for key: DefaultsKey<Value>) -> some AsyncSequence<Value, Never> {
        updates(forKey: key.name).map { stored in
            do {
                return try key.value(of: stored)
            } catch {
                subscriptFailed(error)
                return key.defaultValue
            }
        }
    }
}

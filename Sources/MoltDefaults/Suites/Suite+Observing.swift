extension Suite {
    /// The value under a key now, and each one after it; nil where there is none.
    ///
    /// ```swift
    /// for await theme in Suite.standard.updates(forKey: "theme") { apply(theme?.string) }
    /// ```
    ///
    /// Two alike in a row come once, and of values that nobody has taken yet only the last one is kept. A value that
    /// cannot be read counts as none. What Molt changes in this process comes on every platform. On Apple platforms so
    /// does what is changed through `UserDefaults`, by other processes too unless the key is empty, has a dot in it or
    /// begins with "@". On Linux `UserDefaults` tells nobody of a change of one value: it comes with the next change
    /// that Molt makes.
    public func updates(forKey key: String) -> AsyncStream<PropertyListValue?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = SuiteObservation(of: self, key: key) { continuation.yield($0) }
            continuation.onTermination = { _ in observation.stop() }
            observation.start()
        }
    }
}

public import MoltCore

extension Migration {
    /// Has the migration wait for a sign that settings can be read, besides what the system tells of itself.
    ///
    /// ```swift
    /// .defaultsV4ToV5(to: 1, suite: .standard, keys: [.tags]).waiting(for: .key("firstLaunch"), in: .standard)
    /// ```
    /// Until then it is deferred, with all others that work on the same suites. It is no part of the migration's fingerprint,
    /// and may be changed after the migration has shipped.
    ///
    /// - Parameters:
    ///   - canary: The sign.
    ///   - suite: The suite that it is looked for in; the migration must work on it.
    public func waiting(for canary: SuiteMove.Canary, in suite: Suite) -> Migration {
        waiting { attached in try canary.reasonToWait(attached(suite.attachedName) as? Suite ?? suite) }
    }
}

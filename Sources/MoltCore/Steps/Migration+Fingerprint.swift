extension Migration {
    /// A digest of what the migration declares: its name, its version, and the steps with their parameters.
    ///
    /// A closure counts by the revision that its author gives. The ledger keeps the fingerprint of each migration that
    /// was applied: one that is different later was edited after it had shipped. These count for nothing: words that
    /// only describe a step, the names of models in code, what a block attaches, and which migrations are replaced.
    public var fingerprint: String {
        var parts = [name, String(version)]
        for step in steps { parts += ["step"] + step.declaration.identity }
        // With its length before it, no part can be taken for two.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        return String(SHA256.hexadecimal(of: text.utf8).prefix(32))
    }
}

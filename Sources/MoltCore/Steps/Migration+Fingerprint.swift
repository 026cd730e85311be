extension Migration {
    /// A digest of the migration's declaration: its name, its version, and the steps with their parameters.
    ///
    /// A closure is represented by the revision that its author gives. The ledger stores the fingerprint of each
    /// applied migration: a different one later means that the migration was edited after it had shipped. These are not
    /// included: descriptions of steps, names of models in code, attached stores of blocks, and replaced migrations.
    public var fingerprint: String {
        var parts = [name, String(version)]
        for step in steps { parts += ["step"] + step.declaration.identity }
        // The length prefix keeps parts apart.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        return String(SHA256.hexadecimal(of: text.utf8).prefix(32))
    }
}

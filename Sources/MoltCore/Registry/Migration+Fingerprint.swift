extension Migration {
    /// A digest of what the migration declares: its name, its version, and the steps with their parameters.
    ///
    /// A closure counts by the revision that its author gives. The ledger keeps the fingerprint of each migration that
    /// was applied: one that is different later was edited after it had shipped. These count for nothing: words that
    /// only describe a step, the names of models in code, what a block attaches, and which migrations are replaced.
    public var fingerprint: String {
        var parts = [name, String(version)]
        for step in steps {
            parts += ["step"] + step.declaration.identity
            // That of a built-in is always so.
            if case .run = step.declaration, step.runsOnFreshStore { parts.append("onFreshStore") }
        }
        // With its length before it, no part can be taken for two.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        return String(SHA256.hexadecimal(of: text.utf8).prefix(32))
    }
}

extension StepDeclaration {
    /// What tells the step from others, in a form that stays the same in all releases of Molt.
    fileprivate var identity: [String] {
        switch self {
        case .renameType(let name, let newName): ["renameType", name, newName]
        case .deleteType(let name): ["deleteType", name]
        case .renameProperty(let type, let path, let newName, let ifMissing):
            ["renameProperty", type, String(path.count)] + path.names + [newName, ifMissing.identity]
        case .moveProperty(let type, let path, let newPath, let ifMissing):
            ["moveProperty", type, String(path.count)] + path.names + newPath.names + [ifMissing.identity]
        case .removeProperty(let type, let path, let ifMissing):
            ["removeProperty", type, String(path.count)] + path.names + [ifMissing.identity]
        case .addProperty(let type, let path, let value):
            ["addProperty", type, String(path.count)] + path.names
                + [String(decoding: value.json(depth: path.count) ?? [], as: UTF8.self)]
        case .transform(let type, let revision): ["transform", type, String(revision)]
        case .convert(let type, _, _, let revision): ["convert", type, String(revision)]
        case .run(_, let revision): ["run", String(revision)]
        case .builtIn(let kind, _, let parameters, _): [kind] + parameters
        }
    }
}

extension MigrationStep.MissingProperty {
    fileprivate var identity: String {
        switch self {
        case .skip: "skip"
        case .fail: "fail"
        }
    }
}

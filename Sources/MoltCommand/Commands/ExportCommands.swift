import Foundation
import Molt

extension StoreCommands {
    private static let selection = [
        Command.Option.value("--type", "NAME", "only records of this type; repeat for others"),
        .value("--key", "KEY", "only the record under this key; repeat for others"),
    ]

    static let export = exporting(
        "The records keep the form of the store's version. \(StoreArgument.note)"
    ) { store, target, selection, call in
        let records = try store.records()
        for type in call.all("--type") { try requireType(type, in: [records]) }
        return try records.exportAndWait(to: target, only: selection)
    }

    /// - Parameters:
    ///   - note: A sentence for the help.
    ///   - options: More options.
    ///   - run: Exports records of a store to a file.
    static func exporting(
        _ note: String,
        options: [Command.Option] = [],
        _ run:
            @escaping @Sendable (_ store: StoreArgument, _ target: URL, RecordSelection, Command.Call) throws
            -> ExportSummary
    ) -> Command {
        Command(
            "export",
            ["FILE", "OUT"],
            "write the records of a store to a file that import reads",
            options: selection + options,
            notes: """
                OUT is replaced if it exists; - stands for standard output. Expired records and those in quarantine are left
                out. \(note)
                """
        ) { call, terminal in
            let store = try StoreArgument(call.arguments[0])
            let selection = selection(of: call)
            guard call.arguments[1] == "-" else {
                terminal.say("\(try run(store, URL(filePath: call.arguments[1]), selection, call))")
                return ExitCode.success
            }
            let directory = try CopyDirectory(for: .export)
            defer { withExtendedLifetime(directory) {} }
            let file = directory.url.appending(path: "export")
            let summary = try run(store, file, selection, call)
            let handle = try FileHandle(forReadingFrom: file)
            while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty { terminal.write(Array(part)) }
            if summary.quarantined > 0 { terminal.sayError("\(summary)") }
            return ExitCode.success
        }
    }

    static let `import` = importing(
        "EXPORT must have the version of the store; the app's own tool upgrades the records of earlier releases."
    ) { store, source, selection, policy, _ in
        try CacheFile(at: store.file()).importAndWait(from: source, only: selection, onConflict: policy)
    }

    /// - Parameters:
    ///   - note: A sentence for the help.
    ///   - options: More options.
    ///   - run: Imports records from a file into a store.
    static func importing(
        _ note: String,
        options: [Command.Option] = [],
        _ run:
            @escaping @Sendable (
                StoreArgument, _ source: URL, RecordSelection, ConflictPolicy<CodableCache>, Command.Call
            ) throws
            -> ImportSummary
    ) -> Command {
        let policies: KeyValuePairs<String, ConflictPolicy<CodableCache>> = [
            "fail": .fail, "keep": .keep, "replace": .replace, "newest": .newest,
        ]
        let words = policies.map(\.key)
        return Command(
            "import",
            ["FILE", "EXPORT"],
            "add the records of an export, or of another store or a backup",
            options: [
                .value(
                    "--conflicts",
                    words.joined(separator: "|"),
                    "what happens to keys in use; by default, the import fails"
                )
            ] + selection + options,
            notes: "All records are imported or, after an error, none. \(note)"
        ) { call, terminal in
            let word = call.value("--conflicts") ?? "fail"
            guard word != "merge" else {
                throw UsageError("--conflicts cannot merge: only the app has the closure for it; import there")
            }
            guard let policy = policies.first(where: { $0.key == word })?.value else {
                throw UsageError("--conflicts needs one of \(words.joined(separator: ", ")), not \"\(word)\"")
            }
            let store = try StoreArgument(call.arguments[0])
            let source = URL(filePath: call.arguments[1])
            terminal.say("\(try run(store, source, selection(of: call), policy, call))")
            return ExitCode.success
        }
    }

    private static func selection(of call: Command.Call) -> RecordSelection {
        guard call.has("--type") || call.has("--key") else { return .all }
        return RecordSelection(types: call.all("--type"), keys: call.all("--key"))
    }
}

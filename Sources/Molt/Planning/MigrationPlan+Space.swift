internal import Foundation

extension MigrationPlan {
    /// What the upgrade does that needs disk space; nil if it needs next to none.
    ///
    /// - Parameter isSure: Whether steps that may change few records or none are left out.
    func spaceWork(_ configuration: MoltConfiguration, isSure: Bool = false) -> SpaceSample.Work? {
        var (rewritten, removed, isEverything) = (Set<String>(), Set<String>(), false)
        var (handedOver, extracted) = (Set<String>(), Set<String>())
        var added: Int64 = 0
        /// The names that records with a name have in the file.
        var storedNames: [String: Set<String>] = [:]
        func stored(_ type: String) -> Set<String> { storedNames[type, default: []].union([type]) }
        for entry in entries {
            for step in entry.declaration.steps where entry.actions.runs(step) {
                if case .records(.renameType(let name, let newName)) = step.work {
                    storedNames[newName, default: []].formUnion(stored(name))
                }
                guard !isSure || step.surelyWrites else { continue }
                switch step.work {
                case .records(.handOver(let type, _)):
                    removed.formUnion(stored(type))
                    handedOver.formUnion(stored(type))
                case .records(.deleteType(let type, _)), .records(.edit(_, let type)):
                    rewritten.formUnion(stored(type))
                case .store(.renameKeys(let step)): rewritten.formUnion(stored(step.type))
                case .store(.extract(let step)):
                    rewritten.formUnion(stored(step.type))
                    extracted.formUnion(stored(step.type))
                case .bring(let work):
                    if case .file(let file)? = work.source { added += Int64(StoreFiles(file.path).byteCount ?? 0) }
                case .block: isEverything = true
                case .records(.renameType), .settings, .check: break
                }
            }
        }
        let hasBackup = configuration.effectiveBackup != nil && !isFresh
        guard isEverything || hasBackup || !rewritten.isEmpty || !removed.isEmpty || added > 0 else { return nil }
        return SpaceSample.Work(
            rewrites: { isEverything || rewritten.contains($0) && !removed.contains($0) },
            removes: { !isEverything && removed.contains($0) },
            copies: { type, size in
                // With the words of the step; and it is unknown how large extracted objects are.
                handedOver.contains(type) ? size + 30 : extracted.contains(type) ? size / 2 : 0
            },
            added: added,
            hasBackup: hasBackup
        )
    }

    /// Makes sure that there is room for the upgrade, before it writes anything.
    ///
    /// A closure, and a step with a condition, may change few records or none, so they do not count; and the estimate
    /// must be far off to refuse an upgrade that would work. One that fails for want of room is rolled back.
    ///
    /// - Throws: ``MoltError`` with the code `storeFailed`, which is about the disk.
    func checkSpace(of store: StoreFile, _ configuration: MoltConfiguration, _ transaction: StoreTransaction) throws {
        guard configuration.checksDiskSpace, let size = store.byteCount else { return }
        let writes = entries.contains { entry in
            entry.declaration.steps.contains { entry.actions.runs($0) && $0.surelyWrites }
        }
        // A backup alone makes sure of its own room.
        guard writes, let work = spaceWork(configuration, isSure: true) else { return }
        let directory = store.files.directory
        guard let free = FreeSpace.bytes(at: directory) else { return }
        // Most devices have room for everything three times, and then no record is read.
        guard free / 3 < size.addingReportingOverflow(work.added).partialValue else { return }
        // SQLite uses a log again.
        let log = Int64(FileStatus.unfollowed(store.files.log)?.size ?? 0)
        let needed = try transaction.spaceSample().estimate(for: work).peak - log
        guard free < needed / 2 else { return }
        throw MoltError(
            .storeFailed,
            "The upgrade needs about \(DisplayText.bytes(Int(clamping: needed))) in \(directory), where only "
                + "\(DisplayText.bytes(Int(clamping: free))) are free.",
            advice: "Free some space, and open the store again. To try it all the same, set `checksDiskSpace = false`.",
            outcome: .unchanged,
            underlying: DurableFile.Failure(number: ENOSPC)
        )
    }
}

extension MigrationStep {
    /// Whether it changes most records of its type, so far as its declaration can tell.
    fileprivate var surelyWrites: Bool {
        guard !isConditional else { return false }
        return switch work {
        case .records(.edit(let edit, _)): !edit.runsClosure && !edit.skipsSomeValues
        case .records(.deleteType), .records(.handOver), .store, .bring: true
        case .records(.renameType), .block, .settings, .check: false
        }
    }
}

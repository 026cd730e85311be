internal import Molt

extension Salvage {
    /// The states of the file that SQLite can read, newest first.
    func openSources() throws -> [SalvageSource] {
        if let path = copy.log { return try openLogged(path) }
        guard let path = copy.journaled else { return [openAlone()].compactMap { $0 } }
        let whole = SalvageSource(path, .readWrite)
        if let whole, whole.isSound { return [whole] }
        let alone = openAlone()
        if let alone, alone.isSound, whole?.mayBeUsed != true {
            report.assume("The journal beside the file does not belong to it, or is damaged: it was ignored.")
            return [alone]
        }
        if whole != nil { newestPath = path }
        return [whole, alone].compactMap { $0 }
    }

    private func openAlone() -> SalvageSource? {
        FileStatus.hasContent(copy.file) ? SalvageSource(copy.file, .immutable) : nil
    }

    /// The states of a file with a log.
    ///
    /// SQLite ends a log at its first damaged frame, so its pages are written into the copy here instead.
    private func openLogged(_ path: String) throws -> [SalvageSource] {
        guard let bytes = ByteSource(path: path), let file = ByteSource(path: copy.file) else { return [] }
        guard let log = LogPages(bytes, file: file) else {
            report.assume(
                "The log beside the file is damaged from its beginning on: the latest changes are missing, unless they "
                    + "were in the file already."
            )
            report.lostPageCount = LogPages.frameCount(of: bytes, file: file)
            isAllStale = true
            return [openAlone()].compactMap { $0 }
        }
        isLogDamaged = !log.isSound
        // The page size never changes while there is a log.
        if let size = DatabasePages.pageSize(of: file), size != log.pageSize { return try leaveOut(log, openAlone()) }
        let path = try copy.secondCopy(with: log)
        let source = SalvageSource(path, .immutable)
        let alone = source?.isSound == true ? nil : openAlone()
        if let alone, alone.isSound, source?.mayBeUsed != true { return try leaveOut(log, alone) }
        if !log.isHeaderSound {
            report.assume("The log beside the file is damaged at its beginning. Its pages were read anyway.")
        } else if !log.isSound, !log.hasLosses {
            report.assume("The log beside the file is damaged. All of its pages were read anyway.")
        }
        guard log.hasLosses else {
            newestPath = path
            return [source, alone].compactMap { $0 }
        }
        report.assume(
            "The log beside the file is damaged: the latest changes may be missing."
        )
        report.lostPageCount = log.lostPages.count + log.unknownCount
        try copy.write(log)
        damagedLog = log
        let newest = openAlone()
        if let newest { try noteStaleRows(log, in: newest) }
        return [newest, source].compactMap { $0 }
    }

    /// Uses the file without a foreign log, and counts what may be missing.
    private func leaveOut(_ log: LogPages, _ alone: SalvageSource?) throws -> [SalvageSource] {
        report.assume(
            "The log beside the file does not belong to it, or is damaged: it was ignored, so the latest changes may "
                + "be missing."
        )
        report.lostPageCount = log.leftOut.lostPages.count
        guard let alone else { return [] }
        try noteStaleRows(log.leftOut, in: alone)
        return [alone]
    }

    /// Notes the rows and tables on pages whose newest state may be lost.
    private func noteStaleRows(_ log: LogPages, in source: SalvageSource) throws {
        guard let file = ByteSource(path: source.path) else { return }
        let scan = PageScan(file, log: log)
        try scan.rows { kind, id, _, staleness in
            guard staleness != .none else { return }
            if kind == .record { try target.markStale(id, isMixed: staleness == .mixed) }
            if staleness == .mixed, !log.isLeftOut { tables.leaveOut(kind, id) }
        } unread: { _, _, _ in
        }
        guard !log.isLeftOut else { return }
        func isFresh(_ name: String) -> Bool {
            let tree = source.root(of: name).flatMap { scan.pages.tree(from: $0) }
            return tree.map { !$0.contains(where: log.mayBeStale) } ?? false
        }
        for (kind, name) in SalvagedTables.names where source.has(name) && !isFresh(name) { tables.markStale(kind) }
        tables.isSchemaStale = scan.pages.tree(from: 1)?.contains(where: log.mayBeStale) ?? true
        isVersionStale = log.mayBeStale(1)
        isKeyIndexStale = !isFresh(Self.keyIndex)
        areRecordsStale = !isFresh("molt_record")
    }
}

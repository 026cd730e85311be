#if CHILD_PROCESSES
    import Foundation
    import Molt
    import Testing

    @Suite struct `An upgrade of a damaged store` {
        let scenario: BackupScenario

        init() throws {
            scenario = try BackupScenario()
        }

        /// The damage is done once the steps have begun, as by a failing disk.
        @Test(arguments: [true, false])
        func `fails with an error that names the backup made before it, if any, which can be restored`(
            hasBackup: Bool
        ) throws {
            try scenario.fill(1, count: 2_000)
            let before = try scenario.contents
            let configuration = BackupScenario.configuration { [url = scenario.url] configuration in
                if !hasBackup { configuration.backup = nil }
                configuration.hooks.atPoint = { if $0.kind == .beforeSteps { try overwrite(url, from: 8_192 * 2) } }
            }
            let error = try #require(throws: MoltError.self) { try scenario.open(2, configuration) }
            #expect(try StoreFile.damage(at: scenario.url) != [])
            guard hasBackup else {
                #expect(!error.message.contains("backup was made"))
                return
            }
            #expect(error.code == .storeFailed && error.outcome == nil)
            let backup = try #require(try scenario.backups.first)
            let advice =
                "A backup was made before the upgrade: \(backup.url.path). Restore it, and open the store again."
            #expect(error.message.hasSuffix(advice), "\(error)")
            try CacheFile(at: scenario.url).restore(backup)
            try scenario.expectContents(before)
            #expect(try scenario.open(2).count() == 2_000)
        }

        @Test func `is not begun when the damage is found while the backup is made`() throws {
            try scenario.fill(1, count: 4_000)
            // The pages of records, not those that identify the store.
            try overwrite(scenario.url, from: 8_192 * 30)
            let damaged = try Data(contentsOf: scenario.url)
            MoltError.thrown { try scenario.open(2) }?.expect(.backupFailed, says: "The file is damaged")
            #expect(try Data(contentsOf: scenario.url) == damaged)
            try scenario.expectOtherNames()
        }

        @Test func `keeps what it has committed, whatever fails afterwards`() throws {
            try scenario.fill(1)
            struct Late: Error {}
            let configuration = BackupScenario.configuration { configuration in
                configuration.hooks.atPoint = { if $0.kind == .afterCommit { throw Late() } }
            }
            #expect(throws: Late.self) { try scenario.open(2, configuration) }
            #expect(try scenario.contents.version == 2)
            try scenario.expectBackups(1)
        }
    }

    /// Overwrites a file from an offset to its end, without SQLite.
    private func overwrite(_ url: URL, from offset: Int) throws {
        // Done by another process: this one would lose SQLite's locks when it closes the file.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        let command =
            "head -c \(size - offset) /dev/zero | tr '\\\\0' 'x' "
            + "| dd of='\(url.path)' bs=65536 seek=\(offset) oflag=seek_bytes conv=notrunc status=none"
        process.arguments = ["-c", command]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure.expected }
    }
#endif

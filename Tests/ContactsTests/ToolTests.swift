#if CHILD_PROCESSES
    import Foundation
    import Molt
    import TestSupport
    import Testing
    import contacts

    /// The contacts tool has every command of a registry's tool, which `MoltCommandTests` tests.
    @Suite struct `The commands of the contacts tool` {
        private let scratch: ScratchDirectory
        private let old: URL
        private let new: URL

        init() throws {
            scratch = try ScratchDirectory()
            old = scratch.file("release-1.molt")
            new = scratch.file("today.molt")
            for file in [old, new] { try FileManager.default.copyItem(at: Release.first.store, to: file) }
            var configuration = MoltConfiguration.contacts(release: Release.today)
            configuration.backup = BackupPolicy()
            try CodableCache(at: new, migrations: migrations, configuration: configuration).close()
        }

        @Test func `work on the stores of the app's releases`() async throws {
            let page = scratch.file("report.html").path
            let saved = scratch.file("saved.molt").path
            let backup = try #require(try CacheFile(at: new).backups().first).url
            let list = try Release.first.store.deletingLastPathComponent().appending(path: "release-1.plist").path
            let runs: [(words: [String], status: Int32, output: String)] = [
                (["info", new.path], 0, "version 4, 20 records"),
                (["get", new.path, "contact/1"], 0, "\"firstName\": \"Ada\""),
                (["schema", old.path, new.path], 1, "Type \"Alien\" has been removed.\n"),
                (["diff", backup.path, new.path], 1, "0 added, 0 removed, 15 changed, 5 the same\n"),
                (["lint"], 0, "\nNo mistakes were found.\n"),
                (["dry-run", old.path, "--html", page], 0, "The page is at \(page)."),
                (["fixture", old.path, "--redact"], 0, "\"fullName\""),
                (["verify", new.path], 0, "No damage was found.\n"),
                (["salvage", new.path, saved], 0, ""),
                (["settings", list], 0, "Defaults 4"),
                (["restore", new.path, backup.lastPathComponent], 0, "Restored"),
            ]
            for (words, status, output) in runs {
                let run = try await ContactsProcess(words)
                #expect(run.status == status, "\(words[0]): \(run.errors)")
                #expect(output.isEmpty || run.output.contains(output), "\(words[0]): \(run.output)")
                #expect(words[0] != "fixture" || !run.output.contains("Lovelace"))
            }
            #expect(try String(contentsOfFile: page, encoding: .utf8).contains("Ada Lovelace"))
            #expect(try SQLite.records(in: new) == SQLite.records(in: old))
        }

        #if os(Linux)
            @Test func `fail if the output cannot be written`() throws {
                let process = Process()
                process.executableURL = try ContactsProcess.executable
                process.arguments = ["fixture", old.path]
                process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
                let errors = Pipe()
                process.standardError = errors
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 1)
                let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                #expect(text == "contacts: the output cannot be written: No space left on device\n")
            }
        #endif
    }
#endif

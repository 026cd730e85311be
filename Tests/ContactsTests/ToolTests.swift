#if CHILD_PROCESSES
    import Foundation
    @testable import Molt
    import TestSupport
    import Testing
    import contacts

    /// Every command of the contacts tool, on the stores of the app's releases.
    @Suite
    struct `The commands of the contacts tool` {
        private let scratch: ScratchDirectory
        private let old: URL
        private let new: URL

        init() throws {
            scratch = try ScratchDirectory()
            old = scratch.file("release-1.molt")
            new = scratch.file("today.molt")
            for file in [old, new] { try FileManager.default.copyItem(at: Release.first.store, to: file) }
            var configuration = CodableCache.Configuration.contacts(release: Release.today)
            configuration.backup = BackupPolicy()
            try CodableCache(at: new, migrations: migrations, configuration: configuration).close()
        }

        private func run(_ words: String...) async throws -> ContactsProcess { try await ContactsProcess.run(words) }

        @Test
        func `show what is in a store`() async throws {
            let info = try await run("info", new.path)
            #expect(info.output.contains("version 4, 20 records"))
            #expect(info.output.contains("\"split-full-name\" (version 3): ran"))
            #expect(info.output.contains("by 4.0"))
            let keys = try await run("ls", new.path, "--type", "Call").output
            #expect(keys.split(separator: "\n").count == 3)
            #expect(keys.hasPrefix("call/1\tCall\tversion 4\t"))
            let person = try await run("get", new.path, "contact/1").output
            #expect(person.contains("\"firstName\": \"Ada\""))
            #expect(try await run("dump", old.path).output.split(separator: "\n").count == 20)
            let schema = try await run("schema", old.path, new.path)
            #expect(schema.status == 1)
            #expect(
                schema.output == """
                    Type 'Alien' has been removed.
                    Property 'Call.length' has been removed.
                    Property 'Call.seconds' has been added.
                    Type 'Person' has been added.

                    """
            )
        }

        @Test
        func `compare a store with its backup`() async throws {
            let backups = try await run("backups", new.path).output
            let name = try #require(backups.split(separator: " ").first.map { $0.trimmingCharacters(in: [":", ","]) })
            let backup = scratch.file(name)
            let diff = try await run("diff", backup.path, new.path)
            #expect(diff.status == 1)
            #expect(diff.output.hasPrefix("0 added, 0 removed, 15 changed, 5 the same\nschema version: 0 → 4\n"))
            #expect(diff.output.contains("  fullName: \"Ada Lovelace\" → missing\n"))
            let restored = try await run("restore", new.path, name)
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try await run("diff", old.path, new.path).status == 0)
            #expect(try CodableCache.schemaVersion(ofFileAt: new) == 0)
        }

        #if os(Linux)
            @Test
            func `fail if the output cannot be written`() throws {
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
                #expect(text == "contacts: the output could not be written: No space left on device\n")
            }
        #endif

        @Test
        func `plan, try and do an upgrade`() async throws {
            #expect(try await run("lint").status == 0)
            #expect(try await run("plan", old.path).output.contains("version 0 to 4, 10 of 10 migrations to run"))
            let page = scratch.file("report.html")
            let dryRun = try await run("dry-run", old.path, "--html", page.path)
            #expect(dryRun.output.contains("The page is at \(page.path)."))
            let text = try String(contentsOf: page, encoding: .utf8)
            #expect(text.contains("The upgrade from version 0 to version 4 succeeds."))
            #expect(text.contains("Ada Lovelace"))
            #expect(try CodableCache.schemaVersion(ofFileAt: old) == 0)
            #expect(try await run("upgrade", old.path).status == 0)
            #expect(try await run("diff", old.path, new.path).status == 0)
            #expect(try await run("quarantine", old.path).output == "No record is in quarantine.\n")
        }

        @Test
        func `verify stores and fixtures, and make fixtures of stores`() async throws {
            #expect(try await run("verify", new.path).output == "No damage was found.\n")
            let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path
            let verified = try await run("verify", fixtures)
            #expect(verified.status == 0, "\(verified.errors)")
            #expect(verified.output.hasPrefix("4 fixtures, "))
            let copy = scratch.file("Fixtures")
            try FileManager.default.copyItem(atPath: fixtures, toPath: copy.path)
            let recorded = try await run("record", copy.path, "--store", old.path, "--name", "first")
            #expect(recorded.status == 0, "\(recorded.errors)")
            #expect(recorded.output.hasPrefix("wrote 0-first.json\nwrote Golden/0-first@2.json\n"))
            let redacted = try await run("fixture", old.path, "--redact").output
            #expect(!redacted.contains("Lovelace"))
            #expect(redacted.contains("\"fullName\""))
        }

        @Test
        func `save what can be read of a damaged store, and show settings`() async throws {
            let saved = scratch.file("saved.molt")
            let salvage = try await run("salvage", new.path, saved.path)
            #expect(salvage.status == 0, "\(salvage.errors)")
            #expect(try await run("ls", saved.path).output == run("ls", new.path).output)
            let list = try Release.first.store.deletingLastPathComponent().appending(path: "release-1.plist")
            let settings = try await run("settings", list.path)
            #expect(settings.status == 0, "\(settings.errors)")
            #expect(settings.output.contains("Defaults 4"))
        }
    }
#endif

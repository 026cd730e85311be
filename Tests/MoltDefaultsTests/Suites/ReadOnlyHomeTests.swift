#if os(Linux)
    import Foundation
    import MoltDefaults
    import Testing
    import TestSupport

    /// The suites' directory is mounted a second time, for reading only, in a child process with mounts of its own.
    ///
    /// Mounting asks for the rights of root, so this runs where there are those, as in a container.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `Suites on a volume that can only be read` {
        @Test func `can be read, and are said not to be writable before and when they are written`() async throws {
            let scratch = try ScratchSuite()
            try scratch.domain.write(set: ["a": 1])
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try #require(Mounts.remountReadOnly(TestHome.directory))
                #expect(try scratch.domain.read() == ["a": 1])
                #expect(try scratch.suite.value(forKey: "a") == 1)
                for call in [scratch.domain.checkWritable, { try scratch.domain.write(set: ["a": 2]) }] {
                    let error = #expect(throws: DefaultsError.self) { try call() }
                    #expect(error?.code == .notWritable)
                    #expect(error?.message.contains("only be read") == true)
                }
                let missing = #expect(throws: DefaultsError.self) { try ScratchSuite().domain.checkWritable() }
                #expect(missing?.code == .notWritable)
                try scratch.defaults.set(2, forKey: "unsaved")
                let unsaved = #expect(throws: DefaultsError.self) { try scratch.suite.synchronize() }
                #expect(unsaved?.code == .notWritable)
            }
            #expect(try scratch.domain.read() == ["a": 1])
            #expect(try scratch.otherFiles() == [])
        }
    }
#endif

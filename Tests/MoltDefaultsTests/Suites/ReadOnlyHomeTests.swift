#if os(Linux)
    import Foundation
    @testable import Molt
    import Testing
    import TestSupport

    /// A child process remounts the suites' directory read-only, in a mount namespace of its own.
    ///
    /// Mounting needs root's rights, so this runs only where they exist, for instance in a container.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `Suites on a read-only volume` {
        @Test func `Suites can be read, and every attempt to write them is an error that says why`() async throws {
            let scratch = try ScratchSuite()
            try scratch.suite.write(set: ["a": 1])
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try #require(Mounts.remountReadOnly(TestHome.directory))
                #expect(try scratch.suite.allValues() == ["a": 1])
                #expect(try scratch.suite.value(forKey: "a") == 1)
                for call in [scratch.suite.checkWritable, { try scratch.suite.write(set: ["a": 2]) }] {
                    let error = #expect(throws: MoltError.self) { try call() }
                    #expect(error?.code == .notWritable)
                    #expect(error?.message.contains("read-only") == true)
                }
                let missing = #expect(throws: MoltError.self) { try ScratchSuite().suite.checkWritable() }
                #expect(missing?.code == .notWritable)
                try scratch.defaults.set(2, forKey: "unsaved")
                let unsaved = #expect(throws: MoltError.self) { try scratch.suite.synchronize() }
                #expect(unsaved?.code == .notWritable)
            }
            #expect(try scratch.suite.allValues() == ["a": 1])
        }
    }
#endif

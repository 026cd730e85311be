import Foundation
import MoltCore
import MoltDefaults
import Testing

@Suite struct `A change computed from a suite's values` {
    let scratch = ScratchSuite(named: TestHome.newSuiteName())

    private func changes(_ body: (SuiteChanges) throws -> Void) throws -> [UInt8] {
        let session = try scratch.suite.begin()
        try body(session)
        return try #require(try session.finish())
    }

    #if os(Linux)
        /// Changes with each write, because a new file replaces the old one.
        private var file: Int? {
            get throws {
                try scratch.locked {
                    try FileManager.default.attributesOfItem(atPath: scratch.file.path)[.systemFileNumber] as? Int
                }
            }
        }

        @Test func `writes nothing when there is nothing to change`() throws {
            try scratch.suite.set(1, forKey: "a")
            let journal = try changes {
                try $0.set([1, "é", .date(Date(timeIntervalSinceReferenceDate: 1.75))], forKey: "b")
                try $0.removeValue(forKey: "a")
            }
            for phase in AttachedPhase.allCases { try scratch.suite.apply(journal, phase) }
            let written = try file
            #expect(try scratch.values.keys.sorted() == ["b"])
            for phase in AttachedPhase.allCases { try scratch.suite.apply(journal, phase) }
            try scratch.domain.change(settingAsideDamage: false) { _ in SuiteEdit() }
            #expect(try file == written)
        }

        /// Another thread's write has to wait and is not overwritten.
        @Test func `is computed from the values at the time of writing`() throws {
            try scratch.suite.set(1, forKey: "count")
            let (suite, begun, ended) = (scratch.suite, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            try scratch.domain.change(settingAsideDamage: false) { content in
                Thread.detachNewThread {
                    begun.signal()
                    try? suite.set(1, forKey: "other")
                    ended.signal()
                }
                begun.wait()
                // Long enough for a write that does not wait for the lock.
                usleep(50_000)
                return SuiteEdit(values: ["count": .int((content.values["count"]?.int ?? 0) + 1)])
            }
            ended.wait()
            #expect(try scratch.values == ["count": 2, "other": 1])
            #expect(try scratch.defaults.integer(forKey: "other") == 1)
        }

        #if CHILD_PROCESSES
            @Test func `loses no write of another process`() async throws {
                let name = scratch.name
                func count(_ key: String) async {
                    await #expect(processExitsWith: .success) { [name = name as String, key = key as String] in
                        let domain = SuiteDomain(Suite(name))
                        for _ in 0..<40 {
                            try domain.change(settingAsideDamage: true) { content in
                                SuiteEdit(
                                    values: [
                                        "both": .int((content.values["both"]?.int ?? 0) + 1),
                                        key: .int((content.values[key]?.int ?? 0) + 1),
                                    ]
                                )
                            }
                        }
                    }
                }
                async let one: Void = count("one")
                async let other: Void = count("other")
                _ = await (one, other)
                #expect(try scratch.values == ["both": 80, "one": 40, "other": 40])
            }
        #endif
    #endif

    @Test func `keeps unsaved values that the app has set since`() throws {
        try scratch.suite.update(set: ["a": 1, "b": 1, "c": 1])
        let journal = try changes {
            try $0.set(2, forKey: "a")
            try $0.set(2, forKey: "b")
            try $0.removeValue(forKey: "c")
        }
        try scratch.defaults.set(3, forKey: "a")
        try scratch.defaults.set(3, forKey: "c")
        for phase in AttachedPhase.allCases { try scratch.suite.apply(journal, phase) }
        #expect(try scratch.values == ["a": 3, "b": 2, "c": 3])
        #expect(try scratch.defaults.integer(forKey: "b") == 2)
    }
}

#if os(Linux)
    import Foundation
    import MoltPlatform
    import MoltDefaults
    import Testing

    @Suite struct `A suite after a kill during a write` {
        /// All values of a file come from one write.
        private func expectWhole(_ values: [String: PropertyListValue], minimum: Int64 = 1) {
            #expect(values.count == 200)
            #expect(Set(values.values).count == 1)
            #expect(values.values.first?.int.map { $0 >= minimum } == true)
        }

        @Test func `has all values from before or from after one write`() async throws {
            for _ in 0..<8 {
                let scratch = try ScratchSuite()
                try scratch.domain.write(set: values(1))
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    killSoon()
                    for round in 2... { try Suite(name).update(set: values(round)) }
                }
                // Reads the file itself, without Molt's recovery.
                let bytes = try Data(contentsOf: scratch.file)
                let saved = try PropertyListSerialization.propertyList(from: bytes, format: nil)
                expectWhole(try #require(PropertyListValue(normalizing: saved).dictionary))
                expectWhole(try scratch.domain.read())
                try scratch.domain.write(set: ["after": 1])
                #expect(try scratch.otherFiles() == [])
            }
        }

        @Test func `is complete when the library saves the app's unsaved values first`() async throws {
            for _ in 0..<8 {
                let scratch = try ScratchSuite()
                try scratch.domain.write(set: values(1))
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    killSoon()
                    let defaults = try #require(UserDefaults(suiteName: name))
                    for round in 2... {
                        defaults.set(round, forKey: "key 7")
                        try Suite(name).update(set: values(round))
                    }
                }
                var read = try scratch.domain.read()
                read["key 7"] = read["key 8"]
                expectWhole(read)
            }
        }

        @Test func `is complete when the library saves it along with another suite`() async throws {
            for _ in 0..<8 {
                let scratch = try ScratchSuite()
                try scratch.domain.write(set: values(1))
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    killSoon()
                    _ = try Suite(name).values()
                    try Suite(name).set(1, forKey: "key 7")
                    let defaults = try #require(UserDefaults(suiteName: name))
                    let other = try ScratchSuite()
                    for round in 2... {
                        defaults.set(round, forKey: "key 7")
                        try other.suite.update(set: ["round": .int(Int64(round))])
                    }
                }
                var read = try scratch.domain.read()
                read["key 7"] = read["key 8"]
                expectWhole(read)
            }
        }
    }

    private func values(_ round: Int) -> [String: PropertyListValue] {
        Dictionary(uniqueKeysWithValues: (0..<200).map { ("key \($0)", .int(Int64(round))) })
    }

    /// Kills this process within the next tenth of a second.
    private func killSoon() {
        let delay = UInt32.random(in: 5_000...100_000)
        Thread.detachNewThread {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
    }
#endif

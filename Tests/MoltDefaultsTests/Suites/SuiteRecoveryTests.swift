#if os(Linux)
    import Foundation
    import MoltPlatform
    import MoltDefaults
    import Testing

    /// Molt keeps a copy while the library writes the file.
    @Suite struct `Recovery of a suite's file from its copy after a kill` {
        let scratch: ScratchSuite

        init() throws {
            self.init(named: TestHome.newSuiteName())
        }

        /// For a child process: other tests of this one may make the library save every suite at any time.
        private init(named name: String) {
            scratch = ScratchSuite(named: name)
        }

        private func leave(_ copy: [String: PropertyListValue], as kind: String = "copy") throws {
            let url = try TestHome.directory.appendingPathComponent(".\(scratch.name).plist.molt-\(kind)")
            try Self.bytes(copy).write(to: url)
        }

        private func write(_ values: [String: PropertyListValue]) throws {
            try Self.bytes(values).write(to: scratch.file)
        }

        /// The bytes that `UserDefaults` would write.
        private static func bytes(_ values: [String: PropertyListValue]) throws -> Data {
            try PropertyListSerialization.data(
                fromPropertyList: PropertyListValue.dictionary(values).object,
                format: .xml,
                options: 0
            )
        }

        private func expect(_ values: [String: PropertyListValue]) throws {
            #expect(try scratch.values == values)
            #expect(try PropertyListReader.value(Data(contentsOf: scratch.file)) == .dictionary(values))
            #expect(try scratch.otherFiles() == [])
            #expect(try scratch.defaults.synchronize())
            #expect(try scratch.values == values)
        }

        @Test func `The copy restores lost keys although the app has set others since`() throws {
            try leave(["a": 1, "b": 2])
            try write(["b": 3, "c": 4])
            try expect(["a": 1, "b": 3, "c": 4])
        }

        @Test func `The copy restores lost keys although the app saved its own before Molt read the suite`()
            async throws
        {
            try leave(["a": 1, "b": 2])
            try scratch.writeFile("")
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try scratch.defaults.set(5, forKey: "new")
                #expect(try scratch.defaults.synchronize())
                #expect(try PropertyListReader.value(Data(contentsOf: scratch.file)) == ["new": 5])
                try scratch.suite.set(6, forKey: "newer")
                #expect(try scratch.values == ["a": 1, "b": 2, "new": 5, "newer": 6])
            }
        }

        @Test(arguments: [["a": 1], ["a": 1, "b": 5], ["a": 1, "b": 2, "c": 3]] as [[String: PropertyListValue]])
        func `The copy is dropped when the file has one of its values`(values: [String: PropertyListValue]) throws {
            try leave(["a": 1, "b": 2])
            try write(values)
            try expect(values)
        }

        /// The new content may have nothing in common with the old one.
        @Test func `An old copy is dropped unless the file is truncated`() async throws {
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let tests = `Recovery of a suite's file from its copy after a kill`(named: name)
                try tests.leave(["title": 1, "molt.ledger": "of the new version"], as: "old")
                try tests.write(["name": 1])
                try tests.expect(["name": 1])
                try tests.leave(["title": 1], as: "old")
                try tests.scratch.writeFile("")
                try tests.expect(["title": 1])
            }
        }

        @Test func `The copy replaces a file that is found truncated at the end of a change`() async throws {
            try scratch.suite.update(set: ["a": 1, "b": 2])
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                var calls = 0
                try scratch.domain.change(settingAsideDamage: false) { _ in
                    calls += 1
                    guard calls > 1 else {
                        // The library saves this value during the change, so the change is computed again.
                        try scratch.defaults.set(5, forKey: "a")
                        return SuiteEdit(values: ["c": 3])
                    }
                    // As if another process were killed while the library wrote the file.
                    try Data().write(to: scratch.file)
                    return SuiteEdit()
                }
                #expect(calls == 2)
                #expect(try scratch.values == ["a": 1, "b": 2])
            }
            try expect(["a": 1, "b": 2])
        }

        // MARK: A truncated file without a copy

        /// The library saves the app's unsaved values; a kill right after that must lose nothing.
        @Test func `A truncated file without a copy is made complete before the library writes it`() async throws {
            try scratch.writeFile("")
            await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try scratch.defaults.set(5, forKey: "new")
                try scratch.domain.change(settingAsideDamage: true) { content in
                    if content.values["new"] != nil { kill(getpid(), SIGKILL) }
                    return content.values.isEmpty ? SuiteEdit(values: ["a": 1, "b": 2]) : SuiteEdit(values: ["c": 3])
                }
            }
            try expect(["a": 1, "b": 2, "new": 5])
        }

        // MARK: Strings with a NUL

        /// A value whose string has a NUL at the given offset of the file.
        private func text(withNULAt place: Int) throws -> [String: PropertyListValue] {
            let head = try #require(Self.bytes(["key": "x"]).firstRange(of: Data("x</".utf8)))
            let before = String(repeating: "x", count: place - head.lowerBound)
            return ["key": .string(before + "\0" + String(repeating: "x", count: 700)), "other": 1]
        }

        @Test(arguments: [700, 1_000, 1_500])
        func `The copy does not replace a newer file with a NUL in a string`(place: Int) throws {
            let values = try text(withNULAt: place)
            try write(values)
            let bytes = try Data(contentsOf: scratch.file)
            let found = try #require(bytes.firstIndex(of: 0))
            #expect(found % 512 != 0 && (found + 1) % 512 != 0)
            try leave(["key": "old", "other": 1])
            try expect(values)
        }

        @Test func `The copy does not replace a newer file with the same NUL at any offset`() async throws {
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let tests = `Recovery of a suite's file from its copy after a kill`(named: name)
                for place in 1_020...1_060 {
                    let values = try tests.text(withNULAt: place)
                    try tests.write(values)
                    try tests.leave(values.merging(["gone": true]) { $1 })
                    try tests.expect(values)
                }
            }
        }

        @Test(arguments: [512..<1_024, 1_024..<1_536, 700..<1_024, 1_024..<1_300] as [Range<Int>])
        func `The copy replaces a file with a zeroed sector`(zeros: Range<Int>) throws {
            let text = String(repeating: "x", count: 2_000)
            let values: [String: PropertyListValue] = ["key": .string(text), "other": 1]
            try write(values)
            var bytes = try Data(contentsOf: scratch.file)
            for index in zeros { bytes[index] = 0 }
            try scratch.writeFile(bytes)
            #expect(try PropertyListReader.value(bytes).dictionary?["other"] == 1)
            try leave(values)
            try expect(values)
        }
    }
#endif

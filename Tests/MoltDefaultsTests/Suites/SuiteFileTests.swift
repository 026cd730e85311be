#if os(Linux)
    import Foundation
    import MoltDefaults
    import Testing

    @Suite struct `A suite's file` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())
        var domain: SuiteDomain { scratch.domain }

        @Test func `is read as a whole, and as no values when missing or empty`() throws {
            #expect(try domain.read() == [:])
            try scratch.writeFile("")
            #expect(try domain.read() == [:])
            try domain.write(set: `Values from UserDefaults`.values)
            #expect(try domain.read() == `Values from UserDefaults`.values)
        }

        static let damaged = ["garbage", "<plist><dict><key>secret</key>", "<plist version=\"1.0\"><array/></plist>"]

        /// In a child process, because `synchronize()` of any suite saves all unsaved values of the process.
        @Test(arguments: damaged)
        func `is never overwritten when it is damaged`(text: String) async throws {
            try scratch.writeFile(text)
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try scratch.defaults.set(1, forKey: "unsaved")
                let calls: [() throws -> Void] = [
                    { _ = try scratch.domain.read() }, { try scratch.domain.write(set: ["a": 1]) },
                    { try scratch.domain.checkWritable() }, { _ = try scratch.suite.value(forKey: "a") },
                    { try scratch.suite.synchronize() },
                ]
                for call in calls {
                    let error = #expect(throws: DefaultsError.self) { try call() }
                    #expect(error?.code == .unreadable)
                    #expect(error?.path == (try scratch.file.path))
                    #expect(error?.suite == scratch.name)
                    #expect(error?.debugDescription.contains("secret") == false)
                }
            }
            #expect(try String(contentsOf: scratch.file, encoding: .utf8) == text)
        }

        @Test func `is not written when it would contain a value of an unsupported type`() throws {
            let objects: [String: Any] = ["archived": ["CF$UID": 1], "a": 1]
            let bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
            try scratch.writeFile(bytes)
            let error = #expect(throws: DefaultsError.self) { try domain.write(set: ["a": 2]) }
            #expect(error?.code == .unreadable)
            #expect(error?.key == "archived")
            #expect(try Data(contentsOf: scratch.file) == bytes)
        }

        @Test func `is an error when a directory is in its place`() throws {
            try FileManager.default.createDirectory(at: scratch.file, withIntermediateDirectories: false)
            for call in [{ _ = try domain.read() }, { try domain.write(set: ["a": 1]) }, domain.checkWritable] {
                let error = #expect(throws: DefaultsError.self) { try call() }
                #expect(error?.code == .notWritable)
                #expect(error?.path == (try scratch.file.path))
            }
        }

        @Test func `keeps its permissions, is private when new, and leaves no other files behind`() throws {
            func permissions() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: scratch.file.path)[.posixPermissions] as? Int
            }
            try domain.write(set: ["a": 1])
            #expect(try permissions() == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scratch.file.path)
            try domain.write(set: ["a": 2])
            #expect(try permissions() == 0o640)
            try scratch.defaults.set(3, forKey: "unsaved")
            try domain.write(set: ["a": 3])
            #expect(try scratch.otherFiles() == [])
        }

        @Test func `is written through a symbolic link`() throws {
            let target = try ScratchSuite()
            try target.domain.write(set: ["a": 1])
            try FileManager.default.createSymbolicLink(at: scratch.file, withDestinationURL: target.file)
            try domain.write(set: ["b": 2])
            #expect(try domain.read() == ["a": 1, "b": 2])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file.path) == target.file.path)
            #expect(try String(contentsOf: target.file, encoding: .utf8).contains("<key>b</key>"))
            try FileManager.default.removeItem(at: target.file)
            let error = #expect(throws: DefaultsError.self) { try domain.write(set: ["b": 2]) }
            #expect(error?.code == .notWritable)
        }

        @Test func `is cleared of the leftovers of killed writes`() throws {
            let left = try TestHome.directory.appendingPathComponent(".\(scratch.name).plist.molt-new")
            try Data("half".utf8).write(to: left)
            try domain.write(set: ["a": 1])
            #expect(try scratch.otherFiles() == [])
        }

        @Test(arguments: ["", "<plist><dict>"])
        func `is restored after a kill during the library's own write`(half: String) throws {
            try domain.write(set: ["a": 1])
            let copy = try TestHome.directory.appendingPathComponent(".\(scratch.name).plist.molt-copy")
            try FileManager.default.copyItem(at: scratch.file, to: copy)
            try scratch.writeFile(half)
            #expect(try domain.read() == ["a": 1])
            #expect(try scratch.otherFiles() == [])
            try Data("old".utf8).write(to: copy)
            #expect(try domain.read() == ["a": 1])
            #expect(try scratch.otherFiles() == [])
        }

        @Test func `is written as XML with dates in whole seconds`() throws {
            let date = Date(timeIntervalSinceReferenceDate: 1.75)
            let bytes = try PropertyListSerialization.data(fromPropertyList: ["d": date], format: .binary, options: 0)
            try scratch.writeFile(bytes)
            #expect(try domain.read() == ["d": .date(date)])
            try domain.write(set: ["a": .date(date)])
            let whole = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1))
            #expect(try domain.read() == ["a": whole, "d": whole])
        }

        @Test func `keeps values that another process wrote in the meantime`() throws {
            try domain.write(set: ["a": 1, "b": 1])
            _ = try scratch.suite.value(forKey: "a")
            let objects: [String: Any] = ["a": 1, "b": 2, "c": 3]
            try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
                .write(to: scratch.file)
            try scratch.defaults.set(4, forKey: "unsaved")
            #expect(try domain.read() == ["a": 1, "b": 2, "c": 3, "unsaved": 4])
            try domain.write(set: ["d": 5], remove: ["a"])
            #expect(try domain.read() == ["b": 2, "c": 3, "unsaved": 4, "d": 5])
        }

        @Test func `loses nothing when two processes write at once`() async throws {
            func write(_ prefix: String) async {
                await #expect(processExitsWith: .success) {
                    [
                        prefix = prefix as String, name = scratch.name as String
                    ] in
                    for number in 0..<40 { try Suite(name).set(1, forKey: "\(prefix) \(number)") }
                }
            }
            async let one: Void = write("a")
            async let other: Void = write("b")
            _ = await (one, other)
            #expect(try domain.read().count == 80)
        }

        @Test func `is not written with values that would be read back differently`() throws {
            let error = #expect(throws: DefaultsError.self) { try domain.write(set: ["CF$UID": 1]) }
            #expect(error?.code == .cannotStore)
            #expect(try domain.read() == [:])
        }

        @Test func `can be written with ten thousand values at once`() throws {
            let values = Dictionary(
                uniqueKeysWithValues: (0..<10_000).map { ("key \($0)", ["\($0)"] as PropertyListValue) }
            )
            try domain.write(set: values)
            #expect(try domain.read() == values)
        }
    }
#endif

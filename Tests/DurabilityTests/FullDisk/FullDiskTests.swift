#if os(Linux)
    import Foundation
    import Molt
    import Testing
    import TestSupport

    /// The tests run in child processes with limited file sizes, or with a small volume of their own.
    @Suite struct `A full disk` {
        /// The reason that there is no space.
        enum Kind: String, Codable, CaseIterable, Sendable {
            /// No file may grow beyond a size, as with a quota: calls fail with EFBIG.
            case sizeLimit
            /// A volume is full: calls fail with ENOSPC.
            case volume

            static let all = allCases.filter { $0 == .sizeLimit || Mounts.areAllowed }
        }

        /// One process for each kind, because starting one takes longer than most cases.
        @Test(arguments: Kind.all)
        func `A full disk loses no data and is reported, and the operation succeeds once there is space`(
            kind: Kind
        ) async throws {
            await #expect(processExitsWith: .success) { [kind = kind as Kind] in
                for test in FullDiskCase.inDirectory + (kind == .sizeLimit ? FullDiskCase.ofSuites : []) {
                    guard let room = try Room(kind, TestPlace()) else { return }
                    defer { room.place.remove() }
                    try FullDiskSweep(test: test, room: room).run()
                }
                try Self.keepOpen(kind)
                if kind == .sizeLimit { try Self.overwriteSettings() }
            }
        }

        /// An open cache can be used again once there is space.
        private static func keepOpen(_ kind: Kind) throws {
            guard let room = try Room(kind, TestPlace()) else { return }
            defer { room.place.remove() }
            try People.prepare(room.place, count: 50)
            let image = try DiskImage(of: room.place)
            var count = 0
            for bytes in stride(from: 0, to: 300_000, by: TestRun.choose(100_000, long: 4_000)) {
                try image.restore(to: room.place)
                try Self.write(room, bytes)
                count += 1
            }
            TestRun.report("full disk, \(kind), an open cache: \(count) amounts of room")
        }

        /// Writes with one cache until the disk is full, and continues once there is space.
        private static func write(_ room: Room, _ bytes: Int) throws {
            let cache = try CodableCache(at: room.place.cache)
            try cache.set("first", forKey: "first")
            var written = 0
            var failure: (any Error)?
            try room.limit(more: bytes)
            while failure == nil, written < 500 {
                do {
                    try cache.set(String(repeating: "\(written)", count: 2_000), forKey: "value \(written)")
                    written += 1
                } catch {
                    failure = error
                }
            }
            try FullDiskSweep.check(try #require(failure))
            for _ in 0..<2 {
                let error = MoltError.thrown {
                    try cache.batch { try $0.set(String(repeating: "b", count: 2_000_000), forKey: "batch") }
                }
                try FullDiskSweep.check(try #require(error))
                #expect(MoltError.isOutOfSpace(try #require(error)))
                #expect(try cache.value(String.self, forKey: "first") == "first")
                #expect(try cache.count() == 51 + written)
                #expect(try cache.value(String.self, forKey: "batch") == nil)
            }
            try room.free()
            try cache.set("after", forKey: "after")
            try cache.batch { try $0.set(String(repeating: "b", count: 2_000_000), forKey: "batch") }
            #expect(try cache.remove(forKey: "first"))
            #expect(try cache.count() == 52 + written)
            cache.close()
            #expect(try StoreFile.damage(at: room.place.cache).isEmpty)
            let reopened = try CodableCache(at: room.place.cache)
            defer { reopened.close() }
            #expect(try reopened.count() == 52 + written)
            for number in 0..<written {
                let value = try reopened.value(String.self, forKey: "value \(number)")
                #expect(value == String(repeating: "\(number)", count: 2_000))
            }
        }
    }

    extension `A full disk` {
        /// A setting that its key cannot read is quarantined, or the error says why it is not.
        ///
        /// The app must not lose today's value for an old one: the library keeps a value that it cannot save, and saves
        /// it once there is space.
        fileprivate static func overwriteSettings() throws {
            let old = PropertyListValue.string(String(repeating: "old ", count: 2_000))
            let key = SettingKey<[Int]>("numbers", default: [])
            let failures = Log<MoltError>()
            SettingKeys.onFailure = { if let error = $0 as? MoltError { failures.append(error) } }
            var found: [String: Int] = [:]
            // The file of the quarantine is larger than that of a suite with the first value, and smaller than with
            // the second one.
            for value in [[], Array(0..<1_000)] {
                for bytes in stride(from: 0, to: 40_000, by: TestRun.choose(6_000, long: 200)) {
                    let place = TestPlace()
                    defer { place.remove() }
                    try place.old.update(set: ["numbers": old, "other": 1])
                    var failure: (any Error)?
                    try FileSizeLimit.set(bytes)
                    do { try place.old.set(value, for: key) } catch { failure = error }
                    try FileSizeLimit.set(nil)

                    let quarantined = try place.old.quarantined().map(\.value)
                    #expect(quarantined == [] || quarantined == [old], "\(bytes)")
                    if let failure {
                        (failure as? MoltError)?.expect(.suiteNotWritable, store: place.old.domainName)
                        #expect(MoltError.isOutOfSpace(failure), "\(failure)")
                    } else {
                        let problem = try #require(failures.all.last?.problem)
                        let says =
                            quarantined == [] ? "it cannot be put into quarantine" : "was put into quarantine before"
                        #expect(problem.contains(says), "\(bytes): \(problem)")
                        #expect(quarantined == [old] || problem.contains("File too large"), "\(bytes): \(problem)")
                    }
                    found["\(failure == nil ? "set" : "not set"), \(quarantined.count) quarantined", default: 0] += 1
                    #expect(try place.old.value(for: key) == value, "\(bytes)")
                    #expect(try place.old.value(forKey: "other") == 1, "\(bytes)")

                    try place.old.set(old, forKey: "numbers")
                    try place.old.set([7], for: key)
                    #expect(try place.old.value(for: key) == [7] && place.old.quarantined().map(\.value) == [old])
                }
            }
            TestRun.report("full disk, settings that are quarantined: \(found)")
            #expect(found.count == 4, "\(found)")
        }
    }

    /// Runs a case with increasing amounts of free space.
    struct FullDiskSweep {
        let test: FullDiskCase
        let room: Room

        func run() throws {
            let place = room.place
            try test.prepare(place)
            let image = try DiskImage(of: place)
            let before = try test.look(place)
            try test.act(place)
            let after = try test.look(place)
            #expect(before != after, "\(test.name)")
            var (failures, pending, successes) = (0, 0, 0)
            var bytes = 0
            let step = TestRun.choose(120_000, long: 2_000)
            while successes < TestRun.choose(1, long: 3), bytes < 8_000_000 {
                try image.restore(to: place)
                try room.limit(more: bytes)
                var failure: (any Error)?
                do {
                    try test.act(place)
                    successes += 1
                } catch {
                    failure = error
                    failures += 1
                    successes = 0
                }
                try room.free()
                let left = try test.look(place)
                if let failure {
                    try Self.check(failure)
                    if left == FullDiskCase.pending { pending += 1 }
                    #expect([before, after, FullDiskCase.pending].contains(left), "\(test.name), \(bytes)")
                } else {
                    #expect(left == after, "\(test.name), \(bytes)")
                }
                try test.act(place)
                #expect(try test.look(place) == after, "\(test.name), \(bytes)")
                // Files are created within the first bytes.
                bytes += bytes < 12_000 ? TestRun.choose(4_000, long: 512) : step
            }
            #expect(failures > 0, "\(test.name)")
            TestRun.report(
                "full disk, \(room.kind), \(test.name): \(failures) amounts too small, \(pending) committed, not complete"
            )
        }

        /// Checks that an error states the cause.
        static func check(_ failure: any Error) throws {
            let error = try #require(failure as? MoltError, "\(failure)")
            #expect([.storeFailed, .suiteFailed, .suiteNotWritable].contains(error.code), "\(error)")
            #expect(MoltError.isOutOfSpace(error), "\(error)")
            let message = error.message + ((error.underlying as? MoltError)?.message ?? "")
            let reasons = ["disk is full", "no space left", "the largest size", "File too large", "No space left"]
            #expect(reasons.contains { message.contains($0) }, "\(error)")
        }
    }

    /// A place on a disk whose free space can be limited.
    struct Room {
        let kind: `A full disk`.Kind
        let place: TestPlace

        init?(_ kind: `A full disk`.Kind, _ place: TestPlace) throws {
            self.kind = kind
            self.place = place
            try place.makeDirectory()
            if kind == .volume, !Mounts.mountVolume(of: 16_384, on: place.directory) { return nil }
        }

        private var filler: String { place.directory.appendingPathComponent("filler").path }

        /// Leaves space for a number of bytes: in each file, or on the volume beyond its current contents.
        func limit(more bytes: Int) throws {
            switch kind {
            case .sizeLimit:
                try FileSizeLimit.set(bytes)
            case .volume:
                var status = statvfs()
                try #require(statvfs(place.directory.path, &status) == 0)
                let free = Int(status.f_bavail) * Int(status.f_frsize)
                let file = open(filler, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
                defer { close(file) }
                try #require(posix_fallocate(file, 0, off_t(max(1, free - bytes))) == 0)
            }
        }

        /// Removes the limit.
        func free() throws {
            switch kind {
            case .sizeLimit: try FileSizeLimit.set(nil)
            case .volume: unlink(filler)
            }
        }
    }
#endif

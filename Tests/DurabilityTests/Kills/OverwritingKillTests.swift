#if os(Linux)
    import Foundation
    import Generators
    import Molt
    import TestSupport
    import Testing

    /// Kills a process, at instants drawn from a seed, that writes values over others which their types cannot read.
    @Suite struct `A kill while unreadable values are overwritten` {
        private static let count = 300

        @Test func `Each old value is as it was, or was quarantined once`() async throws {
            let place = TestPlace()
            defer { place.remove() }
            try prepare(place)
            let image = try DiskImage(of: place)
            var random = SeededGenerator(seed: 11)
            var found: [Int] = []
            for round in 0..<TestRun.choose(4, long: 200) {
                try image.restore(to: place)
                await #expect(processExitsWith: .signal(SIGKILL), "\(round)") {
                    [place = place as TestPlace, delay = random.below(round % 2 == 0 ? 400_000 : 40_000) as Int] in
                    Thread.detachNewThread {
                        usleep(UInt32(delay))
                        Glibc.kill(getpid(), SIGKILL)
                    }
                    try overwrite(place)
                    pause()
                }
                place.forgetSettings()
                found.append(try check(place, "\(round)"))
            }
            TestRun.report("kills while unreadable values are overwritten: \(found) quarantined")
        }

        private func prepare(_ place: TestPlace) throws {
            try place.makeDirectory()
            let cache = try CodableCache(at: place.cache)
            defer { cache.close() }
            for number in 0..<Self.count {
                let old = Data(#"{"words":\#(number)}"#.utf8)
                try cache.set(document: old, ofType: "Note", writtenAt: 0, forKey: "\(number)")
            }
            let settings = (0..<Self.count / 10).map { ("\($0)", PropertyListValue.string("old \($0)")) }
            try place.old.update(set: Dictionary(uniqueKeysWithValues: settings))
        }

        /// Returns the number of old values that were quarantined.
        private func check(_ place: TestPlace, _ comment: Comment) throws -> Int {
            #expect(try StoreFile.damage(at: place.cache).isEmpty, comment)
            let cache = try CodableCache(at: place.cache)
            defer { cache.close() }
            let quarantined = Dictionary(grouping: try cache.quarantined()) { $0.key }
            for number in 0..<Self.count {
                let old = #"{"words":\#(number)}"#
                let isOld = try cache.storedText(forKey: "\(number)") == old
                let kept = quarantined["\(number)"]?.map { String(decoding: $0.content, as: UTF8.self) } ?? []
                #expect(kept == (isOld ? [] : [old]), comment)
            }
            // The library loses the suite's file if it is killed while it writes.
            let values = try? place.old.values()
            let settings = Dictionary(grouping: try place.old.quarantined()) { $0.key }
            var last = 0
            for number in 0..<Self.count / 10 {
                let kept = settings["\(number)"]?.map(\.value) ?? []
                #expect(kept.count < 2 && kept.allSatisfy { $0 == .string("old \(number)") }, comment)
                if let values, values["\(number)"] != .string("old \(number)") { #expect(kept.count == 1, comment) }
                if !kept.isEmpty { last = number }
            }
            // In their order, without a gap.
            #expect(settings.count == (settings.isEmpty ? 0 : last + 1), comment)
            return quarantined.count + settings.count
        }
    }

    private struct Note: Codable {
        var text = "new"
    }

    private func overwrite(_ place: TestPlace) throws {
        var configuration = MoltConfiguration()
        configuration.mismatches = .ignore
        configuration.unreadableValues = .quarantine(upTo: 1_000)
        let cache = try CodableCache(at: place.cache, configuration: configuration)
        for number in 0..<300 {
            if number % 3 == 0 {
                try cache.setAll((number..<number + 3).map { (key: "\($0)", value: Note()) })
            } else {
                try cache.set(Note(), forKey: "\(number)")
            }
            guard number % 10 == 0 else { continue }
            try place.old.set(number, for: SettingKey<Int>("\(number / 10)", default: 0))
        }
    }
#endif

#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import Testing
    import TestSupport

    /// Losses of power, kills and failing calls while values are written over what their types cannot read.
    ///
    /// In processes of their own, because another test may make the library save the suites.
    @Suite(
        "Losses while unreadable values are overwritten",
        .enabled(if: molt_disk_is_faulty(), "needs the calls of the C library")
    )
    struct OverwritingPowerTests {
        @Test func `A record is as it was, or quarantined once with a new value in its place`() async throws {
            await #expect(processExitsWith: .success) { try losePowerOfRecords() }
        }

        @Test func `A setting is as it was, or quarantined once`() async throws {
            await #expect(processExitsWith: .success) { try losePowerOfSettings() }
        }

        @Test func `A record stays if a call fails, and a setting is set all the same`() async throws {
            await #expect(processExitsWith: .success) {
                do { try refuseCallsOfRecords() } catch { Issue.record(error) }
                do { try refuseCallsOfSettings() } catch { Issue.record(error) }
            }
        }
    }

    // MARK: Records

    private struct Note: Codable, Equatable {
        var text: String
    }

    private let old = Data(#"{"words":1}"#.utf8)
    private let keys = ["a", "b", "c"]

    private func open(_ place: TestPlace) throws -> CodableCache {
        try CodableCache(at: place.cache, configuration: MoltConfiguration { $0.mismatches = .ignore })
    }

    private func prepareRecords(_ place: TestPlace) throws {
        try place.makeDirectory()
        let cache = try open(place)
        for key in keys { try cache.set(document: old, ofType: "Note", writtenAt: 0, forKey: key) }
        cache.close()
    }

    /// The keys whose records were quarantined; throws if one was lost or is there twice.
    private func overwritten(_ place: TestPlace) throws -> [String] {
        try place.checkWhole()
        let cache = try open(place)
        defer { cache.close() }
        let quarantined = try cache.quarantined()
        let kept = quarantined.map(\.key)
        for record in quarantined where record.content != old { throw Broken("\(record) is another one.") }
        for key in keys {
            let stored = try cache.value([String: Int].self, onFailureOf: key)
            let isOld = stored == ["words": 1]
            let isNew = try !isOld && cache.value(Note.self, forKey: key) == Note(text: key)
            let count = kept.count { $0 == key }
            guard isOld && count == 0 || isNew && count == 1 else {
                throw Broken("\(key) is old: \(isOld), new: \(isNew), and quarantined \(count) times.")
            }
        }
        return kept
    }

    extension CodableCache {
        /// The value under a key; nil if it is of another type.
        fileprivate func value<Value: Decodable & Sendable>(_ type: Value.Type, onFailureOf key: String) throws
            -> Value?
        {
            do {
                return try value(type, forKey: key)
            } catch let error as MoltError where error.code == .unreadableContent {
                return nil
            }
        }
    }

    private func overwriteRecords(_ place: TestPlace) throws {
        let cache = try open(place)
        defer { cache.close() }
        try cache.set(Note(text: "a"), forKey: "a")
        DiskRecording.mark("a")
        try cache.setAll(["b", "c"].map { (key: $0, value: Note(text: $0)) })
        DiskRecording.mark("b and c")
    }

    private func losePowerOfRecords() throws {
        let place = TestPlace()
        defer { place.remove() }
        try prepareRecords(place)
        let recording = try DiskRecording(place) {
            try overwriteRecords(place)
            DiskRecording.mark("closed")
        }
        var found: [[String]: Int] = [:]
        try PowerLossSweep(of: recording, limit: 16, seeds: 60).run { moment in
            let kept = try overwritten(place)
            found[kept, default: 0] += 1
            if moment.marks.contains("closed"), kept != keys { throw Broken("A closed file lacks \(kept).") }
            try overwriteRecords(place)
            guard try overwritten(place) == keys else { throw Broken("It cannot be done again.") }
        }
        TestRun.report("power, records that are overwritten: \(recording.operations.count) operations, \(found)")
        for kept in [[], ["a"], keys] { #expect(found[kept, default: 0] > 0, "\(kept): \(found)") }
    }

    private func refuseCallsOfRecords() throws {
        let kinds = RefusedCalls.bits(molt_disk_write, molt_disk_truncate)
        var failures = 0
        var number = 0
        var refused = 0
        repeat {
            number += 1
            let place = TestPlace()
            defer { place.remove() }
            try prepareRecords(place)
            var failure: (any Error)?
            refused = RefusedCalls(kinds, at: place).refuse(number...Int.max, with: ENOSPC, isShort: number % 2 == 0) {
                do { try overwriteRecords(place) } catch { failure = error }
            }
            let kept = try overwritten(place)
            if let failure {
                failures += 1
                #expect(MoltError.isOutOfSpace(failure), "\(number): \(failure)")
                #expect(kept == [] || kept == ["a"], "\(number)")
            }
            try overwriteRecords(place)
            #expect(try overwritten(place) == keys, "\(number)")
        } while refused > 0 && number < 200
        TestRun.report("refused calls, records that are overwritten: \(number - 1) points, \(failures) failures")
        #expect(failures > 1 && number < 200)
    }

    // MARK: Settings

    /// Sets a value with a key that the process has not used before, as in one that was just started.
    private func overwriteSetting(_ place: TestPlace) throws {
        try place.old.set(1, for: SettingKey<Int>("count", default: 0))
    }

    private let oldSetting: PropertyListValue = ["many", .string(String(repeating: "x", count: 2_000))]

    /// Whether the setting was quarantined; throws if there is another value, or if it is there twice.
    private func isQuarantined(_ place: TestPlace) throws -> Bool {
        let settings = try place.old.quarantined()
        for setting in settings where setting.value != oldSetting || setting.key != "count" {
            throw Broken("\(setting) is another one.")
        }
        guard settings.count < 2 else { throw Broken("It was quarantined twice.") }
        return !settings.isEmpty
    }

    /// The value of the setting; nil if the library was killed while it wrote the suite's file.
    private func setting(_ place: TestPlace) throws -> PropertyListValue? {
        do {
            return try place.old.values()["count"] ?? 0
        } catch let error as MoltError where error.code == .settingUnreadable {
            return nil
        }
    }

    private func losePowerOfSettings() throws {
        let place = TestPlace()
        defer { place.remove() }
        try place.old.update(set: ["count": oldSetting, "other": 1])
        let recording = try DiskRecording(place) {
            try overwriteSetting(place)
            DiskRecording.mark("set")
        }
        var found: [String: Int] = [:]
        try PowerLossSweep(of: recording, limit: 24, seeds: 100).run { moment in
            let (value, isKept) = (try setting(place), try isQuarantined(place))
            guard value == oldSetting || isKept else { throw Broken("The old value is lost.") }
            if moment.marks.contains("set"), value != 1 || !isKept {
                throw Broken("What was reported is lost.")
            }
            let word = value == nil ? "torn" : value == oldSetting ? "old" : "new"
            found[word + (isKept ? ", quarantined" : ""), default: 0] += 1
            guard value != nil else { return }
            try overwriteSetting(place)
            guard try setting(place) == 1, try isQuarantined(place) else {
                throw Broken("It cannot be set again.")
            }
        }
        TestRun.report("power, a setting that is overwritten: \(recording.operations.count) operations, \(found)")
        for word in ["old", "old, quarantined", "new, quarantined"] { #expect(found[word, default: 0] > 0, "\(found)") }
    }

    private func refuseCallsOfSettings() throws {
        // The directory is that of the suite's file, too.
        let kinds = RefusedCalls.bits(molt_disk_create, molt_disk_write, molt_disk_sync, molt_disk_rename)
        var lost = 0
        var number = 0
        var refused = 0
        repeat {
            number += 1
            let place = TestPlace()
            defer { place.remove() }
            try place.old.update(set: ["count": oldSetting])
            // Only the files of the quarantine: the library loses the suite's own file on a full disk.
            let files = TestPlace(token: place.token + SettingsQuarantine.suffix)
            refused = try RefusedCalls(kinds, at: files).refuse(number...Int.max, with: ENOSPC) {
                try overwriteSetting(place)
            }
            #expect(try setting(place) == 1, "\(number)")
            if try !isQuarantined(place) { lost += 1 }
            // The file can be used again.
            try place.old.set(oldSetting, forKey: "count")
            try overwriteSetting(place)
            #expect(try isQuarantined(place), "\(number)")
        } while refused > 0 && number < 60
        TestRun.report("refused calls, a setting that is overwritten: \(number - 1) points, \(lost) without quarantine")
        #expect(lost > 2 && number < 60)
    }
#endif

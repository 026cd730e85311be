import Foundation
import Molt
import TestSupport
import Testing

@Suite("The notes on settings in a plan") struct SettingNoteTests {
    private static func text(_ count: Int) -> PropertyListValue {
        .string(String(repeating: "s", count: count))
    }

    @Test func `name large settings, the largest first, before an upgrade and after it`() throws {
        let scratch = try ScratchSuite([
            "list": [Self.text(600_000), ["in": Self.text(600_000)]], "data": .data(Data(count: 700_000)),
            "limit": Self.text(512 * 1024), "small": 1,
        ])
        let suite = scratch.suite
        let migrations: MigrationRegistry = [Migration(to: 1, "look", .changeSettings(in: suite) { _ in })]

        let plan = try suite.plan(migrations)

        #expect(plan.settingNotes.map(\.key) == ["list", "data"])
        #expect(plan.settingNotes.map(\.byteCount) == [1_200_002, 700_000])
        let line = """

              large: "list" of \(suite.attachedName) has 1.2 MB; a suite is read as a whole, so move it into a record or \
            a file
              large: "data" of \(suite.attachedName) has 700 kB;
            """
        #expect(plan.description.contains(line))
        #expect(plan.notes.count == 2 && plan.notes[0].hasPrefix("large: \"list\" of \(suite.attachedName) has 1.2 MB"))
        try suite.upgrade(with: migrations)
        func notes(_ change: (inout MoltConfiguration) -> Void) throws -> [String] {
            try suite.plan(migrations, configuration: .init(change)).settingNotes.map(\.key)
        }
        #expect(try notes { _ in } == ["list", "data"])
        #expect(try notes { $0.largeSettingSize = nil } == [])
        // The ledger is no setting.
        #expect(try notes { $0.largeSettingSize = 0 } == ["list", "data", "limit", "small"])
        // An extension cannot see the app's settings.
        MoltError.thrown { _ = try notes { $0.process = .tool } }?.expect(.deferred)
    }

    @Test func `name what a pending conversion forgets, as its report does, in ten lines of text`() throws {
        let forgotten = (10...21).map { "key\($0)" }
        let scratch = try ScratchSuite(
            Dictionary(uniqueKeysWithValues: (forgotten + ["own", "sizes", "tags"]).map { ($0, "[1]") })
        )
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            .defaultsV4ToV5(to: 1, suite: suite, keys: [.key("tags", .array(of: .int))], except: ["own"]),
            .defaultsV4ToV5(to: 2, "sizes", suite: suite, keys: [.key("sizes", .array(of: .int))]),
        ]
        let first = MigrationID(name: "defaults-v4-to-v5", version: 1)

        let plan = try suite.plan(migrations)
        let report = try suite.upgrade(with: migrations)

        #expect(plan.settingNotes.map(\.key) == forgotten)
        #expect(report.entries[0].steps[0].keys.filter { $0.outcome == .notNamed }.map(\.key) == forgotten)
        #expect(plan.settingNotes.allSatisfy { $0.kind == .notNamed(migration: first) })
        let line = """
              not named: "key19" of \(suite.attachedName) probably has an old form, and no migration converts it: add it \
            to the keys of \(first), or to `except`
              and 2 more
            """
        #expect(plan.description.hasSuffix(line))
        #expect(try suite.plan(migrations).settingNotes == [])
    }

    @Test func `do not make a plan another one when the app changes a setting meanwhile`() throws {
        let scratch = try ScratchSuite(["old": 1, "large": Self.text(600_000)])
        let suite = scratch.suite
        let planned = Locked<[Int?]>([])
        let configuration = MoltConfiguration {
            $0.monitor = MigrationMonitor { event in
                guard case .planned(let plan) = event else { return }
                planned.withLock { $0.append(plan.settingNotes.first?.byteCount) }
            }
            // Called between the plan and the lock.
            $0.now = {
                try? suite.set(Self.text(700_000), forKey: "large")
                return Date()
            }
        }
        try suite.upgrade(
            with: [Migration(to: 1, "rename", .renameSetting("old", to: "new", in: suite))],
            configuration: configuration
        )
        #expect(planned.withLock(\.self) == [600_000])
        try scratch.expect(["new": 1, "large": Self.text(700_000)], history: ["rename"])
    }
}

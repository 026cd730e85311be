import Foundation
import Testing

// The rule is a table over dates; no backup has to be made for each.
@testable import Molt

@Suite struct `Backups kept under a policy` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// A backup; those with the same version are attempts at the same upgrade.
    private func backup(_ secondsAgo: Double, version: Int? = nil, isAutomatic: Bool = true) -> StoreBackup {
        StoreBackup(
            url: URL(fileURLWithPath: "/s.v\(version ?? 1)-\(Int(1_000_000 - secondsAgo)).backup"),
            version: version ?? Int(secondsAgo),
            date: Self.now.addingTimeInterval(-secondsAgo),
            size: 1,
            isAutomatic: isAutomatic
        )
    }

    private func excess(_ keep: Int, _ age: Duration?, _ backups: [StoreBackup]) -> [Int] {
        var policy = BackupPolicy(keep: keep, maximumAge: age)
        policy.now = { Self.now }
        return policy.excess(of: backups).map { Int(Self.now.timeIntervalSince($0.date)) }.sorted()
    }

    @Test func `are limited in number and age, but the newest one and those that the app asked for stay`() {
        let backups = [backup(30), backup(10), backup(40), backup(20)]
        let manual = [backup(10), backup(20, isAutomatic: false), backup(30), backup(40, isAutomatic: false)]
        let cases: [(keep: Int, age: Duration?, backups: [StoreBackup], excess: [Int])] = [
            (4, nil, backups, []), (3, nil, backups, [40]),
            (1, nil, backups, [20, 30, 40]), (0, nil, backups, [20, 30, 40]),
            (-1, nil, backups, [20, 30, 40]), (Int.min, nil, backups, [20, 30, 40]),
            (2, nil, [], []), (0, .zero, [backup(10)], []),
            (9, .seconds(40), backups, []), (9, .milliseconds(39_999), backups, [40]),
            (9, .seconds(5), backups, [20, 30, 40]), (9, .seconds(-5), backups, [20, 30, 40]),
            (1, .seconds(1), manual, [30]),
        ]
        for (keep, age, backups, expected) in cases {
            #expect(excess(keep, age, backups) == expected, "\(keep), \(age as Any)")
        }
    }

    @Test func `are counted by version, and the newest of each is kept`() {
        let tries = [backup(10, version: 3), backup(20, version: 3), backup(30, version: 3)]
        let all = tries + [backup(40, version: 0)]
        #expect(excess(2, nil, all) == [20, 30])
        #expect(excess(1, nil, all) == [20, 30, 40])
        #expect(excess(9, .seconds(35), all) == [20, 30, 40])
        let newest = backup(5, version: 3)
        // The first attempt's backup stays.
        #expect(BackupPolicy(keep: 1).leftovers(of: all + [newest], before: newest) == [tries[1], tries[0]])
    }

    @Test func `Backups of the same moment are distinguished by their names`() {
        var other = backup(10)
        other.url = URL(fileURLWithPath: "/z")
        #expect(excess(1, nil, [backup(10), other]) == [10])
        #expect(backup(10) < other)
    }

    @Test func `are limited to the count after each upgrade, and each has the version before its upgrade`() throws {
        try scenario.fill(0)
        for version in 1...5 {
            try scenario.open(version, BackupScenario.configuration(keep: 2)).close()
        }
        try scenario.expectBackups(4, 3)
        let manual = try CacheFile(at: scenario.url).backUp()
        try scenario.open(6, BackupScenario.configuration(keep: 1)).close()
        try scenario.expectBackups(5, 5)
        #expect(try scenario.backups.contains(manual))
    }

    @Test func `include that of the latest upgrade, even when the clock was set back`() throws {
        try scenario.fill(0)
        let now = Log<Date>()
        now.append(Self.now)
        let configuration = BackupScenario.configuration(keep: 1) { $0.backup?.now = { now.all.last ?? Date() } }
        for (version, seconds) in [(1, 0.0), (2, -86_400), (3, -86_401), (4, 86_400)] {
            now.append(Self.now.addingTimeInterval(seconds))
            try scenario.open(version, configuration).close()
            try scenario.expectBackups(version - 1)
        }
        // The names sort after all others, whatever the clock says.
        #expect(try scenario.backups.map(\.date) == [Self.now.addingTimeInterval(86_400)])
        now.append(Self.now)
        try scenario.open(5, configuration).close()
        try scenario.expectBackups(4)
        #expect(try scenario.backups[0].date > Self.now.addingTimeInterval(86_400))
    }

    @Test func `are not removed by an opening that upgrades nothing or fails`() throws {
        try scenario.fill(0)
        for version in 1...3 { try scenario.open(version, BackupScenario.configuration(keep: 9)).close() }
        let all = try scenario.backups
        let configuration = BackupScenario.configuration(keep: 1)
        try scenario.open(3, configuration).close()
        #expect(try scenario.backups == all)
        // The backup of a failed upgrade is removed, because the store is unchanged.
        scenario.failUpgrade(from: 3, configuration)
        #expect(try scenario.backups == all)
        #expect(try scenario.otherNames().count == all.count)
    }

    #if CHILD_PROCESSES
        @Test func `of killed attempts are those of the first and the last one, and those of other versions stay`()
            async throws
        {
            try scenario.fill(0)
            try scenario.open(1).close()
            let older = try scenario.backups
            var first: StoreBackup?
            for _ in 0..<3 {
                await #expect(processExitsWith: .signal(SIGKILL)) { [url = scenario.url as URL] in
                    let configuration = BackupScenario.configuration { configuration in
                        configuration.hooks.atPoint = { if $0.kind == .beforeCommit { raise(SIGKILL) } }
                    }
                    _ = try CodableCache(at: url, migrations: BackupScenario.registry(2), configuration: configuration)
                }
                guard first == nil else { continue }
                first = try scenario.backups[0]
                // An older release writes between two attempts.
                try CodableCache(at: scenario.url, migrations: BackupScenario.registry(1)).set(1, forKey: "between")
            }
            let left = try scenario.backups
            #expect(left.map(\.version) == [1, 1, 0])
            #expect(left[1] == first && left.last == older.last)
            func keys(_ backup: StoreBackup) throws -> [String] {
                try StoreFile.contents(at: backup.url).records.map(\.key).sorted()
            }
            #expect(try left.map(keys) == [["0", "1", "2", "between"], ["0", "1", "2"], ["0", "1", "2"]])
            try scenario.open(2).close()
            let kept = try scenario.backups
            #expect(kept.map(\.version) == [1, 0] && kept.last == older.last)
            #expect(try keys(kept[0]) == ["0", "1", "2", "between"])
        }
    #endif

    @Test func `A backup's name contains its date, and a similar name is not taken for one`() {
        let store = "a.v1-b.molt"
        for seconds in [0, 1, 4_102_444_799.999, 1_800_000_000.0004, 951_782_400] {
            let date = Date(timeIntervalSince1970: seconds)
            for kind in BackupName.Kind.allCases {
                let name = BackupName(store: store, version: 12, date: date, kind: kind)
                #expect(abs(name.date.timeIntervalSince1970 - seconds) < 0.001)
                #expect(BackupName(name.text, of: store) == name)
                #expect(BackupName(name.text, of: "a") == nil)
                #expect(BackupName.isPart(name.text + ".part", of: store))
                #expect(!BackupName.isPart(name.text, of: store))
            }
        }
        let names = [
            "s.v1-20260101T000000000Z", "s.v-1-20260101T000000000Z.backup", "s.v01-20260101T000000000Z.backup",
            "s.v1-20261301T000000000Z.backup", "s.v1-20260230T000000000Z.backup", "s.v1-20260101T000000Z.backup",
            "s.v1-20260101T000000000Z.backup.part", "t.v1-20260101T000000000Z.backup", "s.v1.backup", "s.backup", "s",
            "", "s.v99999999999999999999-20260101T000000000Z.backup", "s.v1-20260101T0000000é0Z.backup",
        ]
        #expect(names.filter { BackupName($0, of: "s") != nil } == [])
    }
}

import Foundation
import TestSupport
import Testing
import contacts

@testable import Molt

@Suite
struct `Upgrade paths of contacts releases` {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test(arguments: Release.allCases)
    func `One upgrade gives the same bytes as an upgrade through every release in between`(release: Release) throws {
        let direct = try scratch.store(of: release)
        let stepwise = try scratch.store(of: release)

        try upgrade(direct, throughReleases: [4])
        try upgrade(stepwise, throughReleases: Array((release.rawValue + 1)...4))

        let rows = try StoredRow.all(in: direct)
        #expect(rows == (try StoredRow.all(in: stepwise)))
        #expect(Set(rows.keys) == ExpectedPeople.keys)
    }

    @Test(arguments: [[4], [2, 4], [3, 4], [2, 3, 4]])
    func `A large store becomes the same on every upgrade path`(releases: [Int]) throws {
        let people = TestRun.choose(300, long: 700)
        let direct = scratch.file("direct.molt")
        let other = scratch.file("other.molt")
        try Release.first.write(people: people, to: direct)
        try FileManager.default.copyItem(at: direct, to: other)

        try upgrade(direct, throughReleases: [4])
        try upgrade(other, throughReleases: releases)

        #expect(try StoredRow.all(in: direct) == StoredRow.all(in: other))
        let cache = try CodableCache(at: other, migrations: migrations)
        defer { cache.close() }
        #expect(cache.report.isEmpty)
        try SampleData.check(cache, people: people)
    }

    @Test
    func `A large store is upgraded from release 1 to today in one opening`() throws {
        let people = TestRun.choose(5_000, long: 100_000)
        let file = scratch.file("contacts.molt")
        try Release.first.write(people: people, to: file)

        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }

        #expect(cache.report.from == 0)
        #expect(cache.report.to == 4)
        let split = try #require(cache.report.entries.first { $0.migration.name == "split-full-name" })
        #expect(split.counts.read == people)
        #expect(split.counts.changed == people)
        #expect(cache.report.counts.dropped == 0)
        #expect(cache.report.counts.created == 0)
        #expect(cache.report.counts.quarantined == 0)
        try SampleData.check(cache, people: people)
    }

    private func upgrade(_ file: URL, throughReleases releases: [Int]) throws {
        for release in releases {
            try CodableCache(at: file, migrations: migrations.upTo(version: release)).close()
        }
    }
}

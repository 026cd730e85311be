import Foundation
import Molt
import TestSupport
import Testing

@Suite("A plan for a store")
struct MigrationPlanTests {
    private let registry: MigrationRegistry = [
        Migration(to: 1, "a", .renameType("Alien", to: "Person")),
        Migration(to: 2, "b"),
        Migration(to: 2, "c", .removeProperty("Person", "age"), .run("number them") { _ in }),
    ]

    @Test func `GRDB 15 and 16: applied migrations are distinguished from those complete up to the first gap`() throws {
        let ledger = [("a", 1), ("b", 2), ("c", 2)]
        let cases: [(version: Int, ledger: [(String, Int)], applied: [String], completed: [String])] = [
            (0, [], [], []), (1, [ledger[0]], ["a"], ["a"]), (2, [ledger[0], ledger[2]], ["a", "c"], ["a"]),
            (2, ledger, ["a", "b", "c"], ["a", "b", "c"]),
        ]
        for (version, ledger, applied, completed) in cases {
            let plan = plan(registry, at: version, ledger: ledger)
            #expect(plan.applied.map(\.name) == applied)
            #expect(plan.completed.map(\.name) == completed)
        }
        try plan(registry, at: 0).expectPending("a", "b", "c")
        try plan(registry, at: 2, ledger: ledger).expectPending()
    }

    @Test func `A migration added at the store's own version is pending, not late`() throws {
        let plan = plan(registry, at: 2, ledger: [("a", 1), ("b", 2)])
        try plan.expectPending("c")
        #expect(plan.entries[2].action == .run)
    }

    @Test func `A fresh store skips every block except those that bring data in`() throws {
        var registry = registry
        registry.register(Migration(to: 3, "import", .deleteType("A"), .run("import", onFreshStore: true) { _ in }))
        registry.register(Migration(to: 4, "after", .deleteType("B")))
        let plan = plan(registry, at: 0, isFresh: true)
        try plan.expectPending("import")
        let skipped = MigrationPlan.Action.record(.createdAtVersion)
        #expect(plan.entries.map(\.action) == [skipped, skipped, skipped, .run, .runIfRecordsArrive])
        #expect(plan.description.hasSuffix("after  (new store, runs if records are imported)"))
    }

    @Test func `A fresh store is never too old for the registry`() throws {
        try plan(MigrationRegistry([]).oldestVersion(4), at: 0, isFresh: true).checkProblems()
    }

    // MARK: Superseded

    @Test func `A store at a later version is superseded, and the error names both versions`() {
        let plan = plan(registry, at: 5)
        #expect(plan.isSuperseded)
        expectProblem(plan, .superseded, registryVersion: 2, says: "version 5", "up to 2")
        #expect(plan.description.contains("  cannot be upgraded: The store is at version 5"))
        #expect(!plan.description.contains("migrations to run"), "\(plan)")
    }

    @Test func `GRDB 17: a store with an unknown migration is superseded`() throws {
        #expect(!plan(registry, at: 1, ledger: [("a", 1)]).isSuperseded)
        let branch = plan(registry, at: 2, ledger: [("a", 1), ("b", 2), ("from-a-branch", 2)])
        #expect(branch.isSuperseded)
        let unknown = MigrationID(name: "from-a-branch", version: 2)
        expectProblem(branch, .migrationMissing, unknown, registryVersion: 2, says: "\"from-a-branch\"")
        // The error names all of them, and no other.
        let error = try #require(throws: MoltError.self) {
            try plan(registry, at: 2, ledger: [("x", 1), ("a", 1), ("y", 2)]).checkProblems()
        }
        #expect(error.message.contains("\"x\", \"y\""))
        #expect(!error.message.contains("\"a\","))
    }

    // MARK: Retired migrations

    private let retired = MigrationRegistry([Migration(to: 4, "d")]).oldestVersion(3)

    @Test func `A store below the oldest supported version is refused, and the error names both versions`() {
        expectProblem(plan(retired, at: 2), .tooOld, registryVersion: 3, says: "version 2", "is 3")
    }

    @Test func `A store at the oldest supported version is upgraded, and its retired ledger rows are ignored`() throws {
        try plan(retired, at: 3, ledger: [("a", 1), ("b", 3)]).expectPending("d")
    }

    @Test func `An unknown ledger row above the oldest supported version makes a store superseded`() {
        #expect(plan(retired, at: 4, ledger: [("a", 1), ("b", 4)]).isSuperseded)
    }

    // MARK: Late

    @Test func `A migration below the store's version that never ran is an error that names it`() {
        let one = plan(registry, at: 2, ledger: [("b", 2), ("c", 2)])
        #expect(one.entries[0].action == .late)
        #expect(!one.entries[0].willRun)
        let late = MigrationID(name: "a", version: 1)
        expectProblem(one, .lateMigration, late, registryVersion: 2, says: "\"a\" (version 1)")
        // Each one is a problem of its own.
        let two = plan([Migration(to: 1, "a"), Migration(to: 1, "b"), Migration(to: 3, "c")], at: 2)
        #expect(two.problems.map(\.migration?.name) == ["a", "b"])
    }

    @Test func `A late migration is named before one on read that the registry has lost`() {
        let date = Date(timeIntervalSince1970: 0)
        let ledger = [
            LedgerEntry(name: "lost", version: 1, outcome: .onRead, appliedAt: date),
            LedgerEntry(name: "c", version: 5, appliedAt: date),
        ]
        let registry = MigrationRegistry([Migration(to: 3, "late"), Migration(to: 5, "c")]).oldestVersion(2)
        let plan = registry.plan(for: StoreState(version: 5, isFresh: false, ledger: ledger), of: "store")
        #expect(plan.problems.map(\.migration?.name) == ["late", "lost"])
    }

    @Test func `GRDB 18: a late migration runs when the registry allows it`() throws {
        var registry = registry
        registry = registry.allowingLateMigrations()
        let plan = plan(registry, at: 2, ledger: [("b", 2), ("c", 2)])
        try plan.expectPending("a")
        #expect(plan.entries[0].status == .late && plan.entries[0].action == .run)
    }

    // MARK: Text and Codable

    @Test func `A plan prints as text`() {
        #expect(
            plan(registry, at: 1, ledger: [("a", 1)]).description == """
                /tmp/people.molt: version 1 to 2, 2 of 3 migrations to run
                  · 1  a  (applied)
                  > 2  b  (pending)
                  > 2  c  (pending)
                       - remove Person.age
                       - number them
                  removes: Person.age
                """
        )
        #expect(
            plan(registry, at: 0, isFresh: true).description.hasPrefix(
                "/tmp/people.molt: new, would be created at version 2\n  · 1  a  (new store, skipped)"
            )
        )
        #expect(
            plan(registry, at: 2, ledger: [("a", 1), ("b", 2), ("c", 2)]).description.hasPrefix(
                "/tmp/people.molt: up to date at version 2\n"
            )
        )
    }

    @Test func `The JSON of a plan has what people and tools read of it`() throws {
        var plan = plan(registry, at: 1, ledger: [("a", 1)])
        plan.entries.removeLast(2)
        plan.journal = ["suite a"]
        #expect(
            try sortedJSON(plan) == """
                {"edits":[],"entries":[{"action":"applied","isWorkPending":false,"losses":[],\
                "migration":{"name":"a","version":1},"outcome":"ran","requirements":[],\
                "steps":["rename the type Alien to Person"]}],"from":1,"handovers":[],"isFresh":false,\
                "journal":["suite a"],\
                "needsErasure":false,"notes":[],"otherStores":[],"problems":[],"seeds":[],\
                "store":"/tmp/people.molt","to":2}
                """
        )
    }

    @Test func `A problem is encoded with its code and its remedy`() throws {
        let newer = try sortedJSON(plan(registry, at: 5))
        #expect(newer.contains(#""problems":[{"advice":"Update the app. "#), "\(newer)")
        #expect(newer.contains(#""code":"superseded","problem":"The store is at version 5"#), "\(newer)")
    }

    @Test func `An action is encoded as one word, with its parts beside it`() throws {
        let fresh = plan(registry, at: 0, isFresh: true)
        #expect(try sortedJSON(fresh).contains(#""action":"record","isWorkPending":false"#))
        #expect(try sortedJSON(fresh).contains(#""outcome":"bornFresh""#))
        let late = plan(registry, at: 2, ledger: [("b", 2), ("c", 2)])
        #expect(try sortedJSON(late).contains(#"{"action":"late","#))
        #expect(try sortedJSON(plan(registry, at: 1, ledger: [("a", 1)])).contains(#"{"action":"run","#))
    }

    @Test func `The JSON of a plan lacks nothing that a plan says`() throws {
        let steps: [Migration] = [
            Migration(to: 1, "a", .removeProperty("Person", "age"), .deleteType("Token"))
                .requirement(orElse: "It must hold.") { _ in true }
                .afterCommit("tell the server") { _ in },
            Migration(to: 1, "b"), Migration(to: 1, "c"), Migration(to: 1, "d"), Migration(to: 1, "e"),
            Migration(to: 1, "f"),
        ]
        var edited = LedgerEntry(name: "f", version: 1, appliedAt: Date(timeIntervalSince1970: 0))
        edited.fingerprint = "another"
        let state = StoreState(version: 0, isFresh: false, ledger: [edited], journal: ["suite a"])
        var plan = MigrationRegistry(steps).plan(for: state, of: "/tmp/people.molt")
        plan.entries[0].isWorkPending = true
        plan.entries[0].neededBy = MigrationID(name: "b", version: 1)
        plan.entries[1].actions.store = .wait("It waits.")
        plan.entries[2].actions.store = .record(.replaced)
        plan.entries[3].actions.suites = ["suite b": .run, "suite a": .run]
        (plan.entries[4].actions.store, plan.entries[4].status) = (.none, .notNeeded)
        plan.entries[4].replacement = MigrationID(name: "a", version: 1)
        let id = MigrationID(name: "b", version: 1)
        plan.faults = [
            MoltError(.superseded, "It is newer.", advice: "Update the app.", migration: id),
            MoltError(.storeFailed, "It is full."),
        ]
        plan.movesFrom = "/tmp/old.molt"
        plan.otherStores = ["/tmp/other.molt"]
        plan.needsErasure = true
        plan.seeds = ["cities"]
        let (problem, advice) = try (sortedJSON(plan.edits[0].problem), sortedJSON(plan.edits[0].advice))
        let json = try sortedJSON(plan)
        #expect(
            json == #"""
                {"edits":[{"advice":\#(advice),"code":"migrationEdited","migration":{"name":"f","version":1},\#
                "problem":\#(problem)}],"entries":[{"action":"run","isWorkPending":true,\#
                "losses":[{"kind":"property","name":"Person.age"},{"kind":"records","name":"Token"}],\#
                "migration":{"name":"a","version":1},"neededBy":{"name":"b","version":1},\#
                "requirements":["It must hold."],"steps":["remove Person.age","delete the type Token"],\#
                "work":"tell the server"},{"action":"wait","isWorkPending":false,"losses":[],\#
                "migration":{"name":"b","version":1},"reason":"It waits.","requirements":[],"steps":[]},\#
                {"action":"record","isWorkPending":false,"losses":[],"migration":{"name":"c","version":1},\#
                "outcome":"replaced","requirements":[],"steps":[]},{"action":"runOnSuites","isWorkPending":false,\#
                "losses":[],"migration":{"name":"d","version":1},"requirements":[],"steps":[],"suites":["suite a",\#
                "suite b"]},{"action":"notNeeded","isWorkPending":false,"losses":[],"migration":{"name":"e",\#
                "version":1},"replacement":{"name":"a","version":1},"requirements":[],"steps":[]},\#
                {"action":"applied","isWorkPending":false,"losses":[],"migration":{"name":"f","version":1},\#
                "outcome":"ran","requirements":[],"steps":[]}],"from":0,"handovers":[],"isFresh":false,\#
                "journal":["suite a"],"movesFrom":"/tmp/old.molt","needsErasure":true,"notes":[],\#
                "otherStores":["/tmp/other.molt"],"problems":[{"advice":"Update the app.","code":"superseded",\#
                "migration":{"name":"b","version":1},"problem":"It is newer."},{"code":"storeFailed",\#
                "problem":"It is full."}],"seeds":["cities"],"store":"/tmp/people.molt","to":1}
                """#
        )
    }
}

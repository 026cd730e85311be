import Testing

@testable import Molt

/// Apple's systems keep each setting by itself, so a kill may leave a part of a committed change.
@Suite struct `Committed changes of which a part was made` {
    @Test func `The rest is made, after any number of single changes`() throws {
        var patch = SuitePatch(snapshot: ["name": "Ada", "mail": "a@b.c", "count": 3])
        patch.set = ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4]
        patch.remove = ["name", "mail"]
        patch.renamed = ["fullName": "name", "address": "mail"]
        try expectCompleted(patch, ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4], changes: 6)
    }

    @Test func `All settings may be renamed`() throws {
        var patch = SuitePatch(snapshot: ["a": 1])
        patch.set = ["b": 1, "c": 2]
        patch.remove = ["a"]
        patch.renamed = ["b": "a"]
        try expectCompleted(patch, ["b": 1, "c": 2], changes: 3)
    }

    private func expectCompleted(
        _ patch: SuitePatch,
        _ expected: [String: PropertyListValue],
        changes count: Int
    ) throws {
        let suite = Suite("partial")
        let changes = Suite.inOrder(try patch.changes(to: patch.snapshot, of: suite))
        #expect(changes.count == count)
        for made in 0...changes.count {
            var values = patch.snapshot
            for (key, value) in changes.prefix(made) { values[key] = value }
            for (key, value) in try patch.changes(to: values, of: suite) { values[key] = value }
            #expect(values == expected, "after \(made)")
        }
    }
}

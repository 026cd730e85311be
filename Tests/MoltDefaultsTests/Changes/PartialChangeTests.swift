import Molt
import Testing

/// Apple's systems keep each setting by itself, so a kill may leave a part of a committed change.
@Suite struct `Committed changes of which a part was made` {
    @Test func `The rest is made, after any number of single changes`() {
        var intent = SuitePatch(snapshot: ["name": "Ada", "mail": "a@b.c", "count": 3])
        intent.set = ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4]
        intent.remove = ["name", "mail"]
        intent.renamed = ["fullName": "name", "address": "mail"]
        expectCompleted(intent, ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4], changes: 6)
    }

    @Test func `All settings may be renamed`() {
        var intent = SuitePatch(snapshot: ["a": 1])
        intent.set = ["b": 1, "c": 2]
        intent.remove = ["a"]
        intent.renamed = ["b": "a"]
        expectCompleted(intent, ["b": 1, "c": 2], changes: 3)
    }

    private func expectCompleted(_ intent: SuitePatch, _ expected: [String: PropertyListValue], changes count: Int) {
        let changes = intent.changes(to: intent.snapshot).changes
        #expect(changes.count == count)
        for made in 0...changes.count {
            var values = intent.snapshot
            for (key, value) in changes.prefix(made) { values[key] = value }
            for (key, value) in intent.changes(to: values).changes { values[key] = value }
            #expect(values == expected, "after \(made)")
        }
    }
}

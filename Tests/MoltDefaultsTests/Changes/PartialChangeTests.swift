import MoltDefaults
import Testing

/// Apple's systems keep each setting by itself, so a kill may leave a part of a committed change.
@Suite struct `Committed changes of which a part was made` {
    @Test func `The rest is made, after any number of single changes`() {
        var intent = SuiteIntent(snapshot: ["name": "Ada", "mail": "a@b.c", "count": 3])
        intent.set = ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4]
        intent.remove = ["name", "mail"]
        intent.renamed = ["fullName": "name", "address": "mail"]
        let before = intent.snapshot
        let changes = intent.changes(to: before).changes
        #expect(changes.count == 6)

        for count in 0...changes.count {
            var values = before
            for (key, value) in changes.prefix(count) { values[key] = value }
            for (key, value) in intent.changes(to: values).changes { values[key] = value }
            #expect(
                values == ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4],
                "after \(count)"
            )
        }
    }

    @Test func `All settings may be renamed`() {
        var intent = SuiteIntent(snapshot: ["a": 1])
        intent.set = ["b": 1, "c": 2]
        intent.remove = ["a"]
        intent.renamed = ["b": "a"]
        let changes = intent.changes(to: ["a": 1]).changes

        for count in 0...changes.count {
            var values: [String: PropertyListValue] = ["a": 1]
            for (key, value) in changes.prefix(count) { values[key] = value }
            for (key, value) in intent.changes(to: values).changes { values[key] = value }
            #expect(values == ["b": 1, "c": 2], "after \(count)")
        }
    }
}

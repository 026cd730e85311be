import Foundation
import Testing

// A change is stopped after each of its single writes, in memory.
@testable import Molt

@Suite struct `A change computed from a suite's values` {
    let scratch = ScratchSuite(named: TestHome.newSuiteName())

    #if os(Linux)
        @Test func `writes nothing when there is nothing to change`() throws {
            try scratch.suite.set(1, forKey: "a")
            let migrations = try scratch.commit {
                try $0.set([1, "é", .date(Date(timeIntervalSinceReferenceDate: 1.75))], forKey: "b")
                try $0.removeValue(forKey: "a")
            }
            let journal = try scratch.journal()
            try scratch.suite.upgrade(with: migrations)
            try expect(scratch.values.keys.sorted(), is: ["b"])
            let past = Date(timeIntervalSinceReferenceDate: 0)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: scratch.file.path)
            for (file, bytes) in journal { try bytes.write(to: file) }
            try scratch.suite.upgrade(with: migrations)
            try scratch.suite.change { _ in [:] }
            try scratch.suite.update(set: scratch.values, remove: ["a"])
            let modified = try FileManager.default.attributesOfItem(atPath: scratch.file.path)[.modificationDate]
            #expect(modified as? Date == past)
        }
    #endif

    /// Another thread's change has to wait and is not overwritten.
    @Test func `is computed from the values at the time of writing`() throws {
        try scratch.suite.set(1, forKey: "count")
        let (suite, begun, ended) = (scratch.suite, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try scratch.suite.change { values in
            Thread.detachNewThread {
                begun.signal()
                try? suite.set(7, forKey: "count")
                ended.signal()
            }
            begun.wait()
            // Long enough for a change that does not wait for the lock.
            usleep(50_000)
            return ["count": .int((values["count"]?.int ?? 0) + 1)]
        }
        ended.wait()
        try scratch.expect(["count": 7])
    }

    @Test func `replaces a value by one that the platform takes for equal`() throws {
        let values: [[PropertyListValue]] = [
            [.int(0), .bool(false), .double(0)], [.int(1), .bool(true), .double(1), "1"],
            [[1], [.double(1)], [.bool(true)]], [["a": 1], ["a": .double(1)]], ["\u{E9}", "e\u{301}"],
            [.data(Data([1, 2])), .data(Data([2, 1]))],
        ]
        for equal in values {
            for old in equal {
                for new in equal where new != old {
                    try scratch.suite.set(old, forKey: "a")
                    try scratch.suite.set(new, forKey: "a")
                    try scratch.expect(["a": new], "\(old) to \(new)")
                }
            }
        }
    }

    @Test func `keeps unsaved values that the app has set since`() throws {
        try scratch.suite.update(set: ["a": 1, "b": 1, "c": 1])
        let migrations = try scratch.commit {
            try $0.set(2, forKey: "a")
            try $0.set(2, forKey: "b")
            try $0.removeValue(forKey: "c")
        }
        let defaults = try scratch.defaults
        defaults.set(3, forKey: "a")
        defaults.set(3, forKey: "c")
        try scratch.suite.upgrade(with: migrations)
        try scratch.expect(["a": 3, "b": 2, "c": 3])
        #expect(defaults.integer(forKey: "b") == 2)
    }
}

/// Apple's systems keep each setting by itself, so a kill may leave a part of a committed change.
@Suite struct `Committed changes of which a part was made` {
    @Test func `The rest is made, after any number of single changes`() throws {
        var patch = SuitePatch(snapshot: ["name": "Ada", "mail": "a@b.c", "count": 3])
        patch.set = ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4]
        patch.remove = ["name", "mail"]
        patch.renamed = ["fullName": "name", "address": "mail"]
        try expectCompleted(patch, ["fullName": "Ada", "address": "a@b.c", "theme": "dark", "count": 4], changes: 6)
        // All settings may be renamed.
        patch = SuitePatch(snapshot: ["a": 1])
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

package import Molt

extension SampleData {
    /// Reads every value of a store with today's models and compares it with what it must be.
    ///
    /// - Parameters:
    ///   - cache: A store of sample data, whichever release wrote it, upgraded to today's.
    ///   - count: How many people were written.
    /// - Throws: ``ContactsError`` for the first value that is wrong, and when there are more or fewer records;
    ///   `CancellationError` in a task that is cancelled.
    package static func check(_ cache: CodableCache, people count: Int) throws {
        var expected = (people: 0, groups: 0, calls: 0, avatars: 0)
        for batch in batches(people: count) {
            try Task.checkCancellation()
            try compare(cache, batch.contacts, \.expected)
            try compare(cache, batch.groups, \.self)
            try compare(cache, batch.calls, \.expected)
            try compare(cache, batch.avatars, \.self)
            expected.people += batch.contacts.count
            expected.groups += batch.groups.count
            expected.calls += batch.calls.count
            expected.avatars += batch.avatars.count
        }
        try checkCount(of: "Person", try cache.count(of: Person.self), expected.people)
        try checkCount(of: "Group", try cache.count(of: Group.self), expected.groups)
        try checkCount(of: "Call", try cache.count(of: Call.self), expected.calls)
        let others = try cache.count() - expected.people - expected.groups - expected.calls
        try checkCount(of: "Data", others, expected.avatars)
    }

    private static func compare<Sample, Value: Decodable & Equatable>(
        _ cache: CodableCache,
        _ samples: [(key: String, value: Sample)],
        _ expected: KeyPath<Sample, Value>
    ) throws {
        let values = try cache.values(Value.self, forKeys: samples.map(\.key))
        for ((key, sample), value) in zip(samples, values) {
            guard value == sample[keyPath: expected] else { throw ContactsError.wrongValue(key: key) }
        }
    }

    private static func checkCount(of type: String, _ found: Int, _ expected: Int) throws {
        guard found == expected else { throw ContactsError.wrongCount(of: type, found: found, expected: expected) }
    }
}

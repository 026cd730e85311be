internal import Foundation
package import Molt

/// People, groups, calls and pictures that are identical in every run.
package enum SampleData {
    /// The number of people in the checked-in stores.
    package static let namedPeople = 12

    /// A part of the data, each value with its key.
    struct Batch {
        var people: [(key: String, value: SamplePerson)] = []
        var groups: [(key: String, value: Group)] = []
        var calls: [(key: String, value: SampleCall)] = []
        /// Raw data.
        var pictures: [(key: String, value: Data)] = []
    }

    /// A call, independent of any release.
    struct SampleCall {
        var person: String
        var seconds: Int

        /// Minutes and seconds, as in "2:05".
        var length: String {
            "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
        }
    }

    /// Generates the data of a store, in batches of 1000 people.
    static func batches(people count: Int) -> some Sequence<Batch> {
        stride(from: 0, to: count, by: 1000).lazy.map { batch(of: $0..<min($0 + 1000, count)) }
    }

    /// Returns the key of the person at a zero-based index.
    static func key(ofPersonAt index: Int) -> String {
        "contact/\(index + 1)"
    }

    private static func batch(of indices: Range<Int>) -> Batch {
        var batch = Batch()
        for index in indices {
            let key = key(ofPersonAt: index)
            batch.people.append((key, person(at: index)))
            if occurs(at: index, every: 6) {
                let members = (index..<min(index + 6, indices.upperBound)).map(self.key(ofPersonAt:))
                batch.groups.append(("group/\(index + 1)", Group(name: "Group \(index + 1)", members: members)))
            }
            if occurs(at: index, every: 4) {
                batch.calls.append(("call/\(index + 1)", SampleCall(person: key, seconds: index * 37 % 5_000)))
            }
            if occurs(at: index, every: 5) {
                batch.pictures.append(("avatar/\(index + 1)", picture(at: index)))
            }
        }
        return batch
    }

    /// Whether the person at an index has a group, a call or a picture: some named people do, and 1 in 100 others.
    private static func occurs(at index: Int, every step: Int) -> Bool {
        index < namedPeople ? index % step == 0 : index % 100 == step
    }

    /// Returns bytes that are neither UTF-8 nor JSON.
    private static func picture(at index: Int) -> Data {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF]
        return Data(signature + (0..<8).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) })
    }

    // MARK: Checking

    /// Reads every value of an upgraded store with today's models, and compares it with the expected value.
    ///
    /// - Parameter count: The number of people that were written.
    /// - Throws: ``ContactsError`` for the first wrong value, or when the number of records is wrong.
    package static func check(_ cache: CodableCache, people count: Int) throws {
        var expected = 0
        for batch in batches(people: count) {
            try compare(cache, batch.people.map { ($0.key, $0.value.expected) })
            try compare(cache, batch.groups)
            try compare(cache, batch.calls.map { ($0.key, Call(person: $0.value.person, seconds: $0.value.seconds)) })
            try compare(cache, batch.pictures)
            expected += batch.people.count + batch.groups.count + batch.calls.count + batch.pictures.count
        }
        let found = try cache.count()
        guard found == expected else {
            throw ContactsError("The store has \(found) records and should have \(expected).")
        }
    }

    private static func compare<Value: Decodable & Equatable>(
        _ cache: CodableCache,
        _ expected: [(key: String, value: Value)]
    ) throws {
        let values = try cache.values(Value.self, forKeys: expected.map(\.key))
        for ((key, expected), value) in zip(expected, values) where value != expected {
            throw ContactsError("The value of \"\(key)\" is not what it should be after the upgrade.")
        }
    }

    /// The settings of every earlier release, as the app group must have them after the upgrade.
    package static let settings: [String: PropertyListValue] = [
        "showsPhotos": false,
        "signature": #""Yours, Ada""#,
        "pageSize": 50,
        "sortOrder": #""Last Name""#,
        "backupInterval": "1 Hour",
        "backupDates": [
            .date(Date(timeIntervalSinceReferenceDate: 642_000_000)),
            .date(Date(timeIntervalSinceReferenceDate: 642_086_400)),
        ],
        "favoriteGroups": ["work/lab", "club"],
        "labels": ["vip": #"{"hue":210}"#],
        // Release 1 left them on a full disk: the string is truncated.
        "recentSearches": #"["Ada","Plat"#,
    ]

    /// - Throws: ``ContactsError`` for a setting that is wrong, missing or still in its old suite.
    package static func check(_ suites: SettingsSuites) throws {
        guard try suites.group.values() == settings, try suites.own.values().isEmpty else {
            throw ContactsError("The settings in \(suites.group) are not what they should be after the upgrade.")
        }
    }
}

/// An error of the command itself, as opposed to the errors of Molt.
package struct ContactsError: LocalizedError, Hashable {
    package let errorDescription: String?

    init(_ description: String) {
        errorDescription = description
    }
}

package import Foundation

/// People, groups, calls and pictures that are the same whenever they are asked for.
package enum SampleData {
    /// How many people the checked-in stores have: those with a name and a life of their own.
    package static let namedPeople = 12
    /// How many people are made at a time, so that memory stays flat however many there are.
    package static let batchSize = 1_000

    /// Some of the data, each value with its key.
    package struct Batch: Sendable {
        /// People.
        package var contacts: [(key: String, value: SampleContact)] = []
        /// Groups of people.
        package var groups: [(key: String, value: Group)] = []
        /// Calls to people.
        package var calls: [(key: String, value: SampleCall)] = []
        /// Pictures of people, which are raw data.
        package var avatars: [(key: String, value: Data)] = []
    }

    /// The data of a store with a number of people, a part at a time.
    package static func batches(people count: Int) -> some Sequence<Batch> {
        stride(from: 0, to: count, by: batchSize).lazy.map { first in
            batch(of: first..<min(first + batchSize, count))
        }
    }

    /// The key of a person, counted from 0.
    package static func key(ofContactAt index: Int) -> String {
        "contact/\(index + 1)"
    }

    private static func batch(of people: Range<Int>) -> Batch {
        var batch = Batch()
        for index in people {
            let key = key(ofContactAt: index)
            batch.contacts.append((key, contact(at: index)))
            if occurs(at: index, every: 6) {
                let members = (index..<min(index + 6, people.upperBound)).map(self.key(ofContactAt:))
                batch.groups.append(("group/\(index + 1)", Group(name: "Group \(index + 1)", members: members)))
            }
            if occurs(at: index, every: 4) {
                batch.calls.append(("call/\(index + 1)", SampleCall(person: key, seconds: index * 37 % 5_000)))
            }
            if occurs(at: index, every: 5) {
                batch.avatars.append(("avatar/\(index + 1)", avatar(at: index)))
            }
        }
        return batch
    }

    /// Whether a person has a group, a call or a picture: a few of the named ones have, and one of a hundred others.
    private static func occurs(at index: Int, every step: Int) -> Bool {
        index < namedPeople ? index % step == 0 : index % 100 == step
    }

    /// Bytes that are neither text nor JSON.
    private static func avatar(at index: Int) -> Data {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF]
        return Data(signature + (0..<8).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) })
    }
}

import Foundation
import Molt

/// Records of an early release, and migrations that rename, split, drop, create and change keys.
enum People {
    struct Old: Codable {
        var fullName: String
        var note: String
    }

    struct New: Codable, Equatable {
        var firstName: String
        var lastName: String
        var note: String
    }

    /// Returns records as the early release wrote them.
    ///
    /// - Parameter size: The approximate number of bytes of a record.
    static func contents(_ count: Int, size: Int = 200) -> StoreContents {
        let note = String(repeating: "n", count: max(0, size - 60))
        let records = (0..<count).map { number in
            StoreContents.StoredRecord(
                key: "person \(number)",
                typeName: number % 10 == 9 ? "Trash" : "Alien",
                content: Array(#"{"fullName":"First\#(number) Last","note":"\#(note)"}"#.utf8),
                version: 0
            )
        }
        return StoreContents(version: 0, records: records)
    }

    /// Writes a cache with the records of the early release.
    static func prepare(_ place: TestPlace, count: Int, size: Int = 200) throws {
        try place.makeDirectory()
        let store = StoreFile(at: place.cache)
        try contents(count, size: size).write(to: store)
        // Closing the last connection moves the log into the file.
        try CodableCache(at: place.cache).close()
    }

    /// Four migrations, which change every record.
    static let migrations: [Migration] = [
        Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"), .deleteType("Trash")),
        Migration(
            to: 2,
            "split-name",
            .convert("Person", from: Old.self, to: New.self) { old in
                let parts = old.fullName.split(separator: " ", maxSplits: 1).map(String.init)
                return New(firstName: parts[0], lastName: parts[1], note: old.note)
            }
        ),
        Migration(
            to: 3,
            "keys",
            .renameProperty("Person", "note", to: "remark"),
            .transform("Person") { person in
                person.key = "new-" + person.key
                if try person.string("firstName").hasSuffix("7") { person.drop() }
            }
        ),
        Migration(
            to: 4,
            "index",
            .run { migration in
                var count = 0
                try migration.enumerate("Person") { _, new in
                    count += 1
                    new["number"] = .int(Int64(count))
                }
                try migration.create("Index", forKey: "people", ["count": .int(Int64(count))])
            }
        ),
    ]

    /// A configuration with small batches, so that a small store has several.
    static var configuration: MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.hooks.batchSize = 64
        // A full disk is found in the middle of the upgrade.
        configuration.checksDiskSpace = false
        return configuration
    }
}

extension StoreContents {
    /// The contents without the times in the ledger, which differ between upgrades.
    var timeless: StoreContents {
        var contents = self
        for index in contents.ledger.indices {
            contents.ledger[index].appliedAt = Date(timeIntervalSince1970: 0)
            contents.ledger[index].duration = 0
        }
        return contents
    }

    /// Returns the contents of a file; nil if there is no store.
    static func found(at url: URL) throws -> StoreContents? {
        do {
            return try StoreFile.contents(at: url)
        } catch let error as MoltError where error.code == .fileMissing {
            return nil
        }
    }
}

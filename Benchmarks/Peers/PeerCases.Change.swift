import Foundation

extension PeerCases {
    /// A change that an app makes to its records.
    enum Change: String, Sendable {
        /// The property `mail` becomes `email`.
        case rename
        /// The property `fullName` becomes `firstName` and `lastName`; for small records only.
        case split

        /// The name of the case in which each key is a file.
        var filePerKeyCase: String { "file-per-key-\(rawValue)" }
        /// The name of the case that decodes and encodes each row.
        var decodeEncodeCase: String { "sqlite-decode-encode-\(rawValue)" }
        /// The name of the case that uses SQLite's JSON functions.
        var jsonFunctionsCase: String { "sqlite-json-functions-\(rawValue)" }
        /// The name of the case that writes bytes that are there already, whatever the change.
        var preparedUpdateCase: String { PeerCases.preparedUpdateCase }
    }
}

extension PeerCases.Change {
    /// The new content of a record, by decoding the old one and encoding the new one.
    func upgrade(
        _ old: Data,
        _ size: RecordSize,
        _ decoder: JSONDecoder,
        _ encoder: JSONEncoder
    ) throws -> Data {
        switch (self, size) {
        case (.rename, .small): try encoder.encode(RenamedPerson(decoder.decode(PersonV1.self, from: old)))
        case (.rename, _): try encoder.encode(RenamedProfile(decoder.decode(ProfileV1.self, from: old)))
        case (.split, _): try encoder.encode(SplitPerson(decoder.decode(PersonV1.self, from: old)))
        }
    }

    /// The new content of a row, in SQLite's words.
    var expression: String {
        switch self {
        case .rename:
            "json_remove(json_set(content, '$.email', json_extract(content, '$.mail')), '$.mail')"
        case .split:
            """
            json_remove(json_set(content,
                '$.firstName', substr(json_extract(content, '$.fullName'), 1,
                    instr(json_extract(content, '$.fullName') || ' ', ' ') - 1),
                '$.lastName', substr(json_extract(content, '$.fullName'),
                    instr(json_extract(content, '$.fullName') || ' ', ' ') + 1)
            ), '$.fullName')
            """
        }
    }

    /// Checks the new content of a record.
    ///
    /// - Throws: ``BenchmarkError`` when the change was not made, or more than that was changed.
    func check(_ content: Data, of index: Int, _ size: RecordSize = .small) throws {
        let old = People.person(index)
        let isRight: Bool
        switch (self, size) {
        case (.rename, .small):
            let new = try JSONDecoder().decode(RenamedPerson.self, from: content)
            isRight = new.email == old.mail && new.fullName == old.fullName && new.notes == old.notes
        case (.rename, _):
            let new = try JSONDecoder().decode(RenamedProfile.self, from: content)
            isRight = new == RenamedProfile(People.profile(index, size))
        case (.split, _):
            let new = try JSONDecoder().decode(SplitPerson.self, from: content)
            let expected = SplitPerson(old)
            isRight =
                new.firstName == expected.firstName && new.lastName == expected.lastName
                && new.mail == old.mail && new.notes == old.notes
        }
        guard isRight else { throw BenchmarkError("Record \(index) is not what \(self) makes of it.") }
    }
}

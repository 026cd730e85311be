import Foundation
import Molt
import Testing

@Suite struct `The guide's example of records that cannot be converted` {
    struct PersonV1: Codable { var name: String, age: String }
    struct PersonV2: Codable, Equatable { var name: String, age: Int }
    struct NotAnAge: Error {}

    static func migrations(_ age: @escaping @Sendable (String) -> Int?) -> MigrationRegistry {
        [
            Migration(
                to: 1,
                "age-is-a-number",
                .convert("Person", from: PersonV1.self, to: PersonV2.self) { old in
                    guard let age = age(old.age) else { throw NotAnAge() }
                    return PersonV2(name: old.name, age: age)
                }.onFailure(.quarantine(upTo: 20))
            )
        ]
    }

    @Test func `compiles and works as described`() throws {
        let old = try OldStore([
            StoredRecord("Person", "john", #"{"name":"John","age":"41"}"#),
            StoredRecord("Person", "jane", #"{"name":"Jane","age":"about 40"}"#),
            StoredRecord("Person", "jim", #"{"name":"Jim","age":"?"}"#),
        ])
        let url = old.url

        let cache = try CodableCache(at: url, migrations: Self.migrations { Int($0) })
        for record in cache.report.failedRecords { print(record.key, record.code, record.reason) }
        let reasons = cache.report.failedRecords.map(\.reason)
        #expect(reasons == ["NotAnAge", "NotAnAge"])
        for record in try cache.quarantined() { print(record) }
        cache.close()

        // The next release can read more values.
        let fixed = Self.migrations { Int($0.filter(\.isNumber)) }
        let again = try CodableCache(at: url, migrations: fixed)
        if try again.quarantinedCount > 0 {
            print(try again.retryQuarantined(with: fixed))
        }
        try again.expect(PersonV2(name: "Jane", age: 40), forKey: "jane")
        for record in try again.quarantined() {
            let person = try JSONDecoder().decode(PersonV1.self, from: record.content)
            try again.restoreQuarantined(record.id, as: PersonV2(name: person.name, age: 0))
        }
        try again.expect(PersonV2(name: "Jim", age: 0), forKey: "jim")
        #expect(try again.quarantinedCount == 0)
    }
}

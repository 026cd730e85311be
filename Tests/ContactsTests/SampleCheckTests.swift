import Foundation
import Molt
import Testing
import contacts

@Suite
struct SampleCheckTests {
    @Test
    func `A wrong value is found`() throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let cache = try CodableCache(at: try copy(ofStoreOf: 3, in: scratch), migrations: migrations)
        defer { cache.close() }
        var person = try #require(try cache.value(Person.self, forKey: "contact/9"))
        person.address?.city = "Hanoi"
        try cache.set(person, forKey: "contact/9")

        let error = #expect(throws: ContactsError.self) {
            try SampleData.check(cache, people: SampleData.namedPeople)
        }

        guard case .wrongValue(key: "contact/9") = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
    }

    @Test
    func `A lost value is found, and so is one too many`() throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let cache = try CodableCache(at: try copy(ofStoreOf: 3, in: scratch), migrations: migrations)
        defer { cache.close() }

        try cache.set(Call(person: "contact/1", seconds: 1), forKey: "call/extra")
        #expect(throws: ContactsError.self) { try SampleData.check(cache, people: SampleData.namedPeople) }
        try cache.remove(forKey: "call/extra")
        try SampleData.check(cache, people: SampleData.namedPeople)
        try cache.remove(forKey: "avatar/6")
        #expect(throws: ContactsError.self) { try SampleData.check(cache, people: SampleData.namedPeople) }
    }
}

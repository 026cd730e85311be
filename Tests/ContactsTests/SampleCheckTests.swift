import Foundation
import Molt
import TestSupport
import Testing
import contacts

@Suite struct `The check of sample data` {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `A wrong, missing or additional value is detected`() throws {
        let cache = try CodableCache(at: try scratch.store(of: .third), migrations: migrations)
        defer { cache.close() }
        func problem() -> String? {
            let error = #expect(throws: ContactsError.self) {
                try SampleData.check(cache, people: SampleData.namedPeople)
            }
            return error?.errorDescription
        }
        try cache.set(Call(person: "contact/1", seconds: 1), forKey: "call/extra")
        #expect(problem()?.hasPrefix("The store has 21 records") == true)
        try cache.remove(forKey: "call/extra")
        try SampleData.check(cache, people: SampleData.namedPeople)
        var person = try #require(try cache.value(contacts.Person.self, forKey: "contact/9"))
        person.address?.city = "Hanoi"
        try cache.set(person, forKey: "contact/9")
        #expect(problem() == #"The value of "contact/9" is not what it should be after the upgrade."#)
        try cache.remove(forKey: "contact/9")
        #expect(problem() != nil)
    }

    @Test func `A wrong setting, or one left in the source, is detected`() throws {
        let suites = SettingsSuites()
        defer { suites.remove() }
        try suites.group.update(set: SampleData.settings)
        try SampleData.check(suites)

        for (key, wrong): (String, PropertyListValue) in [("pageSize", 51), ("recentSearches", ["Ada"])] {
            try suites.group.set(wrong, forKey: key)
            #expect(throws: ContactsError.self) { try SampleData.check(suites) }
            try suites.group.set(try #require(SampleData.settings[key]), forKey: key)
        }
        try SampleData.check(suites)
        try suites.own.set(50, forKey: "pageSize")
        #expect(throws: ContactsError.self) { try SampleData.check(suites) }
    }
}

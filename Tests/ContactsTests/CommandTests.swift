import Foundation
import Molt
import Testing
import contacts

/// The executable as it is, in a process of its own.
@Suite
struct CommandTests {
    @Test
    func `Without an argument the store of release 1 is upgraded and shown before and after`() async throws {
        let store = try Releases.store(of: Release1.self)
        let before = try Data(contentsOf: store)

        let contacts = try await ContactsProcess.run()

        #expect(contacts.status == 0)
        #expect(contacts.errors.isEmpty)
        #expect(contacts.output.contains("version 0 to 4, 10 of 10 migrations to run"))
        #expect(contacts.output.contains("> 3  split-full-name  (pending)"))
        #expect(contacts.output.contains("100 %  15 of 15 records"))
        #expect(contacts.output.contains("convert Call from CallV1 to CallV4"))
        #expect(contacts.output.contains("Every value was checked: 20 records are as they should be."))
        #expect(contacts.output.contains("\n15 are people and calls, which migrations change; 5 are "))
        let plato = [
            #"contact/2"#,
            #"  before  Alien {birthYear: -427, city: "Αθήνα", fullName: "Plato"}"#,
            #"  after   Person {address.city: "Αθήνα", birthYear: -427, firstName: "Plato","#,
            #"          isFavorite: false, lastName: ""}"#,
        ]
        #expect(contacts.output.contains(plato.joined(separator: "\n") + "\n"))
        // The reason why a setting cannot be converted is as long as it is.
        let lines = contacts.output.split(separator: "\n").filter { !$0.hasPrefix("  not convertible: ") }
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(contacts.leftovers.isEmpty)
        #expect(try Data(contentsOf: store) == before)
        #expect(!URL(filePath: store.path + "-wal").exists)
    }

    @Test(arguments: [["--from", "1"], ["--from", "3"], ["--records", "30"]])
    func `The settings of release 1 are shown as they stood and as they are read`(arguments: [String]) async throws {
        let contacts = try await ContactsProcess.run(arguments)

        #expect(contacts.status == 0)
        let settings = [
            #"showsPhotos     false                    false                   already current"#,
            #"signature       ⟨"Yours, Ada"⟩           "Yours, Ada"            already current"#,
            #"pageSize        ⟨50⟩                     50                      converted"#,
            #"sortOrder       ⟨"Last Name"⟩            lastName                already current"#,
            #"backupInterval  ⟨"1 Hour"⟩               oneHour                 converted"#,
            #"backupDates     ⟨[642000000,642086400]⟩  2021-05-06, 2021-05-07  converted"#,
            #"favoriteGroups  ⟨["work\/lab","club"]⟩   work/lab, club          converted"#,
            #"labels          ⟨{"vip":{"hue":210}}⟩    vip: hue 210            converted"#,
            #"recentSearches  ⟨["Ada","Plat⟩           as it was               not convertible"#,
        ]
        #expect(contacts.output.contains("\n" + settings.joined(separator: "\n") + "\n"))
        #expect(contacts.output.contains("> 4  defaults-v4-to-v5  (pending)"))
        #expect(contacts.output.contains("> 4  suite-to-app-group  (pending)"))
        #expect(contacts.output.contains(#"not convertible: "recentSearches" of suite contacts."#))
        #expect(contacts.leftovers.isEmpty)
    }

    @Test(arguments: [[], ["--records", "30"], ["--dry-run"]])
    func `A scratch store has a name and no path, for it is gone afterwards`(arguments: [String]) async throws {
        let contacts = try await ContactsProcess.run(arguments)

        #expect(contacts.output.count(of: "contacts.molt (a scratch ") == 2)
        #expect(!contacts.output.contains("/contacts.molt"))
    }

    @Test(arguments: [(2, "version 2 to 4, 8 of 10"), (3, "version 3 to 4, 6 of 10")])
    func `The store of a later release has less to run`(release: Int, words: String) async throws {
        let contacts = try await ContactsProcess.run("--from", "\(release)")

        #expect(contacts.status == 0)
        #expect(contacts.output.contains(words))
        #expect(contacts.output.contains("· 2  alien-becomes-person  (applied)"))
        #expect(contacts.output.contains("Every value was checked: 20 records are as they should be."))
        #expect(contacts.leftovers.isEmpty)
    }

    @Test
    func `A store with many people is written, upgraded and checked`() async throws {
        let contacts = try await ContactsProcess.run("--records", "2500")

        #expect(contacts.status == 0)
        #expect(contacts.output.contains("A new store with 2 500 people, written by the code of release 1."))
        #expect(contacts.output.contains("Every value was checked: 2 580 records are as they should be."))
        #expect(contacts.leftovers.isEmpty)
    }

    @Test
    func `A file that is named is upgraded where it is, and once`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: 2, in: scratch)

        let first = try await ContactsProcess.run("--store", file.path)
        let second = try await ContactsProcess.run("--store", file.path)

        #expect(first.status == 0)
        #expect(first.output.contains("version 2 to 4, 8 of 10"))
        #expect(first.output.count(of: "\n\(file.path): version 2 to 4") == 2)
        #expect(first.output.contains(#"today   Person {address.city: "London","#))
        #expect(second.status == 0)
        #expect(second.output.count(of: "up to date at version 4") == 1)
        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }
        #expect(cache.report.isEmpty)
        try SampleData.check(cache, people: SampleData.namedPeople)
    }

    @Test
    func `A dry run reports and writes nothing`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: 1, in: scratch)
        let before = try Data(contentsOf: file)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)

        let contacts = try await ContactsProcess.run("--dry-run", "--store", file.path)

        #expect(contacts.status == 0)
        #expect(contacts.output.contains("10 of 10 migrations to run"))
        #expect(contacts.output.contains("transform Person"))
        #expect(contacts.output.contains("A dry run: nothing was written."))
        #expect(try Data(contentsOf: file) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == names)
        #expect(contacts.leftovers.isEmpty)
    }

    @Test(arguments: [[], ["--from", "3"], ["--records", "30"]])
    func `A dry run leaves nothing behind`(arguments: [String]) async throws {
        let contacts = try await ContactsProcess.run(arguments + ["--dry-run"])

        #expect(contacts.status == 0)
        #expect(contacts.output.contains("A dry run: nothing was written."))
        #expect(contacts.leftovers.isEmpty)
    }

    @Test
    func `A file that is no store is refused and stays as it is`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = scratch.file("letter.txt")
        let text = Data(String(repeating: "Dear Ada, the engine is late again. ", count: 40).utf8)
        try text.write(to: file)

        for arguments in [["--store", file.path], ["--store", file.path, "--dry-run"]] {
            let contacts = try await ContactsProcess.run(arguments)

            #expect(contacts.status == 1)
            #expect(contacts.errors.hasPrefix("contacts: The file at \(file.path) is no SQLite database, "))
            #expect(contacts.errors.count(of: file.path) == 1)
            #expect(contacts.errors.count { $0 == "\n" } == 1)
            #expect(!contacts.errors.contains("--help"))
            #expect(try Data(contentsOf: file) == text)
            #expect(contacts.leftovers.isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["letter.txt"])
    }

    @Test
    func `A file that is missing is not made`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = scratch.file("missing.molt")

        let contacts = try await ContactsProcess.run("--store", file.path)

        #expect(contacts.status == 1)
        #expect(contacts.errors == "contacts: There is no file at \(file.path). Check the path.\n")
        #expect(!file.exists)
    }

    @Test
    func `An empty file is refused and stays empty`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = scratch.file("empty.molt")
        try Data().write(to: file)

        let contacts = try await ContactsProcess.run("--store", file.path)

        #expect(contacts.status == 1)
        #expect(contacts.errors == "contacts: The file at \(file.path) is empty. Check the path.\n")
        #expect(try Data(contentsOf: file).isEmpty)
    }

    @Test
    func `A store of a newer app is refused and stays as it is`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: 3, in: scratch)
        var newer = migrations
        newer.register(Migration(to: 5, "a-later-change"))
        try CodableCache(at: file, migrations: newer).close()
        let before = try Data(contentsOf: file)

        let contacts = try await ContactsProcess.run("--store", file.path)

        #expect(contacts.status == 1)
        #expect(contacts.errors.hasPrefix("contacts: "))
        #expect(contacts.errors.contains("version 5"))
        #expect(!contacts.errors.contains("superseded"))
        #expect(try Data(contentsOf: file) == before)
    }

    @Test
    func `The file of another app is refused in words for people, which name it once`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = scratch.file("foreign.db")
        try StoredRow.writeForeignDatabase(to: file)
        let before = try Data(contentsOf: file)

        let contacts = try await ContactsProcess.run("--store", file.path)

        #expect(contacts.status == 1)
        #expect(contacts.errors.hasPrefix("contacts: The file at \(file.path) is a database that Molt did not make. "))
        #expect(contacts.errors.count(of: file.path) == 1)
        #expect(!contacts.errors.contains("foreignFile"))
        #expect(!contacts.errors.contains("--help"))
        #expect(try Data(contentsOf: file) == before)
    }

    @Test
    func `An argument that means nothing is quoted`() async throws {
        let contacts = try await ContactsProcess.run("extra")

        #expect(contacts.status == 64)
        #expect(contacts.errors == "contacts: unexpected argument \"extra\"; see contacts --help.\n")
    }

    @Test(arguments: [["--wat"], ["--from", "9"], ["--store", "x", "--records", "1"], ["--records", "many"]])
    func `A wrong argument exits with 64 and a sentence`(arguments: [String]) async throws {
        let contacts = try await ContactsProcess.run(arguments)

        #expect(contacts.status == 64)
        #expect(contacts.output.isEmpty)
        #expect(contacts.errors.hasPrefix("contacts: "))
        #expect(contacts.errors.hasSuffix("; see contacts --help.\n"))
        #expect(contacts.errors.count { $0 == "\n" } == 1)
        #expect(contacts.leftovers.isEmpty)
    }

    @Test
    func `Help names every option`() async throws {
        let contacts = try await ContactsProcess.run("--help")

        #expect(contacts.status == 0)
        for option in ["--store FILE", "--from RELEASE", "--records N", "--dry-run", "--help", "--write-release"] {
            #expect(contacts.output.contains(option))
        }
        #expect(contacts.output.contains("Release 1 had no migrations yet, so its stores have version 0"))
        #expect(contacts.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test(arguments: [1, 2, 3])
    func `A maintainer can write a release's store again, but not over a file`(number: Int) async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = scratch.file("release.molt")

        let first = try await ContactsProcess.run("--write-release", "\(number)", file.path)
        let rows = try StoredRow.all(in: file)
        let second = try await ContactsProcess.run("--write-release", "\(number)", file.path)

        #expect(first.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["release.molt"])
        #expect(rows == (try StoredRow.all(in: Releases.store(of: Releases.release(number)))))
        #expect(second.status == 1)
        #expect(second.errors.hasPrefix("contacts: There is a file at"))
        #expect(try StoredRow.all(in: file) == rows)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func count(of text: String) -> Int {
        components(separatedBy: text).count - 1
    }
}

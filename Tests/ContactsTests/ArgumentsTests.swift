import Testing
import contacts

@Suite
struct `Arguments of the contacts command` {
    @Test
    func `Options are read in any order`() throws {
        let none = try Arguments([])
        #expect((none.release, none.people, none.store, none.isDryRun) == (.first, nil, nil, false))
        let some = try Arguments(["--records", "7", "--dry-run", "--from", "3"])
        #expect((some.release, some.people, some.isDryRun) == (.third, 7, true))
        #expect(try Arguments(["--store", "a=b"]).store == "a=b")
        #expect(try Arguments(["--help"]).wantsHelp)
        #expect(try Arguments(["-h"]).wantsHelp)
    }

    private static let people = "--records needs a number of people from 1 to 10000000"

    @Test(arguments: [
        (["--wat"], #""--wat" is not an option"#),
        (["file.molt"], #""file.molt" is not an option"#),
        (["--from"], "--from needs 1, 2 or 3"),
        (["--from", "4"], "--from needs 1, 2 or 3"),
        (["--from", "first"], "--from needs 1, 2 or 3"),
        (["--records"], people),
        (["--records", "0"], people),
        (["--records", "10000001"], people),
        (["--records", "--dry-run"], people),
        (["--store"], "--store needs a file"),
        (["--store", ""], "--store needs a file"),
        (["--store", "--dry-run"], "--store needs a file"),
    ])
    func `The error for a wrong argument names it`(arguments: [String], message: String) {
        #expect(throws: UsageError(message)) { try Arguments(arguments) }
    }
}

import Testing
import contacts

@Suite
struct ArgumentsTests {
    private static let meanings: [([String], Arguments)] = [
        ([], .upgrade(.checkedIn(release: 1), isDryRun: false)),
        (["--dry-run"], .upgrade(.checkedIn(release: 1), isDryRun: true)),
        (["--from", "3"], .upgrade(.checkedIn(release: 3), isDryRun: false)),
        (["--from=2", "--dry-run"], .upgrade(.checkedIn(release: 2), isDryRun: true)),
        (["--records", "100000"], .upgrade(.generated(release: 1, people: 100_000), isDryRun: false)),
        (["--records=7", "--from=3"], .upgrade(.generated(release: 3, people: 7), isDryRun: false)),
        (["--store", "a=b"], .upgrade(.file(path: "a=b"), isDryRun: false)),
        (["--store=a=b"], .upgrade(.file(path: "a=b"), isDryRun: false)),
        (["--dry-run", "--store", "x"], .upgrade(.file(path: "x"), isDryRun: true)),
        (["--write-release", "2", "x"], .writeRelease(2, path: "x")),
        (["--from", "nonsense", "--help"], .help),
        (["-h"], .help),
    ]

    @Test(arguments: meanings)
    func `What can be asked for`(arguments: [String], meaning: Arguments) throws {
        #expect(try Arguments(arguments) == meaning)
    }

    @Test(arguments: [
        (["--wat"], #"unexpected argument "--wat""#),
        (["file.molt"], #"unexpected argument "file.molt""#),
        (["--dry-run=yes"], #"unexpected argument "yes""#),
        (["--from"], "the option --from needs 1, 2 or 3"),
        (["--from", "4"], "the option --from needs 1, 2 or 3"),
        (["--from", "0"], "the option --from needs 1, 2 or 3"),
        (["--from", "first"], "the option --from needs 1, 2 or 3"),
        (["--records"], "the option --records needs a number of people from 1 to 10 000 000"),
        (["--records", "0"], "the option --records needs a number of people from 1 to 10 000 000"),
        (["--records", "-5"], "the option --records needs a number of people from 1 to 10 000 000"),
        (["--records", "10000001"], "the option --records needs a number of people from 1 to 10 000 000"),
        (["--records", "--dry-run"], "the option --records needs a number of people from 1 to 10 000 000"),
        (["--store"], "the option --store needs a file"),
        (["--store="], "the option --store needs a file"),
        (["--store", "--dry-run"], "the option --store needs a file"),
        (["--write-release"], "the option --write-release needs 1, 2 or 3, and a file"),
        (["--write-release", "1"], "the option --write-release needs 1, 2 or 3, and a file"),
        (["--write-release", "4", "x"], "the option --write-release needs 1, 2 or 3, and a file"),
        (["--dry-run", "--dry-run"], "the option --dry-run was given twice"),
        (["--from", "1", "--from=2"], "the option --from was given twice"),
        (
            ["--store", "x", "--from", "1"],
            "the option --store names a store, so --from and --records cannot choose another"
        ),
        (
            ["--records", "1", "--store", "x"],
            "the option --store names a store, so --from and --records cannot choose another"
        ),
        (["--write-release", "1", "x", "--dry-run"], "the option --write-release stands alone"),
    ])
    func `What is wrong with other arguments is said in a few words`(arguments: [String], words: String) {
        #expect(throws: UsageError(words)) { try Arguments(arguments) }
    }
}

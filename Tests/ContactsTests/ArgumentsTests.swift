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
        (["--wat"], "There is no argument --wat; see contacts --help."),
        (["file.molt"], "There is no argument file.molt; see contacts --help."),
        (["--dry-run=yes"], "There is no argument yes; see contacts --help."),
        (["--from"], "The option --from needs 1, 2 or 3."),
        (["--from", "4"], "The option --from needs 1, 2 or 3."),
        (["--from", "0"], "The option --from needs 1, 2 or 3."),
        (["--from", "first"], "The option --from needs 1, 2 or 3."),
        (["--records"], "The option --records needs a number of people from 1 to 10 000 000."),
        (["--records", "0"], "The option --records needs a number of people from 1 to 10 000 000."),
        (["--records", "-5"], "The option --records needs a number of people from 1 to 10 000 000."),
        (["--records", "10000001"], "The option --records needs a number of people from 1 to 10 000 000."),
        (["--records", "--dry-run"], "The option --records needs a number of people from 1 to 10 000 000."),
        (["--store"], "The option --store needs a file."),
        (["--store="], "The option --store needs a file."),
        (["--store", "--dry-run"], "The option --store needs a file."),
        (["--write-release"], "The option --write-release needs 1, 2 or 3, and a file."),
        (["--write-release", "1"], "The option --write-release needs 1, 2 or 3, and a file."),
        (["--write-release", "4", "x"], "The option --write-release needs 1, 2 or 3, and a file."),
        (["--dry-run", "--dry-run"], "The option --dry-run was given twice."),
        (["--from", "1", "--from=2"], "The option --from was given twice."),
        (
            ["--store", "x", "--from", "1"],
            "The option --store names a store, so --from and --records cannot choose another."
        ),
        (
            ["--records", "1", "--store", "x"],
            "The option --store names a store, so --from and --records cannot choose another."
        ),
        (["--write-release", "1", "x", "--dry-run"], "The option --write-release stands alone."),
    ])
    func `What is wrong with other arguments is said in one sentence`(arguments: [String], sentence: String) {
        #expect(throws: UsageError(sentence)) { try Arguments(arguments) }
    }
}

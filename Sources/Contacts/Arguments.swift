/// The arguments of the command.
package struct Arguments: Hashable, Sendable {
    /// The release whose store is upgraded.
    package var release = Release.first
    /// The number of people in a newly written store; nil to copy the checked-in store of the release.
    package var people: Int?
    /// The path of a file to upgrade instead.
    package var store: String?
    package var isDryRun = false
    package var wantsHelp = false

    /// - Parameter words: The command line without the executable.
    /// - Throws: ``UsageError``.
    package init(_ words: some Sequence<String>) throws {
        var rest = Array(words)[...]
        func value(_ need: String) throws -> String {
            guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { throw UsageError(need) }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h": wantsHelp = true
            case "--dry-run": isDryRun = true
            case "--store": store = try value("--store needs a file")
            case "--from":
                let need = "--from needs 1, 2 or 3"
                guard let release = try Int(value(need)).flatMap(Release.init(rawValue:)) else {
                    throw UsageError(need)
                }
                self.release = release
            case "--records":
                let need = "--records needs a number of people from 1 to 10000000"
                guard let people = try Int(value(need)), 1...10_000_000 ~= people else { throw UsageError(need) }
                self.people = people
            default: throw UsageError("\"\(option)\" is not an option")
            }
        }
    }

    package static let help = """
        Upgrades an address book that an earlier release of this app wrote, and its settings, to today's release.

        usage: contacts [--from RELEASE] [--records N] [--dry-run]
               contacts --store FILE [--dry-run]

        Without an option it copies the store of release 1, prints the plan, upgrades the copy, prints the report,
        checks every value, and shows the settings before and after.

          --from RELEASE   begin with a store of release 1, 2 or 3; 1 by default
          --records N      write a new store with N people first, and upgrade that
          --store FILE     upgrade this file in place, without settings
          --dry-run        print the plan and the report of an upgrade, with records before and after each step, and
                           write nothing
          --help           print this

        The version of a store is the number of the release that wrote it, from release 2 on.
        Release 1 had no migrations yet, so its stores have version 0; today's are of release 4 and have version 4.
        The settings are those that Defaults 4 wrote in release 1, in suites of the command's own; yours are not
        touched.
        """
}

package struct UsageError: Error, Hashable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

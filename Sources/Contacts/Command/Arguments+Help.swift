extension Arguments {
    /// How the command is used.
    package static let helpText = """
        Upgrades an address book that an earlier release of this app wrote, and its settings, to today's release.

        usage: contacts [--from RELEASE] [--records N] [--dry-run]
               contacts --store FILE [--dry-run]

        Without an option it copies the store of release 1, prints the plan, upgrades the copy, prints the report,
        checks every value, and shows the settings and a few people before and after.

          --from RELEASE   begin with a store of release 1, 2 or 3; 1 by default
          --records N      write a new store with N people first, and upgrade that
          --store FILE     upgrade this file, where it is
          --dry-run        print the plan and the report of an upgrade, and write nothing
          --help           print this

        The version of a store is the number of the release that wrote it, from release 2 on.
        Release 1 had no migrations yet, so its stores have version 0; today's are of release 4 and have version 4.
        The settings are those that Defaults 4 wrote in release 1, in a suite that is the command's own for one run;
        yours are not touched. A file that is named with --store comes without settings.

        For maintainers:

          --write-release RELEASE FILE
                           write the store of release 1, 2 or 3 with that release's code, as it is checked in
        """
}

/// A wrong argument; the command exits with the status 64 (`EX_USAGE`).
package struct UsageError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in words that follow the command's name.
    package let description: String

    /// Creates an error.
    package init(_ description: String) {
        self.description = description
    }
}

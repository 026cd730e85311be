import Foundation

extension StoreCommands {
    static let rules = Command(
        "rules",
        [],
        "print the rules for changing migrations, for your repository's instructions to people and tools"
    ) { _, terminal in
        terminal.say(text)
        return ExitCode.success
    }

    /// The page "Rules for changing migrations" of the documentation.
    private static let text = #"""
        # Rules for changing migrations

        For people and tools that edit an app that stores data with Molt.

        ## Overview

        1. A migration that has shipped never changes: not its name, its version, its steps or its place. Correct \#
        it with a new migration.
        2. Never edit, rename or delete fixtures, `types.json` or `seals.json`. If one is missing or damaged, \#
        restore it from version control.
        3. A changed stored type needs a migration to the next version, even one without a step. The failing test \#
        proposes it; judge each step. Migrations never use the types of today's app.
        4. Before you add a step that removes values, records or settings, ask the person who owns the app.
        5. Run `swift test`. Each failure says what to do. Make no test pass in another way.
        6. Record: `MOLT_RECORD=missing swift test` writes files that are missing, and changes no other. \#
        `MOLT_RECORD=all` also rewrites unsealed files of the newest version: use it only if it has not \#
        shipped.
        7. Read what was recorded: users will have these stores. Then check it in.
        8. Seal a version when it ships: `shipped: 3` in the call of `verify`, then record; or `molt seal Fixtures \#
        3`. Check in `seals.json`.
        9. Only the commands of rules 6 and 8 may write files of fixtures.
        10. After a merge, keep all versions of both sides in `types.json` and `seals.json`, and run the \#
        tests again.
        11. Remove a shipped migration only as the guide "Squashing migrations" says.
        """#
}

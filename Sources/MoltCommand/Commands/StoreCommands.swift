/// The commands that work on any store, without a registry, and those about the files of tests.
package enum StoreCommands {
    package static let all: [Command] = [
        info, list, get, dump, export, `import`, diff, schema, fixture(), verify, quarantine, backups, restore(),
        salvage, markApplied(), markPending(), compact, settings, seal(), models, rules,
    ]
}

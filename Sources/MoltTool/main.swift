import MoltCommand

run(
    Tool(
        "molt",
        "Shows what is in the stores of apps that use Molt, and repairs them.",
        StoreCommands.all,
        commandsOfApps: RegisteredApp.ownCommands
    )
)

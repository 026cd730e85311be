// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Molt",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Molt", targets: ["Molt"]),
        .library(name: "MoltSalvage", targets: ["MoltSalvage"]),
        .library(name: "MoltTesting", targets: ["MoltTesting"]),
        .library(name: "MoltCommand", targets: ["MoltCommand"]),
        .executable(name: "molt", targets: ["MoltTool"]),
    ],
    traits: [
        .trait(
            name: "PostgreSQLTests",
            description: "Tests documents in a PostgreSQL database. Needs libpq and a server; see .ci/postgresql."
        )
    ],
    targets: [
        .systemLibrary(
            name: "CMoltSQLite",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "Molt", dependencies: ["CMoltSQLite"], resources: [.copy("PrivacyInfo.xcprivacy")]),
        .target(name: "MoltSalvage", dependencies: ["Molt", "CMoltSQLite"]),
        .target(name: "MoltTesting", dependencies: ["Molt"]),
        .target(
            name: "MoltCommand",
            dependencies: ["Molt", "MoltSalvage", "MoltTesting"]
        ),
        // Not named `molt`: on file systems that ignore case, its module would be that of `Molt`.
        .executableTarget(name: "MoltTool", dependencies: ["MoltCommand"]),
        .executableTarget(
            name: "contacts",
            dependencies: ["Molt", "MoltCommand", "MoltTesting"],
            path: "Sources/Contacts",
            resources: [.copy("Stores")]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["Molt", "CMoltSQLite"],
            path: "Benchmarks",
            exclude: ["README.md", "Results"]
        ),
        // What each of them tests stands in the guide "How Molt is built".
        .testTarget(name: "RecordTests", dependencies: ["Molt", "Generators", "TestSupport"]),
        .testTarget(name: "PlanningTests", dependencies: ["Molt", "MoltTesting", "Generators", "TestSupport"]),
        .testTarget(name: "StoreTests", dependencies: ["Molt", "MoltSalvage", "Generators", "TestSupport"]),
        .testTarget(name: "CacheTests", dependencies: ["Molt", "MoltTesting", "Generators", "TestSupport"]),
        .testTarget(
            name: "UpgradingTests",
            dependencies: ["Molt", "MoltTesting", "Generators", "TestSupport"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "SettingsTests",
            dependencies: ["Molt", "Generators", "TestSupport", "FaultyDisk"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(name: "ExportingTests", dependencies: ["Molt", "Generators", "TestSupport"]),
        .testTarget(
            name: "MoltSalvageTests",
            dependencies: ["Molt", "MoltSalvage", "MoltTesting", "Generators", "TestSupport"]
        ),
        .testTarget(
            name: "DurabilityTests",
            dependencies: ["Molt", "MoltSalvage", "Generators", "TestHome", "TestSupport", "FaultyDisk"]
        ),
        .testTarget(
            name: "MoltTestingTests",
            dependencies: ["Molt", "MoltTesting", "Generators", "TestHome", "TestSupport"],
            resources: [.copy("Fixtures/Files")]
        ),
        .testTarget(
            name: "ContactsTests",
            dependencies: ["Molt", "MoltTesting", "MoltCommand", "contacts", "Generators", "TestHome", "TestSupport"],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "MoltCommandTests",
            dependencies: ["Molt", "MoltCommand", "MoltTesting", "Generators", "TestHome", "TestSupport"]
        ),
        // It has no code without the trait.
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: [
                "Molt", "MoltTesting", "Generators",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQLTests"])),
            ]
        ),
        .systemLibrary(
            name: "CPostgreSQL",
            path: "Tests/CPostgreSQL",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        // Mutated inputs for everything that reads what it did not write: `swift run -c release MoltFuzz`.
        .executableTarget(
            name: "MoltFuzz",
            dependencies: ["Molt", "MoltCommand", "MoltSalvage", "MoltTesting", "Generators"],
            path: "Tests/Fuzz"
        ),
        .testTarget(name: "FuzzTests", dependencies: ["MoltFuzz"]),
        // Stores, suites, files, disks and archives for several of the targets above.
        .target(
            name: "TestSupport",
            dependencies: ["CMoltSQLite", "Molt", "MoltTesting", "TestHome"],
            path: "Tests/Support"
        ),
        // Random numbers, registries and stores that are the same for the same seed.
        .target(name: "Generators", dependencies: ["Molt"], path: "Tests/Generators"),
        // Gives the tests' process a home for settings of its own.
        .target(name: "TestHome", path: "Tests/TestHome"),
        // Records, refuses and loses what the tests' process writes.
        .target(name: "FaultyDisk", path: "Tests/FaultyDisk"),
    ],
    swiftLanguageModes: [.v6]
)

// Set by `.ci/run`. Unconditional, it would break packages that depend on this one.
let warningsAreErrors = Context.environment["MOLT_WARNINGS_AS_ERRORS"] != nil

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        // Apps on other systems cannot start processes, so tests that need one are left out there.
        .define("CHILD_PROCESSES", .when(platforms: [.macOS, .linux])),
    ]
    if warningsAreErrors {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}

// swift-tools-version: 6.2
import PackageDescription

// Targets that import `Molt` also list the modules it re-exports: SwiftPM rebuilds a target only when a module changes
// that the target lists, and `Molt` itself never does.
let molt: [Target.Dependency] = ["Molt", "MoltCore", "MoltCache", "MoltDefaults", "MoltPlatform"]

// The required-reason API declarations for the App Store; `PrivacyManifestTests` compares them.
let privacyManifest = Resource.copy("PrivacyInfo.xcprivacy")

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
        // The system's C library under one name.
        .target(name: "MoltPlatform"),
        .target(name: "MoltCore", dependencies: ["MoltPlatform"], resources: [privacyManifest]),
        .target(
            name: "MoltCache",
            dependencies: ["MoltCore", "MoltPlatform", "CMoltSQLite"],
            resources: [privacyManifest]
        ),
        .target(name: "MoltDefaults", dependencies: ["MoltCore", "MoltPlatform"], resources: [privacyManifest]),
        .target(name: "MoltSalvage", dependencies: ["MoltCore", "MoltCache", "MoltPlatform", "CMoltSQLite"]),
        .target(name: "Molt", dependencies: ["MoltCore", "MoltCache", "MoltDefaults"]),
        .target(name: "MoltTesting", dependencies: ["MoltCore", "MoltCache", "MoltDefaults", "MoltPlatform"]),
        .target(
            name: "MoltCommand",
            dependencies: ["MoltCore", "MoltCache", "MoltDefaults", "MoltSalvage", "MoltTesting", "MoltPlatform"]
        ),
        // Not named `molt`: on file systems that ignore case, its module would be that of `Molt`.
        .executableTarget(name: "MoltTool", dependencies: ["MoltCommand"]),
        .executableTarget(
            name: "contacts",
            dependencies: molt + ["MoltCommand", "MoltTesting"],
            path: "Sources/Contacts",
            resources: [.copy("Stores")]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: molt + ["CMoltSQLite"],
            path: "Benchmarks",
            exclude: ["README.md", "Results"]
        ),
        .testTarget(name: "MoltCoreTests", dependencies: ["MoltCore", "MoltPlatform", "Generators"]),
        .testTarget(
            name: "MoltCacheTests",
            dependencies: molt + ["MoltSalvage", "MoltTesting", "Generators", "TestSupport"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "MoltSalvageTests",
            dependencies: molt + ["MoltSalvage", "MoltTesting", "Generators", "TestSupport"]
        ),
        .testTarget(
            name: "MoltDefaultsTests",
            dependencies: molt + ["MoltTesting", "Generators", "TestHome", "TestSupport", "FaultyDisk"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "DurabilityTests",
            dependencies: molt + [
                "MoltSalvage", "MoltTesting", "Generators", "KillSweep", "TestHome", "TestSupport", "FaultyDisk",
            ]
        ),
        .testTarget(
            name: "MoltTestingTests",
            dependencies: molt + [
                "MoltTesting", "Generators", "KillSweep", "StoreConformance", "TestHome", "TestSupport",
            ],
            resources: [.copy("Fixtures/Files")]
        ),
        .testTarget(
            name: "ContactsTests",
            dependencies: molt + [
                "MoltTesting", "MoltCommand", "contacts", "Generators", "KillSweep", "TestHome", "TestSupport",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "MoltCommandTests",
            dependencies: molt + ["MoltCommand", "MoltTesting", "TestHome", "TestSupport"]
        ),
        // It has no code without the trait.
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: molt + [
                "MoltTesting", "Generators",
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
            dependencies: [
                "MoltPlatform", "MoltCore", "MoltCache", "MoltDefaults", "MoltSalvage", "MoltTesting", "Generators",
            ],
            path: "Tests/Fuzz"
        ),
        .testTarget(name: "FuzzTests", dependencies: ["MoltFuzz"]),
        // Files, disks and archives for several of the targets above.
        .target(
            name: "TestSupport",
            dependencies: ["CMoltSQLite", "MoltCache", "MoltPlatform", "MoltTesting"],
            path: "Tests/Support"
        ),
        // Random numbers, registries and stores that are the same for the same seed.
        .target(name: "Generators", dependencies: ["MoltCore", "MoltDefaults"], path: "Tests/Generators"),
        // The behaviors that every `MigrationStore` must have.
        .target(name: "StoreConformance", dependencies: ["MoltCore"], path: "Tests/StoreConformance"),
        // Kills child processes at every point of an upgrade.
        .target(
            name: "KillSweep",
            dependencies: ["MoltCore", "MoltCache", "MoltDefaults", "MoltPlatform", "MoltTesting"],
            path: "Tests/KillSweep"
        ),
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

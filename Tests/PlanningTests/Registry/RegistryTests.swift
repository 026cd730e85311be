import Molt
import Testing

@Suite("Parts of a registry")
struct RegistryTests {
    private let registry: MigrationRegistry = [
        Migration(to: 1, "a"), Migration(to: 1, "b"), Migration(to: 2, "c"), Migration(to: 5, "d"),
    ]

    @Test func `A registry lists its migrations in their order, and its version is the last one's`() {
        #expect(registry.names == ["a", "b", "c", "d"])
        #expect(registry.version == 5)
        #expect(MigrationRegistry().version == 0)
        #expect(MigrationRegistry([]).oldestVersion(7).version == 7)
    }

    @Test func `A literal and register give the same registry`() {
        var registered = MigrationRegistry()
        registered.register(Migration(to: 1, "a"))
        registered.register(Migration(to: 2, "b", replacing: ["x"], .run { _ in }))
        #expect(registered.names == ["a", "b"])
        #expect(registered.migrations[1].replaces == ["x"])
        #expect(registered.migrations[1].steps.map(\.description) == ["b"])
        #expect(registered.version == 2)
    }

    @Test func `The registry up to a name ends with that migration, and an unknown name is an error`() throws {
        for (index, name) in registry.names.enumerated() {
            #expect(try registry.upTo(name).names == Array(registry.names[...index]))
        }
        let error = try #require(throws: MoltError.self) { try registry.upTo("x") }
        #expect(error.code == .unknownMigration)
        #expect(error.message.contains("\"x\""))
        #expect(error.message.contains("a, b, c, d"))
    }

    @Test func `The registry up to a version has the migrations up to that version`() {
        for (version, count) in [(0, 0), (1, 2), (2, 3), (3, 3), (5, 4), (9, 4)] {
            #expect(registry.upTo(version: version).names == Array(registry.names.prefix(count)))
        }
    }

    @Test func `A part of a registry keeps the registry's settings`() throws {
        var registry = registry
        registry = registry.allowingLateMigrations()
        #expect(try registry.upTo("a").allowsLateMigrations)
        #expect(registry.upTo(version: 1).allowsLateMigrations)
    }
}

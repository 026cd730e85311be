import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

/// Types with everything that a shape can have.
private enum Odd {
    enum Status: String, Codable, CaseIterable {
        case open
        case inProgress = "in progress"
        case `default`
    }

    enum Level: Int, Codable, CaseIterable {
        case low = -1
        case high = 5
    }

    enum State: Codable {
        case idle
        case busy(since: Int, by: [Author])
        case done(String, at: Date?)
    }

    struct Author: Codable, Hashable {
        var name = "Ada"
        var link: URL? = URL(string: "https://example.com")
    }

    final class Node: Codable, Sendable {
        let name: String
        let next: Node?

        init(_ name: String, _ next: Node?) {
            self.name = name
            self.next = next
        }
    }

    struct Note: Codable {
        enum CodingKeys: String, CodingKey {
            case id, status, level, states, author, coauthors, node, children, counts, byStatus, born, photo, amount
            case `self`
            case homePage = "home-page"
            case size, nothing, `class`
        }

        var id = UUID(uuidString: "00000000-0000-0000-0000-000000000001")
        var status = Status.inProgress
        var level = Level.low
        var states = [State.idle, .busy(since: 1, by: [Author()]), .done("x", at: nil)]
        var author: Author? = Author()
        var coauthors: Set<Author> = [Author(name: "Bob", link: nil)]
        var node = Node("a", Node("b", nil))
        var children: [Note]?
        var counts = ["a": [1, 2]]
        var byStatus = [Status.open: Author()]
        var born = Date(timeIntervalSinceReferenceDate: 0)
        var photo = Data([1, 2])
        var amount: Decimal? = 2
        var `self` = true
        var homePage = "h"
        var size = 1.5
        var nothing: Author??
        var `class` = "c"
    }

    /// A name that is no identifier, and a value that is no object.
    static let names = ["Notes/Note": Note(), "second": Note(author: nil, children: [Note()])]
}

@Suite("molt models") struct ModelsTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func write(_ shapes: [String: TypeShape]) throws -> URL {
        let file = scratch.file("types.json")
        try JSONEncoder().encode(["versions": [3: shapes]]).write(to: file)
        return file
    }

    @Test func `prints the models of a version in a type of its own`() async throws {
        struct Home: Codable { var zip = "1" }
        struct Person: Codable { var name = "Ada", homes = [Home()], born: Date? }
        let file = try write(["Person": .of(Person()), "setting theme in standard": .of("dark")])
        await CommandRun(molt, "models", file.path, "3").expect(
            output: """
                // What stores of version 3 hold, from types.json. Do not change it: the version has shipped.
                // Decode it with the coders that the app had then. Comments stand for what no sample has shown.
                import Foundation

                enum Version3 {
                    struct Person: Codable, Sendable {
                        var born: Date?
                        var homes: [Home]
                        var name: String

                        struct Home: Codable, Sendable {
                            var zip: String
                        }
                    }

                    enum Settings {
                        /// The setting "theme" in standard.
                        typealias Theme = String
                    }
                }

                """
        )
        await CommandRun(molt, "models", file.path, "4").expect(1, errors: "does not have version 4. It has 3.")
        await CommandRun(molt, "models", file.path, "new").expect(64, errors: "VERSION needs a number")
        await CommandRun(molt, "models", file.path + "s", "3").expect(1, errors: "there is no file")
    }

    #if CHILD_PROCESSES
        @Test func `The models compile, and read and write the fixtures of their version`() async throws {
            let contacts = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../ContactsTests/Fixtures", directoryHint: .isDirectory)
            let current = try FrozenModels(contacts.appending(path: "types.json"), version: 4)
            let fixtures = try ["4-everyone.json", "4-samples.json"].map {
                try StoreFixture(contentsOf: contacts.appending(path: $0))
            }
            var checks = fixtures.flatMap(\.records).compactMap { record -> (type: String, json: String)? in
                guard !record.content.isData, let type = current.types[record.typeName] else { return nil }
                return (type, String(decoding: record.content.bytes, as: UTF8.self))
            }
            #expect(checks.count > 10)

            let shape = try #require(TypeShape.of(all: Array(Odd.names.values)))
            let odd = FrozenModels(["Notes/Note": shape, "setting sizes in standard": .of([1, 2])], version: 0)
            let note = try #require(odd.types["Notes/Note"])
            let sizes = try #require(odd.types["setting sizes in standard"])
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            checks += try Odd.names.values.map { (note, String(decoding: try encoder.encode($0), as: UTF8.self)) }
            checks.append((sizes, "[1,2]"))
            try await compileAndRun([current.source, odd.source], checks)
        }

        /// Decodes each text as a type of the sources, and expects it to be encoded as the same text.
        private func compileAndRun(_ sources: [String], _ checks: [(type: String, json: String)]) async throws {
            let types = Set(checks.map(\.type)).sorted()
            let main = """
                import Foundation

                func check<Model: Codable>(_ type: Model.Type, _ json: Data) throws {
                    func sorted(_ json: Data) throws -> Data {
                        let value = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
                        return try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
                    }
                    let text = try JSONEncoder().encode(try JSONDecoder().decode(type, from: json))
                    let isSame = try sorted(text) == sorted(json)
                    if !isSame { print(type, json.base64EncodedString(), "became", String(decoding: text, as: UTF8.self)) }
                }

                let checks = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
                for line in checks.split(whereSeparator: { $0.isNewline }) {
                    let parts = line.split(separator: " ").map(String.init)
                    let json = Data(base64Encoded: parts[1]) ?? Data()
                    switch parts[0] {
                    \(types.map { "case \"\($0)\": try check(\($0).self, json)" }.joined(separator: "\n    "))
                    default: print("unknown")
                    }
                }
                """
            let lines = checks.map { "\($0.type) \(Data($0.json.utf8).base64EncodedString())" }
            let list = scratch.file("checks")
            try Data(lines.joined(separator: "\n").utf8).write(to: list)
            var files: [String] = []
            for (index, source) in (sources + [main]).enumerated() {
                let file = scratch.file(index == sources.count ? "main.swift" : "Models\(index).swift")
                try Data(source.utf8).write(to: file)
                files.append(file.path)
            }
            let program = scratch.file("program")
            let compiler = try await ChildProcess(
                URL(filePath: "/usr/bin/env"),
                ["swiftc", "-swift-version", "6", "-warnings-as-errors"] + files + ["-o", program.path]
            )
            // Not every computer that runs tests has a compiler.
            guard compiler.status != 127 else { return }
            try #require(compiler.status == 0, "\(compiler.errors)\n\(sources.joined(separator: "\n"))")
            let run = try await ChildProcess(program, [list.path])
            #expect(run.status == 0 && run.output.isEmpty, "\(run.output)\n\(run.errors)")
        }
    #endif
}

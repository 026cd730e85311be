import Foundation
import Molt
import TestSupport
import Testing

/// Values that are set with typed keys over stored ones which the keys cannot read.
///
/// Each test has a suite of its own, since a process remembers which settings it has set.
@Suite(.enabled(if: TestHome.isAvailable))
struct `A setting that its key cannot read` {
    private struct Profile: Codable, Equatable, SettingValue {
        var name = "n"
    }

    private let scratch: ScratchSuite

    init() throws {
        scratch = try ScratchSuite()
    }

    private var suite: Suite { scratch.suite }

    private func quarantined() throws -> [String] {
        try suite.quarantined().map { "\($0.id) \($0.key) \($0.value)" }
    }

    private var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(scratch.name).molt-unreadable") }
    }

    // MARK: Quarantining

    private static let unreadable: [PropertyListValue] = [
        "text", #"{"title":1}"#, 7, 1.5, true, .date(Date(timeIntervalSinceReferenceDate: 5)), .data(Data([1, 2])),
        .data(Data(#"{"title":1}"#.utf8)), ["a", ["b": 1]], ["title": 1], .string("[\"é\"]"),
    ]

    @Test(arguments: unreadable.indices)
    func `is quarantined before another value is set, in whatever form it is`(index: Int) throws {
        let old = Self.unreadable[index]
        let key = SettingKey<Profile>("profile", default: Profile())
        try suite.set(old, forKey: "profile")
        try suite.set(Profile(name: "new"), for: key)
        #expect(try suite.value(for: key) == Profile(name: "new"))
        let setting = try #require(try suite.quarantined().first)
        #expect(setting.value == old && setting.key == "profile" && setting.id == 1 && setting.version == 0)
        setting.failure.expect(.typeMismatch, key: "profile", says: "The stored value ")
        #expect("\(setting)".hasPrefix(#"1: "profile" ("#))
        #expect(!"\(setting)".contains("title\":1") && "\(setting)".hasSuffix(setting.failure.problem))
        #expect(abs(setting.quarantined.timeIntervalSinceNow) < 3_600)
        // The key can read the new value.
        try suite.set(Profile(name: "newer"), for: key)
        #expect(try quarantined().count == 1)
        try suite.removeAll()
        #expect(try quarantined().count == 1)
        try scratch.expect([:])
    }

    @Test func `is quarantined by a subscript, and by a key with a form of its own`() throws {
        let tags = SettingKey<[String]>("tags", default: [])
        let season = SettingKey<Int>("season", coding: .json, default: 1)
        try suite.update(set: ["tags": "a", "season": "summer"])
        // A change in place does nothing.
        suite[tags].append("b")
        #expect(try quarantined() == [])
        suite[tags] = ["b"]
        suite[season] = 2
        suite[tags].append("c")
        #expect(suite[tags] == ["b", "c"] && suite[season] == 2)
        #expect(try suite.quarantined().map(\.value) == ["a", "summer"])
    }

    @Test func `has the version of the suite's ledger`() throws {
        let name = SettingKey<Int>("name", default: 0)
        try suite.set("n", forKey: "name")
        try suite.upgrade(with: [Migration(to: 3, "other", .renameSetting("a", to: "b", in: suite))])
        try suite.set(1, for: name)
        #expect(try suite.quarantined().map(\.version) == [3])
    }

    @Test func `names the place of the problem, and no value`() throws {
        let ages = SettingKey<[String: [Int]]>("ages", default: [:])
        try suite.set(["Ada": [1, "secret"]], forKey: "ages")
        try suite.set([:], for: ages)
        let setting = try #require(try suite.quarantined().first)
        #expect(setting.failure.problem.hasSuffix(#" It is at ["…"][1] in the value."#))
        #expect(!"\(setting) \(setting.failure)".contains("Ada"))
        var dumped = ""
        dump(setting, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    // MARK: What is not quarantined

    @Test func `is told from one that was converted, and from none`() throws {
        let values: [String: PropertyListValue] = ["bool": "YES", "int": "12", "double": 3, "null": ""]
        try suite.update(set: values)
        try scratch.defaults.set(URL(filePath: "/tmp/a"), forKey: "url")
        try scratch.suite.synchronize()
        try suite.set(false, for: SettingKey("bool", default: true))
        try suite.set(13, for: SettingKey("int", default: 1))
        try suite.set(1.5, for: SettingKey("double", default: 1.0))
        try suite.set("x", for: SettingKey("null", default: "n"))
        try suite.set(URL(string: "https://b.com"), for: SettingKey<URL?>("url"))
        try suite.set("y", for: SettingKey("missing", default: "n"))
        #expect(try quarantined() == [])
        #expect(try scratch.otherFiles() == [])
    }

    @Test func `is not quarantined where it is removed, set without a key or changed by a migration`() throws {
        let name = SettingKey<Int?>("name")
        try suite.set("n", forKey: "name")
        suite[name] = nil
        try suite.set("n", forKey: "name")
        try suite.remove(name)
        try suite.set("n", forKey: "name")
        try suite.set("m", forKey: "name")
        try suite.upgrade(with: [
            Migration(to: 1, "one", .changeSettings(in: suite, "set") { try $0.set(1, for: name) })
        ])
        #expect(try suite.value(for: name) == 1)
        #expect(try quarantined() == [])
    }

    @Test func `is looked at again after the suite was changed without a key, or by another key`() throws {
        let number = SettingKey<Int>("a", default: 0)
        let text = SettingKey<[String]>("a", default: [])
        try suite.set(1, for: number)
        try suite.set("text", forKey: "a")
        try suite.set(2, for: number)
        #expect(try suite.quarantined().map(\.value) == ["text"])
        try suite.set(["b"], for: text)
        #expect(try suite.quarantined().map(\.value) == ["text", 2])
        try suite.removeAll()
        try suite.update(set: ["a": "again"])
        try suite.set(3, for: number)
        #expect(try suite.quarantined().map(\.value) == ["text", 2, "again"])
    }

    @Test func `is looked at again after other code has written the suite`() throws {
        let number = SettingKey<Int>("a", default: 0)
        try suite.set(1, for: number)
        try scratch.defaults.set(["x": 1], forKey: "a")
        try suite.set(2, for: number)
        #expect(try suite.quarantined().map(\.value) == [["x": 1]])
    }

    /// A type whose decoder, at its first call, has the suite get another value.
    private struct Interfering: Codable, SettingValue {
        static let suite = Locked<Suite?>(nil)

        init() {}
        init(from decoder: any Decoder) throws {
            let suite = Self.suite.withLock { suite in
                defer { suite = nil }
                return suite
            }
            try suite?.set(#"{"number":2}"#, forKey: "a")
            throw Refusal()
        }
    }

    @Test func `is looked at again if another value has taken its place meanwhile`() throws {
        try suite.set(#"{"number":1}"#, forKey: "a")
        Interfering.suite.withLock { $0 = suite }
        try suite.set(Interfering(), for: SettingKey("a", default: Interfering()))
        #expect(try suite.quarantined().map(\.value) == [#"{"number":1}"#, #"{"number":2}"#])
    }

    @Test func `has a key of one Unicode form alone`() throws {
        try suite.set("x", forKey: "caf\u{E9}")
        let key = SettingKey<Int>("cafe\u{301}", default: 0)
        MoltError.thrown { try suite.set(1, for: key) }?.expect(.cannotStore, key: "cafe\u{301}")
        try scratch.expect(["caf\u{E9}": "x"])
    }

    @Test func `is named to the handler of failures, which may use the suite`() throws {
        let errors = Log<MoltError>()
        let before = SettingKeys.onFailure
        defer { SettingKeys.onFailure = before }
        SettingKeys.onFailure = { [scratch, name = scratch.name] error in
            guard let error = error as? MoltError, error.store == name else { return }
            errors.append(error)
            try? scratch.suite.set("seen", forKey: "b")
        }
        try suite.set("text", forKey: "a")
        try suite.set(1, for: SettingKey<Int>("a", default: 0))
        #expect(errors.all.map(\.key) == ["a"] && errors.all[0].problem.contains("was put into quarantine"))
        #expect(!errors.all[0].description.contains("text"))
        try scratch.expect(["a": 1, "b": "seen"])
    }

    // MARK: The file

    @Test func `is listed and removed by its id, which is not used again`() throws {
        let key = SettingKey<Int>("a", default: 0)
        func overwrite(_ values: String...) throws {
            for value in values {
                try suite.set(.string(value), forKey: "a")
                try suite.set(0, for: key)
            }
        }
        try overwrite("x", "y", "z")
        #expect(try quarantined() == [#"1 a "x""#, #"2 a "y""#, #"3 a "z""#])
        // A value that is there is not added again.
        try overwrite("y")
        #expect(try quarantined().count == 3)
        #expect(try suite.removeQuarantined([2, 3, 9]) == 2)
        #expect(try suite.removeQuarantined([2]) == 0)
        try overwrite("y")
        #expect(try quarantined() == [#"1 a "x""#, #"4 a "y""#])
        try suite.removeAllQuarantined()
        #expect(try quarantined() == [])
        try overwrite("y")
        #expect(try quarantined() == [#"5 a "y""#])
        suite.erase()
        #expect(try scratch.otherFiles() == [])
    }

    @Test func `that was quarantined first goes first beyond the limit`() throws {
        let key = SettingKey<Int>("a", default: 0)
        for number in 0..<103 {
            try suite.set(.string("x \(number)"), forKey: "a")
            try suite.set(0, for: key)
        }
        #expect(try suite.quarantined().map(\.id) == Array(4...103))
        for number in 0..<3 {
            try suite.set(.string(String(repeating: "\(number)x", count: 200_000)), forKey: "a")
            try suite.set(0, for: key)
        }
        #expect(try suite.quarantined().map(\.id) == [105, 106])
        try suite.set(.string(String(repeating: "x", count: 1_200_000)), forKey: "a")
        try suite.set(0, for: key)
        #expect(try suite.quarantined().map(\.id) == [107], "The newest stays, whatever its size.")
    }

    @Test func `counts as new when it is quarantined again`() throws {
        let key = SettingKey<Int>("a", default: 0)
        for letter in ["x", "y", "x", "z"] {
            try suite.set(.string(String(repeating: letter, count: 400_000)), forKey: "a")
            try suite.set(0, for: key)
        }
        #expect(try suite.quarantined().map(\.id) == [1, 3])
    }

    #if CHILD_PROCESSES
        @Test func `is overwritten if the app says so`() async throws {
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                SettingKeys.unreadableValues = .overwrite
                try Suite(name).set("x", forKey: "a")
                try Suite(name).set(1, for: SettingKey("a", default: 0))
                #expect(try Suite(name).quarantined().isEmpty)
            }
        }
    #endif

    @Test func `is quarantined in a new file if the file is damaged, which is kept`() throws {
        let key = SettingKey<Int>("a", default: 0)
        for damage in ["", "{", #"{"format":1}"#, "[]"] {
            try Data(damage.utf8).write(to: file)
            MoltError.thrown { try suite.quarantined() }?.expect(.settingUnreadable, store: scratch.name)
            try suite.set("x", forKey: "a")
            try suite.set(0, for: key)
            #expect(try suite.quarantined().map(\.key) == ["a"])
            let kept = try String(contentsOf: URL(fileURLWithPath: file.path + "-damaged"), encoding: .utf8)
            #expect(kept == damage)
            try Data(damage.utf8).write(to: file)
            try suite.removeAllQuarantined()
            #expect(try quarantined() == [] && scratch.otherFiles().allSatisfy { !$0.hasSuffix("-damaged") })
        }
        let newer = #"{"format":2,"other":1}"#
        try Data(newer.utf8).write(to: file)
        MoltError.thrown { try suite.quarantined() }?.expect(.newerFormat)
        try suite.set("x", forKey: "a")
        try suite.set(1, for: key)
        #expect(try suite.value(for: key) == 1)
        #expect(try String(contentsOf: file, encoding: .utf8) == newer)
        suite.erase()
    }

    @Test func `is overwritten all the same if it cannot be quarantined`() throws {
        let key = SettingKey<Int>("a", default: 0)
        try suite.set("x", forKey: "a")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try suite.set(1, for: key)
        #expect(try suite.value(for: key) == 1)
        #expect(throws: MoltError.self) { try suite.quarantined() }
        try FileManager.default.removeItem(at: file)
        #expect(try quarantined() == [])
    }

    @Test func `is quarantined in the file of a suite that is a link`() throws {
        let target = try ScratchSuite(["a": "x"])
        try FileManager.default.createSymbolicLink(at: scratch.file, withDestinationURL: target.file)
        try suite.set(1, for: SettingKey("a", default: 0))
        #expect(try suite.quarantined().map(\.value) == ["x"])
        #expect(try target.suite.quarantined() == [])
        try target.expectFile(["a": 1])
    }

    @Test func `is quarantined once, whichever thread is faster`() throws {
        let count = 40
        let keys = (0..<count).map { "key \($0)" }
        try suite.update(set: Dictionary(uniqueKeysWithValues: keys.map { ($0, .string("old \($0)")) }))
        let suite = suite
        DispatchQueue.concurrentPerform(iterations: 2 * count) { number in
            let key = SettingKey<Int>(keys[number / 2], default: 0)
            #expect(throws: Never.self) { try suite.set(number, for: key) }
        }
        let settings = try suite.quarantined()
        #expect(settings.map(\.key).sorted() == keys.sorted())
        #expect(settings.allSatisfy { $0.value == .string("old \($0.key)") })
        #expect(settings.map(\.id).sorted() == Array(1...Int64(count)))
    }

    @Test func `cannot be listed of a suite whose name is invalid`() {
        MoltError.thrown { try Suite("a/b").quarantined() }?.expect(.invalidSuite)
        MoltError.thrown { try Suite("a/b").removeQuarantined([1]) }?.expect(.invalidSuite)
        MoltError.thrown { try Suite("a/b").removeAllQuarantined() }?.expect(.invalidSuite)
    }
}

import Foundation
import Molt
import Testing

/// Invariant 8 for settings: a conversion does not depend on the models of the release that runs it.
@Suite("A conversion by a later release") struct LaterModelTests {
    private enum Release2 {
        struct Task: Codable, Equatable, SettingValue { var title: String }
        enum Day: String, Codable, SettingValue, SettingDictionaryKey { case monday, tuesday }
        static let tasks = SettingKey<[Task]?>("tasks")
        static let hours = SettingKey<[Day: Int]?>("hours")
    }

    /// The release in which a property was added that no older value has, and a case was removed.
    private enum Release3 {
        struct Task: Codable, Equatable, SettingValue {
            var title: String
            var isDone: Bool
        }
        enum Day: String, Codable, SettingValue, SettingDictionaryKey { case tuesday }
        static let tasks = SettingKey<[Task]?>("tasks")
        static let hours = SettingKey<[Day: Int]?>("hours")
    }

    private static func fill(_ suite: Molt.Suite) -> Migration {
        Migration(
            to: 3,
            "done",
            .changeSettings(in: suite) { settings in
                let texts = try settings.value(forKey: "tasks")?.array ?? []
                let tasks = texts.compactMap(\.string).map { $0.replacing("}", with: #","isDone":false}"#) }
                try settings.set(.array(tasks.map { .string($0) }), forKey: "tasks")
            }
        )
    }

    private static func migrations(_ library: String, _ suite: Molt.Suite, _ keys: [SettingKeys]) -> Migration {
        library == "Defaults"
            ? .defaultsV4ToV5(to: 2, suite: suite, keys: keys)
            : .swiftyUserDefaults(to: 2, suite: suite, keys: keys)
    }

    @Test(arguments: ["Defaults", "SwiftyUserDefaults"])
    func `gives what the releases between would have given`(library: String) throws {
        let texts = (tasks: #"[{"title":"A"},{"title":"B"}]"#, hours: #"["monday",1,"tuesday",2]"#)
        func value(_ text: String) -> PropertyListValue {
            library == "Defaults" ? .string(text) : .data(Data(text.utf8))
        }
        let expected: [String: PropertyListValue] = [
            "tasks": [#"{"title":"A","isDone":false}"#, #"{"title":"B","isDone":false}"#],
            "hours": ["monday": 1, "tuesday": 2],
        ]
        for isStepwise in [false, true] {
            let scratch = try ScratchSuite(["tasks": value(texts.tasks), "hours": value(texts.hours)])
            let cache = try ScratchCache()
            if isStepwise {
                let keys: [SettingKeys] = [Release2.tasks, Release2.hours]
                try cache.upgrade([Self.migrations(library, scratch.suite, keys)])
                let tasks = [Release2.Task(title: "A"), Release2.Task(title: "B")]
                #expect(scratch.suite[Release2.tasks] == tasks)
            }
            let keys: [SettingKeys] = [Release3.tasks, Release3.hours]
            try cache.upgrade([Self.migrations(library, scratch.suite, keys), Self.fill(scratch.suite)])
            #expect(try scratch.values == expected)
            let titles = scratch.suite[Release3.tasks]?.map(\.title)
            #expect(titles == ["A", "B"])
        }
    }
}

import Foundation
import Molt
import MoltTesting

extension StoreCommands {
    static let models = Command(
        "models",
        ["TYPES", "VERSION"],
        "print Swift models of a version's types, for migrations that decode the old form",
        notes: """
            TYPES is the file types.json of the fixtures. The models are in an enum such as Version3, so that those of
            several versions can stand side by side:
            .convert("Person", from: Version3.Person.self, to: Person.self) { … }
            What no sample has shown is a comment.
            """
    ) { call, terminal in
        let file = URL(filePath: call.arguments[0], directoryHint: .notDirectory)
        guard let version = Int(call.arguments[1]), version >= 0 else {
            throw UsageError("VERSION needs a number from 0, not \"\(call.arguments[1])\"")
        }
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw CommandError("there is no file \(file.path)")
        }
        terminal.say(try FrozenModels(file, version: version).source.trimmingCharacters(in: .newlines))
        return ExitCode.success
    }
}

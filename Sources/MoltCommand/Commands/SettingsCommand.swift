import Foundation
import MoltDefaults

extension StoreCommands {
    static let settings = Command(
        "settings",
        ["PLIST"],
        "show the settings in a suite's file",
        options: [.json]
    ) { call, terminal in
        let values = try settings(in: URL(filePath: call.arguments[0]))
        if call.has("--json") {
            try terminal.sayJSON(values)
            return ExitCode.success
        }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { terminal.say("\(key): \(value)") }
        return ExitCode.success
    }

    private static func settings(in url: URL) throws -> [String: PropertyListValue] {
        guard case .dictionary(let values) = try PropertyListReader.value(Data(contentsOf: url), around: 1) else {
            throw CommandError("\(url.path) is a property list, but not a dictionary, as the file of a suite is")
        }
        return values
    }
}

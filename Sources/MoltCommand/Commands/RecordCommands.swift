import Foundation
import Molt
import MoltTesting

extension StoreCommands {
    private static let ofType = Command.Option.value("--type", "NAME", "only records of this type")

    static let list = Command(
        "ls",
        ["FILE"],
        "list the keys of a store",
        options: [ofType, .json],
        notes: StoreArgument.note
    ) { call, terminal in
        try eachRecord(call) { record in
            let record = record.stored
            if call.has("--json") {
                terminal.say(json: record.line)
            } else {
                let size = record.isData ? "\(record.content.count) B, data" : "\(record.content.count) B"
                let names = [record.key, record.typeName].map(ErrorSummary.oneLine).joined(separator: "\t")
                terminal.say("\(names)\tversion \(record.version)\t\(size)\(record.expiry)")
            }
        }
        return ExitCode.success
    }

    static let get = Command(
        "get",
        ["FILE", "KEY"],
        "print the value of a key",
        options: [.flag("--raw", "print the bytes as they are stored")],
        notes: StoreArgument.note
    ) { call, terminal in
        let file = try StoreArgument(call.arguments[0]).records()
        let key = call.arguments[1]
        let shownKey = ErrorSummary.oneLine(key)
        guard let record = try file.record(forKey: key) else {
            guard try !file.isQuarantined(key: key) else {
                throw CommandError(
                    "the record \"\(shownKey)\" is in quarantine; the command quarantine --content shows it"
                )
            }
            throw CommandError("there is no value under the key \"\(shownKey)\"")
        }
        if call.has("--raw") {
            terminal.write(record.content)
        } else if record.isData {
            terminal.say("\(record.content.count) bytes of data; --raw prints them")
        } else if record.content.isJSON {
            let text = JSONLayout.indented(JSONLayout.minified(record.content))
            terminal.say(json: String(decoding: text, as: UTF8.self))
        } else {
            // A damaged text cannot be laid out.
            terminal.say(ErrorSummary.oneLine(String(decoding: record.content, as: UTF8.self)))
            throw CommandError("the content of \"\(shownKey)\" is not JSON text; --raw prints it")
        }
        return ExitCode.success
    }

    static let dump = Command(
        "dump",
        ["FILE"],
        "print all records, one per line",
        options: [ofType, .flag("--json", "print each record as a JSON object, as in an export, with its version")],
        notes: StoreArgument.note
    ) { call, terminal in
        var isWhole = true
        try eachRecord(call) { record in
            let key = ErrorSummary.oneLine(record.stored.key)
            if !call.has("--json") {
                terminal.say("\(key)\t\(ErrorSummary.oneLine(record.stored.contentText))")
            } else if record.stored.isData || record.stored.content.isJSON {
                terminal.say(json: record.line)
            } else {
                isWhole = false
                terminal.sayError("The content of \"\(key)\" is not JSON text; the command get --raw prints it.")
            }
        }
        return isWhole ? ExitCode.success : ExitCode.failure
    }

    private static func eachRecord(
        _ call: Command.Call,
        _ body: (StoreContents.DatedRecord) throws -> Void
    ) throws {
        let file = try StoreArgument(call.arguments[0]).records()
        let type = call.value("--type")
        if let type { try requireType(type, in: [file]) }
        try file.eachRecord(ofType: type, body)
    }
}

extension StoreContents.StoredRecord {
    /// The JSON in one line, or data as Base64.
    fileprivate var contentText: String {
        isData
            ? "base64:" + Data(content).base64EncodedString()
            : String(decoding: JSONLayout.minified(content), as: UTF8.self)
    }

    fileprivate var expiry: String {
        expiration.map { "\texpires \(DisplayText.time(Date(timeIntervalSince1970: $0)))" } ?? ""
    }

    /// The record without its content, as a JSON object in one line.
    fileprivate var line: String {
        func text(_ string: String) -> String { RecordValue.string(string).description }
        var members = ["\"key\":\(text(key))", "\"type\":\(text(typeName))", "\"version\":\(version)"]
        if let expiration {
            members.append("\"expires\":\(text(DisplayText.time(Date(timeIntervalSince1970: expiration))))")
        }
        members.append("\"bytes\":\(content.count)")
        return "{\(members.joined(separator: ","))}"
    }
}

extension [UInt8] {
    fileprivate var isJSON: Bool { String(utf8: Data(self)).flatMap { try? JSONPart($0) } != nil }
}

extension StoreContents.DatedRecord {
    /// The record as in an export, with its version, in one line; its JSON content keeps its bytes, apart from white
    /// space.
    fileprivate var line: String {
        var record = self
        if !stored.isData { record.stored.content = JSONLayout.minified(stored.content) }
        var bytes: [UInt8] = []
        record.write(to: &bytes, version: stored.version)
        return String(decoding: bytes, as: UTF8.self)
    }
}

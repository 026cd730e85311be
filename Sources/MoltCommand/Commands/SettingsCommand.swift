import Foundation
import Molt

extension StoreCommands {
    static let settings = Command(
        "settings",
        ["PLIST"],
        "show the settings in a suite's file, and how each is stored",
        options: [.json],
        notes: """
            Below a value is the form in which it is stored, if it has one that a library writes. A value alone does not
            always show its type: a string that the app stored may be JSON, too.
            """
    ) { call, terminal in
        let settings = try settings(in: URL(filePath: call.arguments[0]))
        if call.has("--json") {
            try terminal.sayJSON(SettingsList(settings))
            return ExitCode.success
        }
        print(settings, on: terminal)
        return ExitCode.success
    }

    private static func print(_ settings: [String: PropertyListValue], on terminal: Terminal) {
        guard !settings.isEmpty else { return terminal.say("The file has no settings.") }
        let forms = settings.forms
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            terminal.say("\(key): \(value)")
            if let name = forms[key]?.name { terminal.say("  \(name)") }
        }
        let notes = LibraryForm.allCases.filter(forms.values.contains).compactMap { form in
            form.note.map { "  \(form.name ?? ""): \($0)" }
        }
        if !notes.isEmpty { terminal.say("\n" + terminal.bold("Forms")) }
        for note in notes { terminal.say(note) }
        terminal.say("\n" + LibraryForm.conclusion(forms.values))
    }

    static func settings(in url: URL) throws -> [String: PropertyListValue] {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            throw CommandError("there is no file at \(url.path)")
        } catch {
            throw CommandError("\(url.path) cannot be read; name a property list")
        }
        let list: PropertyListValue
        do {
            list = try PropertyListReader.value(data, around: 1)
        } catch {
            throw CommandError("\(url.path) is not a property list of settings")
        }
        guard case .dictionary(let values) = list else {
            throw CommandError("\(url.path) is not a property list of settings: it is not a dictionary")
        }
        return values
    }
}

extension [String: PropertyListValue] {
    /// The forms of the values, by key.
    fileprivate var forms: [String: LibraryForm] {
        [String: LibraryForm](map { ($0.key, LibraryForm(of: $0.value, key: $0.key)) }) { $1 }
    }
}

/// The settings of a suite, as JSON.
private struct SettingsList: Encodable {
    struct Form: Encodable {
        let form: LibraryForm
        let note: String?
    }

    let values: [String: PropertyListValue]
    let forms: [String: Form]
    let conclusion: String

    init(_ values: [String: PropertyListValue]) {
        self.values = values
        let forms = values.forms
        self.forms = forms.mapValues { Form(form: $0, note: $0.note) }
        conclusion = LibraryForm.conclusion(forms.values)
    }
}

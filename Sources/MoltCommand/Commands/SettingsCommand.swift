import Foundation
import Molt

extension StoreCommands {
    static let settings = settings(notes: "")

    /// - Parameters:
    ///   - notes: What the app's own command says in addition.
    ///   - isNamed: Whether a key or a step of the app names a key of a suite, by the suite's name as an attached
    ///     store; of any suite for nil.
    static func settings(
        notes: String,
        isNamed: (@Sendable (_ key: String, _ suite: String?) -> Bool)? = nil
    ) -> Command {
        Command(
            "settings",
            ["PLIST-OR-FIXTURE"],
            "show the settings in a suite's file or in a fixture, and how each is stored",
            options: [.json],
            notes: """
                Below a value is the form in which it is stored, if libraries write that form. Data is shown with what it
                contains. A value alone does not always show its type: a string that the app stored may be JSON, too.
                \(notes)
                """
        ) { call, terminal in
            guard let fixture = try StoreArgument(call.arguments[0]).fixture else {
                let list = SettingsList(try settings(in: URL(filePath: call.arguments[0]))) { key in
                    isNamed?(key, nil)
                }
                if call.has("--json") { try terminal.sayJSON(list) } else { print([("", list)], on: terminal) }
                return ExitCode.success
            }
            let lists = fixture.suites.map { suite, values in
                (suite: suite.description, list: SettingsList(values) { isNamed?($0, suite.attachedName) })
            }
            .sorted { $0.suite < $1.suite }
            if call.has("--json") {
                try terminal.sayJSON(Dictionary(lists.map { ($0.suite, $0.list) }) { first, _ in first })
            } else {
                print(lists, on: terminal)
            }
            return ExitCode.success
        }
    }

    /// - Parameter lists: The settings by suite; the name is empty for those of a file.
    private static func print(_ lists: [(suite: String, list: SettingsList)], on terminal: Terminal) {
        let lists = lists.filter { !$0.list.values.isEmpty }
        guard !lists.isEmpty else { return terminal.say("The file has no settings.") }
        for (index, (suite, list)) in lists.enumerated() {
            if !suite.isEmpty { terminal.say((index == 0 ? "" : "\n") + terminal.bold(suite)) }
            for (key, value) in list.values.sorted(by: { $0.key < $1.key }) {
                terminal.say("\(key): \(value)")
                guard let form = list.forms[key], let name = form.form.name else { continue }
                terminal.say("  \(name)" + (form.content.map { ": \($0)" } ?? ""))
            }
        }
        let unnamed = lists.flatMap { list in (list.list.unnamed ?? []).map { (list.suite, $0) } }
        if !unnamed.isEmpty {
            terminal.say("\n" + terminal.bold("Named by no key or step of the app"))
            for (suite, key) in unnamed { terminal.say("  \(key)" + (suite.isEmpty ? "" : " of \(suite)")) }
        }
        let forms = lists.flatMap { $0.list.forms.values.map(\.form) }
        let notes = LibraryForm.allCases.filter(forms.contains).compactMap { form in
            form.note.map { "  \(form.name ?? ""): \($0)" }
        }
        if !notes.isEmpty { terminal.say("\n" + terminal.bold("Forms")) }
        for note in notes { terminal.say(note) }
        terminal.say("\n" + LibraryForm.conclusion(forms))
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

/// The settings of a suite, as JSON.
private struct SettingsList: Encodable {
    struct Form: Encodable {
        let form: LibraryForm
        let note: String?
        /// What data holds, as text.
        let content: String?
    }

    let values: [String: PropertyListValue]
    let forms: [String: Form]
    let conclusion: String
    /// The keys that no key or step of the app names, sorted; nil if that is not known.
    let unnamed: [String]?

    /// - Parameter isNamed: Whether the app names a key; nil if that is not known.
    init(_ values: [String: PropertyListValue], isNamed: (String) -> Bool?) {
        self.values = values
        let keys = values.keys.sorted()
        unnamed = keys.contains { isNamed($0) != nil } ? keys.filter { isNamed($0) == false } : nil
        let forms = values.map { key, value in
            let form = LibraryForm(of: value, key: key)
            return (key, Form(form: form, note: form.note, content: form.content(of: value)))
        }
        self.forms = [String: Form](forms) { $1 }
        conclusion = LibraryForm.conclusion(forms.map(\.1.form))
    }
}

internal import Molt

enum UpgradeText {
    static func of(_ error: any Error) -> String {
        guard var error = error as? MoltError else { return withoutCopies(String(describing: error)) }
        error.store = nil
        var text = error.description
        // A test cannot be corrected without the error of the app's own closure.
        if let underlying = error.underlying, !(underlying is MoltError) { text += "\n\(underlying)" }
        if error.code == .partlyReplaced {
            text += "\nIf no device has such a store any more, remove the fixture and the files that were made from it."
        }
        return withoutCopies(text)
    }

    /// A text without the names of temporary copies, which differ in each run.
    static func withoutCopies(_ text: String) -> String {
        text.replacing(/molt-(testing\.|fixture-)[0-9A-F-]{36}/, with: "copy")
    }
}

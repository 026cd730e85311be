internal import MoltCore

/// What upgrades said, as text for failures.
enum UpgradeText {
    /// What an upgrade has thrown.
    static func of(_ error: any Error) -> String {
        guard var error = error as? MigrationError else { return withoutCopies(String(describing: error)) }
        error.store = nil
        var text = error.description
        // Fixtures are no user's: what the app's own closure says may be shown.
        if let underlying = error.underlying, !(underlying is any DescribedError) { text += "\n\(underlying)" }
        return withoutCopies(text)
    }

    /// A text without the names of temporary copies: they are others each time.
    static func withoutCopies(_ text: String) -> String {
        text.replacing(/molt-testing\.[0-9]+\.[0-9A-F-]{36}/, with: "copy")
    }
}

/// The statements that a cache keeps prepared.
enum RowQuery: Int, CaseIterable {
    case begin
    case forgetSize

    /// The statement's text.
    var sql: String {
        switch self {
        case .begin: "BEGIN"
        case .forgetSize:
            "UPDATE molt_meta SET value = NULL WHERE name = 'content_size' AND value IS NOT NULL"
        }
    }
}

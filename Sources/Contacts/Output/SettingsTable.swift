internal import Foundation
package import Molt

/// Settings before and after an upgrade, a line each: how they stood, what is read today, and what became of them.
package struct SettingsTable: CustomStringConvertible {
    /// The table's lines, all of one shape.
    package let description: String

    /// Compares settings.
    ///
    /// - Parameters:
    ///   - before: What was stored, by key.
    ///   - after: What today's release reads.
    ///   - outcomes: What the conversion said of each key.
    package init(before: [String: PropertyListValue], after: Settings, outcomes: [KeyOutcome]) {
        let words = Self.words(after)
        let rows = outcomes.map { outcome in
            [
                outcome.key,
                before[outcome.key].map(Self.form) ?? "",
                words.first { $0.key.name == outcome.key }?.text ?? "as it was",
                outcome.outcome.rawValue,
            ]
        }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = zip(row, widths).dropLast().map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return (cells + row.suffix(1)).joined(separator: "  ")
        }
        description = lines.joined(separator: "\n")
    }

    /// A stored value; texts stand between ⟨ and ⟩.
    private static func form(_ stored: PropertyListValue) -> String {
        stored.string.map { "⟨\($0)⟩" } ?? "\(stored.object)"
    }

    /// What is read, in words.
    private static func words(_ settings: Settings) -> [(key: DefaultsKeys, text: String)] {
        let days = settings.backupDates.map { $0.formatted(.iso8601.year().month().day()) }
        let labels = settings.labels.map { "\($0): hue \($1.hue)" }.sorted()
        return [
            (.showsPhotos, "\(settings.showsPhotos)"),
            (.signature, settings.signature),
            (.pageSize, "\(settings.pageSize)"),
            (.sortOrder, "\(settings.sortOrder)"),
            (.backupInterval, "\(settings.backupInterval)"),
            (.backupDates, days.joined(separator: ", ")),
            (.favoriteGroups, settings.favoriteGroups.joined(separator: ", ")),
            (.labels, labels.joined(separator: ", ")),
        ]
    }
}

package import Foundation

/// The name of a backup's file: that of the store, its version, and the time in UTC.
///
/// As `people.molt.v3-20261121T175959123Z.backup`; with `.manual` before the end when the app asked for it. While it is
/// being made it has `.part` behind it.
package struct BackupName: Hashable, Sendable {
    /// What a file is, by the end of its name.
    package enum Kind: String, CaseIterable, Sendable {
        /// Asked for by the app.
        case manual = "manual.backup"
        /// Made by an upgrade.
        case automatic = "backup"
        /// What a newer app left, kept when an older one starts afresh.
        case aside
        /// What could not be read when a backup took its place.
        case damaged
        /// What was there, and whole, when a backup took its place.
        case replaced

        /// Those that are backups: what an older app goes back to, and policies count.
        package static let backups: [Kind] = [.automatic, .manual]
        /// Those that are kept aside.
        package static let filesAside: [Kind] = [.aside, .damaged, .replaced]
    }

    /// The end of a name while the file is not whole.
    package static let part = ".part"
    /// How many bytes of a store's name are in the name: 255 are all that most file systems take.
    private static let longestStem = 186

    /// The store's file.
    package var store: String
    /// The schema version of what is in it; nil where it cannot be known.
    package var version: Int?
    /// When it was made, to the millisecond.
    package var date: Date
    /// What it is.
    package var kind: Kind

    /// Names a file that is made now.
    package init(store: String, version: Int?, date: Date, kind: Kind) {
        self.store = store
        self.version = version
        self.date = Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded(.down) / 1000)
        self.kind = kind
    }

    /// The name.
    package var text: String {
        "\(Self.stem(of: store)).\(version.map { "v\($0)-" } ?? "")\(Self.text(of: date)).\(kind.rawValue)"
    }

    /// Reads a name; nil when it is not one of a backup of that store.
    package init?(_ text: String, of store: String) {
        let stem = Self.stem(of: store)
        guard text.hasPrefix("\(stem).") else { return nil }
        let rest = text.dropFirst(stem.count + 1)
        guard let kind = Kind.allCases.first(where: { rest.hasSuffix(".\($0.rawValue)") }) else { return nil }
        let parts = rest.dropLast(kind.rawValue.count + 1).split(separator: "-", omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count <= 2, let date = Self.date(last) else { return nil }
        self.init(store: store, version: parts.count == 1 ? nil : Int(parts[0].dropFirst()), date: date, kind: kind)
        // A name that it would not have been given is none of ours.
        guard self.text == text else { return nil }
    }

    /// A date, or a later one: names that are made after others come after them, also when the clock was put back.
    ///
    /// - Parameter names: The files beside the store.
    package static func later(_ date: Date, than names: [String], of store: String) -> Date {
        let newest = names.compactMap { BackupName($0, of: store)?.date }.max()
        return newest.map { max(date, $0.addingTimeInterval(0.0015)) } ?? date
    }

    /// How many bytes a store's names have at most.
    package static func longest(of store: String) -> Int {
        // ".v", a version, "-", the time, and the longest of the ends.
        stem(of: store).utf8.count + 2 + 19 + 1 + 19 + 14 + part.utf8.count
    }

    /// What stands for a store: its name, or the beginning of a long one and a digest of all of it.
    private static func stem(of store: String) -> String {
        guard store.utf8.count > longestStem else { return store }
        var stem = store
        while stem.utf8.count > longestStem - 17 { stem.removeLast() }
        return stem + "~" + SHA256.hexadecimal(of: store.utf8).prefix(16)
    }

    /// Whether a name is that of a file of ours that was not whole when its maker was killed, or is not yet.
    package static func isPart(_ text: String, of store: String) -> Bool {
        text.hasSuffix(part) && BackupName(String(text.dropLast(part.count)), of: store) != nil
    }

    // MARK: The time

    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    private static func text(of date: Date) -> String {
        let found = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func digits(_ number: Int?, _ count: Int) -> String {
            let text = String(max(number ?? 0, 0))
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded()) % 1000
        return digits(found.year, 4) + digits(found.month, 2) + digits(found.day, 2) + "T" + digits(found.hour, 2)
            + digits(found.minute, 2) + digits(found.second, 2) + digits(milliseconds, 3) + "Z"
    }

    private static func date(_ text: Substring) -> Date? {
        let digits = text.utf8.filter { (0x30...0x39).contains($0) }
        guard text.utf8.count == 19, digits.count == 17, text.hasSuffix("Z"), text.dropFirst(8).hasPrefix("T") else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int {
            digits[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        let components = DateComponents(
            year: number(0..<4),
            month: number(4..<6),
            day: number(6..<8),
            hour: number(8..<10),
            minute: number(10..<12),
            second: number(12..<14)
        )
        let whole = calendar.date(from: components)
        return whole.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970 + Double(number(14..<17)) / 1000) }
    }
}

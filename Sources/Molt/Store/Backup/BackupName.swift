package import Foundation

/// The name of a backup's file: the store's name, its version, and the time in UTC.
///
/// For example `people.molt.v3-20261121T175959123Z.backup`; the extension is `.manual.backup` if the app requested it.
/// While a file is being written, `.part` is appended to its name.
package struct BackupName: Hashable, Sendable {
    /// The kind of a file, by its name's extension.
    package enum Kind: String, CaseIterable, Sendable {
        /// Requested by the app.
        case manual = "manual.backup"
        /// Made by an upgrade.
        case automatic = "backup"
        /// A newer release's store that was moved aside when an older release started afresh.
        case aside
        /// Unreadable contents that a backup replaced.
        case damaged
        /// Undamaged contents that a backup replaced.
        case replaced

        /// The kinds that count as backups in policies, and that an older app can restore.
        static let backups: [Kind] = [.automatic, .manual]
        static let filesAside: [Kind] = [.aside, .damaged, .replaced]
    }

    /// The extension of an incomplete file.
    package static let part = ".part"
    /// The maximum number of bytes of a store's name in the name: most file systems limit a name to 255 bytes.
    private static let longestStem = 186

    var store: String
    /// The schema version of the contents; nil if unknown.
    var version: Int?
    /// When it was made, with millisecond precision.
    var date: Date
    var kind: Kind

    package init(store: String, version: Int?, date: Date, kind: Kind) {
        self.store = store
        self.version = version
        self.date = Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded(.down) / 1000)
        self.kind = kind
    }

    package var text: String {
        "\(Self.stem(of: store)).\(version.map { "v\($0)-" } ?? "")\(Self.text(of: date)).\(kind.rawValue)"
    }

    /// Parses a name; nil when it is not that of a backup of that store.
    package init?(_ text: String, of store: String) {
        let stem = Self.stem(of: store)
        guard text.hasPrefix("\(stem).") else { return nil }
        let rest = text.dropFirst(stem.count + 1)
        guard let kind = Kind.allCases.first(where: { rest.hasSuffix(".\($0.rawValue)") }) else { return nil }
        let parts = rest.dropLast(kind.rawValue.count + 1).split(separator: "-", omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count <= 2, let date = Self.date(last) else { return nil }
        self.init(store: store, version: parts.count == 1 ? nil : Int(parts[0].dropFirst()), date: date, kind: kind)
        // A name in any other form is not ours.
        guard self.text == text else { return nil }
    }

    /// A date, moved behind the existing names if necessary: new names sort last even if the clock was set back.
    ///
    /// - Parameter names: The files beside the store.
    static func later(_ date: Date, than names: [String], of store: String) -> Date {
        let newest = names.compactMap { BackupName($0, of: store)?.date }.max()
        return newest.map { max(date, $0.addingTimeInterval(0.0015)) } ?? date
    }

    /// The maximum number of bytes in the names of a store's backups.
    static func longest(of store: String) -> Int {
        // ".v", a version, "-", the time, and the longest extension.
        stem(of: store).utf8.count + 2 + 19 + 1 + 19 + 14 + part.utf8.count
    }

    /// A store's name, or the beginning of a long one with a digest of the full name.
    private static func stem(of store: String) -> String {
        guard store.utf8.count > longestStem else { return store }
        var stem = store
        while stem.utf8.count > longestStem - 17 { stem.removeLast() }
        return stem + "~" + SHA256.hexadecimal(of: store.utf8).prefix(16)
    }

    /// Whether a name is that of an incomplete file of ours.
    static func isPart(_ text: String, of store: String) -> Bool {
        text.hasSuffix(part) && BackupName(String(text.dropLast(part.count)), of: store) != nil
    }

    /// Whether a name is that of a copy of any store, or of an incomplete one.
    static func isOfAnyStore(_ text: String) -> Bool {
        let name = text.hasSuffix(part) ? String(text.dropLast(part.count)) : text
        return name.indices.contains { name[$0] == "." && BackupName(name, of: String(name[..<$0])) != nil }
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
        // An Apple Watch may have an `Int` of 32 bits.
        let milliseconds = Int(Int64((date.timeIntervalSince1970 * 1000).rounded()) % 1000)
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

package import Foundation

/// Numbers, times and durations as people read them, in descriptions and reports.
package enum DisplayText {
    /// A number with its digits grouped in threes.
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text += " " }
            text.append(digit.element)
        }
    }

    /// A number as an ordinal, such as "1st".
    package static func ordinal(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }

    /// A number of records in words.
    package static func records(_ count: Int) -> String {
        count == 1 ? "1 record" : "\(grouped(count)) records"
    }

    /// A number of settings in words.
    package static func settings(_ count: Int) -> String {
        count == 1 ? "1 setting" : "\(grouped(count)) settings"
    }

    /// Names in quotes.
    package static func list(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    /// A number of bytes with its unit, rounded down; a kilobyte has 1000 bytes.
    package static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1_000: "\(count) B"
        case ..<1_000_000: "\(count / 1_000) kB"
        default: "\(Double(count / 100_000) / 10) MB"
        }
    }

    /// A time, in seconds since 1970, from which on dates are beyond the calendar: in the year 5138.
    static let lastSecond = 1e11

    /// A date in the form of ISO 8601, or in seconds since 1970 if it is beyond the calendar.
    ///
    /// The formatter would end the process for such a date, which a damaged file may contain.
    package static func time(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        return abs(seconds) < lastSecond ? date.formatted(.iso8601) : "\(seconds) s since 1970"
    }

    /// A duration in milliseconds, or in seconds from one second.
    package static func seconds(_ duration: Double) -> String {
        guard abs(duration) < 1e9 else { return "\(duration) s" }
        return duration < 1 ? "\(Int((duration * 1000).rounded())) ms" : "\((duration * 100).rounded() / 100) s"
    }
}

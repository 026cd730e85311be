extension Record {
    /// A form in which dates are stored; those of JSON are named like the strategies of `JSONEncoder`.
    public enum DateForm: Sendable {
        /// Seconds since 1 January 2001, the default.
        case deferredToDate
        /// Seconds since 1 January 1970.
        case secondsSince1970
        /// Milliseconds since 1 January 1970.
        case millisecondsSince1970
        /// A string such as "2026-11-24T08:30:00Z".
        ///
        /// Fractions of seconds are read, but not written: they are cut off, as `JSONEncoder` does.
        case iso8601
        /// A string such as "2026-11-24T08:30:00.125Z", with three to nine digits after the point.
        ///
        /// `Date.ISO8601FormatStyle(includingFractionalSeconds: true)` reads it.
        case iso8601WithFractionalSeconds
        /// A date of a property list, which only settings can have; see ``MigrationStep/Place``.
        ///
        /// On Linux, a native date has whole seconds.
        case propertyListDate
    }
}

extension Record.DateForm {
    /// The seconds between 1 January 1970 and 1 January 2001.
    private static let referenceDate: Int64 = 978_307_200

    /// The seconds since 1970, exactly; nil for a value of another form.
    func seconds(_ value: RecordValue) -> DecimalNumber? {
        switch self {
        case .iso8601, .iso8601WithFractionalSeconds:
            return value.string.flatMap { ISO8601.seconds($0) }
        case .deferredToDate:
            return value.number.flatMap { DecimalNumber($0) }?.adding(DecimalNumber(Self.referenceDate))
        case .secondsSince1970:
            return value.number.flatMap { DecimalNumber($0) }
        case .millisecondsSince1970:
            var seconds = value.number.flatMap { DecimalNumber($0) }
            return seconds?.shift(by: -3) == true ? seconds : nil
        case .propertyListDate:
            let number = PropertyListTag.date.content(of: value).flatMap { RecordValue.Number(text: $0) }
            return number.flatMap { DecimalNumber($0) }?.adding(DecimalNumber(Self.referenceDate))
        }
    }

    /// The JSON for seconds since 1970; nil if the form has none.
    func json(_ seconds: DecimalNumber) -> String? {
        switch self {
        case .iso8601:
            return ISO8601.text(seconds, fractionDigits: 0...0).map { "\"\($0)\"" }
        case .iso8601WithFractionalSeconds:
            return ISO8601.text(seconds, fractionDigits: 3...9).map { "\"\($0)\"" }
        case .deferredToDate:
            return seconds.adding(DecimalNumber(-Self.referenceDate))?.text
        case .secondsSince1970:
            return seconds.text
        case .millisecondsSince1970:
            var milliseconds = seconds
            return milliseconds.shift(by: 3) ? milliseconds.text : nil
        case .propertyListDate:
            let text = seconds.adding(DecimalNumber(-Self.referenceDate))?.text
            return text.map { RecordValue.string(PropertyListTag.date.text($0)).description }
        }
    }
}

/// Dates of the years 1 to 9999 in the form of ISO 8601 that Foundation reads and writes.
///
/// As in Foundation, the Julian calendar holds before 15 October 1582. `Date.distantPast` is "0001-01-01T00:00:00Z".
private enum ISO8601 {
    /// The days since 1970 from which the Gregorian calendar holds.
    private static let firstGregorianDay = -141_427

    static func seconds(_ text: String) -> DecimalNumber? {
        var rest = Substring(text).utf8
        guard let year = number(4, &rest), skip("-", &rest), let month = number(2, &rest), skip("-", &rest),
            let day = number(2, &rest), skip("T", &rest), let hour = number(2, &rest), skip(":", &rest),
            let minute = number(2, &rest), skip(":", &rest), let second = number(2, &rest),
            let days = days(year, month, day), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: DecimalNumber?
        if skip(".", &rest) {
            let digits = rest.prefix { 0x30...0x39 ~= $0 }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            fraction = DecimalNumber(RecordValue.Number(checked: "0." + String(Substring(digits))))
            guard fraction != nil else { return nil }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        let whole = DecimalNumber(Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset))
        return fraction.map { whole.adding($0) } ?? whole
    }

    static func text(_ seconds: DecimalNumber, fractionDigits: ClosedRange<Int>) -> String? {
        // Far more than the years from 1 to 9999.
        guard let (whole, fraction) = seconds.whole, whole.magnitude < 1_000_000_000_000 else { return nil }
        let time = Int((whole % 86_400 + 86_400) % 86_400)
        guard let (year, month, day) = date(Int((whole - Int64(time)) / 86_400)) else { return nil }
        var text =
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        if fractionDigits.upperBound > 0 {
            let digits = fraction.prefix(fractionDigits.upperBound)
            text += "." + digits + String(repeating: "0", count: max(0, fractionDigits.lowerBound - digits.utf8.count))
        }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        DecimalNumber.padded(String(number), to: count)
    }

    // MARK: Parts of a text

    private static func number(_ count: Int, _ text: inout Substring.UTF8View) -> Int? {
        let digits = text.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        text = text.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func skip(_ character: Unicode.Scalar, _ text: inout Substring.UTF8View) -> Bool {
        guard let first = text.first, UInt32(first) == character.value else { return false }
        text = text.dropFirst()
        return true
    }

    /// The offset from UTC in seconds: of "Z", "+02:00" or "+0200".
    private static func offset(_ text: inout Substring.UTF8View) -> Int? {
        if skip("Z", &text) { return 0 }
        let isAhead = skip("+", &text)
        guard isAhead || skip("-", &text), let hours = number(2, &text) else { return nil }
        _ = skip(":", &text)
        guard let minutes = number(2, &text), hours < 24, minutes < 60 else { return nil }
        return (isAhead ? 1 : -1) * (hours * 3_600 + minutes * 60)
    }

    // MARK: Days

    /// The days since 1970 of a date; nil if there is no such date.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let isGregorian = (year, month, day) >= (1582, 10, 15)
        guard year > 0, 1...12 ~= month, day > 0, isGregorian || (year, month, day) < (1582, 10, 5) else { return nil }
        let isLeap = year % 4 == 0 && (!isGregorian || year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        // Years start in March, so that a leap day is the last of its year.
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = isGregorian ? marchYear / 4 - marchYear / 100 + marchYear / 400 : marchYear / 4 - 2
        return marchYear * 365 + leapDays + dayOfYear - 719_468
    }

    /// The date of a day; nil before the year 1 and after the year 9999.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int)? {
        // Shifted so that day 0 is 1 March of the year 0 in the calendar of the day.
        let isGregorian = days >= firstGregorianDay
        let day = days + (isGregorian ? 719_468 : 719_470)
        guard day >= 306, day < 3_652_059 + 306 else { return nil }
        let marchYear: Int
        if isGregorian {
            let (era, dayOfEra) = day.quotientAndRemainder(dividingBy: 146_097)
            marchYear = era * 400 + (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        } else {
            marchYear = (4 * day + 3) / 1_461
        }
        let leapDays = isGregorian ? marchYear / 4 - marchYear / 100 + marchYear / 400 : marchYear / 4
        let dayOfYear = day - marchYear * 365 - leapDays
        let month = (5 * dayOfYear + 2) / 153
        return (marchYear + (month > 9 ? 1 : 0), (month + 2) % 12 + 1, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}

extension Record.DateForm {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .deferredToDate: "secondsSinceReferenceDate"
        case .secondsSince1970: "secondsSince1970"
        case .millisecondsSince1970: "millisecondsSince1970"
        case .iso8601: "iso8601"
        case .iso8601WithFractionalSeconds: "iso8601WithFractionalSeconds"
        case .propertyListDate: "propertyListDate"
        }
    }
}

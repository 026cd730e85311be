#if !canImport(Darwin)
    /// A time in UTC as property lists write it, of a year that has four digits.
    ///
    /// The calendar is the Gregorian one, also before there was it.
    struct CivilTime {
        /// Days from the first of March of year 0 to the first of January 2001.
        private static let reference = 730_791

        /// Such as `2001-01-01T00:00:00Z`.
        let text: String

        /// The time of a whole number of seconds since 2001; nil when its year does not have four digits.
        init?(secondsSinceReference seconds: Double) {
            guard abs(seconds) < 1e12, let whole = Int(exactly: seconds) else { return nil }
            let (days, second) = Self.divide(whole, 86_400)
            // A year is taken to begin with March, so that the day that is not in each of them is its last.
            let (era, day) = Self.divide(days + Self.reference, 146_097)
            let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
            let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
            guard 1000...9999 ~= year else { return nil }
            let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            text =
                "\(year)-\(Self.two(month))-\(Self.two(dayOfMonth))T\(Self.two(second / 3600)):"
                + "\(Self.two(second / 60 % 60)):\(Self.two(second % 60))Z"
        }

        /// The seconds since 2001 of a text; nil for any other form.
        static func secondsSinceReference(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
            guard text.count == 20 else { return nil }
            func number(_ start: Int, _ count: Int) -> Int? {
                var number = 0
                for byte in text[start..<start + count] {
                    guard 0x30...0x39 ~= byte else { return nil }
                    number = number * 10 + Int(byte - 0x30)
                }
                return number
            }
            let separators: [(Int, UInt8)] = [
                (4, UInt8(ascii: "-")), (7, UInt8(ascii: "-")), (10, UInt8(ascii: "T")), (13, UInt8(ascii: ":")),
                (16, UInt8(ascii: ":")), (19, UInt8(ascii: "Z")),
            ]
            guard separators.allSatisfy({ text[$0.0] == $0.1 }),
                let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
                let minute = number(14, 2), let second = number(17, 2),
                year >= 1000, 1...12 ~= month, 1...28 ~= day || 1...31 ~= day, hour < 24, minute < 60, second < 60
            else { return nil }
            let shiftedYear = month <= 2 ? year - 1 : year
            let (era, yearOfEra) = divide(shiftedYear, 400)
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            let seconds = (era * 146_097 + dayOfEra - reference) * 86_400 + hour * 3600 + minute * 60 + second
            // A day that its month does not have comes out as another one.
            guard CivilTime(secondsSinceReference: Double(seconds))?.text.utf8.elementsEqual(text) == true else {
                return nil
            }
            return seconds
        }

        /// Towards the past.
        private static func divide(_ number: Int, _ divisor: Int) -> (Int, Int) {
            let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
            return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
        }

        private static func two(_ number: Int) -> String {
            number < 10 ? "0\(number)" : "\(number)"
        }
    }
#endif

extension Int {
    /// The number with a space between thousands, as in "100 000".
    package var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(" ") }
            text.append(digit)
        }
        return text
    }
}

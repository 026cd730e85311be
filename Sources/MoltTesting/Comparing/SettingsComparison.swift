internal import Foundation
internal import MoltDefaults

/// The differences between two stores' settings of one suite.
struct SettingsComparison {
    private(set) var lines: [String] = []
    private let suite: Suite

    init(_ suite: Suite) {
        self.suite = suite
    }

    mutating func compare(_ expected: [String: PropertyListValue], _ found: [String: PropertyListValue]) {
        let place = "suite \(suite), "
        compare(expected, found) { place + Shown.key($0) }
    }

    private mutating func compare(
        _ expected: [String: PropertyListValue],
        _ found: [String: PropertyListValue],
        at place: (String) -> String
    ) {
        for key in Set(expected.keys).union(found.keys).sorted() {
            switch (expected[key], found[key]) {
            case (let expected?, let found?): compare(expected, found, at: place(key))
            case (let expected?, nil): lines.append("\(place(key)): missing, expected \(expected.summary)")
            case (nil, let found?): lines.append("\(place(key)): unexpected, found \(found.summary)")
            case (nil, nil): break
            }
        }
    }

    private mutating func compare(_ expected: PropertyListValue, _ found: PropertyListValue, at place: String) {
        guard expected != found else { return }
        switch (expected, found) {
        case (.dictionary(let expected), .dictionary(let found)):
            compare(expected, found) { "\(place)\(Shown.property($0))" }
        case (.array(let expected), .array(let found)):
            compare(expected, found, at: place)
        case (.data(let expected), .data(let found)):
            lines.append("\(place): \(Shown.dataDifference(Array(expected), Array(found)))")
        case (.date(let expected), .date(let found)):
            let shown = Shown.dates(expected, found)
            lines.append("\(place): expected \(shown.0), found \(shown.1)")
        case (.string(let expected), .string(let found)):
            let shown = Shown.pair(Array(expected.utf8), Array(found.utf8))
            let remark = expected == found ? "; they look the same, their characters are composed in another way" : ""
            lines.append("\(place): expected \"\(shown.0)\", found \"\(shown.1)\"\(remark)")
        default:
            lines.append("\(place): expected \(expected.summary), found \(found.summary)")
        }
    }

    private mutating func compare(_ expected: [PropertyListValue], _ found: [PropertyListValue], at place: String) {
        for index in 0..<max(expected.count, found.count) {
            let inner = "\(place)[\(index)]"
            if index >= found.count {
                lines.append("\(inner): missing, expected \(expected[index].summary)")
            } else if index >= expected.count {
                lines.append("\(inner): unexpected, found \(found[index].summary)")
            } else {
                compare(expected[index], found[index], at: inner)
            }
        }
    }
}

extension PropertyListValue {
    fileprivate var summary: String {
        switch self {
        case .bool(let bool): "\(bool)"
        case .int(let int): "\(int)"
        case .unsigned(let unsigned): "\(unsigned)"
        case .double(let double): "\(double)"
        case .string(let string): "\"\(Shown.text(string))\""
        case .date(let date): "the date \(Shown.date(date))"
        case .data(let data): "data of \(Shown.size(data.count))"
        case .array(let array): "an array of \(array.count)"
        case .dictionary(let dictionary): "a dictionary of \(dictionary.count)"
        }
    }
}

internal import Foundation
internal import Molt

/// A text that looks like those in stores, but has other words, to show what a step makes of it.
struct ExampleText {
    /// The separator that the texts have most often; a comma if they have none.
    let separator: String
    private let text: String

    /// - Parameter texts: Texts of stores, none of which is shown.
    init(_ texts: [String]) {
        let separators = [",", ";", "|", "\n", "\t", "/", " "]
        let counts = separators.map { separator in texts.count { $0.contains(separator) } }
        let index = counts.indices.max { (counts[$0], -$0) < (counts[$1], -$1) } ?? 0
        separator = separators[counts[index] > 0 ? index : 0]
        text = ["one", "two"].joined(separator: separator)
    }

    /// What a step makes of the text, or of an array with its parts; nil for a step that is not about texts and arrays.
    func result(of change: ProposedStep.Change) -> String? {
        let parts: RecordValue = ["one", "two"]
        switch change {
        case .wrap: return made(from: .string(text), change)
        case .splitIntoArray(_, let separator):
            return made(from: .string(["one", "two"].joined(separator: separator)), change)
        case .unwrap: return made(from: ["one"], change).map { $0 + ", and more than one element fails" }
        case .joinArray: return made(from: parts, change)
        default: return nil
        }
    }

    /// The words for a value and what the step, which really runs, makes of it.
    private func made(from value: RecordValue, _ change: ProposedStep.Change) -> String? {
        let place = ProposedPlace(content: .records("Example"), path: [.name("example")])
        let moved: ProposedStep.Change =
            switch change {
            case .wrap: .wrap(place)
            case .unwrap: .unwrap(place)
            case .splitIntoArray(_, let separator): .splitIntoArray(place, separator: separator)
            case .joinArray(_, let separator): .joinArray(place, separator: separator)
            default: change
            }
        let json = RecordValue.object(RecordValue.Object([("example", value)])).description
        guard let step = ProposedStep(change: moved, word: "").value,
            let upgrade = try? DocumentUpgrade([Migration(to: 1, "example", step)]),
            let output = try? upgrade.upgrade(Data(json.utf8), ofType: "Example", writtenAt: 0),
            let result = (try? RecordValue(json: output.content))?.object?["example"]
        else { return nil }
        return "\(value) becomes \(result)"
    }
}

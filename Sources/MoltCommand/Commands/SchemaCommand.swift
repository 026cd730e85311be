import Foundation
import Molt

extension StoreCommands {
    static let schema = Command(
        "schema",
        ["FILE", "[OTHER]"],
        "show the properties of each type, as found in the records, or compare those of two stores",
        options: [.json],
        notes: """
            FILE and OTHER may be fixtures.
            For each property it shows the kinds of its values, and in how many records it is. "[]" stands for the
            elements of an array. A property that no record has is not found, so two stores of the same release may
            differ. The keys of a dictionary look like properties: at most \(StoreShapes.propertyLimit) are kept for a type.
            Exit codes: 0 for success, and with OTHER if the shapes are the same; 1 if they differ; 2 for an error.
            """,
        errorCode: ExitCode.trouble
    ) { call, terminal in
        let files = try call.arguments.map { try StoreArgument($0).records() }
        let counter = terminal.counter(of: try files.reduce(0) { try $0 + $1.recordCount() }, "read")
        let shapes = try files.map { try StoreShapes(of: $0, noting: counter) }
        guard shapes.count == 2 else {
            if call.has("--json") { try terminal.sayJSON(shapes[0]) } else { shapes[0].print(on: terminal) }
            return ExitCode.success
        }
        let found = ShapeDifferences(from: shapes[0], to: shapes[1])
        if call.has("--json") { try terminal.sayJSON(found) } else { found.print(on: terminal) }
        return found.differences.isEmpty ? ExitCode.success : ExitCode.failure
    }
}
